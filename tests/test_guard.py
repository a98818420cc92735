"""The guard against passing: it acts if the policy calls too rarely when it can."""

from dataclasses import replace

import numpy as np
import pytest

from agents.evaluation.health import may_call
from agents.learning.guard import entropy_weights
from agents.learning.parallel import ALONE
from agents.learning.rollout import Experience
from agents.runs import training
from agents.runs.config import from_dict
from sjavs_env import RULE_SETS, VectorSjavs, action_id, rule_set
from sjavs_env.core.tables.actions import PASS

TINY = {"deals": 64, "batch": 32, "threads": 1, "net": {"hidden": [8]}}
FREE = TINY | {"options": {"bidding": "free"}}


def played(trainer: training.Trainer) -> Experience:
    """Return some deals in which nobody ever calls."""
    seen = []

    def sample(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen.append(legal)
        return trainer.learner.sample(words, legal, np.random.default_rng(0))

    found = training.collect(trainer._vec, sample, seed=1)
    choice = may_call(found.legal, trainer.config.rule_set)
    return replace(found, action=np.where(choice, PASS, found.action))


def watched(
    trainer: training.Trainer, experience: Experience
) -> tuple[np.ndarray, dict[str, float]]:
    """Return what the guard of the first phase makes of some deals."""
    phase, usual = trainer.phase, trainer.learner.entropy_weight
    return entropy_weights(experience, usual, phase.guard, trainer.config.rule_set, ALONE)


@pytest.mark.parametrize(("least", "guarded"), [(0.1, True), (0.0, False)])
def test_the_guard_acts_below_its_call_rate_on_calls_alone(least: float, guarded: bool) -> None:
    trainer = training.start(from_dict(FREE | {"guard": {"calls": least, "entropy": 0.5}}, "test"))
    experience = played(trainer)
    weights, told = watched(trainer, experience)
    choice = may_call(experience.legal, trainer.config.rule_set)
    assert choice.any()
    assert told == {"health/call_rate": 0.0, "health/guarded": float(guarded)}
    usual = np.float32(trainer.learner.entropy_weight)
    assert (weights[choice] == (np.float32(0.5) if guarded else usual)).all()
    assert (weights[~choice] == usual).all()


def test_the_guard_ignores_a_policy_that_calls() -> None:
    trainer = training.start(from_dict(FREE, "test"))
    experience = played(trainer)
    choice = np.flatnonzero(may_call(experience.legal, trainer.config.rule_set))
    experience.action[choice[::2]] = action_id("5")
    weights, told = watched(trainer, experience)
    assert told["health/guarded"] == 0
    assert told["health/call_rate"] == pytest.approx(0.5, abs=0.05)
    assert len(set(weights.tolist())) == 1


def test_the_guard_does_nothing_if_bidding_leaves_no_choice() -> None:
    trainer = training.start(from_dict(TINY, "test"))
    tags = trainer.advance()
    assert "health/call_rate" not in tags
    assert "health/guarded" not in tags


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_choice_to_call_is_one_between_a_pass_and_a_call(rules: str) -> None:
    game = rule_set(rules)
    vec = VectorSjavs(game, batch=64, seed=2)
    calls = [action_id(name) for name in ("5", "5+", "=C", "=D", "spil", "stryger")]
    found = may_call(vec.legal, game)
    legal = vec.legal_mask()
    expected = legal[:, PASS] & legal[:, calls].any(axis=1)
    assert (found >= expected).all()
    assert not found[~legal[:, PASS]].any()
