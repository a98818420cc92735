"""A phase: a part of a run in which one lesson is learned, with the values it is learned by.

A run is a list of phases. Its configuration says what changes from phase to phase; a ``Phase`` here
is complete.
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
    """Whom the policy imitates in a phase of imitation."""

    teacher: str = "rule-of-thumb"
    """The built-in player."""
    smoothing: Share = 0.1
    """Share of the target that is spread over all legal actions, to leave room for discovery."""


@dataclass(frozen=True)
class GuardConfig:
    """Against the collapse into passing, where a seat may choose whether to call."""

    calls: Share = 0.1
    """The guard is on while the policy takes less than this share of its chances to call."""
    entropy: Weight = 0.1
    """Entropy bonus of these choices while the guard is on."""


@dataclass(frozen=True)
class Phase:
    """A part of a run.

    A *stretch* is the phases from one restart to the next. They share networks, optimiser and
    schedules.

    Attributes:
        number: Its place in the run, from 1.
        lesson: The kind of lesson by name.
        begins: Deals of the run before it.
        ends: Deals of the run when it ends.
        stretch: Deals of the run at which its stretch begins and ends.
        restart: Whether a new stretch begins here: a new optimiser, new schedules, no past selves,
            and a policy that goes on from the average of its weights.
        keeps_past: Whether past selves are kept, because a phase of this stretch meets them.
        batch: Deals of one update, of all processes together.
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
        """Return the share of the stretch that is over after some deals of the run, from 0."""
        begins, ends = self.stretch
        return (deals - begins) / (ends - begins)
