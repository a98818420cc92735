"""How fast training is: where an update's time goes, beside what the matrices alone would take."""

from __future__ import annotations

import resource
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, replace

import torch
from torch import nn

from agents.learning.ppo import Learner
from agents.runs.config import Config
from agents.runs.plan import PhaseConfig
from agents.runs.training import Trainer, start

NETWORK = ("inference", "values", "gradients")
"""Spans of an update in which the networks run forward or backward, or are stepped."""
_TIME = "time/"
_MATRIX = 256
_MATRIX_ROWS = 4096
_MATRIX_RUNS = 200


@dataclass(frozen=True)
class TrainingFigure:
    """What some updates took.

    Attributes:
        seconds: Wall seconds of one update by span; "environment" is the rollout without inference,
            "rest" what no span covers.
        learned_per_second: Decisions that were learned from, a wall second.
        flop_per_decision: Floating-point operations of the networks for one of them.
        matrix_flops: Operations a second that matrices of the networks' size reach, same threads.
        peak_bytes: The largest memory of the process so far.
    """

    seconds: dict[str, float]
    learned_per_second: float
    flop_per_decision: float
    matrix_flops: float
    peak_bytes: int

    @property
    def beside_network(self) -> float:
        """Share of the time that is not forward, backward or optimiser."""
        return 1 - sum(self.seconds.get(name, 0.0) for name in NETWORK) / sum(self.seconds.values())

    @property
    def of_bound(self) -> float:
        """Share of the decisions a second that the matrices alone would allow."""
        return self.learned_per_second * self.flop_per_decision / self.matrix_flops


@dataclass(frozen=True)
class Timed:
    """What some updates were: wall seconds of all, seconds by time tag, moves and decisions."""

    seconds: float
    spans: dict[str, float]
    moves: int
    decisions: int


def timed(trainer: Trainer, updates: int) -> Timed:
    """Make updates, and return what they took, after one that does not count."""
    trainer.advance()
    progress = trainer.progress
    moves, decisions = progress.moves, progress.decisions
    spans: defaultdict[str, float] = defaultdict(float)
    begun = time.perf_counter()
    for _ in range(updates):
        for tag, value in trainer.advance().items():
            if tag.startswith(_TIME):
                spans[tag.removeprefix(_TIME)] += value
    seconds = time.perf_counter() - begun
    return Timed(seconds, dict(spans), progress.moves - moves, progress.decisions - decisions)


def of_training(config: Config, updates: int) -> TrainingFigure:
    """Measure updates of plain self-play."""
    torch.set_num_threads(config.threads)
    trainer = start(replace(config, phase=(PhaseConfig(),)))
    found = timed(trainer, updates)
    spans = dict(found.spans)
    spans["environment"] = spans.pop("rollout") - spans["inference"]
    del spans["update"]
    spans["rest"] = found.seconds - sum(spans.values())
    return TrainingFigure(
        seconds={name: seconds / updates for name, seconds in spans.items()},
        learned_per_second=found.decisions / found.seconds,
        flop_per_decision=flop_per_decision(trainer.learner),
        matrix_flops=matrix_flops(config.threads),
        peak_bytes=peak_bytes(),
    )


def flop_per_decision(learner: Learner) -> float:
    """Return the operations that the networks' matrices take for one learned decision.

    The actor runs forward to choose and the critic to value; in each epoch both run forward, and
    backward for twice as much less the gradient of the inputs, which nobody asks for.
    """
    forward = 0.0
    training = 0.0
    for net in (learner.actor, learner.critic):
        layers = [module for module in net.body if isinstance(module, nn.Linear)]
        once = [2.0 * layer.in_features * layer.out_features for layer in layers]
        forward += sum(once)
        training += 3 * sum(once) - once[0]
    return forward + learner.config.epochs * training


def matrix_flops(threads: int) -> float:
    """Return the operations a second of (4096 x 256) by (256 x 256), float32."""
    torch.set_num_threads(threads)
    left, right = torch.randn(_MATRIX_ROWS, _MATRIX), torch.randn(_MATRIX, _MATRIX)
    out = torch.empty(_MATRIX_ROWS, _MATRIX)
    rates = []
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(_MATRIX_RUNS):
            torch.mm(left, right, out=out)
        seconds = time.perf_counter() - begun
        rates.append(2.0 * _MATRIX_ROWS * _MATRIX**2 * _MATRIX_RUNS / seconds)
    return max(rates)


def peak_bytes() -> int:
    """Return the largest memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
