"""The second network of an actor, which plays the last tricks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import policy
from agents.checkpoints import agent, manifest
from agents.checkpoints.tensors import CheckpointError
from agents.networks.features import tensors
from agents.networks.nets import (
    LATE_UNITS,
    Actor,
    NetConfig,
    NetPolicy,
    masked_log_softmax,
    rounded,
)
from agents.runs import exploit, training
from agents.runs.config import ConfigError, from_dict
from sjavs_env import VectorSjavs, rule_set
from sjavs_env.core.bits import count
from sjavs_env.players import player
from sjavs_env.views.layout import LAYOUT
from tests.conftest import TINY
from tests.test_branches import LATE

RULES = rule_set("faroese4")
CONFIG = NetConfig(hidden=(16,), late=6, late_width=24)


def positions() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return words and legal actions of some deals, and the trick, from 1; 0 before the first."""
    vec = VectorSjavs(RULES, batch=32, seed=1)
    chooser = player("random", RULES)
    words, legal, trick = [], [], []
    generator = np.random.default_rng(1)
    while not vec.over.all():
        live = ~vec.over
        words.append(vec.observe()[live])
        legal.append(vec.legal[live])
        first = LAYOUT["played"].word
        done = count(words[-1][:, first : first + 4]).sum(axis=1) // 4
        trick.append(np.where(legal[-1] >> np.uint64(32) == 0, 1 + done, 0))
        keys = generator.integers(2**64, size=vec.batch, dtype=np.uint64)
        vec.step(np.where(vec.over, 0, chooser.act(vec.observe(), vec.legal, keys)))
    return np.concatenate(words), np.concatenate(legal), np.concatenate(trick)


@pytest.mark.parametrize("first", [1, 6])
def test_each_network_plays_its_own_tricks(first: int) -> None:
    torch.manual_seed(0)
    actor = Actor(RULES, replace(CONFIG, late=first))
    assert actor.late is not None
    words, legal, trick = positions()
    with torch.no_grad():
        log_probs, allowed, _ = actor(*tensors(words, legal))
        features = actor.read(*tensors(words, legal))[2]
        assert actor.encode.trick(features).tolist() == trick.tolist()
        early, paid = actor.body(features), actor.late(features)[:, : actor.encode.slots.n_cards]
    late = torch.full_like(early, 99.0)  # any value where the slot is not a card
    late[:, : paid.shape[1]] = paid * LATE_UNITS[0] / CONFIG.temperature
    logits = torch.where(torch.from_numpy(trick >= first)[:, None], late, early)
    torch.testing.assert_close(log_probs, masked_log_softmax(logits, allowed))
    assert 0 < (trick >= first).sum() < len(trick)


@pytest.mark.parametrize("fixed", [False, True])
def test_the_gradient_may_leave_out_the_second_network(fixed: bool) -> None:
    """The policy loss does so. The gradient of the first network is the same to the last bit."""
    torch.manual_seed(0)
    actor = Actor(RULES, CONFIG)
    assert actor.late is not None
    words, legal, _ = positions()
    _, allowed, features = actor.read(*tensors(words, legal))
    weights = list(actor.body.parameters()), list(actor.late.parameters())
    log_probs = actor.log_probs(features, allowed, fixed)
    assert torch.equal(log_probs, actor.log_probs(features, allowed))
    early, late = (
        torch.autograd.grad(log_probs[:, 0].sum(), each, retain_graph=True, allow_unused=True)
        for each in weights
    )
    whole = torch.autograd.grad(actor.log_probs(features, allowed)[:, 0].sum(), weights[0])
    assert all(map(torch.equal, early, whole))
    assert all((each is None) == fixed for each in late)


def test_the_other_rows_of_a_batch_change_no_digit() -> None:
    agent = NetPolicy(Actor(RULES, NetConfig(hidden=(256,), late=6)), greedy=False)
    words, legal, _ = positions()
    keys = np.random.default_rng(2).integers(2**64, size=len(words), dtype=np.uint64)
    together = agent.act(words, legal, keys)
    for part in np.array_split(np.random.default_rng(3).permutation(len(words)), 7):
        np.testing.assert_array_equal(
            agent.act(words[part], legal[part], keys[part]), together[part]
        )


@pytest.mark.parametrize("late", [0, 6])
def test_it_returns_no_choice_for_no_rows(late: int) -> None:
    words, legal, _ = positions()
    keys = np.zeros(0, np.uint64)
    chosen = NetPolicy(Actor(RULES, NetConfig(late=late))).act(words[:0], legal[:0], keys)
    assert (chosen.shape, chosen.dtype) == ((0,), np.int64)


def test_starting_from_a_run_without_a_second_network_keeps_the_new_one(run: Path) -> None:
    trainer = training.start(from_dict(LATE | {"initial": str(run)}, "test"))
    new = training.start(from_dict(LATE, "test")).learner.actor.state_dict()
    old = training.resume(run).learner.average.state_dict()
    for net in (trainer.learner.actor, trainer.learner.average):
        for name, weights in net.state_dict().items():
            assert torch.equal(weights, (new if name.startswith("late") else old)[name]), name


def test_an_agent_with_a_second_network_is_a_policy_and_a_starting_point(run: Path) -> None:
    trainer = training.start(from_dict(LATE, "test"))
    trainer.advance()
    folder = run.parent / "late"
    trainer.save(folder)
    loaded = policy.load(str(folder), RULES)
    words, legal, _ = positions()
    keys = np.zeros(len(words), np.uint64)
    expected = NetPolicy(rounded(trainer.learner.average)).act(words, legal, keys)
    np.testing.assert_array_equal(loaded.act(words, legal, keys), expected)
    assert agent.net(manifest.find(folder)) == trainer.config.net
    response = exploit.config(str(folder), RULES, deals=64, seed=0)
    assert response.net == trainer.config.net
    follower = training.start(from_dict(LATE | {"initial": str(folder)}, "test"))
    for name, weights in follower.learner.actor.state_dict().items():
        assert torch.equal(weights, trainer.learner.average.state_dict()[name]), name
    plain = TINY | {"initial": str(folder)}
    with pytest.raises(CheckpointError, match="it has late"):
        training.start(from_dict(plain, "test"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"net": {"late": 8}},
            "net.late = 8 leaves no decision to learn from; the largest value is 7",
        ),
        ({"phase": [{"lesson": "late-tricks"}]}, "lesson 'late-tricks' needs net.late, which is 0"),
    ],
)
def test_a_second_network_that_cannot_learn_is_refused(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        from_dict(TINY | changes, "test")


def test_an_agent_plays_with_weights_of_half_precision(run: Path) -> None:
    exact = training.resume(run).learner.average
    agent = policy.load(str(run), RULES)
    assert isinstance(agent, NetPolicy)
    pairs = list(zip(agent._actor.parameters(), exact.parameters(), strict=True))
    assert all(torch.equal(ours, theirs.half().float()) for ours, theirs in pairs)
    assert any(not torch.equal(ours, theirs) for ours, theirs in pairs)
