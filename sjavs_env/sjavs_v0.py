"""Sjavs for PettingZoo: ``sjavs_v0.env()``, as PettingZoo's own environments are made."""

from __future__ import annotations

from typing import Any

import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sjavs_env.aec import IllegalAction, Observation, RenderMode, SjavsEnv
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.episode import EpisodeKind

ENVIRONMENT_ID = "sjavs/sjavs-v0"
"""The name in PettingZoo's registry, where this version of PettingZoo has one."""

raw_env = SjavsEnv
"""The environment without a wrapper: the same play, faster."""


def env(
    rules: str | RuleSet = "faroese4",
    episode: EpisodeKind = "deal",
    render_mode: RenderMode | None = None,
    illegal_action: IllegalAction = "raise",
) -> OrderEnforcingWrapper[str, Observation, int | None]:
    """Return the environment in the wrapper that enforces the order of calls.

    The arguments are those of ``SjavsEnv``, which itself checks that actions are in bounds.
    """
    return OrderEnforcingWrapper(SjavsEnv(rules, episode, render_mode, illegal_action))


def parallel_env(**options: Any) -> Any:
    """Return the environment in PettingZoo's parallel form, in which one agent acts in each step.

    Only the action of the agent to act counts: the one whose mask is not all zeros.
    """
    return turn_based_aec_to_parallel(env(**options))


def _register() -> None:
    """Enter the environment into PettingZoo's registry, which is there from version 1.27 on."""
    known = getattr(pettingzoo, "aec_registry", None)
    if known is not None and ENVIRONMENT_ID not in known:
        pettingzoo.register("aec", ENVIRONMENT_ID, entry_point="sjavs_env.sjavs_v0:env")


_register()
