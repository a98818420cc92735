"""Branches: the outcome of every legal card of a decision, by playing the deal out after each.

In the last tricks a sampled payoff says little about the card played, and nothing about the other
legal cards. But the rest of the deal is short, so every legal card can be tried in the same true
deal, and the deal played out after it. The payoffs of a decision's branches differ only by its
card. Their mean over many deals is the value of the card for a seat that does not see the other
hands. Search programs do the same with many sampled worlds of one deal; here the many deals of
training take the place of the worlds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.common.bounds import AtLeastOne
from agents.learning.league import Opponents
from agents.networks.nets import Actor, NetPolicy, in_bfloat16
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import PLAY
from sjavs_env.players import Policy, player
from sjavs_env.players.random import lowest_action
from sjavs_env.views.layout import LAYOUT, N_WORDS

_BITS = np.arange(N_CARDS, dtype=np.uint64)


ITSELF = "itself"
"""In ``BranchesConfig.player``: the policy that learns."""


@dataclass(frozen=True)
class BranchesConfig:
    """How branches are played out; the late network learns from them."""

    player: str = "rule-of-thumb"
    """The policy that plays branches out. A built-in player plays every seat, which is fast.
    ``itself`` is the average of the weights in the learner's seats, with the opponents in theirs.
    It is better once that average plays better than the built-in player."""
    every: AtLeastOne = 1
    """Every n-th deal of a rollout has branches. With a larger n a run makes more deals in the same
    time, and has fewer branches per deal."""
    bfloat16: bool = False
    """Whether networks that play branches out multiply matrices in bfloat16. This is twice as fast
    on a processor with bfloat16, and slower on others. Only the cards that the networks choose are
    used, not their outputs."""


class Outcomes(NamedTuple):
    """The outcomes of branches.

    Attributes:
        decision: Numbers of the decisions with branches, int64[M].
        paid: Payoff of the seat after each card, in game points, float32[M, N_CARDS]; NaN where the
            card was not legal.
        points: Card points of the seat's column at the end of the deal, in the same form.
    """

    decision: NDArray[np.int64]
    paid: NDArray[np.float32]
    points: NDArray[np.float32]


def _trick(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the number of each decision's trick, from 1; 0 before the first trick."""
    number, phase = LAYOUT["trick_number"], LAYOUT["phase"]
    done = words[:, number.word] >> np.uint32(number.shift) & np.uint32((1 << number.bits) - 1)
    playing = words[:, phase.word] >> np.uint32(phase.shift + PLAY) & np.uint32(1)
    return (1 + done) * playing


def joined(parts: list[Outcomes]) -> Outcomes:
    """Concatenate the outcomes of several steps."""
    return Outcomes(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def planned(config: BranchesConfig, late: int, average: Actor, rules: RuleSet) -> Branches:
    """Return the ``Branches`` of a configuration.

    Args:
        config: The configuration.
        late: The first trick, counted from 1, whose decisions have branches.
        average: The actor with the average of the weights, for ``itself``.
        rules: The rule set.
    """
    itself = config.player == ITSELF
    return Branches(
        late,
        NetPolicy(average) if itself else player(config.player, rules),
        rules,
        as_seated=itself,
        every=config.every,
        bfloat16=config.bfloat16,
    )


class Branches:
    """Plays out every legal card of late decisions.

    Args:
        first: The first trick, counted from 1, whose decisions are late.
        player: The policy that plays branches out.
        rules: The rule set.
        as_seated: Whether opponents play their own seats. Otherwise the player plays all seats.
        every: Every n-th deal has branches.
        bfloat16: Whether networks multiply matrices in bfloat16.
    """

    def __init__(
        self,
        first: int,
        player: Policy,
        rules: RuleSet,
        *,
        as_seated: bool,
        every: int = 1,
        bfloat16: bool = False,
    ) -> None:
        self._first = first
        self._player = in_bfloat16(player) if bfloat16 else player
        self._as_seated = as_seated
        self._every = every
        self._bfloat16 = bfloat16
        self._column = np.array([rules.column(seat) for seat in range(rules.seats)])

    def at(
        self,
        vec: VectorSjavs,
        rows: NDArray[np.intp],
        words: NDArray[np.uint32],
        opponents: Opponents | None = None,
    ) -> Outcomes:
        """Play out the branches of the late decisions of one step.

        Args:
            vec: The deals. They do not change.
            rows: Rows in which the learner decides, intp[N].
            words: Their observations, uint32[N, W].
            opponents: The opponents in the rollout; None for self-play in all rows.

        Returns:
            The outcomes; a decision's number is its index in ``rows``.
        """
        late = np.flatnonzero((_trick(words) >= self._first) & (rows % self._every == 0))
        outcomes = Outcomes(late, *np.full((2, len(late), N_CARDS), np.nan, np.float32))
        if len(late):
            legal = vec.legal[rows[late]]
            number, card = np.nonzero(legal[:, None] >> _BITS & np.uint64(1))
            branch = rows[late][number]
            tables = vec.take(branch)
            place = np.arange(len(branch)), tables.seat.copy()
            self._play_out(tables, card, self._others(opponents, branch))
            outcomes.paid[number, card] = tables.payoff[place]
            # Without a declarer, card_points has seat 0's side in place of declarer's side.
            declarer = np.maximum(tables.declarer, 0)
            declaring = self._column[declarer] == self._column[place[1]]
            outcomes.points[number, card] = tables.card_points[place[0], 1 - declaring]
        return outcomes

    def _others(self, opponents: Opponents | None, rows: NDArray[np.intp]) -> Opponents | None:
        """Return the opponents that play their seats in these rows; None if the player has all."""
        if opponents is None or not self._as_seated:
            return None
        here = opponents.at(rows)
        if not self._bfloat16:
            return here
        return replace(here, members=tuple(map(in_bfloat16, here.members)))

    def _play_out(
        self, tables: VectorSjavs, actions: NDArray[np.int64], opponents: Opponents | None
    ) -> None:
        """Take an action in each row, and play the deals to their end."""
        tables.step(actions)
        while not tables.over.all():
            actions = lowest_action(tables.legal)
            chosen = np.flatnonzero(count(tables.legal) > 1)
            if len(chosen):
                seen = tables.observe() if opponents is None else tables.observe_all()
                if opponents is not None:
                    chosen = opponents.choose(tables, chosen, seen, actions)
                keys = np.zeros(len(chosen), np.uint64)
                legal = tables.legal[chosen]
                actions[chosen] = self._player.act(seen[chosen, :N_WORDS], legal, keys)
            tables.step(actions)
