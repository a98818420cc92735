"""Proximal policy optimisation: sampling, losses, the update (Schulman et al. 2017).

The learner knows words, legal actions, choices and advantages, and nothing of the environment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.features import tensors
from agents.nets import Actor, Critic, NetConfig
from agents.rollout import Experience, advantages
from sjavs_env import RuleSet
from sjavs_env.layout import N_WORDS


@dataclass(frozen=True)
class PPOConfig:
    """How the learner learns."""

    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls linearly to ``final_learning_rate``."""
    final_learning_rate: float = 0.0
    """Step size when the budget of deals is spent."""
    epochs: int = 3
    """Passes over the decisions of an update."""
    minibatch: int = 4096
    """Decisions in one gradient step."""
    clip: float = 0.2
    """How far the ratio of probabilities may move from 1 before its gradient is cut."""
    lam: float = 0.95
    """Weight of later values in the advantages; 1 trusts the payoff alone."""
    entropy: float = 0.02
    """Weight of the entropy, normalised by the number of legal actions, at the start."""
    final_entropy: float = 0.003
    """The same when the budget is spent; a floor keeps the policy from collapsing."""
    max_grad_norm: float = 0.5
    """Gradients are cut to this norm, the actor's and the critic's apart."""
    payoff_scale: float = 4.0
    """Game points that count as 1 for the critic, to keep its outputs near 1."""


def normalised_entropy(log_probs: Tensor, allowed: Tensor) -> Tensor:
    """Return each row's entropy as a share of that of a uniform choice, float32[N].

    A row with one legal action has entropy 0.
    """
    probabilities = log_probs.exp()
    entropy = -(probabilities * log_probs.masked_fill(~allowed, 0.0)).sum(dim=1)
    return entropy / allowed.sum(dim=1).clamp(min=2).float().log()


def policy_losses(
    log_probs: Tensor,
    allowed: Tensor,
    slot: Tensor,
    old_log_prob: Tensor,
    advantage: Tensor,
    clip: float,
) -> dict[str, Tensor]:
    """Return the clipped policy loss, entropy and the estimates of the policy's movement.

    ``approx_kl`` is the estimator k3 and ``old_approx_kl`` k1 of Schulman's note on
    approximating KL divergence (2020).
    """
    log_ratio = log_probs.gather(1, slot[:, None])[:, 0] - old_log_prob
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    with torch.no_grad():
        moved = {
            "approx_kl": (ratio - 1 - log_ratio).mean(),
            "old_approx_kl": -log_ratio.mean(),
            "clipfrac": ((ratio - 1).abs() > clip).float().mean(),
        }
    return {
        "policy_loss": -torch.minimum(ratio * advantage, clipped * advantage).mean(),
        "entropy": normalised_entropy(log_probs, allowed).mean(),
        **moved,
    }


def imitation_losses(
    log_probs: Tensor, allowed: Tensor, slot: Tensor, smoothing: float
) -> dict[str, Tensor]:
    """Return the cross-entropy to a teacher's choices, and how often the policy agrees.

    ``smoothing`` is the share of the target that is spread over all legal actions, so that the
    policy stays open to what it will find out by itself.
    """
    told = log_probs.gather(1, slot[:, None])[:, 0]
    spread = log_probs.masked_fill(~allowed, 0.0).sum(dim=1) / allowed.sum(dim=1)
    with torch.no_grad():
        agreement = (log_probs.argmax(dim=1) == slot).float().mean()
    return {
        "policy_loss": -((1 - smoothing) * told + smoothing * spread).mean(),
        "entropy": normalised_entropy(log_probs, allowed).mean().detach(),
        "agreement": agreement,
    }


def explained_variance(values: NDArray[np.float32], returns: NDArray[np.float32]) -> float:
    """Return the share of the returns' variance that the values explain, NaN if there is none."""
    variance = float(np.var(returns))
    return 1.0 - float(np.var(returns - values)) / variance if variance else float("nan")


class Learner:
    """Actor, critic, their optimiser, and the update."""

    def __init__(
        self, rules: RuleSet, net: NetConfig, config: PPOConfig, seed: int, device: str = "cpu"
    ) -> None:
        torch.manual_seed(seed)
        self.config = config
        self.device = torch.device(device)
        self.actor = Actor(rules, net).to(self.device)
        self.critic = Critic(rules, net, config.payoff_scale).to(self.device)
        self.optimiser = torch.optim.Adam(
            [*self.actor.parameters(), *self.critic.parameters()],
            lr=config.learning_rate,
            eps=1e-8,
            fused=True,
        )
        self.set_progress(0.0)

    @torch.no_grad()
    def sample(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Draw an action for each row; return actions and log-probabilities."""
        seen, options = self._tensors(words[:, :N_WORDS], legal)
        log_probs, allowed, contexts = self.actor(seen, options)
        draw = torch.from_numpy(generator.random(len(words), np.float32)).to(self.device)
        cumulated = log_probs.exp().cumsum(dim=1)
        passed = (cumulated <= draw[:, None] * cumulated[:, -1:]).sum(dim=1)
        last = allowed.shape[1] - 1 - allowed.flip(1).int().argmax(dim=1)
        slot = torch.minimum(passed, last)
        chosen = log_probs.gather(1, slot[:, None])[:, 0]
        action = self.actor.encode.slots.actions_of(slot, contexts)
        return action.cpu().numpy(), chosen.cpu().numpy()

    @torch.no_grad()
    def values(self, features: Tensor) -> NDArray[np.float32]:
        """Return the critic's expectation for each row of features, in game points."""
        parts = _slices(len(features), self.config.minibatch)
        return np.concatenate([self.critic(features[part]).cpu().numpy() for part in parts])

    def features(self, experience: Experience) -> tuple[Tensor, Tensor, Tensor]:
        """Return features with all cards, legal slots and chosen slots of all decisions."""
        words, legal = self._tensors(experience.words, experience.legal)
        slots = self.critic.encode.slots
        contexts = slots.contexts(words)
        chosen = slots.slots_of(self._tensor(experience.action), contexts)
        return self.critic.encode(words, legal, contexts), slots.legal(legal, contexts), chosen

    def set_progress(self, progress: float) -> None:
        """Set step size and entropy weight for a share of the budget spent, 0 to 1."""
        config = self.config
        rate = _between(config.learning_rate, config.final_learning_rate, progress)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.learning_rate = rate
        self.entropy_weight = _between(config.entropy, config.final_entropy, progress)

    def update(self, experience: Experience, generator: np.random.Generator) -> dict[str, float]:
        """Learn from how whole deals ended; return the means of what is logged."""
        features, allowed, slot = self.features(experience)
        values = self.values(features)
        advantage = advantages(experience, values, self.config.lam)
        scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)

        def policy(part: Tensor) -> tuple[dict[str, Tensor], Tensor]:
            log_probs = self.actor.log_probs(features[part], allowed[part])
            chosen = slot[part], old_log_prob[part], weight[part]
            losses = policy_losses(log_probs, allowed[part], *chosen, self.config.clip)
            return losses, losses["policy_loss"] - self.entropy_weight * losses["entropy"]

        old_log_prob, weight = self._tensor(experience.log_prob), self._tensor(scaled)
        return self._learn(features, values, advantage + values, policy, generator)

    def imitate(
        self,
        experience: Experience,
        told: NDArray[np.int64],
        smoothing: float,
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Learn what a teacher would have done where the policy came to (DAgger, Ross et al. 2011).

        The critic learns from how the deals ended, as in ``update``.
        """
        features, allowed, slot = self.features(replace(experience, action=told))
        values = self.values(features)
        returns = advantages(experience, values, self.config.lam) + values

        def policy(part: Tensor) -> tuple[dict[str, Tensor], Tensor]:
            log_probs = self.actor.log_probs(features[part], allowed[part])
            losses = imitation_losses(log_probs, allowed[part], slot[part], smoothing)
            return losses, losses["policy_loss"]

        return self._learn(features, values, returns, policy, generator)

    def _learn(
        self,
        features: Tensor,
        values: NDArray[np.float32],
        returns: NDArray[np.float32],
        policy: Callable[[Tensor], tuple[dict[str, Tensor], Tensor]],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Descend over all decisions, some epochs long; return the means of the losses."""
        target = self._tensor(returns)
        logged: list[dict[str, Tensor]] = []
        for _ in range(self.config.epochs):
            order = self._tensor(generator.permutation(len(features)))
            for part in _slices(len(order), self.config.minibatch):
                losses, loss = policy(order[part])
                error = self.critic(features[order[part]]) - target[order[part]]
                losses["value_loss"] = 0.5 * (error / self.config.payoff_scale).square().mean()
                self._descend(loss + losses["value_loss"])
                logged.append({name: value.detach() for name, value in losses.items()})
        means = {
            name: float(torch.stack([each[name] for each in logged]).mean()) for name in logged[0]
        }
        return means | {"explained_variance": explained_variance(values, returns)}

    def _descend(self, loss: Tensor) -> None:
        """Take one gradient step, actor and critic each held to the greatest norm."""
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        for net in (self.actor, self.critic):
            nn.utils.clip_grad_norm_(net.parameters(), self.config.max_grad_norm)
        self.optimiser.step()

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _tensors(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64]
    ) -> tuple[Tensor, Tensor]:
        seen, options = tensors(words, legal)
        return seen.to(self.device), options.to(self.device)


def _slices(n: int, size: int) -> Iterator[slice]:
    """Yield slices of about equal length, none longer than ``size``."""
    parts = -(-n // size)
    edges = [n * part // parts for part in range(parts + 1)]
    for first, last in itertools.pairwise(edges):
        yield slice(first, last)


def _between(start: float, end: float, progress: float) -> float:
    return start + (end - start) * min(max(progress, 0.0), 1.0)
