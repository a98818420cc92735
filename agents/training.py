"""A training run: what is collected, learned, measured, logged and kept, update by update.

All randomness of an update comes from the run's seed and the update's number, so that a run that
was killed goes on from its last checkpoint as if nothing had happened.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agents import checkpoint, policy, provenance
from agents.config import Config, from_dict, to_dict
from agents.league import League, Opponents
from agents.logbook import tagged
from agents.ppo import Learner
from agents.rollout import Experience, collect
from sjavs_env import VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.core.cards import N_CARDS
from sjavs_env.layout import N_WORDS
from sjavs_env.players import player

_DEALS, _CHOICES, _OPPONENTS = range(3)


def seed_of(seed: int, update: int, purpose: int) -> int:
    """Return the seed for one purpose of one update of a run."""
    return int(np.random.SeedSequence((seed, update, purpose)).generate_state(1, np.uint64)[0])


@dataclass
class Progress:
    """How far a run has come; all of it is kept in its checkpoints."""

    update: int = 0
    deals: int = 0
    moves: int = 0
    decisions: int = 0
    seconds: float = 0.0


@dataclass
class Trainer:
    """A run in progress."""

    config: Config
    learner: Learner
    progress: Progress = field(default_factory=Progress)
    origin: dict[str, str | int] | None = None
    """What the run began with, if not with nothing: name, fingerprint, deals."""

    def __post_init__(self) -> None:
        rules = self.config.rule_set
        self._vec = VectorSjavs(rules, batch=self.config.batch, seed=0)
        self._teacher = player(self.config.imitation.teacher, rules)
        self.league = League(self.config.league, rules, policy.load)

    @property
    def done(self) -> bool:
        """Whether the budget of deals is spent."""
        return self.progress.deals >= self.config.deals

    def advance(self) -> dict[str, float]:
        """Make one update, and return what is to be logged of it."""
        config, progress = self.config, self.progress
        begun = time.perf_counter()
        self.learner.set_progress(progress.deals / config.deals)
        generator = np.random.default_rng(seed_of(config.seed, progress.update, _CHOICES))
        opponents = self._opponents()
        experience = collect(
            self._vec,
            lambda words, legal: self.learner.sample(words, legal, generator),
            seed_of(config.seed, progress.update, _DEALS),
            opponents,
        )
        rollout = time.perf_counter() - begun
        losses = self._learn(experience, generator)
        ended = time.perf_counter()
        progress.update += 1
        progress.deals += config.batch
        progress.moves += experience.moves
        progress.decisions += len(experience)
        progress.seconds += ended - begun
        if self.league.due(progress.update):
            self.league.add(progress.update, self.learner.average)
        met = {} if opponents is None else opponents.points(experience.payoff)
        return {
            **{f"losses/{name}": value for name, value in losses.items()},
            **self._charts(experience, ended - begun),
            **{f"league/points_vs_{tagged(name)}": points for name, points in met.items()},
            "time/rollout": rollout,
            "time/update": ended - begun - rollout,
            **{f"time/{name}": span for name, span in self.learner.watch.taken().items()},
        }

    def _opponents(self) -> Opponents | None:
        """Draw whom the learner meets in the update at hand, None for nobody but itself."""
        config, progress = self.config, self.progress
        if not self.league.plays(progress.deals):
            return None
        seed = seed_of(config.seed, progress.update, _OPPONENTS)
        return self.league.opponents(config.batch, np.random.default_rng(seed))

    def _learn(self, experience: Experience, generator: np.random.Generator) -> dict[str, float]:
        """Imitate the teacher in the first deals of the budget, then learn from payoffs."""
        imitation = self.config.imitation
        if self.progress.deals >= imitation.deals:
            return self.learner.update(experience, generator)
        seen = experience.words[:, :N_WORDS]
        keys = generator.integers(2**64, size=len(experience), dtype=np.uint64)
        told = self._teacher.act(seen, experience.legal, keys)
        return self.learner.imitate(experience, told, imitation.smoothing, generator)

    def _charts(self, experience: Experience, seconds: float) -> dict[str, float]:
        """Return speed, schedules and what the deals looked like."""
        vec = self._vec
        declared = vec.declarer >= 0
        rows = np.flatnonzero(declared)
        payoff = experience.payoff[rows, vec.declarer[rows]]
        return {
            "charts/SPS": experience.moves / seconds,
            "charts/deals_per_second": self.config.batch / seconds,
            "charts/learned_decisions_per_second": len(experience) / seconds,
            "charts/learning_rate": self.learner.learning_rate,
            "charts/entropy_weight": self.learner.entropy_weight,
            "charts/episodic_return": float(payoff.mean()) if len(rows) else 0.0,
            "charts/payoff_spread": float(experience.payoff[:, 0].std()),
            "health/declared": float(declared.mean()),
            "health/declarer_wins": float((payoff > 0).mean()) if len(rows) else 0.0,
            "health/forced_moves": 1 - len(experience) / experience.moves,
            **entropy_tags(experience),
        }

    def save(self, run: Path) -> Path:
        """Write a checkpoint into the run's folder."""
        manifest = {
            **checkpoint.identity(self.config.rule_set),
            "origin": self.origin,
            "config": to_dict(self.config),
            "progress": vars(self.progress),
            "random": {"seed": self.config.seed, "next_update": self.progress.update},
            "threads": self.config.threads,
            "versions": provenance.versions(),
            "commit": provenance.commit(),
        }
        checkpoint.save_past(run, self.league.past)
        name = f"update-{self.progress.update:06d}"
        return checkpoint.save(run, name, self.learner, manifest, self.config.keep)


def entropy_tags(experience: Experience) -> dict[str, float]:
    """Return the normalised entropy before and during the play of cards, NaN where nobody chose.

    It is estimated from the choices themselves, whose surprise has the entropy as its mean.
    """
    surprise = -experience.log_prob / np.log(count(experience.legal).astype(np.float32))
    bids = experience.legal >> np.uint64(N_CARDS) > 0
    return {
        f"policy/entropy_norm_{name}": float(surprise[chosen].mean()) if chosen.any() else math.nan
        for name, chosen in (("bid", bids), ("play", ~bids))
    }


def start(config: Config) -> Trainer:
    """Return a new run.

    Raises:
        ValueError: what it is to begin with is no checkpoint of these rules and networks.
    """
    trainer = _blank(config)
    if config.initial:
        folder = policy.folder(config.initial)
        if folder is None:
            raise ValueError(f"initial = {config.initial!r} is no checkpoint, and has no networks")
        found = checkpoint.find(folder, config.rule_set)
        checkpoint.begin(found, trainer.learner)
        trainer.origin = checkpoint.origin(found, config.initial)
    return trainer


def resume(run: Path) -> Trainer:
    """Return a run as its latest checkpoint left it.

    Raises:
        CheckpointError: there is none, or it is damaged or of other rules or of another network.
        ConfigError: its configuration is not one of this program.
    """
    found = checkpoint.find(run)
    config = from_dict(found.manifest["config"], f"the config in {found.folder}")
    checkpoint.find(run, config.rule_set)
    trainer = _blank(config)
    checkpoint.restore(found, trainer.learner)
    trainer.progress = Progress(**found.manifest["progress"])
    trainer.origin = found.manifest.get("origin")
    for update in trainer.league.updates(trainer.progress.update):
        trainer.league.add(update, checkpoint.load_past(run, update, trainer.learner.actor))
    return trainer


def _blank(config: Config) -> Trainer:
    """Return a run with new networks."""
    learner = Learner(config.rule_set, config.net, config.ppo, config.seed, config.device)
    return Trainer(config, learner)
