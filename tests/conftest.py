"""Fixtures and data that several test files share."""

from pathlib import Path
from typing import Any

import pytest

from agents.runs import training
from agents.runs.config import from_dict

TINY: dict[str, Any] = {
    "deals": 256,
    "batch": 64,
    "threads": 1,
    "net": {"hidden": [16]},
    "ppo": {"epochs": 2, "minibatch": 256},
}
"""A configuration of four very short updates."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return the folder of a run that has made one update."""
    trainer = training.start(from_dict(TINY, "test"))
    trainer.advance()
    trainer.save(tmp_path / "run")
    return tmp_path / "run"
