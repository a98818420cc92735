"""The critic alone: a warm start for a new critic next to a policy that is already good."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.learning.lessons.lesson import Lesson
from agents.learning.rollout import Experience


class CriticAlone(Lesson):
    """Fits the critic to the payoffs of deals. The policy does not change."""

    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take the critic's gradient steps."""
        return self._learner.learn(experience, experience.action, [], generator, entropy)
