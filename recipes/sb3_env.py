"""Wrap ``sb3_table.Table`` as a vectorised environment of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from recipes.sb3_table import Table
from sjavs_env import N_ACTIONS


class TableEnv(VecEnv):  # type: ignore[misc]  # only the peers have its base
    """A batch of deals for MaskablePPO.

    Args:
        rules: Name of the rule set.
        batch: Number of rows.
        seed: Seed of the deals.
    """

    def __init__(self, rules: str, batch: int, seed: int) -> None:
        self.table = Table(rules, batch, seed)
        width = self.table.observations().shape[1]
        super().__init__(
            batch, spaces.Box(0.0, 1.0, (width,), np.float32), spaces.Discrete(N_ACTIONS)
        )
        self._actions = np.zeros(batch, np.int64)

    def reset(self) -> NDArray[np.float32]:
        """Return the current observations, float32[B, F]; nothing is dealt anew."""
        return self.table.observations()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions for ``step_wait``, int64[B]."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the stored actions; return observations, rewards, ended rows and infos."""
        rewards, ended = self.table.step(self._actions)
        seen = self.table.observations()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            infos[row] = {"terminal_observation": seen[row], "TimeLimit.truncated": False}
        return seen, rewards, ended, infos

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Return each row's legal actions, bool[64]; MaskablePPO calls no other method."""
        if method_name != "action_masks":
            raise NotImplementedError(f"{method_name!r}; the only method is 'action_masks'")
        return list(self.table.masks())

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the rows have an attribute; the only one is ``action_masks``."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return None for each row's ``render_mode``; the rows have no other attribute."""
        if attr_name != "render_mode":
            raise AttributeError(attr_name)
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an ``AttributeError``, because the rows have no attribute to set."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        """Return False for each row, because no row is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Do nothing; there is nothing to close."""
