"""A run is a list of phases: what each starts from, where it ends, and what a restart is."""

from pathlib import Path
from typing import Any

import pytest
import torch

from agents import policy
from agents.runs import training
from agents.runs.config import Config, from_dict
from agents.runs.loop import train
from tests.conftest import TINY
from tests.test_resume import ended
from tests.test_resume import tensors as files_of

POOL = {"players": ["random"], "past_every": 1, "past": 3, "at_once": 2}
RECIPE: dict[str, Any] = TINY | {
    "deals": None,
    "league": POOL,
    "phase": [
        {"lesson": "imitation", "deals": 128},
        {"deals": 128, "league": {"share": 0.5}},
        {
            "lesson": "late-tricks",
            "deals": 96,
            "restart": True,
            "batch": 32,
            "net": {"late": 7, "late_width": 24},
            "ppo": {"epochs": 1},
        },
        {"deals": 64, "branches": {"player": "itself"}},
    ],
}
"""The shape of the recipe of the shipped agent, in 416 deals."""


def recipe(**changes: Any) -> Config:
    return from_dict(RECIPE | changes, "test")


def test_a_phase_starts_from_the_values_of_the_one_before() -> None:
    first, second, third, fourth = recipe().phases
    assert [phase.lesson for phase in recipe().phases] == [
        "imitation",
        "self-play",
        "late-tricks",
        "self-play",
    ]
    assert (first.league.share, second.league.share, fourth.league.share) == (0.0, 0.5, 0.5)
    assert (second.batch, third.batch, fourth.batch) == (64, 32, 32)
    assert (second.net.late, third.net.late, fourth.net.late) == (0, 7, 7)
    assert (second.ppo.epochs, third.ppo.epochs, fourth.ppo.epochs) == (2, 1, 1)
    assert (third.branches.player, fourth.branches.player) == ("rule-of-thumb", "itself")
    assert fourth.league.players == ("random",)


def test_phases_follow_each_other_and_stretches_run_from_restart_to_restart() -> None:
    phases = recipe().phases
    assert [(phase.begins, phase.ends) for phase in phases] == [
        (0, 128),
        (128, 256),
        (256, 352),
        (352, 416),
    ]
    assert [phase.stretch for phase in phases] == [(0, 256), (0, 256), (256, 416), (256, 416)]
    assert [phase.elapsed(phase.begins) for phase in phases] == [0.0, 0.5, 0.0, 0.6]


@pytest.mark.parametrize(
    ("deals", "ends"),
    [
        (None, [128, 256, 352, 416]),
        (1000, [128, 256, 352, 1000]),
        (300, [128, 256, 300]),
        (256, [128, 256]),
        (1, [1]),
    ],
)
def test_a_budget_makes_the_last_phase_longer_or_leaves_phases_out(
    deals: int | None, ends: list[int]
) -> None:
    config = recipe(deals=deals)
    assert [phase.ends for phase in config.phases] == ends
    assert config.budget == ends[-1] == config.phases[-1].stretch[1]


@pytest.mark.parametrize(
    ("share", "kept"), [((0, 0.5, 0.5), True), ((0.5, 0, 0), False), ((0, 0, 0.5), False)]
)
def test_past_selves_are_kept_for_phases_of_the_same_stretch(
    share: tuple[float, ...], kept: bool
) -> None:
    phases = [{"league": {"share": each}, "restart": n == 2} for n, each in enumerate(share)]
    second = from_dict({"phase": phases}, "test").phases[1]
    assert second.keeps_past == kept


def test_the_step_size_falls_over_a_stretch_and_starts_anew_with_the_next() -> None:
    trainer = training.start(recipe())
    rates = []
    while not trainer.done:
        rates.append(trainer.advance()["charts/learning_rate"])
    whole = trainer.config.ppo.learning_rate
    expected = [whole * (1 - n / 4) for n in range(4)] + [whole * (1 - n / 5) for n in range(5)]
    assert rates == pytest.approx(expected)


def test_a_restart_is_a_new_run_that_begins_with_the_one_before(tmp_path: Path) -> None:
    trainer = training.start(recipe())
    while trainer.progress.deals < 256:
        trainer.advance()
    assert len(trainer.league.past) == 3
    trainer.save(tmp_path / "run")
    trainer.enter_phase()
    changed = RECIPE["phase"][2]
    values = TINY | {"initial": str(tmp_path / "run"), "net": {"hidden": [16]} | changed["net"]}
    begun = training.start(from_dict(values | {"ppo": {"epochs": 1, "minibatch": 256}}, "test"))
    for name in ("actor", "average", "critic"):
        ours, theirs = (getattr(each.learner, name).state_dict() for each in (trainer, begun))
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[key], value) for key, value in theirs.items()), name
    assert not any(each.state for each in trainer.learner.optimisers.values())
    assert not trainer.league.past
    assert trainer.progress.phase == 3


@pytest.mark.parametrize("updates", range(1, 9))
def test_a_run_killed_anywhere_goes_on_bit_for_bit_across_phases(
    tmp_path: Path, updates: int, unbroken: dict[str, bytes]
) -> None:
    broken = training.start(recipe())
    for _ in range(updates):
        broken.advance()
    broken.save(tmp_path / "broken")
    broken.advance()
    resumed = training.resume(tmp_path / "broken")
    assert resumed.progress.update == updates
    ended(resumed, tmp_path / "broken")
    assert files_of(tmp_path / "broken") == unbroken


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("unbroken")
    ended(training.start(recipe()), folder)
    return files_of(folder)


def test_a_checkpoint_is_a_policy_with_the_networks_of_its_phase(tmp_path: Path) -> None:
    trainer = training.start(recipe())
    rules = trainer.config.rule_set
    for deals, late in ((256, False), (288, True)):
        while trainer.progress.deals < deals:
            trainer.advance()
        trainer.save(tmp_path)
        agent = policy.load(str(tmp_path), rules)
        assert (agent._actor.late is not None) == late


def test_the_log_says_which_phase_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training_loop(recipe(evaluation={"every": 0}), tmp_path)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("phase")]
    assert told == [
        "phase 1 of 4: imitation, deals 0 to 128",
        "phase 2 of 4: self-play, deals 128 to 256, opponents at 50% of the tables",
        "phase 3 of 4: late-tricks, deals 256 to 352, opponents at 50% of the tables",
        "phase 4 of 4: self-play, deals 352 to 416, opponents at 50% of the tables",
    ]


def training_loop(config: Config, folder: Path) -> None:
    threads = torch.get_num_threads()
    try:
        train(training.start(config), folder)
    finally:
        torch.set_num_threads(threads)
