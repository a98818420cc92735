"""Peers run in their own processes; if one cannot be measured, its figure gives the reason.

No peer needs to be installed for these tests.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents.speed import peer_figures
from agents.speed.peer_figures import PeerFigure, measure
from recipes.sb3_table import Table
from sjavs_env import N_ACTIONS
from sjavs_env.core.errors import IllegalActionError

LINE = json.dumps({"peer": "open_spiel_skat", "version": "open_spiel 2", "decisions_per_second": 9})


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """Return a stand-in for the peers' Python; it runs `program.py`, which the test writes."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path}/program.py" "$@"\n')
    python.chmod(0o755)
    return python


def told(interpreter: Path, program: str, name: str = "open_spiel_skat") -> PeerFigure:
    interpreter.with_name("program.py").write_text(program)
    (figure,) = measure(interpreter, [name], seconds=0.5)
    return figure


def test_the_figure_of_a_peer_is_read_after_other_output(interpreter):
    figure = told(interpreter, f"print('welcome'); print({LINE!r})")
    assert figure == PeerFigure("open_spiel_skat", "open_spiel 2", 9.0, None)


def test_a_peer_gets_its_name_seconds_and_threads_and_the_path_of_the_checkout(interpreter):
    program = "import json, os, sys; print(json.dumps({'version': ' '.join([*sys.argv[2:], "
    program += "os.environ['PYTHONPATH']]), 'decisions_per_second': 1}))"
    figure = told(interpreter, program, "rlcard_bridge")
    checkout = Path(__file__).resolve().parent.parent
    assert figure.version == f"rlcard_bridge --seconds 0.5 --threads 2 {checkout}"


def test_a_missing_interpreter_is_named(tmp_path):
    python = tmp_path / "none" / "python"
    figures = measure(python, ["open_spiel_skat", "rlcard_bridge"], seconds=0.5)
    missing = f"{python}: No such file or directory"
    assert figures == [
        PeerFigure("open_spiel_skat", None, None, missing),
        PeerFigure("rlcard_bridge", None, None, missing),
    ]


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        ("import no_such_peer", "ModuleNotFoundError: No module named 'no_such_peer'"),
        (f"print({LINE!r}); raise SystemExit(3)", "it ended with code 3"),
        ("print('welcome')", "it printed no figure, but 'welcome'"),
        ("print('{}')", "it printed no figure, but '{}'"),
        ("", "it printed no figure, but ''"),
    ],
)
def test_a_peer_that_fails_gives_its_reason(interpreter, program, missing):
    assert told(interpreter, program) == PeerFigure("open_spiel_skat", None, None, missing)


def test_a_peer_that_takes_too_long_is_ended(interpreter, monkeypatch):
    monkeypatch.setattr(peer_figures, "_MOST_SECONDS", 0.2)
    figure = told(interpreter, "import time; time.sleep(60)")
    assert figure.missing == "it took more than 0.2 s"


def test_an_unknown_peer_gets_one_sentence_with_the_nearest():
    (figure,) = measure(Path(sys.executable), ["open_spiel_scat"], seconds=0.5)
    sentence = "error: there is no peer 'open_spiel_scat'; the nearest is 'open_spiel_skat'"
    assert figure == PeerFigure("open_spiel_scat", None, None, sentence)


def test_the_environment_of_the_peers_is_looked_for_in_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(peer_figures, "_CHECKOUT", tmp_path)
    assert peer_figures.default_python() is None
    python = tmp_path / ".peers" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    assert peer_figures.default_python() == python


def played(
    rules: str, batch: int, seed: int, steps: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Play at random, and yield masks, rewards and ends after each step."""
    table, rng = Table(rules, batch, seed), np.random.default_rng(seed)
    for _ in range(steps):
        masks = table.masks()
        actions = np.where(masks, rng.random((batch, N_ACTIONS)), -1).argmax(axis=1)
        yield masks, *table.step(actions)
        assert table.observations().shape == (batch, 701)


@pytest.mark.parametrize("rules", ["faroese4", "faroese3", "klorsjavs18"])
def test_a_table_deals_again_by_itself_and_pays_only_at_the_end_of_a_deal(rules):
    ends, paid = 0, 0
    for masks, rewards, ended in played(rules, batch=32, seed=2, steps=80):
        assert masks.any(axis=1).all()
        assert not rewards[~ended].any()
        ends += int(ended.sum())
        paid += int((rewards != 0).sum())
    assert ends > 32
    assert paid > ends / 4


def test_a_table_repeats_with_the_same_seed():
    one, same, other = (
        [(m.tobytes(), r.tobytes()) for m, r, _ in played("faroese4", 16, seed, steps=60)]
        for seed in (5, 5, 6)
    )
    assert one == same
    assert one != other


def test_an_illegal_action_at_the_table_moves_nothing():
    table = Table("faroese4", batch=4, seed=0)
    before = table.observations()
    actions = table.masks().argmax(axis=1)
    actions[2] = table.masks()[2].argmin()
    with pytest.raises(IllegalActionError):
        table.step(actions)
    np.testing.assert_array_equal(table.observations(), before)
