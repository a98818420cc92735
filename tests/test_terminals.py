"""Every terminal shows what is told, in the characters and the width that it has."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evaluation import report
from agents.policy import PRETRAINED
from sjavs_env import sjavs_v0
from sjavs_env.core.plain import fitting

CHECKOUT = Path(__file__).resolve().parent.parent
ENCODINGS = ("utf-8", "cp1252", "latin-1", "ascii")
EVALUATE = ("scripts.evaluate", "rule-of-thumb", "random", "--deals", "20")


def ran(*words: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a module with its output in pipes."""
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=CHECKOUT,
        env=os.environ | variables,
        capture_output=True,
        check=False,
    )


@contextmanager
def deaf() -> Iterator[int]:
    """Give the end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        yield writing
    finally:
        os.close(writing)


def unread(*words: object, all_of_it: bool = False) -> tuple[int, bytes]:
    """Run a module whose output nobody reads; return its exit code and what it says beside."""
    with deaf() as writing:
        done = subprocess.run(
            [sys.executable, "-m", *map(str, words)],
            cwd=CHECKOUT,
            stdout=writing,
            stderr=writing if all_of_it else subprocess.PIPE,
            check=False,
        )
    return done.returncode, done.stderr or b""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("♠Q ♥10 ♦7 ♣A", "SQ H10 D7 CA"),
        ("+3.30 ± 0.75, −2, 60–60 …", "+3.30 +- 0.75, -2, 60-60 ..."),
        ("│──┼▒▒·×", "|--+##.x"),
        ("Føroyar, Ærø, Ångström, ½", "Foroyar, Aero, Angstrom, 1/2"),
        ("牌", "\\u724c"),
        ("odd\udcff", "odd\\udcff"),
    ],
)
def test_what_cannot_be_shown_stands_there_in_plain_characters(text: str, plain: str) -> None:
    assert fitting(text, "ascii") == plain


def test_what_can_be_shown_stays() -> None:
    assert fitting("± ♠ · é", "latin-1") == "± S · é"
    assert fitting("± ♠ …", "cp1252") == "± S …"
    assert fitting("± ♠ …", "utf-8") == fitting("± ♠ …", None) == "± ♠ …"


@given(st.text(), st.sampled_from(ENCODINGS))
def test_every_text_fits_every_terminal(text: str, encoding: str) -> None:
    shown = fitting(text, encoding)
    shown.encode(encoding)
    assert fitting(shown, encoding) == shown


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_table_is_printed_in_every_encoding(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    env = sjavs_v0.env(render_mode="human").unwrapped
    env.reset(seed=1)
    env.render()
    for _ in range(4):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    stream.flush()
    text = stream.buffer.getvalue().decode(encoding)
    assert "?" not in text
    assert ("♠" if encoding == "utf-8" else "SK") in text
    assert ("│" if encoding == "utf-8" else "|") in text


def test_the_table_is_printed_where_there_is_no_encoding_or_no_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = sjavs_v0.env(render_mode="human").unwrapped
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stdout", stream)
        env.reset(seed=1)
        env.render()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_card_is_shown_in_every_encoding(encoding: str) -> None:
    card = (PRETRAINED / "faroese4" / "README.md").read_text(encoding="utf-8")
    assert "±" in card
    assert ("+-" in fitting(card, encoding)) == (encoding == "ascii")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_match_is_shown_in_every_encoding_with_straight_lines(
    encoding: str, tmp_path: Path
) -> None:
    out = tmp_path / "results.json"
    done = ran(*EVALUATE, "--health", "--out", out, PYTHONIOENCODING=encoding, NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert ("+- 0." if encoding == "ascii" else "± 0.") in text
    lines = [line for line in text.splitlines() if line[:1] in ("|", "│")]
    assert len(lines) > 8
    assert len({len(line) for line in lines}) <= 2, "one width for each of two tables"
    assert report.read(out).deals == 20


@pytest.mark.parametrize("words", [("--help",), ("no-such-agent", "random")])
@pytest.mark.parametrize("script", ["train", "evaluate", "benchmark", "ship"])
def test_help_and_complaints_are_shown_in_ascii(script: str, words: tuple[str, ...]) -> None:
    done = ran(f"scripts.{script}", *words, PYTHONIOENCODING="ascii", TERM="dumb", COLUMNS="40")
    assert done.returncode == (0 if words == ("--help",) else 2), done.stderr
    told = (done.stdout + done.stderr).decode("ascii")
    assert told
    assert "Traceback" not in told


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"COLUMNS": "40"}])
def test_a_match_is_shown_on_a_narrow_or_simple_terminal(variables: dict[str, str]) -> None:
    pty = pytest.importorskip("pty", reason="a terminal of its own is made here")
    here, there = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    running = subprocess.Popen(
        [sys.executable, "-m", *EVALUATE, "--health"],
        cwd=CHECKOUT,
        env=env | {"TERM": "xterm", "PYTHONIOENCODING": "ascii"} | variables,
        stdout=there,
        stderr=subprocess.PIPE,
    )
    os.close(there)
    told = b""
    while part := read(here):
        told += part
    _, complaints = running.communicate()
    os.close(here)
    assert running.returncode == 0, complaints
    text = told.decode("ascii")
    assert "+- 0." in text
    assert not re.search(r"\x1b\[[34][0-7]m", text), "no colours"
    if "TERM" in variables:
        assert "\x1b" not in text
    if "COLUMNS" in variables:
        assert "edge of A over B: +" in text, "row by row, for the table is too wide"
        assert max(map(len, text.splitlines())) <= 40


def read(terminal: int) -> bytes:
    """Return what comes from a terminal, nothing once its other end is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.parametrize("all_of_it", [True, False])
def test_a_pipe_that_is_closed_ends_a_match_quietly_with_its_results_kept(
    all_of_it: bool, tmp_path: Path
) -> None:
    out = tmp_path / "results.json"
    code, told = unread(*EVALUATE, "--out", out, all_of_it=all_of_it)
    assert code == 141, told
    assert told.count(b"\n") == (0 if all_of_it else 1), "the line about the match alone"
    assert report.read(out).deals == 20


@pytest.mark.parametrize("words", [("--help",), ("nobody", "random")])
def test_a_pipe_that_is_closed_hides_help_and_complaints_quietly(words: tuple[str, ...]) -> None:
    assert unread("scripts.evaluate", *words, all_of_it=True) == (141, b"")


def test_a_run_that_nobody_reads_stops_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    words = ("scripts.train", "configs/smoke.toml", "--run", tmp_path / "run", "--threads", 1)
    code, told = unread(*words)
    assert (code, told) == (141, b"")
    done = ran("scripts.train", "--resume", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "results.json").exists()
