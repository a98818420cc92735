"""Measure speed: the environment, the players and the trainer, against a loop in C and our peers.

    python -m scripts.benchmark --presets faroese4 klorsjavs --batches 1024 16384

Training is measured in learned decisions per wall second. Everything else is measured in decisions
per CPU second of one thread, as the median of several runs. Peers are measured if their virtual
environment is installed (scripts/peers.txt).
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.progress import track
from rich.table import Table

from agents.common.bounds import MOST, MOST_THREADS
from agents.common.provenance import commit, versions
from agents.common.terminal import terminal, wide_terminal
from agents.runs.config import load
from agents.speed import peer_figures
from agents.speed.environment import WATCHES, Effort, Figure, of_aec, of_batch, of_c_loop, of_player
from agents.speed.peer_figures import PeerFigure
from agents.speed.updates import NETWORK, TrainingFigure, of_training
from scripts._cli import check_out, read, run
from sjavs_env import RULE_SETS, rule_set
from sjavs_env.core.arguments import whole_number

_CONFIG = Path("configs/faroese4_quick.toml")
_PLAYER, _PLAYER_BATCH = "rule-of-thumb", 8192
_MILLION = 1e6
_MOST_ROWS = 2**24


@dataclass(frozen=True)
class Arguments:
    """Measure speed: the environment, the players and the trainer, against C and our peers."""

    presets: tuple[str, ...] = RULE_SETS
    """Rule sets to measure."""
    batches: tuple[int, ...] = (1, 64, 1024, 4096, 16384, 65536)
    """Batch sizes to measure."""
    watches: tuple[str, ...] = tuple(WATCHES)
    """Observation to read before every step: core (none), packed, uint8, float32."""
    seconds: float = 0.3
    """Minimum CPU seconds of a run."""
    runs: int = 5
    """Number of runs; the figure is their median."""
    updates: int = 4
    """Updates of the quick config to measure training with; 0: do not measure training."""
    threads: int = 2
    """Threads for training, ours and the peers'."""
    peers: tuple[str, ...] = peer_figures.NAMES
    """Peers to measure, if their virtual environment is installed."""
    peers_python: Path | None = None
    """Python interpreter of the peers' virtual environment (default: the one in .peers, if any)."""
    out: Path | None = None
    """File for the figures as JSON."""


@dataclass(frozen=True)
class Measured:
    """All figures of one benchmark; ``c_loop`` in decisions per CPU second."""

    figures: list[Figure]
    c_loop: float | None
    c_compiled: str
    training: TrainingFigure | None
    peers: list[PeerFigure]


def main() -> None:
    """Measure as the command line says, write the figures if asked, and print the tables."""
    arguments = read(Arguments, prog="python -m scripts.benchmark")
    _check(arguments)
    measured = measure(arguments)
    try:
        if arguments.out is not None:
            about = {"machine": machine(), "versions": versions(), "commit": commit()}
            arguments.out.write_text(json.dumps(about | asdict(measured), indent=1) + "\n")
    finally:
        show(measured, arguments)


def _check(arguments: Arguments) -> None:
    """Check all arguments before the first measurement."""
    check_out(arguments.out)
    if not 0 < arguments.seconds <= MOST:
        raise ValueError(f"seconds={arguments.seconds} must be more than 0, and {MOST} at most")
    whole_number("runs", arguments.runs, 1, MOST)
    whole_number("updates", arguments.updates, 0, MOST)
    whole_number("threads", arguments.threads, 1, MOST_THREADS)
    for batch in arguments.batches:
        whole_number("batches", batch, 1, _MOST_ROWS)
    for what, chosen, known in (
        ("watches", arguments.watches, tuple(WATCHES)),
        ("peers", arguments.peers, peer_figures.NAMES),
    ):
        unknown = set(chosen) - set(known)
        if unknown:
            raise ValueError(f"unknown {what} {sorted(unknown)}; known: {', '.join(known)}")
    for name in arguments.presets:
        rule_set(name)


def measure(arguments: Arguments) -> Measured:
    """Measure everything: the C loop first, the peers last."""
    effort = Effort(arguments.seconds, arguments.runs)
    c_loop, compiled = of_c_loop()
    parts = list(_parts(arguments))
    shown = track(parts, "measuring", console=terminal(stderr=True), transient=True)
    figures = [
        figure for preset, batch in shown for figure in _part(preset, batch, arguments, effort)
    ]
    training = None
    if arguments.updates:
        config = replace(load(_CONFIG), threads=arguments.threads)
        training = of_training(config, arguments.updates)
    python = arguments.peers_python or peer_figures.default_python()
    found = (
        []
        if python is None
        else peer_figures.measure(python, arguments.peers, arguments.seconds, arguments.threads)
    )
    return Measured(figures, c_loop, compiled, training, found)


def _parts(arguments: Arguments) -> Iterator[tuple[str, int]]:
    """Yield rule sets and batch sizes; batch 0 stands for measurements without a batch."""
    for preset in arguments.presets:
        yield preset, 0
        for batch in arguments.batches:
            yield preset, batch


def _part(preset: str, batch: int, arguments: Arguments, effort: Effort) -> list[Figure]:
    """Measure one rule set with one batch size."""
    if batch:
        return of_batch(preset, batch, arguments.watches, effort)
    return [*of_aec(preset, effort), of_player(_PLAYER, preset, _PLAYER_BATCH, effort)]


def machine() -> dict[str, str | int | None]:
    """Return a description of the machine."""
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
    }


def show(measured: Measured, arguments: Arguments) -> None:
    """Print the figures."""
    console = wide_terminal()
    for batch_table in (_batches(measured, arguments), _singles(measured), _peers(measured)):
        if batch_table.row_count:
            console.print(batch_table)
    if measured.c_loop is None:
        console.print(f"the loop in C was not measured: {measured.c_compiled}")
    if measured.training is not None:
        console.print(_training(measured.training))


def _batches(measured: Measured, arguments: Arguments) -> Table:
    """Return the table of batches, with each figure's share of the C loop's speed."""
    c_loop = measured.c_loop
    caption = "million decisions per CPU second, one thread"
    if c_loop is not None:
        caption += f"; in brackets: share of the loop in C, which makes {c_loop / _MILLION:.0f}"
    table = Table("rules", "batch", "choice", *arguments.watches, "bytes a deal", caption=caption)
    width = 1 + len(arguments.watches)
    figures = [figure for figure in measured.figures if figure.what in ("choice", *WATCHES)]
    for first in range(0, len(figures), width):
        choice, *rest = figures[first : first + width]
        cells = [_cell(figure.decisions_per_second, c_loop) for figure in rest]
        size = rest[0].bytes_per_deal if rest else None
        table.add_row(
            choice.rules,
            f"{choice.batch:,}",
            _cell(choice.decisions_per_second, None),
            *cells,
            "" if size is None else f"{size:.0f}",
        )
    return table


def _cell(speed: float, c_loop: float | None) -> str:
    share = "" if c_loop is None else f" ({speed / c_loop:.3f})"
    return f"{speed / _MILLION:.2f}{share}"


def _singles(measured: Measured) -> Table:
    """Return the table of the PettingZoo environments and of the built-in player."""
    table = Table("rules", "aec", "aec in its wrapper", f"{_PLAYER}, batch {_PLAYER_BATCH:,}")
    table.caption = "aec: turns per CPU second; player: decisions per CPU second"
    figures = [f for f in measured.figures if f.what not in ("choice", *WATCHES)]
    for first in range(0, len(figures), 3):
        line = figures[first : first + 3]
        table.add_row(line[0].rules, *(f"{figure.decisions_per_second:,.0f}" for figure in line))
    return table


def _peers(measured: Measured) -> Table:
    """Return the table of the peers, with our speed as a multiple of theirs."""
    table = Table("peer", "version", "decisions a second", "of ours")
    ours = {(f.what, f.rules, f.batch): f.decisions_per_second for f in measured.figures}
    core = max((speed for (what, *_), speed in ours.items() if what == "core"), default=None)
    for peer in measured.peers:
        if peer.decisions_per_second is None:
            table.add_row(peer.name, peer.version or "", f"not measured: {peer.missing}", "")
            continue
        trains = peer.name.startswith("maskable_ppo")
        training = measured.training.learned_per_second if measured.training else None
        own = training if trains else core
        times = "" if own is None else f"{own / peer.decisions_per_second:,.1f} times as fast"
        table.add_row(peer.name, peer.version or "", f"{peer.decisions_per_second:,.0f}", times)
    table.caption = "of ours: our core at its best batch size; for MaskablePPO, our training"
    return table


def _training(figure: TrainingFigure) -> Table:
    """Return the table of one update of the quick config."""
    table = Table("an update of the quick config", "seconds", "")
    for name, seconds in sorted(figure.seconds.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{seconds:.3f}", "network" if name in NETWORK else "")
    table.add_section()
    table.add_row("learned decisions a second", f"{figure.learned_per_second:,.0f}", "")
    table.add_row("beside the networks", f"{figure.beside_network:.0%}", "")
    table.add_row(
        "of what the matrices would allow",
        f"{figure.of_bound:.0%}",
        f"{figure.flop_per_decision / 1e6:.1f} MFLOP each, {figure.matrix_flops / 1e9:.0f} GFLOP/s",
    )
    table.add_row("peak memory", f"{figure.peak_bytes / 2**20:,.0f} MiB", "")
    return table


if __name__ == "__main__":
    run(main)
