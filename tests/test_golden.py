"""Recorded games and counts of positions, which reveal any change of the rules."""

from difflib import unified_diff

import pytest

import sjavs_env
from sjavs_env import RULE_SETS
from tests.golden.make import content, file_of


@pytest.mark.parametrize("preset", RULE_SETS)
def test_recorded_games_replay_identically(preset: str) -> None:
    kept, now = (
        text.splitlines() for text in (file_of(preset).read_text("utf-8"), content(preset))
    )
    changed = "\n".join(unified_diff(kept, now, "kept", "now", lineterm="", n=0))
    assert not changed, (
        f"{changed}\n\nIf this change is meant, say why in the changelog and make the files anew: "
        ".venv/bin/python -m tests.golden.make"
    )


def test_there_is_a_golden_file_for_every_preset() -> None:
    folder = file_of("faroese4").parent
    assert sorted(path.stem for path in folder.glob("*.txt")) == sorted(sjavs_env.RULE_SETS)
