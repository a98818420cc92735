"""A training run: its phases, its updates, and the numbers to log.

All randomness of an update comes from the run's seed, the number of the update and the rank of the
process. So a run that was killed and resumed from its latest checkpoint equals an unbroken run.
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
    """The progress of a run over all processes. It is saved in every checkpoint."""

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
    """The initial checkpoint: name, fingerprint, deals. None for new networks."""

    def __post_init__(self) -> None:
        group = self.learner.group
        # Set up all phases now, so that a fault in a later phase is found before the first begins.
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
        """Make one update, and return its scalars by their tags."""
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
        nobody = 0 in self._group.gather(len(lessons))  # with few deals nobody may have a choice
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
        """Enter the phase of the current number of deals, with its restarts on the way."""
        while self.progress.deals >= self.phase.ends and not self.done:
            past = self.league.past
            self.progress.phase += 1
            if self.phase.restart:
                self.learner = restarted(self.learner, self.config, self.phase)
                past.clear()
            self._begin_phase()
            self.league.past.extend(past)

    def _begin_phase(self) -> None:
        """Set up a phase: its environment, its lesson and its league."""
        rules, index = self.config.rule_set, self.progress.phase - 1
        self._vec = VectorSjavs(rules, batch=self._deals[index], seed=0)
        self._lesson = LESSONS[self.phase.lesson](self.learner, self.phase, rules)
        self.league = self._leagues[index]
        """The league of this phase."""

    @property
    def _group(self) -> Group:
        return self.learner.group

    def _opponents(self) -> Opponents | None:
        """Draw the opponents of this update; None for self-play in all deals."""
        if not self.league.plays:
            return None
        return self.league.opponents(self._vec.batch, np.random.default_rng(self._seed(_OPPONENTS)))

    def _count(self, experience: Experience, seconds: float) -> tuple[int, int]:
        """Add an update to the progress; return its moves and decisions over all processes."""
        moves, decisions = map(int, self._group.sum((experience.moves, len(experience))))
        progress = self.progress
        progress.update += 1
        progress.deals += self.phase.batch
        progress.moves += moves
        progress.decisions += decisions
        progress.seconds += seconds
        return moves, decisions

    def _seed(self, purpose: int) -> int:
        """Return this process's seed for one purpose of this update."""
        return seed_of(self.config.seed, self.progress.update, purpose, self._group.rank)

    def _speeds(self, moves: int, decisions: int, seconds: float) -> dict[str, float]:
        """Return the speeds of an update, and the share of forced moves."""
        return {
            "charts/SPS": moves / seconds,
            "charts/deals_per_second": self.phase.batch / seconds,
            "charts/learned_decisions_per_second": decisions / seconds,
            "health/forced_moves": 1 - decisions / moves,
        }

    def _charts(self, experience: Experience) -> dict[str, float]:
        """Return the schedules, and statistics of the deals over all processes."""
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
    """Return the normalised entropy of decisions before and in the play of cards.

    It is NaN without such decisions. It is estimated from the sampled actions: the mean of their
    negative log-probabilities is an estimate of the entropy.
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
        ValueError: the device is not available, a batch is no multiple of the number of processes,
            or ``initial`` is not a checkpoint of these rules and networks.
    """
    trainer = Trainer(config, blank(config, config.phases[0], group))
    if config.initial:
        found = group.from_first(lambda: _beginning(config))
        saving.begin(found, trainer.learner)
        trainer.origin = origin(found, config.initial)
    return trainer


def _beginning(config: Config) -> Checkpoint:
    """Return the initial checkpoint of a run."""
    folder = policy.folder(config.initial)
    if folder is None:
        raise ValueError(f"initial = {config.initial!r} is not a checkpoint, so it has no networks")
    return find(folder, config.rule_set)


def resume(run: Path, group: Group = ALONE) -> Trainer:
    """Return the run of a folder, in the state of its latest checkpoint.

    Raises:
        CheckpointError: there is no checkpoint, or it is damaged, or it is of other rules, of
            another network or of another number of processes.
        ConfigError: its configuration does not fit the schema.
    """
    found, config = group.from_first(lambda: _found(run, group.size))
    progress = Progress(**found.manifest["progress"])
    learner = blank(config, config.phases[progress.phase - 1], group)
    saving.restore(found, learner)
    trainer = Trainer(config, learner, progress, found.manifest.get("origin"))
    trainer.league.past.extend(past.load(run, found.manifest.get("past", []), learner))
    return trainer


def blank(config: Config, phase: Phase, group: Group) -> Learner:
    """Return a learner with new networks for a phase."""
    return Learner(config.rule_set, phase.net, phase.ppo, config.seed, config.device, group)


def restarted(before: Learner, config: Config, phase: Phase) -> Learner:
    """Return the learner after a restart.

    Its policy continues from the average of the weights of the learner before. A new late network
    starts with new weights.
    """
    learner = blank(config, phase, before.group)
    average = learner.average.state_dict() | before.average.state_dict()
    learner.begin(average, before.critic.state_dict())
    return learner


def _found(run: Path, processes: int) -> tuple[Checkpoint, Config]:
    """Return the latest checkpoint of a run and its configuration, after a check of both."""
    found = find(run)
    config = from_dict(found.manifest["config"], f"the config in {found.folder}")
    find(run, config.rule_set)
    made = found.manifest.get("processes", 1)
    if made != processes:
        raise CheckpointError(
            f"run {run} has {made} processes; it cannot be resumed with {processes}"
        )
    return found, config
