"""Measure the speed of a few training updates on a GPU, or on the CPU with smaller numbers.

    python -m scripts.gpu_check --device cuda

It imports only torch, numpy and what the package and its learner need, so that a bare image and a
few wheels are enough (scripts/gpu_check.sh).
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass, replace

import torch

from agents.evaluation.edge import edge
from agents.learning.ppo import PPOConfig
from agents.networks.nets import NetPolicy
from agents.runs.config import Config
from agents.runs.training import start
from agents.speed.updates import timed
from sjavs_env import rule_set
from sjavs_env.players import player

_WAYS: dict[str, dict[str, bool]] = {
    "float32": {},
    "bfloat16": {"bfloat16": True},
    "bfloat16 compiled": {"bfloat16": True, "compile": True},
}


@dataclass(frozen=True)
class Size:
    """The size of the measurement: of each timed way, and of the run that is evaluated."""

    batch: int
    minibatch: int
    updates: int
    learn_deals: int
    learn_batch: int
    evaluation_deals: int


_SIZES = {
    "cuda": Size(65536, 65536, 3, 1_048_576, 16384, 2000),
    "cpu": Size(256, 1024, 1, 1024, 256, 50),
}


def main() -> None:
    """Time each way, then train a short run and evaluate it."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    there = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", choices=sorted(_SIZES), default=there)
    parser.add_argument("--ways", nargs="*", choices=sorted(_WAYS), default=["float32", "bfloat16"])
    arguments = parser.parse_args()
    size = _SIZES[arguments.device]
    name = torch.cuda.get_device_name() if arguments.device == "cuda" else platform.processor()
    print(f"device {arguments.device} ({name}), torch {torch.__version__}", flush=True)
    for way in arguments.ways:
        print(json.dumps({"way": way} | speeds(way, arguments.device, size)), flush=True)
    print(json.dumps(learned(arguments.device, size)), flush=True)


def configured(way: str, device: str, size: Size, batch: int, deals: int) -> Config:
    """Return the configuration of a run in one of the ``_WAYS``."""
    ppo = replace(PPOConfig(), minibatch=size.minibatch, **_WAYS[way])
    return replace(Config(), device=device, batch=batch, deals=deals, ppo=ppo)


def speeds(way: str, device: str, size: Size) -> dict[str, float]:
    """Return decisions per wall second by stage, after one warm-up update.

    "environment" and "total moves" count all moves. The other stages count learned decisions.
    "total" and "total moves" are over the whole update.
    """
    trainer = start(configured(way, device, size, size.batch, size.batch * (size.updates + 1)))
    found = timed(trainer, size.updates)
    taken, decisions = found.spans, found.decisions
    total = taken["rollout"] + taken["update"]
    return {
        "environment": found.moves / (taken["rollout"] - taken["inference"]),
        "inference": decisions / taken["inference"],
        "update": decisions / taken["update"],
        "total": decisions / total,
        "total moves": found.moves / total,
    }


def learned(device: str, size: Size) -> dict[str, float]:
    """Train on a fixed number of deals; return the wall seconds and the edge over ``random``."""
    config = configured("bfloat16", device, size, size.learn_batch, size.learn_deals)
    ppo = replace(config.ppo, minibatch=min(size.minibatch, 8192))
    trainer = start(replace(config, ppo=ppo))
    while not trainer.done:
        trainer.advance()
    rules = rule_set(config.rules)
    entry = edge(
        NetPolicy(trainer.learner.average),
        player("random", rules),
        rules,
        deals=size.evaluation_deals,
        deal_set="validation",
        names=("agent", "random"),
    )
    seconds = trainer.progress.seconds
    found = {"deals": trainer.progress.deals, "seconds": seconds}
    return found | {"edge over random": entry.edge, "low": entry.low, "high": entry.high}


if __name__ == "__main__":
    main()
