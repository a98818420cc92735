"""A training run, phase by phase and update by update: what is collected, learned and logged.

All randomness of an update comes from the run's seed, the update's number and the rank of the
process, so that a run that was killed goes on from its last checkpoint as if nothing had happened.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agents import policy
from agents.checkpoints.agent import origin
from agents.checkpoints.manifest import Checkpoint, find, identity
from agents.checkpoints.tensors import CheckpointError
from agents.common import provenance
from agents.learning.guard import entropy_weights
from agents.learning.league import League, Opponents
from agents.learning.lessons import LESSONS
from agents.learning.parallel import ALONE, Group
from agents.learning.phases import Phase
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience, collect
from agents.runs import past, saving
from agents.runs.config import Config, from_dict, to_dict
from agents.runs.logbook import tagged
from agents.runs.schema import to_values
from sjavs_env import VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.core.tables.cards import N_CARDS

_DEALS, _CHOICES, _OPPONENTS = range(3)


def seed_of(seed: int, update: int, purpose: int, rank: int = 0) -> int:
    """Return the seed for one purpose of one update of a run, in one of its processes."""
    spawn_key = (rank,) if rank else ()
    sequence = np.random.SeedSequence((seed, update, purpose), spawn_key=spawn_key)
    return int(sequence.generate_state(1, np.uint64)[0])


@dataclass
class Progress:
    """How far a run has come, all processes together; all of it is kept in its checkpoints."""

    phase: int = 1
    """The phase whose networks the learner has."""
    update: int = 0
    deals: int = 0
    moves: int = 0
    decisions: int = 0
    seconds: float = 0.0


@dataclass
class Trainer:
    """A run in progress, or one process's part in it."""

    config: Config
    learner: Learner
    progress: Progress = field(default_factory=Progress)
    origin: dict[str, Any] | None = None
    """What the run began with, if not with nothing: name, fingerprint, deals."""

    def __post_init__(self) -> None:
        group = self.learner.group
        # What cannot work in a later phase is found before the first one begins.
        self._deals = group.from_first(
            lambda: [group.portion(phase.batch) for phase in self.config.phases]
        )
        load = cache(policy.load)
        self._leagues = [
            League(phase.league, self.config.rule_set, load, keeps_past=phase.keeps_past)
            for phase in self.config.phases
        ]
        self._begin_phase()

    @property
    def done(self) -> bool:
        """Whether the budget of deals is spent."""
        return self.progress.deals >= self.config.budget

    @property
    def phase(self) -> Phase:
        """The phase that the learner is in."""
        return self.config.phases[self.progress.phase - 1]

    def advance(self) -> dict[str, float]:
        """Make one update, and return what is to be logged of it."""
        begun = time.perf_counter()
        self.enter_phase()
        learner, lesson, progress = self.learner, self._lesson, self.progress
        learner.set_progress(self.phase.elapsed(progress.deals))
        generator = np.random.default_rng(self._seed(_CHOICES))
        opponents = self._opponents()
        experience = collect(
            self._vec,
            lambda words, legal: learner.sample(words, legal, generator),
            self._seed(_DEALS),
            opponents,
            lesson.branches,
        )
        rollout = time.perf_counter() - begun
        entropy, guarded = entropy_weights(
            experience, learner.entropy_weight, self.phase.guard, self.config.rule_set, self._group
        )
        lessons = lesson.selected(experience)
        nobody = 0 in self._group.gather(len(lessons))  # of so few deals none had a choice
        losses = {} if nobody else lesson.learn(lessons, entropy, generator)
        seconds = time.perf_counter() - begun
        moves, decisions = self._count(experience, seconds)
        if self.league.due(progress.update):
            self.league.add(progress.update, learner.average)
        met = {} if opponents is None else opponents.points(experience.payoff)
        return {
            **{f"losses/{name}": value for name, value in losses.items()},
            **guarded,
            **self._speeds(moves, decisions, seconds),
            **self._charts(experience),
            **{f"league/points_vs_{tagged(name)}": points for name, points in met.items()},
            "time/rollout": rollout,
            "time/update": seconds - rollout,
            **{f"time/{name}": span for name, span in learner.watch.taken().items()},
        }

    def enter_phase(self) -> None:
        """Go on to the phase that the deals so far have come to, and restart where it says so."""
        while self.progress.deals >= self.phase.ends and not self.done:
            past = self.league.past
            self.progress.phase += 1
            if self.phase.restart:
                self.learner = restarted(self.learner, self.config, self.phase)
                past.clear()
            self._begin_phase()
            self.league.past.extend(past)

    def _begin_phase(self) -> None:
        """Set up what a phase needs: its tables, its lesson and its league."""
        rules, index = self.config.rule_set, self.progress.phase - 1
        self._vec = VectorSjavs(rules, batch=self._deals[index], seed=0)
        self._lesson = LESSONS[self.phase.lesson](self.learner, self.phase, rules)
        self.league = self._leagues[index]
        """Whom the learner meets in this phase."""

    @property
    def _group(self) -> Group:
        return self.learner.group

    def _opponents(self) -> Opponents | None:
        """Draw whom the learner meets in the update at hand, None for nobody but itself."""
        if not self.league.plays:
            return None
        return self.league.opponents(self._vec.batch, np.random.default_rng(self._seed(_OPPONENTS)))

    def _count(self, experience: Experience, seconds: float) -> tuple[int, int]:
        """Count an update; return its moves and decisions in all processes."""
        moves, decisions = map(int, self._group.sum((experience.moves, len(experience))))
        progress = self.progress
        progress.update += 1
        progress.deals += self.phase.batch
        progress.moves += moves
        progress.decisions += decisions
        progress.seconds += seconds
        return moves, decisions

    def _seed(self, purpose: int) -> int:
        """Return this process's seed for one purpose of the update at hand."""
        return seed_of(self.config.seed, self.progress.update, purpose, self._group.rank)

    def _speeds(self, moves: int, decisions: int, seconds: float) -> dict[str, float]:
        """Return how fast an update was."""
        return {
            "charts/SPS": moves / seconds,
            "charts/deals_per_second": self.phase.batch / seconds,
            "charts/learned_decisions_per_second": decisions / seconds,
            "health/forced_moves": 1 - decisions / moves,
        }

    def _charts(self, experience: Experience) -> dict[str, float]:
        """Return schedules and what the deals of all processes looked like."""
        vec, group = self._vec, self._group
        declared = vec.declarer >= 0
        rows = np.flatnonzero(declared)
        payoff = experience.payoff[rows, vec.declarer[rows]]
        return {
            "charts/learning_rate": self.learner.learning_rate,
            "charts/entropy_weight": self.learner.entropy_weight,
            "charts/episodic_return": float(np.nan_to_num(group.mean(payoff))),
            "charts/payoff_spread": math.sqrt(group.variance(experience.payoff[:, 0])),
            "health/declared": group.mean(declared),
            "health/declarer_wins": float(np.nan_to_num(group.mean(payoff > 0))),
            **entropy_tags(experience, group),
        }

    def save(self, run: Path) -> Path:
        """Write a checkpoint into the run's folder."""
        manifest = {
            **identity(self.config.rule_set),
            "origin": self.origin,
            "config": to_dict(self.config),
            "progress": vars(self.progress),
            "random": {"seed": self.config.seed, "next_update": self.progress.update},
            "net": to_values(self.learner.net),
            "past": [update for update, _ in self.league.past],
            "threads": self.config.threads,
            "processes": self._group.size,
            "versions": provenance.versions(),
            "commit": provenance.commit(),
        }
        past.save(run, self.league.past)
        name = f"update-{self.progress.update:06d}"
        return saving.save(run, name, self.learner, manifest, self.config.keep)


def entropy_tags(experience: Experience, group: Group = ALONE) -> dict[str, float]:
    """Return the normalised entropy before and during the play of cards, NaN where nobody chose.

    It is estimated from the choices themselves, whose surprise has the entropy as its mean.
    """
    surprise = -experience.log_prob / np.log(count(experience.legal).astype(np.float32))
    bids = experience.legal >> np.uint64(N_CARDS) > 0
    return {
        f"policy/entropy_norm_{name}": group.mean(surprise[chosen])
        for name, chosen in (("bid", bids), ("play", ~bids))
    }


def start(config: Config, group: Group = ALONE) -> Trainer:
    """Return a new run.

    Raises:
        ValueError: the device is not there, a batch cannot be shared out among the processes, or
            what the run is to begin with is no checkpoint of these rules and networks.
    """
    trainer = Trainer(config, blank(config, config.phases[0], group))
    if config.initial:
        found = group.from_first(lambda: _beginning(config))
        saving.begin(found, trainer.learner)
        trainer.origin = origin(found, config.initial)
    return trainer


def _beginning(config: Config) -> Checkpoint:
    """Return the checkpoint that a run begins with."""
    folder = policy.folder(config.initial)
    if folder is None:
        raise ValueError(f"initial = {config.initial!r} is no checkpoint, and has no networks")
    return find(folder, config.rule_set)


def resume(run: Path, group: Group = ALONE) -> Trainer:
    """Return a run as its latest checkpoint left it.

    Raises:
        CheckpointError: there is none, or it is damaged or of other rules, of another network or
            of another number of processes.
        ConfigError: its configuration is not one of this program.
    """
    found, config = group.from_first(lambda: _found(run, group.size))
    progress = Progress(**found.manifest["progress"])
    learner = blank(config, config.phases[progress.phase - 1], group)
    saving.restore(found, learner)
    trainer = Trainer(config, learner, progress, found.manifest.get("origin"))
    trainer.league.past.extend(past.load(run, found.manifest.get("past", []), learner))
    return trainer


def blank(config: Config, phase: Phase, group: Group) -> Learner:
    """Return a learner with new networks, as a phase wants them."""
    return Learner(config.rule_set, phase.net, phase.ppo, config.seed, config.device, group)


def restarted(before: Learner, config: Config, phase: Phase) -> Learner:
    """Return the learner that a restart makes of the one before.

    Its policy goes on from the average of the weights, and a second network that is new begins
    untaught.
    """
    learner = blank(config, phase, before.group)
    average = learner.average.state_dict() | before.average.state_dict()
    learner.begin(average, before.critic.state_dict())
    return learner


def _found(run: Path, processes: int) -> tuple[Checkpoint, Config]:
    """Return a run's latest checkpoint and its configuration, fit to go on with."""
    found = find(run)
    config = from_dict(found.manifest["config"], f"the config in {found.folder}")
    find(run, config.rule_set)
    made = found.manifest.get("processes", 1)
    if made != processes:
        raise CheckpointError(
            f"run {run} was made by {made} processes and goes on with as many, not with {processes}"
        )
    return found, config
