"""Work in several processes: none outlives the command, and a lost one is reported."""

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

# The parent of the tests may ignore interrupts, and its children would inherit that.
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
    """Write this process's number into a file, and lock the file for longer than any test takes."""
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
    """Provide a command that works in two processes, and the files with their numbers."""
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
    """Wait until a condition holds."""
    patience = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < patience, "in vain"
        time.sleep(0.05)


def at_work(told: Path) -> bool:
    """Return whether the process that wrote this file still holds its lock."""
    with told.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.mark.parametrize("all_of_them", [True, False])
def test_an_interrupt_ends_all_processes_with_one_message(
    tmp_path: Path, all_of_them: bool
) -> None:
    with command(tmp_path) as (running, told):
        # A terminal sends the interrupt to the whole process group.
        (os.killpg if all_of_them else os.kill)(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert (running.returncode, said) == (130, "interrupted\n")
        until(lambda: not any(map(at_work, told)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_when_their_parent_ends(tmp_path: Path, number: signal.Signals) -> None:
    with command(tmp_path) as (running, told):
        running.send_signal(number)
        running.wait(60)
        until(lambda: not any(map(at_work, told)))


def test_a_lost_process_is_reported_with_one_sentence(tmp_path: Path) -> None:
    with command(tmp_path) as (running, told):
        os.kill(int(told[1].read_text()), signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert said == (
        "error: one of 2 processes was killed, perhaps because memory ran out; "
        "the same command needs less memory with fewer processes\n"
    )


def test_an_error_in_a_task_is_raised_without_waiting_for_the_others() -> None:
    done = spread(refuse, [0, 1, 2, 3], 2)
    assert next(done) == 0
    begun = time.monotonic()
    with pytest.raises(ValueError, match="one is refused"):
        next(done)
    assert time.monotonic() - begun < 300, "the others would take 600 seconds"


def test_results_come_in_order_and_tasks_stop_when_nobody_asks_for_more() -> None:
    assert list(spread(abs, [-3, 1, -2], 2)) == [3, 1, 2]
    done = spread(refuse, [0, 2, 3], 2)
    assert next(done) == 0
    done.close()
