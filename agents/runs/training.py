"""A training run: what is collected, learned, measured, logged and kept, update by update.

All randomness of an update comes from the run's seed, the update's number and the rank of the
process, so that a run that was killed goes on from its last checkpoint as if nothing had happened.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import policy
from agents.checkpoints.agent import origin
from agents.checkpoints.manifest import Checkpoint, find, identity
from agents.checkpoints.tensors import CheckpointError
from agents.common import provenance
from agents.evaluation.health import may_call
from agents.learning.branches import Branches
from agents.learning.league import League, Opponents
from agents.learning.parallel import ALONE, Group
from agents.learning.ppo import Learner
from agents.learning.rollout import Experience, collect
from agents.networks.nets import NetPolicy
from agents.runs import past, saving
from agents.runs.config import Config, from_dict, to_dict
from agents.runs.logbook import tagged
from sjavs_env import VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.core.tables.actions import PASS
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.players import player
from sjavs_env.views.layout import N_WORDS

_DEALS, _CHOICES, _OPPONENTS = range(3)


def seed_of(seed: int, update: int, purpose: int, rank: int = 0) -> int:
    """Return the seed for one purpose of one update of a run, in one of its processes."""
    spawn_key = (rank,) if rank else ()
    sequence = np.random.SeedSequence((seed, update, purpose), spawn_key=spawn_key)
    return int(sequence.generate_state(1, np.uint64)[0])


@dataclass
class Progress:
    """How far a run has come, all processes together; all of it is kept in its checkpoints."""

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
        rules = self.config.rule_set
        self._group = self.learner.group
        deals = self._group.from_first(lambda: self._group.portion(self.config.batch))
        self._vec = VectorSjavs(rules, batch=deals, seed=0)
        self._teacher = player(self.config.imitation.teacher, rules)
        self._player = player(self.config.branches.player, rules)
        self.league = League(self.config.league, rules, policy.load)

    @property
    def done(self) -> bool:
        """Whether the budget of deals is spent."""
        return self.progress.deals >= self.config.deals

    @property
    def _imitating(self) -> bool:
        """Whether the update at hand imitates the teacher."""
        return self.progress.deals < self.config.imitation.deals

    def _branches(self) -> Branches | None:
        """Return what plays branches out in the update at hand, None if there are none."""
        deals, config = self.progress.deals, self.config
        critic_alone = config.branches.alone <= deals < config.critic_first
        if not config.net.late or self._imitating or critic_alone:
            return None
        itself = deals >= (1 - config.branches.itself) * config.deals
        return Branches(
            config.net.late,
            NetPolicy(self.learner.average) if itself else self._player,
            config.rule_set,
            as_seated=itself,
            every=config.branches.every,
            bfloat16=config.branches.bfloat16,
        )

    def advance(self) -> dict[str, float]:
        """Make one update, and return what is to be logged of it."""
        config, progress = self.config, self.progress
        begun = time.perf_counter()
        self.learner.set_progress(progress.deals / config.deals)
        generator = np.random.default_rng(self._seed(_CHOICES))
        opponents = self._opponents()
        experience = collect(
            self._vec,
            lambda words, legal: self.learner.sample(words, legal, generator),
            self._seed(_DEALS),
            opponents,
            self._branches(),
        )
        rollout = time.perf_counter() - begun
        exploration, guarded = self._exploration(experience)
        losses = self._learn(experience, exploration, generator)
        ended = time.perf_counter()
        progress.update += 1
        progress.deals += config.batch
        moves, decisions = map(int, self._group.sum((experience.moves, len(experience))))
        progress.moves += moves
        progress.decisions += decisions
        progress.seconds += ended - begun
        if self.league.due(progress.update):
            self.league.add(progress.update, self.learner.average)
        met = {} if opponents is None else opponents.points(experience.payoff)
        return {
            **{f"losses/{name}": value for name, value in losses.items()},
            **guarded,
            **self._speeds(moves, decisions, ended - begun),
            **self._charts(experience),
            **{f"league/points_vs_{tagged(name)}": points for name, points in met.items()},
            "time/rollout": rollout,
            "time/update": ended - begun - rollout,
            **{f"time/{name}": span for name, span in self.learner.watch.taken().items()},
        }

    def _opponents(self) -> Opponents | None:
        """Draw whom the learner meets in the update at hand, None for nobody but itself."""
        if not self.league.plays(self.progress.deals):
            return None
        return self.league.opponents(self._vec.batch, np.random.default_rng(self._seed(_OPPONENTS)))

    def _learn(
        self,
        experience: Experience,
        exploration: NDArray[np.float32],
        generator: np.random.Generator,
    ) -> dict[str, float]:
        """Learn as it is due: from the teacher, from branches alone, or from payoffs."""
        config, deals = self.config, self.progress.deals
        if experience.outcomes is not None and deals < config.branches.alone:
            experience = experience.branched()
        if 0 in self._group.gather(len(experience)):  # of so few deals none had a choice
            return {}
        if self._imitating:
            seen = experience.words[:, :N_WORDS]
            keys = generator.integers(2**64, size=len(experience), dtype=np.uint64)
            told = self._teacher.act(seen, experience.legal, keys)
            return self.learner.imitate(experience, told, config.imitation.smoothing, generator)
        if experience.outcomes is not None and deals < config.branches.alone:
            return self.learner.practise(experience, generator)
        alone = deals < config.critic_first
        return self.learner.update(experience, generator, exploration, critic_alone=alone)

    def _exploration(self, experience: Experience) -> tuple[NDArray[np.float32], dict[str, float]]:
        """Return the weight of the entropy in each decision, and what the guard has seen."""
        weights = np.full(len(experience), self.learner.entropy_weight, np.float32)
        choice = may_call(experience.legal, self.config.rule_set)
        rate = self._group.mean(experience.action[choice] != PASS)
        if math.isnan(rate):
            return weights, {}
        guarded = rate < self.config.guard.calls
        if guarded:
            weights[choice] = self.config.guard.entropy
        return weights, {"health/call_rate": rate, "health/guarded": float(guarded)}

    def _seed(self, purpose: int) -> int:
        """Return this process's seed for one purpose of the update at hand."""
        return seed_of(self.config.seed, self.progress.update, purpose, self._group.rank)

    def _speeds(self, moves: int, decisions: int, seconds: float) -> dict[str, float]:
        """Return how fast an update was."""
        return {
            "charts/SPS": moves / seconds,
            "charts/deals_per_second": self.config.batch / seconds,
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
    trainer = _blank(config, group)
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
    trainer = _blank(config, group)
    saving.restore(found, trainer.learner)
    trainer.progress = Progress(**found.manifest["progress"])
    trainer.origin = found.manifest.get("origin")
    updates = trainer.league.updates(trainer.progress.update)
    for update, actor in past.load(run, updates, trainer.learner):
        trainer.league.add(update, actor)
    return trainer


def _blank(config: Config, group: Group) -> Trainer:
    """Return a run with new networks."""
    learner = Learner(config.rule_set, config.net, config.ppo, config.seed, config.device, group)
    return Trainer(config, learner)


def _found(run: Path, processes: int) -> tuple[Checkpoint, Config]:
    """Return a run's latest checkpoint and its configuration, fit to go on with."""
    found = find(run)
    config = from_dict(found.manifest["config"], f"the config in {found.folder}")
    find(run, config.rule_set)
    # Checkpoints from before there could be several do not say how many there were.
    made = found.manifest.get("processes", 1)
    if made != processes:
        raise CheckpointError(
            f"run {run} was made by {made} processes and goes on with as many, not with {processes}"
        )
    return found, config
