"""Ship a trained agent: copy it to agents/pretrained, with a model card made from its results.

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
    """Ship a trained agent: copy it to agents/pretrained and write its model card."""

    agent: tyro.conf.Positional[Path]
    """Folder of the run or checkpoint."""
    name: tyro.conf.Positional[str]
    """Name of the shipped agent, as in pretrained:NAME."""
    results: Path
    """Results file of scripts.evaluate with the agent in it."""
    exploit: Path | None = None
    """Results file of scripts.evaluate --exploit against the agent."""
    notes: str = ""
    """More about the training recipe, for the card."""


def main() -> None:
    """Ship the agent that the command line names, and print where it lies."""
    arguments = read(Arguments, prog="python -m scripts.ship")
    given = arguments.results, arguments.exploit, arguments.notes
    folder = ship(arguments.agent, arguments.name, *given)
    print(f"pretrained:{arguments.name} is in {folder}; its card is {folder / CARD}")


if __name__ == "__main__":
    run(main)
