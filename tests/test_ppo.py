"""The learner: probabilities, losses, and updates."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from agents.learning.losses import (
    Batch,
    explained_variance,
    imitation_losses,
    normalised_entropy,
    policy_losses,
)
from agents.learning.ppo import Learner, PPOConfig
from agents.learning.rollout import Experience, collect
from agents.networks import devices
from agents.networks.nets import NetConfig, masked_log_softmax
from sjavs_env import VectorSjavs, rule_set
from tests.lessons import taught

RULES = rule_set("faroese4")
SMALL = NetConfig(hidden=(32,))


def learner(**changes: object) -> Learner:
    return Learner(RULES, SMALL, PPOConfig(**changes), seed=1)


def self_play(teacher: Learner, deals: int = 64) -> Experience:
    generator = np.random.default_rng(0)
    vec = VectorSjavs(RULES, batch=deals)
    return collect(vec, lambda words, legal: teacher.sample(words, legal, generator), seed=3)


def minibatch(
    allowed: torch.Tensor, slot: torch.Tensor, old: torch.Tensor, advantage: torch.Tensor
) -> Batch:
    nothing = torch.zeros(len(slot))
    return Batch(torch.zeros(len(slot), 1), allowed, slot, old, advantage, nothing, nothing)


def masks(rows: int, slots: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    allowed = torch.rand(rows, slots, generator=generator) < 0.3
    allowed[torch.arange(rows), torch.randint(slots, (rows,), generator=generator)] = True
    return allowed


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_probabilities_stay_finite_at_any_logits(scale: float, dtype: torch.dtype) -> None:
    allowed = masks(500, 66, seed=2)
    logits = (torch.randn(500, 66) * scale).to(dtype)
    log_probs = masked_log_softmax(logits, allowed)
    probabilities = log_probs.exp()
    assert log_probs.dtype == torch.float32
    assert torch.isfinite(log_probs).all()
    assert (probabilities[~allowed] == 0).all(), "an illegal action has probability"
    torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(500))
    assert torch.isfinite(normalised_entropy(log_probs, allowed)).all()


@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
def test_the_estimates_of_movement_stay_finite_at_any_logits(scale: float) -> None:
    allowed = masks(500, 66, seed=3)
    old, new = (masked_log_softmax(torch.randn(500, 66) * scale, allowed) for _ in range(2))
    slot = old.exp().multinomial(1, generator=torch.Generator().manual_seed(1))[:, 0]
    old_log_prob = old.gather(1, slot[:, None])[:, 0]
    part = minibatch(allowed, slot, old_log_prob, torch.randn(500))
    losses = policy_losses(new, part, clip=0.2)
    assert all(torch.isfinite(value) for value in losses.values())
    assert losses["approx_kl"] >= 0


def test_one_legal_action_has_probability_one_and_no_entropy() -> None:
    allowed = torch.zeros(1, 66, dtype=torch.bool)
    allowed[0, 5] = True
    logits = torch.full((1, 66), 1e4, requires_grad=True)
    log_probs = masked_log_softmax(logits, allowed)
    entropy = normalised_entropy(log_probs, allowed)
    assert log_probs[0, 5] == 0
    assert entropy.item() == 0
    entropy.sum().backward()
    assert torch.isfinite(logits.grad).all()


def test_entropy_is_one_for_a_uniform_choice_whatever_the_number_of_actions() -> None:
    allowed = masks(200, 66, seed=4)
    allowed[:, :2] = True
    entropy = normalised_entropy(masked_log_softmax(torch.zeros(200, 66), allowed), allowed)
    torch.testing.assert_close(entropy, torch.ones(200))


def test_entropy_equals_the_closed_form() -> None:
    logits = torch.tensor([[0.0, np.log(3.0), 9.0]])
    allowed = torch.tensor([[True, True, False]])
    entropy = normalised_entropy(masked_log_softmax(logits, allowed), allowed)
    expected = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / np.log(2)
    assert entropy.item() == pytest.approx(expected, abs=1e-6)


def test_the_gradient_is_the_unmasked_one_over_the_legal_actions() -> None:
    logits = torch.randn(1, 6, requires_grad=True)
    allowed = torch.tensor([[True, False, True, True, False, False]])
    masked_log_softmax(logits, allowed)[0, 2].backward()
    short = logits.detach()[allowed].clone().requires_grad_()
    torch.log_softmax(short, dim=0)[1].backward()
    torch.testing.assert_close(logits.grad[allowed], short.grad)
    assert (logits.grad[~allowed] == 0).all()


def test_nothing_has_moved_before_the_first_step() -> None:
    teacher = learner()
    experience = self_play(teacher)
    features, allowed, slot = teacher.load.features(experience, experience.action)
    log_probs = teacher.actor.log_probs(features, allowed)
    old = torch.from_numpy(experience.log_prob)
    losses = policy_losses(log_probs, minibatch(allowed, slot, old, torch.ones(len(old))), clip=0.2)
    ratio = (log_probs.gather(1, slot[:, None])[:, 0] - old).exp()
    assert (ratio.log().abs() < 1e-5).all()
    assert abs(losses["approx_kl"].item()) < 1e-7
    assert losses["clipfrac"].item() == 0


def test_the_clipped_loss_is_the_one_of_the_paper() -> None:
    allowed = torch.ones(4, 2, dtype=torch.bool)
    log_probs = torch.log(torch.tensor([[0.75, 0.25]] * 4))
    slot = torch.tensor([0, 0, 1, 1])
    old = torch.log(torch.tensor([0.5, 0.5, 0.5, 0.5]))
    advantage = torch.tensor([1.0, -1.0, 1.0, -1.0])
    part = minibatch(allowed, slot, old, advantage)
    loss = policy_losses(log_probs, part, clip=0.2)["policy_loss"]
    # Ratios 1.5, 1.5, 0.5, 0.5: improvements are clipped at 1.2 and 0.8, deteriorations are not.
    assert loss.item() == pytest.approx(-(1.2 - 1.5 + 0.5 - 0.8) / 4)


def test_every_sampled_action_is_legal_and_drawn_by_its_probability() -> None:
    teacher = learner()
    vec = VectorSjavs(RULES, batch=1, seed=5)
    while bin(int(vec.legal[0])).count("1") < 4:
        vec.step([bin(int(vec.legal[0]))[::-1].index("1")] if vec.seat[0] >= 0 else [0])
        if vec.over[0]:
            vec.reset()
    words, legal = np.repeat(vec.observe_all(), 20_000, axis=0), np.repeat(vec.legal, 20_000)
    actions, log_probs = teacher.sample(words, legal, np.random.default_rng(7))
    assert (legal >> actions.astype(np.uint64) & np.uint64(1)).all()
    for action in np.unique(actions):
        chosen = actions == action
        expected = float(np.exp(log_probs[chosen][0]))
        assert chosen.mean() == pytest.approx(expected, abs=5 * np.sqrt(expected / 20_000))


def test_an_update_moves_the_policy_towards_rewarded_actions() -> None:
    teacher = learner(entropy=0.0, final_entropy=0.0)
    experience = self_play(teacher, deals=256)
    features = teacher.load.features(experience, experience.action)[0]
    before = teacher.values(features)
    logged = taught(teacher, experience, np.random.default_rng(0))
    after = teacher.values(features)
    returns = experience.payoff[experience.row, experience.seat]
    assert ((after - returns) ** 2).mean() < ((before - returns) ** 2).mean()
    assert logged["approx_kl"] > 0
    assert set(logged) == {
        *("policy_loss", "value_loss", "entropy", "approx_kl", "old_approx_kl"),
        *("clipfrac", "explained_variance"),
    }


def test_schedules_run_from_their_start_to_their_end() -> None:
    teacher = learner(learning_rate=1.0, final_learning_rate=0.5, entropy=0.2, final_entropy=0.1)
    for progress, rate, entropy in [(0.0, 1.0, 0.2), (0.5, 0.75, 0.15), (2.0, 0.5, 0.1)]:
        teacher.set_progress(progress)
        assert teacher.learning_rate == pytest.approx(rate)
        assert teacher.entropy_weight == pytest.approx(entropy)


def test_explained_variance_has_its_known_values() -> None:
    returns = np.array([1.0, -1.0, 3.0, -3.0], np.float32)
    assert explained_variance(returns, returns) == 1
    assert explained_variance(np.zeros(4, np.float32), returns) == 0
    assert np.isnan(explained_variance(returns, np.ones(4, np.float32)))


def test_imitation_is_the_smoothed_cross_entropy() -> None:
    log_probs = torch.log(torch.tensor([[0.5, 0.25, 0.25, 1e-30]]))
    allowed = torch.tensor([[True, True, True, False]])
    none = torch.zeros(1)
    part = minibatch(allowed, torch.tensor([0]), none, none)
    losses = imitation_losses(log_probs, part, smoothing=0.3)
    expected = -(0.7 * np.log(0.5) + 0.1 * np.log(0.5 * 0.25 * 0.25))
    assert losses["policy_loss"].item() == pytest.approx(expected, rel=1e-5)
    assert losses["agreement"].item() == 1


def test_imitation_makes_the_policy_agree_with_its_teacher() -> None:
    pupil = learner(learning_rate=3e-3, minibatch=512)
    generator = np.random.default_rng(1)
    agreements = []
    for _ in range(6):
        experience = self_play(pupil, deals=256)
        agreements.append(taught(pupil, experience, generator, "imitation")["agreement"])
    assert agreements[-1] > agreements[0] + 0.1


@contextmanager
def one_after_the_other(device: torch.device) -> Iterator[Callable[..., Iterable[Any]]]:
    """Provide `map` in place of parallel work, with the same number of threads for each task."""
    threads = torch.get_num_threads()
    torch.set_num_threads(threads // 2)
    yield map
    torch.set_num_threads(threads)


def test_actor_and_critic_learn_the_same_in_parallel_as_in_sequence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = torch.get_num_threads()
    learned = []
    try:
        # The other work may differ in the last digit, because it uses another number of threads.
        torch.set_num_threads(2)
        for way in (devices.side_by_side, one_after_the_other):
            monkeypatch.setattr(devices, "side_by_side", way)
            pupil = learner(minibatch=256)
            taught(pupil, self_play(pupil), np.random.default_rng(0))
            learned.append({**pupil.actor.state_dict(), **pupil.critic.state_dict()})
    finally:
        torch.set_num_threads(threads)
    for name, tensor in learned[0].items():
        assert torch.equal(tensor, learned[1][name]), name


@pytest.mark.parametrize("share", [0.0, 0.75])
def test_the_average_keeps_its_share_in_an_update(share: float) -> None:
    pupil = learner(average=share)
    before = [weight.detach().clone() for weight in pupil.average.parameters()]
    taught(pupil, self_play(pupil), np.random.default_rng(0))
    moved = False
    for mean, start, weight in zip(
        pupil.average.parameters(), before, pupil.actor.parameters(), strict=True
    ):
        expected = share * start + (1 - share) * weight
        torch.testing.assert_close(mean.detach(), expected.detach(), rtol=1e-5, atol=1e-6)
        moved |= not torch.equal(weight, start)
    assert moved
