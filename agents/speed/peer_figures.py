"""The peers of the benchmark: run scripts/peers.py for each, and read its figure.

A peer runs in a process of its own, in a virtual environment that all peers share.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NAMES = (
    "open_spiel_skat",
    "open_spiel_skat_cpp",
    "open_spiel_euchre",
    "pettingzoo_hanabi",
    "pettingzoo_connect_four",
    "rlcard_bridge",
    "pgx_sparrow_mahjong",
    "maskable_ppo",
    "maskable_ppo_tuned",
)
_CHECKOUT = Path(__file__).resolve().parents[2]
_PROGRAM = _CHECKOUT / "scripts" / "peers.py"
_MOST_SECONDS = 600


@dataclass(frozen=True)
class PeerFigure:
    """The figure of a peer.

    Attributes:
        name: One of ``NAMES``.
        version: Name and version of its package; None if it was not measured.
        decisions_per_second: Decisions per CPU second of one thread. For MaskablePPO: decisions
            with more than one legal action, per wall second. None if it was not measured.
        missing: The reason why it was not measured, in one line; None if it was measured.
    """

    name: str
    version: str | None
    decisions_per_second: float | None
    missing: str | None = None


def default_python() -> Path | None:
    """Return the interpreter of the virtual environment ``.peers``, None if there is none."""
    python = _CHECKOUT / ".peers" / "bin" / "python"
    return python if python.exists() else None


def measure(
    python: Path, names: Sequence[str], seconds: float, threads: int = 2
) -> list[PeerFigure]:
    """Measure peers one after the other, each in a process of its own.

    A failure raises nothing. The figure gives the reason: no interpreter, package not installed,
    unknown name, more than 10 minutes.

    Args:
        python: The interpreter of the peers' virtual environment.
        names: The peers, from ``NAMES``.
        seconds: Minimum CPU seconds of each measurement. A peer that trains makes one update.
        threads: Threads of the peers that train.
    """
    return [_measured(python, name, seconds, threads) for name in names]


def _measured(python: Path, name: str, seconds: float, threads: int) -> PeerFigure:
    """Measure one peer."""
    command = [str(python), str(_PROGRAM), name, "--seconds", str(seconds)]
    command += ["--threads", str(threads)]
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
            env=os.environ | {"PYTHONPATH": str(_CHECKOUT)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return PeerFigure(name, None, None, f"it took more than {_MOST_SECONDS} s")
    except OSError as error:
        return PeerFigure(name, None, None, f"{python}: {error.strerror}")
    if ran.returncode:
        told = _last_line(ran.stderr) or f"it ended with code {ran.returncode}"
        return PeerFigure(name, None, None, told)
    return _read(name, _last_line(ran.stdout))


def _read(name: str, line: str) -> PeerFigure:
    """Return the figure in a peer's line of JSON."""
    try:
        told = json.loads(line)
        return PeerFigure(name, str(told["version"]), float(told["decisions_per_second"]))
    except (ValueError, KeyError, TypeError):
        return PeerFigure(name, None, None, f"it printed no figure, but {line!r}")


def _last_line(text: str) -> str:
    """Return the last line that is not empty; a traceback has its error there."""
    return text.strip().rpartition("\n")[2].strip()
