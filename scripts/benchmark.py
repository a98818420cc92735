"""Measure the speed of the core: decisions a CPU second, one thread, for every rule set.

    python -m scripts.benchmark --presets faroese4 klorsjavs --batches 1024 16384

Deals are played by ``random`` first, unmeasured; then the same decisions are played again and
measured, dealing and legal actions included. Each figure is the median of several runs.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from agents.provenance import commit, versions
from scripts._cli import check_out, read, run, table_console
from sjavs_env import RULE_SETS, VectorSjavs, unpack
from sjavs_env.players import player

Watch = Callable[[VectorSjavs], object]
WATCHES: dict[str, Watch] = {
    "core": lambda vec: None,
    "packed": lambda vec: vec.observe(),
    "uint8": lambda vec: unpack(vec.observe()),
    "float32": lambda vec: unpack(vec.observe(), "float32"),
}
"""What is looked at after every step, by the name of the measurement."""


@dataclass(frozen=True)
class Arguments:
    """Measure the speed of the core: decisions a CPU second, one thread, for every rule set."""

    presets: tuple[str, ...] = RULE_SETS
    """Rule sets to measure."""
    batches: tuple[int, ...] = (1024, 16384)
    """Batch sizes to measure."""
    watches: tuple[str, ...] = ("core", "packed")
    """What to look at after every step: core (nothing), packed, uint8, float32."""
    seconds: float = 0.3
    """CPU seconds that a run takes at least."""
    runs: int = 5
    """Runs of which the median counts."""
    out: Path | None = None
    """Where to write the figures as JSON."""


@dataclass(frozen=True)
class Figure:
    """One measurement."""

    rules: str
    batch: int
    watch: str
    decisions_per_second: float


def main() -> None:
    """Measure as the command line says, and print the table."""
    arguments = read(Arguments, prog="python -m scripts.benchmark")
    check_out(arguments.out)
    if arguments.runs < 1:
        raise ValueError(f"runs={arguments.runs} must be 1 or more")
    unknown = set(arguments.watches) - set(WATCHES)
    if unknown:
        raise ValueError(f"unknown watches {sorted(unknown)}; known: {', '.join(WATCHES)}")
    figures = [
        Figure(*what, speed(*what[:2], WATCHES[what[2]], arguments.seconds, arguments.runs))
        for what in product(arguments.presets, arguments.batches, arguments.watches)
    ]
    if arguments.out is not None:
        about = {"machine": machine(), "versions": versions(), "commit": commit()}
        arguments.out.write_text(
            json.dumps(about | {"figures": [*map(asdict, figures)]}, indent=1) + "\n"
        )
    _show(figures, arguments)


def speed(rules: str, batch: int, watch: Watch, seconds: float, runs: int) -> float:
    """Return decisions a CPU second: the median of some runs."""
    vec = VectorSjavs(rules, batch=batch)
    script = _script(vec)
    decisions = sum(int(np.count_nonzero(actions >= 0)) for actions in script)
    _again(vec, script, watch)
    found = []
    for _ in range(runs):
        begun, deals = process_time(), 0
        while process_time() - begun < seconds:
            _again(vec, script, watch)
            deals += 1
        found.append(deals * decisions / (process_time() - begun))
    return median(found)


def _script(vec: VectorSjavs) -> list[NDArray[np.int64]]:
    """Play the deals of seed 0 by ``random`` and return the actions, -1 where a deal is over."""
    policy = player("random", vec.rules)
    vec.reset(seed=0)
    script: list[NDArray[np.int64]] = []
    while not vec.over.all():
        keys = np.arange(vec.batch, dtype=np.uint64) << np.uint64(8) | np.uint64(len(script))
        live = ~vec.over
        actions = np.full(vec.batch, -1)
        actions[live] = policy.act(vec.observe()[live], vec.legal[live], keys[live])
        script.append(actions)
        vec.step(actions)
    return script


def _again(vec: VectorSjavs, script: list[NDArray[np.int64]], watch: Watch) -> None:
    """Deal the same deals and play the same actions."""
    vec.reset(seed=0)
    for actions in script:
        watch(vec)
        vec.step(actions)


def machine() -> dict[str, str | int | None]:
    """Return what the figures were measured on."""
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }


def _show(figures: list[Figure], arguments: Arguments) -> None:
    """Print the figures, a line for each rule set and batch size."""
    table = Table("rules", "batch", *arguments.watches, caption="million decisions a CPU second")
    width = len(arguments.watches)
    for first in range(0, len(figures), width):
        line = figures[first : first + width]
        cells = (f"{figure.decisions_per_second / 1e6:.2f}" for figure in line)
        table.add_row(line[0].rules, f"{line[0].batch:,}", *cells)
    table_console().print(table)


if __name__ == "__main__":
    run(main)
