"""Work in several processes: none of them outlives the command, and a lost one is a sentence."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.common.processes import spread

CHECKOUT = Path(__file__).parents[1]

# What starts the tests may itself be deaf to interruptions, and so would be what they start.
COMMAND = """
import signal
from pathlib import Path
from agents.common.processes import spread
from scripts._cli import run
from tests.test_processes import linger

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    list(spread(linger, [Path("one"), Path("two"), Path("three")], 2))

if __name__ == "__main__":
    run(main)
"""


def linger(told: Path) -> None:
    """Tell this process's number, and hold a lock there for longer than any test."""
    unfinished = told.with_suffix(".part")
    unfinished.write_text(str(os.getpid()))
    with unfinished.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        unfinished.rename(told)
        time.sleep(600)


def refuse(number: int) -> int:
    if number == 1:
        raise ValueError("one is refused")
    if number > 1:
        time.sleep(600)
    return number


@contextmanager
def command(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[Path]]]:
    """Give a command at work in two processes, and where they told their numbers."""
    script = folder / "lingering.py"
    script.write_text(COMMAND)
    running = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        told = [folder / "one", folder / "two"]
        until(lambda: all(path.exists() for path in told))
        assert all(map(at_work, told))
        yield running, told
    finally:
        running.kill()
        running.communicate()


def until(fact, seconds: float = 120) -> None:
    """Wait until something is so."""
    patience = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < patience, "in vain"
        time.sleep(0.05)


def at_work(told: Path) -> bool:
    """Whether the process that told its number there still holds its lock."""
    with told.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.mark.parametrize("all_of_them", [True, False])
def test_an_interruption_ends_all_processes_with_one_word(
    tmp_path: Path, all_of_them: bool
) -> None:
    with command(tmp_path) as (running, told):
        # A terminal tells the whole group.
        (os.killpg if all_of_them else os.kill)(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert (running.returncode, said) == (130, "interrupted\n")
        until(lambda: not any(map(at_work, told)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_spawned_them(
    tmp_path: Path, number: signal.Signals
) -> None:
    with command(tmp_path) as (running, told):
        running.send_signal(number)
        running.wait(60)
        until(lambda: not any(map(at_work, told)))


def test_a_lost_process_is_a_sentence(tmp_path: Path) -> None:
    with command(tmp_path) as (running, told):
        os.kill(int(told[1].read_text()), signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert said == (
        "error: one of 2 processes was ended from outside, perhaps for want of memory; "
        "the same command with fewer processes needs less\n"
    )


def test_what_a_task_raises_is_raised_and_nothing_is_waited_for() -> None:
    done = spread(refuse, [0, 1, 2, 3], 2)
    assert next(done) == 0
    begun = time.monotonic()
    with pytest.raises(ValueError, match="one is refused"):
        next(done)
    assert time.monotonic() - begun < 300, "the others would take 600 seconds"


def test_tasks_are_done_in_order_and_left_off_when_nobody_asks_for_more() -> None:
    assert list(spread(abs, [-3, 1, -2], 2)) == [3, 1, 2]
    done = spread(refuse, [0, 2, 3], 2)
    assert next(done) == 0
    done.close()
