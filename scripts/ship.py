"""Put a trained agent among the shipped ones, with a card made of what it was measured at.

python -m scripts.evaluate runs/NAME random rule-of-thumb --deals 10000 --out measured.json
python -m scripts.ship runs/NAME faroese4 --results measured.json
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.runs.card import CARD, ship
from scripts._cli import read, run


@dataclass(frozen=True)
class Arguments:
    """Put a trained agent among the shipped ones."""

    agent: tyro.conf.Positional[Path]
    """The run's or the checkpoint's folder."""
    name: tyro.conf.Positional[str]
    """What it will be called, as in pretrained:NAME."""
    results: Path
    """A results file of scripts.evaluate with the agent in it."""
    exploit: Path | None = None
    """A results file of scripts.evaluate --exploit against it."""
    notes: str = ""
    """What else its recipe took, for the card."""


def main() -> None:
    """Read the command line, copy, say where."""
    arguments = read(Arguments, prog="python -m scripts.ship")
    given = arguments.results, arguments.exploit, arguments.notes
    folder = ship(arguments.agent, arguments.name, *given)
    print(f"pretrained:{arguments.name} lies in {folder}; its card is {folder / CARD}")


if __name__ == "__main__":
    run(main)
