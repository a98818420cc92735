"""Imitation: a warm start from the actions of a built-in player (DAgger, Ross et al. 2011)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from agents.learning.lessons.lesson import Lesson
from agents.learning.losses import Batch, imitation_losses
from agents.learning.phases import Phase
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience
from sjavs_env import RuleSet
from sjavs_env.players import player
from sjavs_env.views.layout import N_WORDS


class Imitation(Lesson):
    """Learns the teacher's actions in the positions that the policy itself has reached.

    The critic learns from the payoffs, as in self-play.
    """

    def __init__(self, learner: Learner, phase: Phase, rules: RuleSet) -> None:
        super().__init__(learner, phase, rules)
        self._teacher = player(phase.imitation.teacher, rules)
        self._smoothing = phase.imitation.smoothing

    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take gradient steps towards the teacher's actions."""
        seen = experience.words[:, :N_WORDS]
        keys = generator.integers(2**64, size=len(experience), dtype=np.uint64)
        told = self._teacher.act(seen, experience.legal, keys)
        return self._learner.learn(experience, told, [("actor", self._loss)], generator, entropy)

    def _loss(self, part: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        log_probs = self._learner.log_probs(part.features, part.allowed)
        losses = imitation_losses(log_probs, part, self._smoothing)
        return losses["policy_loss"], losses
