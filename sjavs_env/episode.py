"""The course of one episode: a deal, or the deals of a rubber one after the other.

It knows a batch of one, the score sheet and the deals that are given; nothing of any framework.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, cast

import numpy as np

from sjavs_env.core.arguments import check_lines
from sjavs_env.core.errors import DealError
from sjavs_env.core.rules import rubber
from sjavs_env.core.rules.notation import parse_deal
from sjavs_env.core.rules.scoring import column_payoffs
from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.vector import VectorSjavs
from sjavs_env.views.transcript import Result

EpisodeKind = Literal["deal", "rubber"]

RESET_OPTIONS = ("deal", "deals", "dealer")
"""The options of a reset."""

_SHEET_RANGE = (-(2**15), 2**15 - 1)
"""What the state of a deal can hold of a column."""
_RAW_BITS = 64


class Episode:
    """A deal, or a rubber, under one rule set.

    Attributes:
        vec: The deal in play, a batch of one.
        sheet: The score sheet, one rubber; in an episode of one deal it ends with that.
        results: Results of the deals that have ended, void ones included.
        over: Whether the episode has ended.
    """

    def __init__(self, rules: str | RuleSet, kind: EpisodeKind) -> None:
        self.rules, self.kind = rule_set(rules), kind
        self.vec = VectorSjavs(self.rules, batch=1)
        self._luck = np.random.PCG64()
        self._open(())

    def _open(self, lines: Sequence[str]) -> None:
        """Begin the sheet for the deal that has been dealt; these given ones follow."""
        self.sheet = rubber.begin(self.rules, self.vec.dealer)
        self.results: list[Result] = []
        self.over = False
        self._lines = list(lines)

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.vec.seat[0])

    @property
    def legal(self) -> int:
        """The legal actions as bits."""
        return int(self.vec.legal[0])

    def begin(self, seed: int | None, options: Mapping[str, Any]) -> None:
        """Begin anew, with given deals or random ones.

        Args:
            seed: Restart the stream of deals; without it the stream continues.
            options: One of ``{"deal": line}``, ``{"deals": [line, ...]}`` and ``{"dealer": seat}``.

        Raises:
            DealError: a given deal is malformed, not of this rule set, or not its dealer's turn.
            ValueError: the options contradict each other. In both cases nothing has changed.
        """
        known = {key: options[key] for key in RESET_OPTIONS if options.get(key) is not None}
        if len(known) > 1:
            raise ValueError(f"reset options {' and '.join(known)} may not be given together")
        if "deals" in known and self.kind == "deal":
            raise ValueError("the option deals is for episode='rubber'; give one deal as deal")
        lines = known.get("deals", [known["deal"]] if "deal" in known else [])
        self._check_dealers(lines)
        self.vec.reset(seed=seed, deals=list(lines[:1]) or None, dealer=known.get("dealer"))
        if seed is not None:
            self._luck = np.random.PCG64(np.random.SeedSequence(seed).spawn(1)[0])
        self._open(lines[1:])

    def _check_dealers(self, lines: Sequence[str]) -> None:
        """Check what is certain before the play: a dealer deals again at most after a void deal."""
        check_lines(lines)
        dealers = [self._dealer_of(line) for line in lines]
        for line, dealer, before in zip(lines[1:], dealers[1:], dealers, strict=False):
            passed = (before + 1) % self.rules.seats
            if dealer != passed and (dealer != before or self.rules.all_pass == "redeal_next"):
                raise DealError(f"deal {line!r}: it is seat {passed}'s turn to deal")

    def _dealer_of(self, line: str) -> int:
        return parse_deal(line, compile_tables(self.rules))[0]

    def play(self, action: int) -> bool:
        """Carry out a decision, and say whether it ended a deal; the next one follows at once.

        Raises:
            IllegalActionError: the action is illegal; nothing has moved.
            DealError: the next deal is given, and it is not its dealer's turn; nothing has moved.
        """
        before = self.vec.take([0]) if self._lines else self.vec
        if 0 <= action < N_ACTIONS and self.legal >> action & 1:
            self.vec.step_alone(action)
        else:
            self.vec.step(np.array([action]))  # refuses it, with a sentence
        if not self.vec.over[0]:
            return False
        try:
            self._finish_deal()
        except DealError:
            self.vec = before
            raise
        return True

    def _finish_deal(self) -> None:
        """Score the deal that is over."""
        vec, result = self.vec, self.vec.result(0)
        sheet = deepcopy(self.sheet) if self._lines else self.sheet
        rubber.score(sheet, vec.gains.T, vec.ties, np.array([result.void]))
        over = self.kind == "deal" or bool(sheet.over[0])
        dealer = int(sheet.dealer[0])
        if self._lines and not over and self._dealer_of(self._lines[0]) != dealer:
            raise DealError(f"deal {self._lines[0]!r}: it is seat {dealer}'s turn to deal")
        self.sheet, self.over = sheet, over
        self.results.append(result)

    def deal_on(self) -> None:
        """Deal the next deal of the rubber: the given one, or a random one."""
        lines, self._lines = self._lines[:1], self._lines[1:]
        self.vec.reset(
            deals=lines or None,
            dealer=None if lines else self.sheet.dealer,
            columns=np.clip(self.sheet.columns[:, 0], *_SHEET_RANGE),
            carry=self.sheet.carry,
        )

    def random_action(self) -> int:
        """Return a random legal action, from a stream of its own."""
        legal = self.legal
        choices = [action for action in range(N_ACTIONS) if legal >> action & 1]
        return choices[self._luck.random_raw() * len(choices) >> _RAW_BITS]

    def payoffs(self) -> list[float]:
        """Return what the end of the episode pays each seat (RULES 8)."""
        paid = self.vec.payoff[0] if self.kind == "deal" else self.sheet.payoff[:, 0]
        return cast(list[float], paid.tolist())

    def forfeit(self, seat: int) -> list[float]:
        """Return what each seat is paid when one seat gives the episode up.

        Every column but its own gains as in the dearest deal of the rule set, or the most crosses
        of a rubber, and the payoffs follow as from any gains.
        """
        dearest = int(np.abs(compile_tables(self.rules).gains).max())
        stake = dearest if self.kind == "deal" else rubber.MOST_CROSSES[self.rules.rubber]
        loser = self.rules.column(seat)
        gains = np.array([0.0 if c == loser else stake for c in range(self.rules.columns)])
        paid = column_payoffs(gains).tolist()
        return [paid[self.rules.column(each)] for each in range(self.rules.seats)]
