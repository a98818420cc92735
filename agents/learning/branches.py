"""Branches: what every legal card would have been worth, by playing each of them out.

In the last tricks a sampled payoff says little about the one card that was chosen, and nothing of
the others. There the rest of a deal is short, so that every legal card can be played, and the deal
played out from it, in the same true deal; the payoffs of a decision differ by its card alone. Over
many deals their mean is what a card is worth to a seat that does not see the others' hands. It is
the rollout of search programs, spread over deals in place of worlds.
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
"""The name of the policy that learns, where the player of branches is named."""


@dataclass(frozen=True)
class BranchesConfig:
    """How the second network of an actor learns, which plays the last tricks."""

    player: str = "rule-of-thumb"
    """Who plays branches out: a built-in player, in every seat, which is quick; or ``itself``: the
    average of the weights in the learner's seats and the opponents in theirs, which is better once
    that average plays better."""
    every: AtLeastOne = 1
    """Only every so many-th table has branches: more deals in the same time, and fewer branches
    from each."""
    bfloat16: bool = False
    """Whether networks multiply matrices in bfloat16 for that. It is twice as fast on a processor
    that supports it and slower on others; only the cards that they choose are used."""


class Outcomes(NamedTuple):
    """What branches came to.

    Attributes:
        decision: Which decisions were branched, int64[M].
        paid: What the seat was paid after each card, in game points, NaN where it was not legal;
            float32[M, N_CARDS].
        points: The card points of the seat's column then, likewise.
    """

    decision: NDArray[np.int64]
    paid: NDArray[np.float32]
    points: NDArray[np.float32]


def _trick(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the number of the trick that a decision is in, from 1; 0 before cards are played."""
    number, phase = LAYOUT["trick_number"], LAYOUT["phase"]
    done = words[:, number.word] >> np.uint32(number.shift) & np.uint32((1 << number.bits) - 1)
    playing = words[:, phase.word] >> np.uint32(phase.shift + PLAY) & np.uint32(1)
    return (1 + done) * playing


def joined(parts: list[Outcomes]) -> Outcomes:
    """Return the outcomes of several steps as one."""
    return Outcomes(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def planned(config: BranchesConfig, late: int, average: Actor, rules: RuleSet) -> Branches:
    """Return what plays branches out.

    Args:
        config: Who does, and at which tables.
        late: The trick from which on decisions have branches, counted from 1.
        average: The policy that learns, as the average of its weights.
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
        first: The trick from which on they are late, counted from 1.
        player: Plays them out.
        rules: The rule set.
        as_seated: Whether opponents play their own seats, and not the player all.
        every: Only every so many-th table has branches.
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
        """Return the outcomes of late decisions among those at hand, by their number there.

        Args:
            vec: The deals, which stay as they are.
            rows: Rows with a choice, intp[N].
            words: Their observations, uint32[N, W].
            opponents: Whom the learner meets at some tables.
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
            # Where nobody declares, seat 0's side stands in the place of declarer's.
            declarer = np.maximum(tables.declarer, 0)
            declaring = self._column[declarer] == self._column[place[1]]
            outcomes.points[number, card] = tables.card_points[place[0], 1 - declaring]
        return outcomes

    def _others(self, opponents: Opponents | None, rows: NDArray[np.intp]) -> Opponents | None:
        """Return who plays their own seats at some of the tables, None where the player has all."""
        if opponents is None or not self._as_seated:
            return None
        here = opponents.at(rows)
        if not self._bfloat16:
            return here
        return replace(here, members=tuple(map(in_bfloat16, here.members)))

    def _play_out(
        self, tables: VectorSjavs, actions: NDArray[np.int64], opponents: Opponents | None
    ) -> None:
        """Take an action at each table, and play the deals to their end."""
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
