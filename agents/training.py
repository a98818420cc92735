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

from agents import checkpoint, provenance
from agents.config import Config, from_dict, to_dict
from agents.ppo import Learner
from agents.rollout import Experience, collect
from sjavs_env import VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.core.cards import N_CARDS
from sjavs_env.layout import N_WORDS
from sjavs_env.players import player

_DEALS, _CHOICES = range(2)


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

    def __post_init__(self) -> None:
        rules = self.config.rule_set
        self._vec = VectorSjavs(rules, batch=self.config.batch, seed=0)
        self._teacher = player(self.config.imitation.teacher, rules)

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
        experience = collect(
            self._vec,
            lambda words, legal: self.learner.sample(words, legal, generator),
            seed_of(config.seed, progress.update, _DEALS),
        )
        rollout = time.perf_counter() - begun
        losses = self._learn(experience, generator)
        ended = time.perf_counter()
        progress.update += 1
        progress.deals += config.batch
        progress.moves += experience.moves
        progress.decisions += len(experience)
        progress.seconds += ended - begun
        return {
            **{f"losses/{name}": value for name, value in losses.items()},
            **self._charts(experience, ended - begun),
            "time/rollout": rollout,
            "time/update": ended - begun - rollout,
            **{f"time/{name}": span for name, span in self.learner.watch.taken().items()},
        }

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
            "config": to_dict(self.config),
            "progress": vars(self.progress),
            "random": {"seed": self.config.seed, "next_update": self.progress.update},
            "threads": self.config.threads,
            "versions": provenance.versions(),
            "commit": provenance.commit(),
        }
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
    """Return a new run."""
    learner = Learner(config.rule_set, config.net, config.ppo, config.seed, config.device)
    return Trainer(config, learner)


def resume(run: Path) -> Trainer:
    """Return a run as its latest checkpoint left it.

    Raises:
        CheckpointError: there is none, or it is damaged or of other rules or of another network.
        ConfigError: its configuration is not one of this program.
    """
    found = checkpoint.find(run)
    config = from_dict(found.manifest["config"], f"the config in {found.folder}")
    checkpoint.find(run, config.rule_set)
    trainer = start(config)
    checkpoint.restore(found, trainer.learner)
    trainer.progress = Progress(**found.manifest["progress"])
    return trainer
