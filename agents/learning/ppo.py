"""The PPO learner: networks, optimisers, sampling, gradient steps (Schulman et al. 2017).

It works on words, legal actions, actions taken and advantages. It does not know the environment.
A lesson (``lessons/``) decides what an update learns, and brings the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.common.bounds import AtLeastOne, Positive, Share, Weight
from agents.common.stopwatch import Stopwatch
from agents.learning.loader import Loader
from agents.learning.losses import Batch, branch_loss, explained_variance
from agents.learning.parallel import ALONE, Group, minibatches
from agents.learning.rollout import Experience, advantages
from agents.networks import devices
from agents.networks.nets import Actor, Critic, NetConfig, drawn
from sjavs_env import RuleSet
from sjavs_env.views.layout import N_WORDS

Logged = list[tuple[str, Tensor]]
"""Logged numbers with their names, in the order of the gradient steps."""
Loss = Callable[[Batch], tuple[Tensor, dict[str, Tensor]]]
"""Takes a minibatch; returns the loss and the numbers to log."""


@dataclass(frozen=True)
class PPOConfig:
    """The hyperparameters of the learner."""

    learning_rate: Weight = 1e-3
    """Adam's step size at the start. It falls linearly to ``final_learning_rate``."""
    final_learning_rate: Weight = 0.0
    """Step size at the end of the schedule."""
    epochs: AtLeastOne = 3
    """Passes over the decisions of an update."""
    minibatch: AtLeastOne = 1024
    """Decisions in one gradient step. Many small steps learn more from the same deals than a few
    large ones."""
    clip: Positive = 0.2
    """Clipping range of the probability ratio: beyond 1 ± this value it has no gradient."""
    lam: Share = 0.95
    """Lambda of the advantage estimates. 1 uses the payoff alone, smaller values rely more on the
    critic's values."""
    entropy: Weight = 0.02
    """Entropy bonus at the start: weight of the entropy, which is normalised by the number of legal
    actions."""
    final_entropy: Weight = 0.003
    """Entropy bonus at the end of the schedule. Above 0 it keeps the policy from collapsing."""
    max_grad_norm: Positive = 0.5
    """Largest norm of the gradients, of actor and critic separately; longer ones are scaled down
    to it."""
    average: Share = 0.0
    """Decay per update of the moving average of the actor's weights. The average is evaluated and
    exported, because it varies less than the weights. 0: no averaging."""
    magnet: Weight = 0.0
    """Weight of the KL divergence from that average in the loss. It keeps the policy near its
    recent past (EMAgnet), and costs another forward pass of the actor."""
    payoff_scale: Positive = 4.0
    """Game points that are 1 for the critic; they keep its outputs near 1."""
    bfloat16: bool = False
    """Whether to multiply matrices in bfloat16, which suits a GPU. Losses stay float32."""
    compile: bool = False
    """Whether to compile the networks (``torch.compile``). It pays off after some minutes."""


class Learner:
    """Actor, critic, optimisers, the average of the actor's weights, and the update."""

    def __init__(
        self,
        rules: RuleSet,
        net: NetConfig,
        config: PPOConfig,
        seed: int,
        device: str = "cpu",
        group: Group = ALONE,
    ) -> None:
        torch.manual_seed(seed)
        self.net = net
        self.config = config
        self.group = group
        self.device = devices.present(group.placed(device))
        self.actor = group.alike(Actor(rules, net)).to(self.device)
        self.average = deepcopy(self.actor)
        self.critic = group.alike(Critic(rules, net, config.payoff_scale)).to(self.device)
        self.load = Loader(self.critic.encode, self.device)
        self.watch = Stopwatch(lambda: devices.settle(self.device))
        """Wall seconds of an update by stage, for the log."""
        how = self.device, config.bfloat16, config.compile
        self.log_probs = devices.built(self.actor.log_probs, *how)
        self.worth = devices.built(self.actor.worth, *how)
        self.average_log_probs = devices.built(self.average.log_probs, *how)
        self._values = devices.built(self.critic.forward, *how)
        self.optimisers = {
            "actor": torch.optim.Adam(self.actor.parameters(), eps=1e-8, fused=True),
            "critic": torch.optim.Adam(self.critic.parameters(), eps=1e-8, fused=True),
        }
        self._add = {name: group.adder(self.device) for name in self.optimisers}
        self.set_progress(0.0)

    @torch.no_grad()
    def sample(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Sample an action for each row.

        Args:
            words: Packed words, uint32[N, W]; only those that a seat may know are read.
            legal: Legal actions, uint64[N] as bits.
            generator: The randomness.

        Returns:
            Actions, int64[N], and their log-probabilities, float32[N].
        """
        with self.watch.span("inference"):
            seen, options = self.load.tensors(words[:, :N_WORDS], legal)
            contexts, allowed, features = self.actor.read(seen, options)
            log_probs = self.log_probs(features, allowed)
            uniform = torch.from_numpy(generator.random(len(words), np.float32)).to(self.device)
            slot = drawn(log_probs, allowed, uniform)
            chosen = log_probs.gather(1, slot[:, None])[:, 0]
            action = self.actor.encode.slots.actions_of(slot, contexts)
            return action.cpu().numpy(), chosen.cpu().numpy()

    @torch.no_grad()
    def values(self, features: Tensor) -> NDArray[np.float32]:
        """Return the critic's values in game points, float32[N]."""
        parts = minibatches([len(features)], 0, self.config.minibatch)
        return np.concatenate([self._values(features[part]).cpu().numpy() for part, _ in parts])

    def begin(self, average: Mapping[str, Tensor], critic: Mapping[str, Tensor] | None) -> None:
        """Load the weights of a policy, and those of a critic if there are any."""
        for net in (self.average, self.actor):
            net.load_state_dict(average)
        if critic is not None:
            self.critic.load_state_dict(critic)

    def set_progress(self, progress: float) -> None:
        """Set step size and entropy bonus for a point of the schedule, from 0 to 1."""
        config = self.config
        rate = _between(config.learning_rate, config.final_learning_rate, progress)
        for optimiser in self.optimisers.values():
            optimiser.param_groups[0]["lr"] = rate
        self.learning_rate = rate
        self.entropy_weight = _between(config.entropy, config.final_entropy, progress)

    def learn(
        self,
        experience: Experience,
        action: NDArray[np.int64],
        jobs: Sequence[tuple[str, Loss]],
        generator: np.random.Generator,
        entropy: NDArray[np.float32],
    ) -> dict[str, float]:
        """Take the gradient steps of one update on the payoffs of whole deals.

        Args:
            experience: The decisions of whole deals, N of them.
            action: The actions for the losses, int64[N]: those taken, or a teacher's.
            jobs: Networks (attributes of the learner) with their losses. The critic with the value
                loss is added.
            generator: Shuffles the decisions.
            entropy: The entropy bonus of each decision, float32[N].

        Returns:
            The mean of each logged number.
        """
        with self.watch.span("encoding"):
            features, allowed, slot = self.load.features(experience, action)
        with self.watch.span("values"):
            values = self.values(features)
        with self.watch.span("advantages"):
            advantage = advantages(experience, values, self.config.lam)
            returns = advantage + values
            deviation = np.sqrt(np.float32(self.group.variance(advantage)))
            normalised = (advantage - self.group.mean(advantage)) / (deviation + 1e-8)
            late = self.actor.is_late(features).cpu().numpy()  # payoffs do not count there
            normalised[late] = 0
            entropy = np.where(late, np.float32(0), entropy)
            numbers = (experience.log_prob, normalised, returns, entropy)
            batch = Batch(features, allowed, slot, *map(self.load.tensor, numbers))
            batch = batch._replace(outcomes=self.load.outcomes(experience, allowed))
        means = self.descend(batch, [*jobs, ("critic", self._value)], generator)
        explained = explained_variance(values, returns, self.group.variance)
        return means | {"explained_variance": explained}

    def branched(self, experience: Experience) -> Batch:
        """Return decisions with branches as a ``Batch`` for the branch loss alone.

        Log-probabilities, advantages, returns and entropy bonuses are 0 in it.
        """
        with self.watch.span("encoding"):
            features, allowed, slot = self.load.features(experience, experience.action)
            nothing = torch.zeros(len(experience), device=self.device)
            batch = Batch(features, allowed, slot, *[nothing] * 4)
            return batch._replace(outcomes=self.load.outcomes(experience, allowed))

    def descend(
        self, batch: Batch, jobs: Sequence[tuple[str, Loss]], generator: np.random.Generator
    ) -> dict[str, float]:
        """Take the gradient steps of all epochs; return the mean of each logged number.

        Args:
            batch: The decisions.
            jobs: Networks (attributes of the learner) with their losses.
            generator: Shuffles the decisions.
        """
        n = len(batch.slot)
        steps = minibatches(self.group.gather(n), self.group.rank, self.config.minibatch)
        logged: dict[str, list[Tensor]] = {}
        for _ in range(self.config.epochs):
            order = self.load.tensor(generator.permutation(n))
            parts = [(order[part], weight) for part, weight in steps]
            nets, losses = zip(*jobs, strict=True)
            with self.watch.span("gradients"), devices.side_by_side(self.device) as run:
                done = run(partial(self._descend, batch, parts), nets, losses)
                for name, number in chain.from_iterable(done):
                    logged.setdefault(name, []).append(number)
        self._follow()
        own = [float(torch.stack(numbers).mean()) for numbers in logged.values()]
        return dict(zip(logged, self.group.sum(own), strict=True))

    @torch.no_grad()
    def _follow(self) -> None:
        """Update the moving average of the actor's weights."""
        for mean, weight in zip(self.average.parameters(), self.actor.parameters(), strict=True):
            mean.lerp_(weight, 1 - self.config.average)

    def branch_loss(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the late network's loss on a minibatch, over its rows with branches."""
        assert part.outcomes is not None, "no branches were played out"
        rows = (~part.outcomes.isnan().flatten(1).all(dim=1)).nonzero()[:, 0]
        worth = self.worth(part.features[rows])
        loss = branch_loss(worth, part.allowed[rows], part.outcomes[rows]) / len(part.slot)
        return loss, {"branch_loss": loss}

    def _value(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the value loss on a minibatch."""
        error = (self._values(part.features) - part.returns) / self.config.payoff_scale
        loss = 0.5 * error.square().mean()
        return loss, {"value_loss": loss}

    def _descend(
        self, batch: Batch, parts: list[tuple[Tensor, float]], name: str, loss_of: Loss
    ) -> Logged:
        """Take one network's gradient steps of an epoch; return the logged numbers.

        Args:
            batch: The decisions.
            parts: For each minibatch the rows of this process and their weight (``minibatches``).
            name: The network, as an attribute of the learner.
            loss_of: Its loss.
        """
        net, of = attrgetter(name)(self), name.partition(".")[0]
        optimiser, weights = self.optimisers[of], list(net.parameters())
        logged: Logged = []
        for part, weight in parts:
            loss, numbers = loss_of(batch.at(part))
            optimiser.zero_grad(set_to_none=True)
            (weight * loss).backward(inputs=weights)
            self._add[of](each.grad for each in weights)
            nn.utils.clip_grad_norm_(weights, self.config.max_grad_norm)
            optimiser.step()
            logged += [(key, weight * number.detach()) for key, number in numbers.items()]
        return logged


def _between(start: float, end: float, progress: float) -> float:
    return start + (end - start) * min(max(progress, 0.0), 1.0)
