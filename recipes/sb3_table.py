"""Deals for Stable-Baselines3, as a batch in which whoever is to act is the agent.

What that library expects of its environments (auto-reset, one reward a step) is done here, on top
of ``VectorSjavs``. Who plays a deal's last card is given what his seat is paid; the others' payoffs
go unseen, which is good enough to measure speed by and no way to train.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env import VectorSjavs, unpack


class Table:
    """Many deals that begin anew by themselves.

    Args:
        rules: A preset's name.
        batch: Number of rows, B.
        seed: Seed of the deals.
    """

    def __init__(self, rules: str, batch: int, seed: int) -> None:
        self._vec = VectorSjavs(rules, batch=batch, seed=seed)
        self.choices = 0
        """Actions that were chosen among several."""

    def observations(self) -> NDArray[np.float32]:
        """Return what the seats to act may know, float32[B, F]."""
        return unpack(self._vec.observe(), "float32")

    def masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool[B, 64]; every row has one."""
        return self._vec.legal_mask()

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Act in every row, and deal anew where that ends the deal.

        Returns:
            Rewards in game points, float32[B], and where a deal ended, bool[B].

        Raises:
            IllegalActionError: an action is not legal in its row; then nothing has moved.
        """
        vec = self._vec
        self.choices += int(np.count_nonzero(np.bitwise_count(vec.legal) > 1))
        seat = vec.seat.copy()
        vec.step(actions)
        ended = vec.over.copy()
        rows = np.flatnonzero(ended)
        rewards = np.zeros(vec.batch, np.float32)
        rewards[rows] = vec.payoff[rows, seat[rows]]
        if len(rows):
            vec.reset(rows=rows)
        return rewards, ended
