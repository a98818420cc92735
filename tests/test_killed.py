"""A small run that is killed ten times, at any point, ends like a run that was never killed."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.test_train_script import CHECKOUT, SMOKE

KILLS = 10
LEAGUE = ("--league.share", "0.4", "--league.past-every", "1", "--league.past", "2")
BRIEF = ("--deals", "3072", "--batch", "128", "--evaluation.every", "0", "--evaluation.deals", "20")

KILLED = f"""
import os, random, signal, sys
sys.path.insert(0, {str(CHECKOUT)!r})
from agents.runs import past, saving, training

stop = random.Random(int(sys.argv.pop(1)))
where, calls = stop.choice(["advance", "write", "write", "rename"]), stop.randrange(1, 4)

def counted(name, real):
    left = [calls * (8 if name == "write" else 1)]

    def call(*given, **named):
        left[0] -= 1
        if where == name and left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)

    return call

training.Trainer.advance = counted("advance", training.Trainer.advance)
saving.flush = past.flush = counted("write", saving.flush)
saving.Path.rename = counted("rename", saving.Path.rename)
from scripts.train import main
main()
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def weights(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (run / "latest").glob("*.safetensors")}


def test_a_run_killed_ten_times_loses_nothing(tmp_path: Path) -> None:
    start = (SMOKE, *BRIEF, *LEAGUE, "--run")
    assert run(tmp_path, "-m", "scripts.train", *start, "unbroken").returncode == 0
    generator = random.Random(5)
    words: tuple[str, ...] = (*start, "broken")
    updates = []
    for _ in range(KILLS):
        killed = run(tmp_path, "-c", KILLED, str(generator.randrange(10**6)), *words)
        assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
        if (tmp_path / "broken" / "latest").exists():
            words = ("--resume", "broken")
            updates.append((tmp_path / "broken" / "latest").resolve().name)
    assert updates == sorted(updates), "a checkpoint was lost"
    assert len(set(updates)) > 3, "it got on between the kills"
    assert run(tmp_path, "-m", "scripts.train", "--resume", "broken").returncode == 0
    assert weights(tmp_path / "broken") == weights(tmp_path / "unbroken")
    curves = [curve(tmp_path / name) for name in ("broken", "unbroken")]
    assert curves[0] == pytest.approx(curves[1])


def curve(folder: Path) -> dict[int, float]:
    """Return a run's loss curve, by deals."""
    log = EventAccumulator(str(folder)).Reload()
    return {event.step: event.value for event in log.Scalars("losses/value_loss")}
