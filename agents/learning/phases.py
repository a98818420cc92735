"""Phases: the parts of a run, each with one lesson and all of its values.

A run is a list of phases. Its configuration holds only the values that change from phase to phase.
A ``Phase`` here holds all of its values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.common.bounds import Share, Weight
from agents.learning.branches import BranchesConfig
from agents.learning.league import LeagueConfig
from agents.learning.ppo import PPOConfig
from agents.networks.nets import NetConfig


@dataclass(frozen=True)
class ImitationConfig:
    """The teacher in a phase of imitation."""

    teacher: str = "rule-of-thumb"
    """The built-in player to imitate."""
    smoothing: Share = 0.1
    """Label smoothing: share of the target that is spread over all legal actions. It keeps some
    exploration for self-play."""


@dataclass(frozen=True)
class GuardConfig:
    """The guard against a policy that only passes, in games where calls are optional."""

    calls: Share = 0.1
    """The guard is on while the policy calls in less than this share of the decisions between a
    call and a pass."""
    entropy: Weight = 0.1
    """Entropy bonus of these decisions while the guard is on."""


@dataclass(frozen=True)
class Phase:
    """A part of a run.

    A *stretch* is the phases from one restart to the next. They share networks, optimiser and
    schedules.

    Attributes:
        number: Number of the phase in the run, from 1.
        lesson: Name of the kind of lesson.
        begins: Deals of the run at the phase's begin.
        ends: Deals of the run at the phase's end.
        stretch: Deals of the run at the begin and the end of the phase's stretch.
        restart: Whether a new stretch begins here, with new optimisers, new schedules and no past
            selves. The policy continues from the average of its weights.
        keeps_past: Whether to keep past selves, because this phase or a later one of the stretch
            uses them.
        batch: Deals of one update, over all processes.
    """

    number: int
    lesson: str
    begins: int
    ends: int
    stretch: tuple[int, int]
    restart: bool
    keeps_past: bool
    batch: int
    net: NetConfig = field(default_factory=NetConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    branches: BranchesConfig = field(default_factory=BranchesConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    guard: GuardConfig = field(default_factory=GuardConfig)

    def elapsed(self, deals: int) -> float:
        """Return the elapsed share of the stretch, from 0 to 1, after some deals of the run."""
        begins, ends = self.stretch
        return (deals - begins) / (ends - begins)
