"""A batch of deals for Stable-Baselines3, in which the agent acts for the seat to act.

It adds to ``VectorSjavs`` what that library expects of an environment: auto-reset and one reward
per step. The last step of a deal gets the payoff of the seat that acted. The payoffs of the other
seats are lost. This is good enough to measure speed, but not to train.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env import VectorSjavs, unpack


class Table:
    """A batch of deals with auto-reset.

    Args:
        rules: Name of the rule set.
        batch: Number of rows, B.
        seed: Seed of the deals.
    """

    def __init__(self, rules: str, batch: int, seed: int) -> None:
        self._vec = VectorSjavs(rules, batch=batch, seed=seed)
        self.choices = 0
        """Number of actions taken so far with more than one legal action."""

    def observations(self) -> NDArray[np.float32]:
        """Return the observations of the seats to act, float32[B, F]."""
        return unpack(self._vec.observe(), "float32")

    def masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool[B, 64]; every row has at least one."""
        return self._vec.legal_mask()

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Take an action in every row, and deal new cards in rows where the deal ends.

        Args:
            actions: The actions, int64[B].

        Returns:
            Rewards in game points, float32[B], and which deals ended, bool[B].

        Raises:
            IllegalActionError: an action is not legal in its row. No row has then changed.
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
