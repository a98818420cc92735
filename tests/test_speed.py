"""The speed measurements measure the right thing. The benchmark reports the speeds."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agents.common.stopwatch import Stopwatch
from agents.learning.ppo import Learner, PPOConfig
from agents.networks.nets import NetConfig
from agents.runs.config import Config
from agents.speed import environment
from agents.speed.environment import Effort
from agents.speed.updates import NETWORK, flop_per_decision, of_training
from scripts import benchmark
from sjavs_env import VectorSjavs, rule_set

CHECKOUT = Path(__file__).resolve().parent.parent
BRIEF = Effort(seconds=0.001, runs=1)


def test_a_batch_is_measured_with_every_timer() -> None:
    found = environment.of_batch("faroese3", 16, tuple(environment.WATCHES), BRIEF)
    assert [figure.what for figure in found] == ["choice", *environment.WATCHES]
    assert all(figure.decisions_per_second > 0 for figure in found)
    assert {figure.bytes_per_deal for figure in found[1:]} == {196.0}
    seen = [watch(VectorSjavs("faroese3", batch=16)) for watch in environment.WATCHES.values()]
    assert seen[0] is None
    assert [(each.shape, str(each.dtype)) for each in seen[1:]] == [
        ((16, 29), "uint32"),
        ((16, 701), "uint8"),
        ((16, 701), "float32"),
    ]


def test_turns_and_players_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_TURN_LIMIT", 20)
    bare, wrapped = environment.of_aec("faroese2", BRIEF)
    assert (bare.what, wrapped.what) == ("aec", "aec in its wrapper")
    player = environment.of_player("rule-of-thumb", "klorsjavs", 32, BRIEF)
    assert min(bare.decisions_per_second, player.decisions_per_second) > 0


def test_the_loop_in_c_deals_120_points_and_plays_them() -> None:
    found, how = environment.of_c_loop(deals=20_000)
    if found is None:
        pytest.skip(how)
    assert found > 1e6
    assert "-O3" in how


def test_without_a_compiler_the_loop_is_skipped_with_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert environment.of_c_loop() == (None, "no C compiler (cc, gcc, clang) is installed")


def test_operations_are_counted_by_the_widths_of_the_layers() -> None:
    learner = Learner(rule_set("faroese4"), NetConfig(hidden=(8,)), PPOConfig(epochs=2), seed=0)
    actor, critic = learner.actor.encode.n_features, learner.critic.encode.n_features
    slots = learner.actor.encode.slots.n_slots
    forward = 2 * (actor * 8 + 8 * slots) + 2 * (critic * 8 + 8)
    backward = forward + 2 * (8 * slots + 8)
    assert flop_per_decision(learner) == forward + 2 * (forward + backward)


def test_an_update_is_measured_part_by_part() -> None:
    config = replace(Config(), batch=32, net=NetConfig(hidden=(16,)), threads=1)
    threads = torch.get_num_threads()
    try:
        found = of_training(config, updates=1)
    finally:
        torch.set_num_threads(threads)
    assert set(NETWORK) < set(found.seconds)
    assert 0 < found.beside_network < 1
    assert found.seconds["rest"] >= 0
    assert found.peak_bytes > 2**20


def test_a_stopwatch_adds_up_and_resets() -> None:
    settled = []
    watch = Stopwatch(lambda: settled.append(1))
    for _ in range(2):
        with watch.span("one"):
            pass
    assert list(watch.taken()) == ["one"]
    assert len(settled) == 2
    assert watch.taken() == {}


def test_bfloat16_changes_matrices_and_leaves_probabilities_in_float32() -> None:
    rules, net = rule_set("faroese4"), NetConfig(hidden=(32,))
    wide, narrow = (
        Learner(rules, net, PPOConfig(bfloat16=bfloat16), seed=3) for bfloat16 in (False, True)
    )
    features = torch.rand(64, wide.critic.encode.n_features)
    allowed = torch.rand(64, wide.actor.encode.slots.n_slots) < 0.5
    allowed[:, 0] = True
    exact, near = (each.log_probs(features, allowed) for each in (wide, narrow))
    assert near.dtype == exact.dtype == torch.float32
    assert not torch.equal(exact, near)
    torch.testing.assert_close(exact.exp(), near.exp(), rtol=0, atol=5e-3)
    torch.testing.assert_close(near.exp().sum(dim=1), torch.ones(64))


def test_the_check_of_a_gpu_runs_on_the_cpu() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "scripts.gpu_check", "--device", "cpu", "--ways", "bfloat16"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    about, speeds, learned = ran.stdout.splitlines()
    assert about.startswith("device cpu")
    found = json.loads(speeds)
    assert min(found[stage] for stage in ("environment", "inference", "update", "total")) > 0
    assert json.loads(learned)["deals"] == 1024


def test_the_figures_are_printed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environment, "_TURN_LIMIT", 20)
    monkeypatch.setattr(benchmark, "_PLAYER_BATCH", 16)
    out = tmp_path / "figures.json"
    arguments = "--presets faroese3 --batches 1 8 --watches core packed --seconds 0.001 --runs 1"
    options = f"{arguments} --updates 0 --peers --out {out}".split()
    monkeypatch.setattr(sys, "argv", ["benchmark", *options])
    benchmark.main()
    written = json.loads(out.read_text())
    assert len(written["figures"]) == 2 * 3 + 3
    assert {"machine", "versions", "commit", "c_loop", "training", "peers"} <= set(written)
    assert "faroese3" in capsys.readouterr().out
