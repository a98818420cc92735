"""Self-play: whole deals in step, and the decisions in them worth learning from.

Everything is numpy. Deals run to their end, so nothing is bootstrapped and nothing resets by
itself. Where one action alone is legal it is played without asking, and not recorded; nor is what
others choose who sit at the learner's table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.learning.branches import Branches, Outcomes, joined
from agents.learning.league import Opponents
from sjavs_env import VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.players.random import lowest_action

Sampler = Callable[
    [NDArray[np.uint32], NDArray[np.uint64]], tuple[NDArray[np.int64], NDArray[np.float32]]
]
"""Takes words with all cards [N, W_ALL] and legal actions [N]; gives actions and their log-probs.

It must read of the words only what the seat may know.
"""

_NOBODY = np.zeros(0, np.intp)
_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.float32)


@dataclass(frozen=True)
class Experience:
    """The decisions of some deals, in order of time, and how the deals ended.

    Attributes:
        words: Observations with all cards, uint32[N, W_ALL].
        legal: Legal actions as bits, uint64[N].
        action: The choice, int64[N].
        log_prob: Its log-probability when chosen, float32[N].
        row: Deal of each decision, int64[N].
        seat: Seat of each decision, int64[N].
        starts: Where each step's decisions begin, and N last; within a step a deal occurs once.
        payoff: What each seat was paid in the end, in game points, float32[B, P].
        moves: Number of all decisions, forced ones included.
        outcomes: What became of each legal card of late decisions; None without branches.
    """

    words: NDArray[np.uint32]
    legal: NDArray[np.uint64]
    action: NDArray[np.int64]
    log_prob: NDArray[np.float32]
    row: NDArray[np.int64]
    seat: NDArray[np.int64]
    starts: NDArray[np.int64]
    payoff: NDArray[np.float32]
    moves: int
    outcomes: Outcomes | None = None

    def __len__(self) -> int:
        return len(self.action)

    def branched(self) -> Experience:
        """Return only the decisions of which branches were played out."""
        assert self.outcomes is not None, "no branches were played out"
        chosen = self.outcomes.decision
        names = ("words", "legal", "action", "log_prob", "row", "seat")
        return replace(
            self,
            **{name: getattr(self, name)[chosen] for name in names},
            starts=np.searchsorted(chosen, self.starts),
            outcomes=self.outcomes._replace(decision=np.arange(len(chosen))),
        )


def collect(
    vec: VectorSjavs,
    sample: Sampler,
    seed: int,
    opponents: Opponents | None = None,
    branches: Branches | None = None,
) -> Experience:
    """Play every row of ``vec`` from a new deal to its end.

    Args:
        vec: The deals.
        sample: Chooses for the learner, in every seat that no opponent takes.
        seed: Seed of the deals.
        opponents: Whom the learner meets at some tables.
        branches: Plays out every legal card of some of the learner's decisions.
    """
    vec.reset(seed=seed)
    steps: list[tuple[NDArray[np.generic], ...]] = []
    outcomes: list[Outcomes] = []
    moves = decisions = 0
    while not vec.over.all():
        n_legal = count(vec.legal)
        chosen = np.flatnonzero(n_legal > 1)
        moves += int(np.count_nonzero(n_legal))
        actions = lowest_action(vec.legal)  # the forced one, where there is no choice
        mine = chosen
        if len(chosen):
            seen = vec.observe_all()
            if opponents is not None:
                mine = opponents.choose(vec, chosen, seen, actions)
        if len(mine):
            words, legal = seen[mine], vec.legal[mine]
            if branches is not None:
                late = branches.at(vec, mine, words, opponents)
                outcomes.append(late._replace(decision=decisions + late.decision))
            decisions += len(mine)
            action, log_prob = sample(words, legal)
            actions[mine] = action
            steps.append((words, legal, action, log_prob, mine, vec.seat[mine]))
        vec.step(actions)
    if not steps:  # the learner had no choice
        words = vec.observe_all()[_NOBODY]
        steps.append((words, vec.legal[_NOBODY], *_NOTHING, _NOBODY, vec.seat[_NOBODY]))
        outcomes += [branches.at(vec, _NOBODY, words)] if branches is not None else []
    words, legal, action, log_prob, row, seat = (
        np.concatenate(part) for part in zip(*steps, strict=True)
    )
    return Experience(
        words=words,
        legal=legal,
        action=action,
        log_prob=log_prob,
        row=row,
        seat=seat.astype(np.int64),
        starts=np.cumsum([0, *(len(step[2]) for step in steps)]),
        payoff=vec.payoff.copy(),
        moves=moves,
        outcomes=None if branches is None else joined(outcomes),
    )


def advantages(
    experience: Experience, values: NDArray[np.float32], lam: float
) -> NDArray[np.float32]:
    """Return generalised advantages along each seat's own decisions, float32[N], in game points.

    There is no discount and the only reward is the payoff at the end of the deal, so a decision's
    successor is the same seat's next one, and after its last the payoff (Schulman et al. 2016,
    with gamma 1). Add ``values`` to get the returns that a critic learns.
    """
    following = experience.payoff.copy()
    carried = np.zeros_like(following)
    result = np.empty(len(experience), np.float32)
    for first, last in zip(experience.starts[-2::-1], experience.starts[:0:-1], strict=True):
        at = experience.row[first:last], experience.seat[first:last]
        value = values[first:last]
        result[first:last] = carried[at] = following[at] - value + lam * carried[at]
        following[at] = value
    return result
