"""The training command: what it writes, how it resumes, and its sentence about each mistake."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.evaluation.health import MEASURES
from agents.runs.logbook import TAGS

CHECKOUT = Path(__file__).resolve().parent.parent
SMOKE = str(CHECKOUT / "configs" / "smoke.toml")


def train(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python(folder, "-m", "scripts.train", *words)


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def logged(run: Path) -> set[str]:
    log = EventAccumulator(str(run)).Reload()
    return set(log.Tags()["scalars"])


def documented(*opponents: str) -> set[str]:
    """Return the tags of the smoke run against some opponents; it has no magnet."""
    names = {
        "OPPONENT": opponents,
        "MEASURE": MEASURES,
        "MEMBER": ("random", "past"),
        "seatN": [f"seat{n}" for n in range(4)],
    }
    tags = {tag for tag in TAGS if "magnet" not in tag}
    for word, fillings in names.items():
        tags = {
            tag.replace(word, each) for tag in tags for each in (fillings if word in tag else [""])
        }
    return tags


def test_a_run_writes_agent_log_and_results_and_prints_where(tmp_path: Path) -> None:
    done = train(tmp_path, SMOKE)
    assert done.returncode == 0, done.stderr
    run = tmp_path / "runs" / "smoke"
    results = json.loads((run / "results.json").read_text())
    assert [entry["b"] for entry in results["entries"]] == ["random", "rule-of-thumb"]
    assert (run / "latest" / "manifest.json").exists()
    # The smoke run's bidding is forced: there is no rate of calls to log.
    calls = {tag for tag in documented("random", "rule_of_thumb") if "call_rate" in tag}
    calls |= {"health/guarded"}
    assert logged(run) == documented("random", "rule_of_thumb") - calls
    free = train(tmp_path, SMOKE, "--options", "bidding", "free", "--run", "free")
    assert free.returncode == 0, free.stderr
    assert logged(tmp_path / "free") == documented("random", "rule_of_thumb")
    for told in ("random", "rule-of-thumb", "tensorboard --logdir runs", "runs/smoke"):
        assert told in done.stdout
    again = train(tmp_path, SMOKE, "--deals", "256")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "runs" / "smoke-2" / "latest").exists(), "a second run has its own folder"
    resumed = train(tmp_path, "--resume", "runs/smoke")
    assert resumed.returncode == 0, resumed.stderr


DYING = """
import os, signal
from agents.runs.training import Trainer
from scripts.train import main

advance = Trainer.advance

def dying(trainer):
    if trainer.progress.update == AT:
        os.kill(os.getpid(), signal.SIGKILL)
    return advance(trainer)

Trainer.advance = dying
main()
"""


def test_a_run_killed_at_its_beginning_and_later_leaves_a_curve_without_holes(
    tmp_path: Path,
) -> None:
    for update, words in ((0, [SMOKE, "--run", "run"]), (2, ["--resume", "run"])):
        killed = python(tmp_path, "-c", DYING.replace("AT", str(update)), *words)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert train(tmp_path, "--resume", "run").returncode == 0
    log = EventAccumulator(str(tmp_path / "run")).Reload()
    steps = {tag: [event.step for event in log.Scalars(tag)] for tag in log.Tags()["scalars"]}
    assert steps["losses/entropy"] == [256, 768, 1280]
    assert steps["eval/points_vs_random"] == [512, 1024]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["quick.toml"], "error: there is no config quick.toml"),
        ([SMOKE, "--ppo.epoch", "3"], "error: unknown option '--ppo.epoch'; the nearest is"),
        ([SMOKE, "--ppo.epochs", "x"], "error: Error parsing --ppo.epochs: invalid literal"),
        ([SMOKE, "--deals", "0"], "error: the command line: deals = 0: input should be greater"),
        ([SMOKE, "--rules", "faroes4"], "error: the command line: unknown rule set 'faroes4'"),
        ([SMOKE, "--device", "xpu"], "error: device 'xpu' is not available ("),
        ([SMOKE, "--evaluation.opponents", "randon"], "error: unknown policy 'randon'; the near"),
        ([SMOKE, "--run", "."], "error: --run . exists already"),
        (["--resume", "runs/none"], "error: there is no checkpoint in runs/none"),
        (["--resume", "runs/none", "--seed=1"], "error: --seed=1 cannot change a resumed run"),
        ([], "error: one of the arguments config --resume is required"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = train(tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir()), "a mistake leaves nothing behind"
