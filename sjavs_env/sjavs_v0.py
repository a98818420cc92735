"""Sjavs for PettingZoo: ``sjavs_v0.env()`` makes an environment."""

from __future__ import annotations

from typing import Any

import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from sjavs_env.aec import IllegalAction, Observation, RenderMode, SjavsEnv
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.episode import EpisodeKind

ENVIRONMENT_ID = "sjavs/sjavs-v0"
"""The name in PettingZoo's registry, if the installed version has a registry."""

raw_env = SjavsEnv
"""The environment without a wrapper: it plays the same and is faster."""


def env(
    rules: str | RuleSet = "faroese4",
    episode: EpisodeKind = "deal",
    render_mode: RenderMode | None = None,
    illegal_action: IllegalAction = "raise",
) -> OrderEnforcingWrapper[str, Observation, int | None]:
    """Return the environment inside PettingZoo's wrapper that enforces the order of calls.

    The arguments are those of ``SjavsEnv``. It checks actions itself, so it needs no other wrapper.
    """
    return OrderEnforcingWrapper(SjavsEnv(rules, episode, render_mode, illegal_action))


def parallel_env(**options: Any) -> Any:
    """Return the environment as a PettingZoo parallel environment, still one move per step.

    Only one agent's action counts in a step: the agent whose action mask is not all zeros.
    """
    return turn_based_aec_to_parallel(env(**options))


def _register() -> None:
    """Register the environment with PettingZoo, which has a registry since version 1.27."""
    known = getattr(pettingzoo, "aec_registry", None)
    if known is not None and ENVIRONMENT_ID not in known:
        pettingzoo.register("aec", ENVIRONMENT_ID, entry_point="sjavs_env.sjavs_v0:env")


_register()
