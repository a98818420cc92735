"""Options of an update: which network learns, and how much the policy explores."""

import numpy as np
import pytest
import torch

from agents.learning import loader
from agents.learning.losses import divergence, normalised_entropy, policy_losses
from agents.networks.nets import masked_log_softmax
from sjavs_env.views.layout import N_WORDS
from tests.lessons import taught
from tests.test_ppo import learner, masks, minibatch, self_play


def weights_of(net: torch.nn.Module) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in net.parameters()]


def moved(net: torch.nn.Module, before: list[torch.Tensor]) -> float:
    pairs = zip(net.parameters(), before, strict=True)
    return max(float((weight.detach() - old).abs().max()) for weight, old in pairs)


def test_the_critic_may_learn_alone() -> None:
    pupil = learner(epochs=1)
    experience = self_play(pupil)
    actor, critic = weights_of(pupil.actor), weights_of(pupil.critic)
    told = taught(pupil, experience, np.random.default_rng(0), "critic")
    assert moved(pupil.actor, actor) == 0
    assert moved(pupil.critic, critic) > 0
    assert set(told) == {"value_loss", "explained_variance"}


def test_the_divergence_equals_its_definition_and_is_0_from_itself() -> None:
    allowed = torch.tensor([[True, True, False, True]])
    ours, theirs = (
        masked_log_softmax(torch.tensor([logits]), allowed)
        for logits in ([0.0, 1.0, 9.0, 2.0], [1.0, 1.0, -9.0, 0.0])
    )
    p, q = ours.exp()[allowed], theirs.exp()[allowed]
    expected = (p * (p / q).log()).sum()
    assert divergence(ours, theirs) == pytest.approx(float(expected), rel=1e-5)
    assert divergence(ours, ours) == 0


def test_a_magnet_holds_the_policy_near_its_average() -> None:
    found = {}
    for weight in (0.0, 10.0):
        pupil = learner(epochs=4, minibatch=256, average=1.0, magnet=weight)
        experience = self_play(pupil)
        told = taught(pupil, experience, np.random.default_rng(0))
        assert ("magnet_kl" in told) == bool(weight)
        words, legal = pupil.load.tensors(experience.words[:, :N_WORDS], experience.legal)
        with torch.no_grad():
            ours, theirs = (net(words, legal)[0] for net in (pupil.actor, pupil.average))
        found[weight] = float(divergence(ours, theirs))
    assert found[10.0] < found[0.0] / 4


def test_entropy_counts_by_the_weight_of_its_decision() -> None:
    allowed = masks(100, 66, seed=5)
    log_probs = masked_log_softmax(torch.randn(100, 66), allowed)
    slot = log_probs.argmax(dim=1)
    old = log_probs.gather(1, slot[:, None])[:, 0]
    weights = torch.rand(100)
    part = minibatch(allowed, slot, old, torch.zeros(100))._replace(exploration=weights)
    losses = policy_losses(log_probs, part, clip=0.2)
    entropy = normalised_entropy(log_probs, allowed)
    torch.testing.assert_close(losses["exploration"], (weights * entropy).mean())
    torch.testing.assert_close(losses["entropy"], entropy.mean())


def test_features_made_in_blocks_equal_those_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pupil = learner()
    experience = self_play(pupil, deals=8)
    whole, *_ = pupil.load.features(experience, experience.action)
    assert len(whole) % 7
    monkeypatch.setattr(loader, "_AT_ONCE", 7)
    pieces, *_ = pupil.load.features(experience, experience.action)
    assert torch.equal(pieces, whole)
