"""Runs that resume, and runs that start from the networks of others."""

from pathlib import Path
from typing import Any

import pytest
import torch

from agents import policy
from agents.checkpoints.tensors import CheckpointError
from agents.runs import training
from agents.runs.config import from_dict
from tests.conftest import TINY
from tests.test_checkpoint import files

LEAGUE = TINY | {
    "deals": 512,
    "league": {"share": 0.5, "players": ["random"], "past_every": 2, "past": 2, "at_once": 2},
}


def ended(trainer: training.Trainer, folder: Path) -> None:
    """Train to the end of the budget, and save."""
    while not trainer.done:
        trainer.advance()
    trainer.save(folder)


def tensors(run: Path) -> dict[str, bytes]:
    """Return the files of a checkpoint except its manifest."""
    return {name: data for name, data in files(run).items() if name != "manifest.json"}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"phase": [{"lesson": "imitation", "deals": 128}, {}]},
        {"phase": [{"lesson": "critic", "deals": 192}, {}]},
        {"phase": [{"lesson": "imitation", "deals": 128}, {"restart": True, "net": {"late": 7}}]},
        {"phase": [{"deals": 150}, {"restart": True, "batch": 32, "ppo": {"epochs": 1}}]},
        {"options": {"bidding": "free"}, "guard": {"calls": 1.0}},
        {"ppo": TINY["ppo"] | {"magnet": 0.1, "average": 0.5}},
        {"net": {"hidden": [16], "late": 7, "late_width": 24}},
        {
            "net": {"hidden": [16], "late": 7},
            "phase": [{"lesson": "late-tricks", "deals": 128}, {"branches": {"player": "itself"}}],
        },
    ],
)
def test_a_killed_run_resumes_bit_for_bit(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = from_dict(TINY | changes, "test")
    ended(training.start(config), tmp_path / "unbroken")
    broken = training.start(config)
    broken.advance()
    broken.advance()
    broken.save(tmp_path / "broken")
    broken.advance()
    resumed = training.resume(tmp_path / "broken")
    assert resumed.progress.update == 2
    ended(resumed, tmp_path / "broken")
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "unbroken")


def test_a_killed_run_with_a_league_resumes_bit_for_bit(tmp_path: Path) -> None:
    config = from_dict(LEAGUE, "test")
    ended(training.start(config), tmp_path / "unbroken")
    broken = training.start(config)
    for _ in range(5):
        broken.advance()
        broken.save(tmp_path / "broken")
    broken.advance()
    resumed = training.resume(tmp_path / "broken")
    assert [update for update, _ in resumed.league.past] == [2, 4]
    ended(resumed, tmp_path / "broken")
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "unbroken")
    past = sorted(path.name for path in (tmp_path / "broken" / "league").iterdir())
    assert past == [f"update-{update:06d}.safetensors" for update in (2, 4, 6, 8)]


def test_a_missing_past_self_is_named(tmp_path: Path) -> None:
    trainer = training.start(from_dict(LEAGUE, "test"))
    trainer.advance()
    trainer.advance()
    trainer.save(tmp_path)
    (tmp_path / "league" / "update-000002.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"lacks update-000002\.safetensors"):
        training.resume(tmp_path)


def test_a_run_may_start_from_the_networks_of_another(run: Path) -> None:
    config = from_dict(TINY | {"seed": 5, "initial": str(run)}, "test")
    trainer = training.start(config)
    before = training.resume(run).learner
    for name in ("actor", "average", "critic"):
        ours, theirs = (getattr(each, name).state_dict() for each in (trainer.learner, before))
        other = before.average if name == "actor" else None
        for key, value in (other.state_dict() if other else theirs).items():
            assert torch.equal(ours[key], value), (name, key)
    assert trainer.origin == {
        "name": str(run),
        "fingerprint": policy.fingerprint(str(run)),
        "deals": 64,
    }
    trainer.advance()
    trainer.save(run.parent / "next")
    follower = training.start(from_dict(TINY | {"initial": str(run.parent / "next")}, "test"))
    assert follower.origin is not None
    assert follower.origin["deals"] == 128
    resumed = training.resume(run.parent / "next")
    assert resumed.origin == trainer.origin


def test_starting_from_a_run_without_a_critic_keeps_the_new_one(run: Path) -> None:
    (run / "latest" / "critic.safetensors").unlink()
    config = from_dict(TINY | {"seed": 5, "initial": str(run)}, "test")
    blank = training.start(from_dict(TINY | {"seed": 5}, "test")).learner.critic.state_dict()
    begun = training.start(config).learner.critic.state_dict()
    assert all(torch.equal(begun[key], value) for key, value in blank.items())


@pytest.mark.parametrize(
    ("initial", "sentence"),
    [
        ("rule-of-thumb", "initial = 'rule-of-thumb' is not a checkpoint"),
        ("runs/none", "there is no checkpoint in runs/none"),
        ("pretrained:nobody", "there is no pretrained agent 'nobody'"),
    ],
)
def test_a_starting_point_that_is_not_a_checkpoint_is_refused(initial: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        training.start(from_dict(TINY | {"initial": initial}, "test"))
