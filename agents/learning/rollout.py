"""Rollouts: play a batch of whole deals, and record the learner's decisions.

Everything is numpy. Every deal is played to its end, so there is no bootstrapping and no
auto-reset. Forced moves are played without the policy and are not recorded. The decisions of
opponents are not recorded either.
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
"""Takes words with all cards, uint32[N, W_ALL], and legal actions, uint64[N]. Returns actions,
int64[N], and their log-probabilities, float32[N]. It must read only those words that the seat may
know."""

_NOBODY = np.zeros(0, np.intp)
_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.float32)


@dataclass(frozen=True)
class Experience:
    """The learner's decisions in a rollout, in order of time, and the payoffs of its deals.

    Attributes:
        words: Observations with all cards, uint32[N, W_ALL].
        legal: Legal actions as bits, uint64[N].
        action: The action taken, int64[N].
        log_prob: Its log-probability in the rollout, float32[N].
        row: Deal of each decision, int64[N].
        seat: Seat of each decision, int64[N].
        starts: Index of each step's first decision, and N at the end. Within a step a deal occurs
            at most once.
        payoff: Payoff of each seat at the end of the deal, in game points, float32[B, P].
        moves: Number of moves in all deals, with forced moves and those of opponents.
        outcomes: Outcomes of the branches of late decisions; None without branches.
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
        """Return only the decisions with branches."""
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
    """Play a new deal to its end in every row of ``vec``, and record the learner's decisions.

    Args:
        vec: The environment.
        sample: Samples the learner's actions, for every seat that no opponent takes.
        seed: Seed of the deals.
        opponents: Opponents that take seats in some rows; None for self-play in all rows.
        branches: Plays out every legal card of some of the learner's decisions; None for none.
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
    """Return generalised advantage estimates in game points, float32[N] (Schulman et al. 2016).

    The chain of a decision is the later decisions of the same seat, and at its end the payoff.
    There is no discount (gamma is 1), and the payoff at the end of the deal is the only reward. The
    advantages plus ``values`` are the returns for the critic.

    Args:
        experience: The decisions, N of them.
        values: The critic's values in game points, float32[N].
        lam: The lambda of the estimator.
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
