"""One episode: a deal, or the deals of a rubber one after the other.

An episode holds a batch of one, the score sheet and the deal lines that are still to come. It
depends on no framework.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, cast

import numpy as np

from sjavs_env.core.arguments import check_lines
from sjavs_env.core.errors import DealError, told
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
"""Names of the options of a reset."""

_SHEET_RANGE = (-(2**15), 2**15 - 1)
"""Range of a column in the state of a deal (int16)."""
_RAW_BITS = 64


class Episode:
    """A deal, or a rubber, under one rule set.

    Attributes:
        vec: The present deal, a batch of one.
        sheet: The score sheet, a batch of one rubber. An episode of one deal scores it once.
        results: Results of the finished deals, void ones included.
        over: Whether the episode has ended.
    """

    def __init__(self, rules: str | RuleSet, kind: EpisodeKind) -> None:
        self.rules, self.kind = rule_set(rules), kind
        self.vec = VectorSjavs(self.rules, batch=1)
        self._luck = np.random.PCG64()
        self._open(())

    def _open(self, lines: Sequence[str]) -> None:
        """Begin a score sheet for the present deal, and keep the deal lines that follow it."""
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
        """Begin a new episode, with given deals or random ones.

        After an error nothing has changed.

        Args:
            seed: Restart the stream of deals from this seed. None: the stream continues.
            options: At most one of ``{"deal": line}``, ``{"deals": [line, ...]}`` and
                ``{"dealer": seat}``.

        Raises:
            DealError: a deal line is malformed, does not fit this rule set, or names a dealer
                whose turn it is not.
            ValueError: the options contradict each other.
        """
        known = {key: options[key] for key in RESET_OPTIONS if options.get(key) is not None}
        if len(known) > 1:
            raise ValueError(f"reset options {' and '.join(known)} may not be given together")
        if "deals" in known and self.kind == "deal":
            raise ValueError("reset option deals needs episode='rubber'; give one deal as deal")
        lines = known.get("deals", [known["deal"]] if "deal" in known else [])
        self._check_dealers(lines)
        self.vec.reset(seed=seed, deals=list(lines[:1]) or None, dealer=known.get("dealer"))
        if seed is not None:
            self._luck = np.random.PCG64(np.random.SeedSequence(seed).spawn(1)[0])
        self._open(lines[1:])

    def _check_dealers(self, lines: Sequence[str]) -> None:
        """Check that the dealers of the lines can follow one another.

        The next seat deals, except that the same dealer may deal again after a void deal. Whether
        a deal will be void is not known yet; ``_finish_deal`` checks the rest.
        """
        check_lines(lines)
        dealers = [self._dealer_of(line) for line in lines]
        for line, dealer, before in zip(lines[1:], dealers[1:], dealers, strict=False):
            passed = (before + 1) % self.rules.seats
            if dealer != passed and (dealer != before or self.rules.all_pass == "redeal_next"):
                raise DealError(f"deal {told(line)}: it is seat {passed}'s turn to deal")

    def _dealer_of(self, line: str) -> int:
        return parse_deal(line, compile_tables(self.rules))[0]

    def play(self, action: int) -> bool:
        """Carry out a decision, and return whether it ended the deal.

        After an error nothing has moved.

        Raises:
            IllegalActionError: the action is illegal.
            DealError: the next deal line names a dealer whose turn it is not.
        """
        before = self.vec.take([0]) if self._lines else self.vec
        if 0 <= action < N_ACTIONS and self.legal >> action & 1:
            self.vec.step_alone(action)
        else:
            self.vec.step(np.array([action]))  # raises IllegalActionError
        if not self.vec.over[0]:
            return False
        try:
            self._finish_deal()
        except DealError:
            self.vec = before
            raise
        return True

    def _finish_deal(self) -> None:
        """Score the finished deal, and check that the next line names the next dealer."""
        vec, result = self.vec, self.vec.result(0)
        sheet = deepcopy(self.sheet) if self._lines else self.sheet
        rubber.score(sheet, vec.gains.T, vec.ties, np.array([result.void]))
        over = self.kind == "deal" or bool(sheet.over[0])
        dealer = int(sheet.dealer[0])
        if self._lines and not over and self._dealer_of(self._lines[0]) != dealer:
            raise DealError(f"deal {told(self._lines[0])}: it is seat {dealer}'s turn to deal")
        self.sheet, self.over = sheet, over
        self.results.append(result)

    def deal_on(self) -> None:
        """Start the next deal of the rubber: the next line, or a random deal."""
        lines, self._lines = self._lines[:1], self._lines[1:]
        self.vec.reset(
            deals=lines or None,
            dealer=None if lines else self.sheet.dealer,
            columns=np.clip(self.sheet.columns[:, 0], *_SHEET_RANGE),
            carry=self.sheet.carry,
        )

    def random_action(self) -> int:
        """Return a random legal action, drawn from a separate stream."""
        legal = self.legal
        choices = [action for action in range(N_ACTIONS) if legal >> action & 1]
        return choices[self._luck.random_raw() * len(choices) >> _RAW_BITS]

    def payoffs(self) -> list[float]:
        """Return the payoff of each seat at the end of the episode (RULES 8).

        A deal pays game points, a rubber pays crosses.
        """
        paid = self.vec.payoff[0] if self.kind == "deal" else self.sheet.payoff[:, 0]
        return cast(list[float], paid.tolist())

    def forfeit(self, seat: int) -> list[float]:
        """Return the payoff of each seat when one seat forfeits the episode.

        Every column except the seat's own gains the largest amount that a deal of the rule set
        can pay; in a rubber, the most crosses. The payoffs follow from these gains (RULES 8).
        """
        dearest = int(np.abs(compile_tables(self.rules).gains).max())
        stake = dearest if self.kind == "deal" else rubber.MOST_CROSSES[self.rules.rubber]
        loser = self.rules.column(seat)
        gains = np.array([0.0 if c == loser else stake for c in range(self.rules.columns)])
        paid = column_payoffs(gains).tolist()
        return [paid[self.rules.column(each)] for each in range(self.rules.seats)]
