"""The learner of proximal policy optimisation: networks, optimisers, sampling, gradient steps.

It knows words, legal actions, choices and advantages, and nothing of the environment. What it
learns in an update is the business of a lesson (``lessons/``), which brings the loss.
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
"""Numbers by name, step after step."""
Loss = Callable[[Batch], tuple[Tensor, dict[str, Tensor]]]
"""Takes a minibatch; gives the loss to descend and what is to be logged."""


@dataclass(frozen=True)
class PPOConfig:
    """How the learner learns."""

    learning_rate: Weight = 1e-3
    """Adam's step size at the start; it falls linearly to ``final_learning_rate``."""
    final_learning_rate: Weight = 0.0
    """Step size when the budget of deals is spent."""
    epochs: AtLeastOne = 3
    """Passes over the decisions of an update."""
    minibatch: AtLeastOne = 1024
    """Decisions in one gradient step; many small steps learn more from as many deals."""
    clip: Positive = 0.2
    """How far the ratio of probabilities may move from 1 before its gradient is cut."""
    lam: Share = 0.95
    """Weight of later values in the advantages; 1 trusts the payoff alone."""
    entropy: Weight = 0.02
    """Weight of the entropy, normalised by the number of legal actions, at the start."""
    final_entropy: Weight = 0.003
    """The same when the budget is spent; a floor keeps the policy from collapsing."""
    max_grad_norm: Positive = 0.5
    """Gradients are cut to this norm, the actor's and the critic's apart."""
    average: Share = 0.0
    """Share of itself that the average of the actor's weights keeps in an update; the average is
    what is measured and exported, for it is steadier than what it averages. 0 for no average."""
    magnet: Weight = 0.0
    """Weight of the divergence from that average, which holds the policy near where it has been
    (EMAgnet); it takes another forward pass of the actor."""
    payoff_scale: Positive = 4.0
    """Game points that count as 1 for the critic, to keep its outputs near 1."""
    bfloat16: bool = False
    """Whether matrices are multiplied in bfloat16, as suits a GPU; losses are float32 anyway."""
    compile: bool = False
    """Whether the networks are compiled (``torch.compile``), which pays after minutes."""


class Learner:
    """Actor, critic, their optimisers, the actor's average, and the update."""

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
        """Seconds of an update by what was done, as they are logged."""
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
        """Draw an action for each row; return actions and log-probabilities."""
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
        """Return the critic's expectation for each row of features, in game points."""
        parts = minibatches([len(features)], 0, self.config.minibatch)
        return np.concatenate([self._values(features[part]).cpu().numpy() for part, _ in parts])

    def begin(self, average: Mapping[str, Tensor], critic: Mapping[str, Tensor] | None) -> None:
        """Take the weights of another run's policy, and of its critic where it has one."""
        for net in (self.average, self.actor):
            net.load_state_dict(average)
        if critic is not None:
            self.critic.load_state_dict(critic)

    def set_progress(self, progress: float) -> None:
        """Set step size and entropy weight for a share of the budget spent, 0 to 1."""
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
        """Make the gradient steps of one update from how deals ended.

        Args:
            experience: The decisions of whole deals, N of them.
            action: The choice that each loss learns from, int64[N].
            jobs: Losses by the network that descends them; the critic's is added.
            generator: Orders the decisions.
            entropy: The entropy bonus of each decision, float32[N].

        Returns:
            The means of what is logged.
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
        """Return decisions as a minibatch has them that all have branches and need nothing else."""
        with self.watch.span("encoding"):
            features, allowed, slot = self.load.features(experience, experience.action)
            nothing = torch.zeros(len(experience), device=self.device)
            batch = Batch(features, allowed, slot, *[nothing] * 4)
            return batch._replace(outcomes=self.load.outcomes(experience, allowed))

    def descend(
        self, batch: Batch, jobs: Sequence[tuple[str, Loss]], generator: np.random.Generator
    ) -> dict[str, float]:
        """Make gradient steps over all decisions, some epochs long; return the means of the log.

        Args:
            batch: The decisions.
            jobs: Losses by the network that descends them, as an attribute of the learner.
            generator: Orders the decisions.
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
        """Let the average follow the actor's weights."""
        for mean, weight in zip(self.average.parameters(), self.actor.parameters(), strict=True):
            mean.lerp_(weight, 1 - self.config.average)

    def branch_loss(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the second network's loss on a minibatch."""
        assert part.outcomes is not None, "no branches were played out"
        rows = (~part.outcomes.isnan().flatten(1).all(dim=1)).nonzero()[:, 0]
        worth = self.worth(part.features[rows])
        loss = branch_loss(worth, part.allowed[rows], part.outcomes[rows]) / len(part.slot)
        return loss, {"branch_loss": loss}

    def _value(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the critic's loss on a minibatch."""
        error = (self._values(part.features) - part.returns) / self.config.payoff_scale
        loss = 0.5 * error.square().mean()
        return loss, {"value_loss": loss}

    def _descend(
        self, batch: Batch, parts: list[tuple[Tensor, float]], name: str, loss_of: Loss
    ) -> Logged:
        """Take one network's gradient steps, each on rows at a weight; return what they logged."""
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
