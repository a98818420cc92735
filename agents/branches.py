"""Branches: what every legal card would have been worth, by playing each of them out.

In the last tricks a sampled payoff says little about the one card that was chosen, and nothing of
the others. There the rest of a deal is short, so that every legal card can be played, and the deal
played out from it by a built-in player, in the same true deal; the payoffs of a decision differ by
its card alone. Over many deals their mean is what a card is worth to a seat that does not see the
others' hands. It is the rollout of search programs, spread over deals in place of worlds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.bounds import NotNegative
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.actions import N_ACTIONS
from sjavs_env.core.bits import count
from sjavs_env.core.codes import PLAY
from sjavs_env.layout import LAYOUT
from sjavs_env.players import player
from sjavs_env.players.random import lowest_action

_BITS = np.arange(N_ACTIONS, dtype=np.uint64)


@dataclass(frozen=True)
class BranchesConfig:
    """How the second network of an actor learns, which plays the last tricks."""

    alone: NotNegative = 0
    """Deals of the budget, after those of imitation, from which nothing else is learned, which is
    quick where the rest is good already."""
    player: str = "rule-of-thumb"
    """The built-in player that plays branches out."""


class Outcomes(NamedTuple):
    """What branches came to.

    Attributes:
        decision: Which decisions were branched, int64[M].
        paid: What the seat was paid after each action, in game points, NaN where it was not legal;
            float32[M, N_ACTIONS].
    """

    decision: NDArray[np.int64]
    paid: NDArray[np.float32]


def _trick(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the number of the trick that a decision is in, from 1; 0 before cards are played."""
    number, phase = LAYOUT["trick_number"], LAYOUT["phase"]
    done = words[:, number.word] >> np.uint32(number.shift) & np.uint32((1 << number.bits) - 1)
    playing = words[:, phase.word] >> np.uint32(phase.shift + PLAY) & np.uint32(1)
    return (1 + done) * playing


def joined(parts: list[Outcomes]) -> Outcomes:
    """Return the outcomes of several steps as one."""
    return Outcomes(*(np.concatenate(part) for part in zip(*parts, strict=True)))


class Branches:
    """Plays out every legal card of late decisions.

    Args:
        first: The trick from which on they are late, counted from 1.
        name: The built-in player that plays them out.
        rules: The rule set.
    """

    def __init__(self, first: int, name: str, rules: RuleSet) -> None:
        self._first = first
        self._player = player(name, rules)

    def at(self, vec: VectorSjavs, rows: NDArray[np.intp], words: NDArray[np.uint32]) -> Outcomes:
        """Return the outcomes of the late decisions among those at hand, by their number there.

        Args:
            vec: The deals, which stay as they are.
            rows: Rows with a choice, intp[N].
            words: Their observations, uint32[N, W].
        """
        late = np.flatnonzero(_trick(words) >= self._first)
        paid = np.full((len(late), N_ACTIONS), np.nan, np.float32)
        if not len(late):
            return Outcomes(late, paid)
        legal = vec.legal[rows[late]]
        number, action = np.nonzero(legal[:, None] >> _BITS & np.uint64(1))
        branch = rows[late][number]
        paid[number, action] = self._played_out(vec.take(branch), action)[
            np.arange(len(branch)), vec.seat[branch]
        ]
        return Outcomes(late, paid)

    def _played_out(self, tables: VectorSjavs, actions: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what each seat is paid after an action at each table, float32[B, P]."""
        tables.step(actions)
        while not tables.over.all():
            actions = lowest_action(tables.legal)
            chosen = np.flatnonzero(count(tables.legal) > 1)
            if len(chosen):
                seen, keys = tables.observe()[chosen], np.zeros(len(chosen), np.uint64)
                actions[chosen] = self._player.act(seen, tables.legal[chosen], keys)
            tables.step(actions)
        return tables.payoff
