"""Learning: minutes of a laptop in seconds, with a control that must fail.

A trainer that pays only the seat which acted last still beats random play, with healthy losses; so
the correct one must also beat that one.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.evaluation.edge import edge
from agents.learning import ppo
from agents.learning.rollout import Experience, advantages
from agents.networks.nets import NetPolicy
from agents.runs import training
from agents.runs.config import from_dict
from agents.runs.training import Trainer
from sjavs_env.players import player

CONFIG = from_dict(
    {
        "deals": 8_192,
        "batch": 512,
        "threads": 1,
        "net": {"hidden": [64, 64]},
        "ppo": {"learning_rate": 2e-3, "minibatch": 1024},
    },
    "test",
)
RULES = CONFIG.rule_set


def trained() -> tuple[Trainer, dict[str, float]]:
    torch.set_num_threads(1)
    trainer = training.start(CONFIG)
    while not trainer.done:
        logged = trainer.advance()
    return trainer, logged


def paid_to_the_last_actor_only(
    experience: Experience, values: np.ndarray, lam: float
) -> np.ndarray:
    last = np.zeros_like(experience.payoff)
    for row, seat in zip(experience.row, experience.seat, strict=True):
        last[row] = 0
        last[row, seat] = experience.payoff[row, seat]
    return advantages(replace(experience, payoff=last), values, lam)


def test_the_trainer_beats_random_and_a_trainer_with_broken_rewards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    correct, logged = trained()
    agent = NetPolicy(correct.learner.actor)
    over_random = edge(agent, player("random", RULES), RULES, deals=500, deal_set="validation")
    assert over_random.low > 1.0, over_random
    assert logged["losses/explained_variance"] > 0.45
    monkeypatch.setattr(ppo, "advantages", paid_to_the_last_actor_only)
    broken, _ = trained()
    control = NetPolicy(broken.learner.actor)
    over_control = edge(agent, control, RULES, deals=500, deal_set="validation")
    assert over_control.low > 0, over_control
