"""Lessons: what a phase of a run learns, one file for each kind.

In: the decisions of a rollout. Out: gradient steps of the learner, and the numbers to log.
Start with ``lesson.py``, which says what a lesson is; ``self_play.py`` is the usual one. A new kind
of lesson is a new file here and a line in ``LESSONS``.
"""

from __future__ import annotations

from agents.learning.lessons.critic import CriticAlone
from agents.learning.lessons.imitation import Imitation
from agents.learning.lessons.late_tricks import LateTricks
from agents.learning.lessons.lesson import Lesson
from agents.learning.lessons.self_play import SelfPlay

LESSONS: dict[str, type[Lesson]] = {
    "imitation": Imitation,
    "self-play": SelfPlay,
    "critic": CriticAlone,
    "late-tricks": LateTricks,
}
"""The kinds of lessons, by their names in configurations."""
