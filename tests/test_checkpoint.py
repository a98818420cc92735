"""Checkpoints: written whole, read back exactly, refused with a reason."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.checkpoints import agent, manifest
from agents.checkpoints.tensors import CheckpointError
from agents.runs import saving, training
from agents.runs.config import from_dict
from sjavs_env import VectorSjavs, rule_set
from tests.conftest import TINY

RULES = rule_set("faroese4")


def files(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run / "latest").iterdir())}


def test_a_checkpoint_is_the_four_files_and_latest_points_to_it(run: Path) -> None:
    expected = {"actor", "critic", "optimiser"}
    assert set(files(run)) == {f"{name}.safetensors" for name in expected} | {"manifest.json"}
    assert (run / "latest").resolve().name == "update-000001"


def test_the_manifest_says_what_the_agent_is(run: Path) -> None:
    manifest = json.loads(files(run)["manifest.json"])
    assert manifest["rules"] == {"name": "faroese4", "options": dict(RULES.options)}
    assert set(manifest["fingerprints"]) == {"rules", "actions", "observation", "features"}
    assert manifest["config"]["net"]["hidden"] == [16]
    assert manifest["progress"]["deals"] == 64
    assert {"random", "threads", "versions", "commit", "format"} <= set(manifest)


def test_two_seeds_differ(tmp_path: Path) -> None:
    runs = []
    for seed in (0, 1):
        trainer = training.start(from_dict(TINY | {"seed": seed}, "test"))
        trainer.advance()
        trainer.save(tmp_path / str(seed))
        runs.append(files(tmp_path / str(seed))["actor.safetensors"])
    assert runs[0] != runs[1]


def test_the_policy_of_a_checkpoint_is_the_average_that_was_saved(run: Path) -> None:
    trainer = training.resume(run)
    vec = VectorSjavs("faroese4", batch=256, seed=4)
    words, legal = vec.observe(), vec.legal
    keys = np.zeros(256, np.uint64)
    from_run = agent.load_policy(run, RULES).act(words, legal, keys)
    from_folder = agent.load_policy(run / "update-000001", RULES).act(words, legal, keys)
    actor = trainer.learner.average
    log_probs, _, contexts = actor(*trainer.learner.load.tensors(words, legal))
    slots = log_probs.argmax(dim=1)
    expected = actor.encode.slots.actions_of(slots, contexts)
    assert torch.equal(torch.from_numpy(from_run), expected)
    np.testing.assert_array_equal(from_run, from_folder)


def test_an_unfinished_checkpoint_never_becomes_the_latest(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(run)
    trainer = training.resume(run)
    trainer.advance()

    def die(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(saving, "flush", die)
    with pytest.raises(KeyboardInterrupt):
        trainer.save(run)
    monkeypatch.undo()
    assert files(run) == before
    assert training.resume(run).progress.update == 1


def test_a_run_without_a_latest_link_resumes_from_its_checkpoint(run: Path) -> None:
    (run / "latest").unlink()
    assert training.resume(run).progress.update == 1


def test_a_run_that_died_in_its_first_checkpoint_may_start_again(run: Path, tmp_path: Path) -> None:
    assert not manifest.is_blank(run)
    assert not manifest.is_blank(tmp_path / "nowhere")
    (tmp_path / "begun" / ".unfinished-update-000000").mkdir(parents=True)
    assert manifest.is_blank(tmp_path / "begun")


def test_old_checkpoints_go_and_the_latest_stay(run: Path) -> None:
    trainer = training.resume(run)
    while not trainer.done:
        trainer.advance()
        trainer.save(run)
    names = [path.name for path in manifest.checkpoints(run)]
    assert names == ["update-000003", "update-000004"]


def test_a_missing_checkpoint_is_reported_with_the_nearest_run(run: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is no checkpoint in .*ruin; the .* 'run'"):
        manifest.find(run.parent / "ruin")


@pytest.mark.parametrize("name", ["actor", "critic", "optimiser"])
def test_a_truncated_or_missing_file_is_named(run: Path, name: str) -> None:
    path = run / "latest" / f"{name}.safetensors"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CheckpointError, match=rf"{name}.safetensors is damaged"):
        training.resume(run)
    path.unlink()
    with pytest.raises(CheckpointError, match=rf"lacks {name}.safetensors"):
        training.resume(run)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_a_damaged_manifest_is_reported(run: Path, text: str) -> None:
    (run / "latest" / "manifest.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"damaged|has format"):
        manifest.find(run)


def test_a_checkpoint_of_other_rules_is_refused(run: Path) -> None:
    with pytest.raises(CheckpointError, match=r"made for other rules: .*faroese4.*not .*russian6"):
        agent.load_policy(run, rule_set("russian6"))


def test_a_checkpoint_of_another_network_is_refused(run: Path) -> None:
    path = run / "latest" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["config"]["net"]["hidden"] = manifest["net"]["hidden"] = [8]
    path.write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match=r"another network: .* has shape \(16,"):
        agent.load_policy(run, RULES)
    with pytest.raises(CheckpointError, match=r"another network"):
        training.resume(run)


def test_an_optimiser_of_another_network_is_refused(run: Path, tmp_path: Path) -> None:
    other = training.start(from_dict(TINY | {"net": {"hidden": [8]}}, "test"))
    other.advance()
    other.save(tmp_path / "other")
    for name in ("optimiser", "actor"):
        stolen = (tmp_path / "other" / "latest" / f"{name}.safetensors").read_bytes()
        (run / "latest" / "optimiser.safetensors").write_bytes(stolen)
        with pytest.raises(CheckpointError, match=r"optimiser.safetensors is of another network"):
            training.resume(run)


def test_a_run_without_an_update_resumes_too(tmp_path: Path) -> None:
    begun = training.start(from_dict(TINY, "test"))
    begun.save(tmp_path / "begun")
    resumed = training.resume(tmp_path / "begun")
    for trainer in (begun, resumed):
        trainer.advance()
        trainer.save(tmp_path / str(trainer is begun))
    assert (
        files(tmp_path / "True")["actor.safetensors"]
        == files(tmp_path / "False")["actor.safetensors"]
    )


def test_a_checkpoint_whose_observation_has_changed_is_refused(run: Path) -> None:
    path = run / "latest" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["fingerprints"]["observation"] = "0"
    path.write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match=r"made for other observation"):
        agent.load_policy(run, RULES)
