"""A lesson given to a learner outside of any run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.learning.lessons import LESSONS
from agents.learning.lessons.lesson import Lesson
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience
from agents.runs.config import from_dict
from agents.runs.schema import to_values
from sjavs_env import rule_set


def lesson_of(pupil: Learner, name: str = "self-play", **values: Any) -> Lesson:
    """Return a lesson for a learner of `faroese4`, with some values of the configuration."""
    said = {"net": to_values(pupil.net), "phase": [{"lesson": name}], **values}
    (phase,) = from_dict(said, "test").phases
    return LESSONS[name](pupil, phase, rule_set("faroese4"))


def taught(
    pupil: Learner,
    experience: Experience,
    generator: np.random.Generator,
    name: str = "self-play",
    entropy: NDArray[np.float32] | None = None,
    **values: Any,
) -> dict[str, float]:
    """Teach a learner one update, with the scheduled entropy bonus unless another is given."""
    if entropy is None:
        entropy = np.full(len(experience), pupil.entropy_weight, np.float32)
    return lesson_of(pupil, name, **values).learn(experience, entropy, generator)
