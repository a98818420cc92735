"""Speed of training: the time of each stage of an update, and the bound that matrices set."""

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
"""Spans of an update in which the networks run forward or backward, or the optimiser steps."""
_TIME = "time/"
_MATRIX = 256
_MATRIX_ROWS = 4096
_MATRIX_RUNS = 200


@dataclass(frozen=True)
class TrainingFigure:
    """The time and memory of some updates.

    Attributes:
        seconds: Wall seconds of one update by span. "environment" is the rollout without inference.
            "rest" is the time outside all spans.
        learned_per_second: Learned decisions per wall second.
        flop_per_decision: Floating-point operations of the networks per learned decision.
        matrix_flops: Floating-point operations per second that matrix products of the networks'
            size reach with the same threads.
        peak_bytes: The largest memory of the process so far.
    """

    seconds: dict[str, float]
    learned_per_second: float
    flop_per_decision: float
    matrix_flops: float
    peak_bytes: int

    @property
    def beside_network(self) -> float:
        """Share of the time outside forward pass, backward pass and optimiser."""
        return 1 - sum(self.seconds.get(name, 0.0) for name in NETWORK) / sum(self.seconds.values())

    @property
    def of_bound(self) -> float:
        """Learned decisions per second as a share of the bound set by the matrix products."""
        return self.learned_per_second * self.flop_per_decision / self.matrix_flops


@dataclass(frozen=True)
class Timed:
    """Totals of some updates: wall seconds, seconds by span, moves and learned decisions."""

    seconds: float
    spans: dict[str, float]
    moves: int
    decisions: int


def timed(trainer: Trainer, updates: int) -> Timed:
    """Make one warm-up update, then make updates and return their totals."""
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
    """Return the floating-point operations of the networks' matrices per learned decision.

    The actor runs forward once to choose, and the critic once for the value. In each epoch both run
    forward and backward. The backward pass costs twice the forward pass, less the gradient with
    respect to the inputs, which is not computed.
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
    """Measure the product (4096 x 256) by (256 x 256) in float32.

    Returns:
        Floating-point operations per second, the best of five runs.
    """
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
    """Return the largest resident memory of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
