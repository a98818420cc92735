"""The guard: a larger entropy bonus for calls, while the policy takes too few of its chances."""

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
    """Return the entropy bonus of each decision, and what the guard has seen.

    Args:
        experience: The decisions of a rollout, N of them.
        usual: The scheduled entropy bonus.
        config: When the guard is on, and what it raises the bonus to.
        rules: The rule set.
        group: All processes of the run; they judge together.

    Returns:
        The bonus, float32[N], and the numbers to log; none where nobody could choose to call.
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
