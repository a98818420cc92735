"""The guard: a larger entropy bonus for calls while the policy calls too rarely."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.health import may_call
from agents.learning.parallel import Group
from agents.learning.phases import GuardConfig
from agents.learning.rollout import Experience
from sjavs_env import RuleSet
from sjavs_env.core.tables.actions import PASS


def entropy_weights(
    experience: Experience, usual: float, config: GuardConfig, rules: RuleSet, group: Group
) -> tuple[NDArray[np.float32], dict[str, float]]:
    """Return the entropy bonus of each decision, and the numbers of the guard for the log.

    Args:
        experience: The decisions of a rollout, N of them.
        usual: The scheduled entropy bonus.
        config: The threshold of the guard, and its entropy bonus.
        rules: The rule set.
        group: All processes of the run. The guard uses the call rate over all of them.

    Returns:
        The bonus, float32[N], and the numbers to log, which are empty if no decision was between a
        call and a pass.
    """
    weights = np.full(len(experience), usual, np.float32)
    choice = may_call(experience.legal, rules)
    rate = group.mean(experience.action[choice] != PASS)
    if math.isnan(rate):
        return weights, {}
    guarded = rate < config.calls
    if guarded:
        weights[choice] = config.entropy
    return weights, {"health/call_rate": rate, "health/guarded": float(guarded)}
