"""Self-play: proximal policy optimisation on the payoffs of deals (Schulman et al. 2017)."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.learning.branches import planned
from agents.learning.lessons.lesson import Lesson
from agents.learning.losses import Batch, divergence, policy_losses
from agents.learning.phases import Phase
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience
from sjavs_env import RuleSet


class SelfPlay(Lesson):
    """Learns from payoffs. A late network learns from branches in the same update."""

    def __init__(self, learner: Learner, phase: Phase, rules: RuleSet) -> None:
        super().__init__(learner, phase, rules)
        if phase.net.late:
            self.branches = planned(phase.branches, phase.net.late, learner.average, rules)

    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take the gradient steps of PPO."""
        jobs = [("actor", self._loss)]
        return self._learner.learn(experience, experience.action, jobs, generator, entropy)

    def _loss(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        learner, config = self._learner, self._learner.config
        # The late network learns only from branches, so it gets no gradient here.
        log_probs = learner.log_probs(part.features, part.allowed, True)
        losses = policy_losses(log_probs, part, config.clip)
        loss = losses["policy_loss"] - losses.pop("exploration")
        if part.outcomes is not None:
            branches, told = learner.branch_loss(part)
            loss, losses = loss + branches, losses | told
        if config.magnet:
            with torch.no_grad():
                others = learner.average_log_probs(part.features, part.allowed)
            losses["magnet_kl"] = divergence(log_probs, others)
            loss = loss + config.magnet * losses["magnet_kl"]
        return loss, losses
