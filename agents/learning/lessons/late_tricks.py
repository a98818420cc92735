"""Late tricks: train the late network of the actor alone, from branches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.learning.branches import planned
from agents.learning.lessons.lesson import Lesson
from agents.learning.phases import Phase
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience
from sjavs_env import RuleSet


class LateTricks(Lesson):
    """Trains the late network on the outcomes of branches. Nothing else changes."""

    needs_late = True

    def __init__(self, learner: Learner, phase: Phase, rules: RuleSet) -> None:
        super().__init__(learner, phase, rules)
        self.branches = planned(phase.branches, phase.net.late, learner.average, rules)

    def selected(self, experience: Experience) -> Experience:
        """Return the decisions with branches."""
        return experience.branched()

    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take the late network's gradient steps."""
        learner = self._learner
        return learner.descend(
            learner.branched(experience), [("actor.late", learner.branch_loss)], generator
        )
