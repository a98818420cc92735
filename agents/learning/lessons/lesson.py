"""The base class of lessons."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from agents.learning.branches import Branches
from agents.learning.phases import Phase
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience
from sjavs_env import RuleSet


class Lesson(ABC):
    """Teaches a learner through one phase of a run.

    Args:
        learner: The networks and their optimisers.
        phase: The phase, with its values.
        rules: The rule set.

    Attributes:
        needs_late: Whether the lesson needs a policy with a late network.
        branches: Plays out every legal card of late decisions in the rollout; None: no branches.
    """

    needs_late = False

    def __init__(self, learner: Learner, phase: Phase, rules: RuleSet) -> None:
        self._learner = learner
        self.branches: Branches | None = None

    def selected(self, experience: Experience) -> Experience:
        """Return the decisions of a rollout that the lesson learns from (by default all)."""
        return experience

    @abstractmethod
    def learn(
        self,
        experience: Experience,
        entropy: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Take the gradient steps of one update; return the mean of each logged number.

        Args:
            experience: The selected decisions, at least one in every process.
            entropy: The entropy bonus of each decision, float32[N].
            generator: Shuffles the decisions.
        """
