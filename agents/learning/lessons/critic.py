"""The critic alone: what a new critic needs beside a policy that is good already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.learning.lessons.lesson import Lesson
from agents.learning.rollout import Experience


class CriticAlone(Lesson):
    """Fits the critic to how deals ended; the policy stays as it is."""

    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take the critic's gradient steps."""
        return self._learner.learn(experience, experience.action, [], generator, entropy)
