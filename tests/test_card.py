"""Shipped agents: each is complete, and its model card agrees with its files."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from agents import policy
from agents.checkpoints.agent import ACTOR
from agents.evaluation import report
from agents.evaluation.edge import edge, results
from agents.runs import card, training
from agents.runs.card import CARD, EXPLOIT, LARGEST, RESULTS, ship
from agents.runs.config import from_dict
from sjavs_env import rule_set
from tests.conftest import TINY

RULES = rule_set("faroese4")
SHIPPED = sorted(manifest.parent for manifest in policy.PRETRAINED.glob("*/manifest.json"))


def measured(run: Path, opponent: str = "random") -> Path:
    names = str(run), opponent
    entry = edge(*(policy.load(name, RULES) for name in names), RULES, deals=20, names=names)
    agents = {name: policy.fingerprint(name) for name in names}
    found = results([entry], agents, RULES, deals=20, seed=0, deal_set="test")
    path = run.parent / f"{opponent}.json"
    report.write(path, found)
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (policy, card):
        monkeypatch.setattr(module, "PRETRAINED", tmp_path / "shelf")
    return tmp_path / "shelf"


def test_a_shipped_agent_is_a_policy_by_name_and_its_card_is_complete(
    run: Path, shelf: Path
) -> None:
    folder = ship(run, "tiny", measured(run), measured(run, "rule-of-thumb"), notes="A note.")
    assert folder == shelf / "tiny"
    names = {ACTOR, "manifest.json", RESULTS, EXPLOIT, CARD}
    assert {path.name for path in folder.iterdir()} == names
    assert policy.fingerprint("pretrained:tiny") == policy.fingerprint(str(run))
    weights = [load_file(place / ACTOR) for place in (folder, run / "latest")]
    for name, value in weights[1].items():
        assert value.dtype == torch.float32
        assert torch.equal(weights[0][name], value.half()), "half the bytes"
    policy.load("pretrained:tiny", RULES)
    found = report.read(folder / RESULTS)
    assert {found.entries[0].a, found.agents[0].name} == {"pretrained:tiny"}
    text = (folder / CARD).read_text()
    assert text == card.card(folder, "tiny")
    (entry,) = found.entries
    for told in (
        *("# pretrained:tiny", "docs/rules/faroese4.md", "bidding = forced", "MIT", "A note."),
        *("64 deals", f"{entry.edge:+.2f} ±", policy.fingerprint(str(run)), "Exploitability"),
        *("deals = 256", "net.hidden = [16]", "points thrown"),
    ):
        assert told in text, told


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"threads": 1, "processes": 1}, "minutes on one thread."),
        ({"threads": 2}, "minutes on 2 threads."),
        ({"threads": 1, "processes": 2}, "minutes on 2 processes of one thread each."),
    ],
)
def test_a_card_shows_the_resources_of_the_run(
    run: Path, shelf: Path, made: dict[str, int], words: str
) -> None:
    folder = ship(run, "tiny", measured(run))
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["processes"]
    (folder / "manifest.json").write_text(json.dumps(manifest | made))
    assert words in card.card(folder, "tiny")


def test_shipping_under_the_same_name_replaces_the_agent(run: Path, shelf: Path) -> None:
    ship(run, "tiny", measured(run), measured(run, "rule-of-thumb"))
    folder = ship(run, "tiny", measured(run))
    assert not (folder / EXPLOIT).exists()
    assert "Exploitability" not in (folder / CARD).read_text()


def test_results_of_another_agent_and_heavy_weights_are_refused(
    run: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = measured(run)
    trainer = training.start(from_dict(TINY | {"seed": 9}, "test"))
    trainer.save(run.parent / "other")
    with pytest.raises(ValueError, match=r"random\.json has no results of .*other"):
        ship(run.parent / "other", "tiny", path)
    with pytest.raises(ValueError, match="name 'a/b' must be letters, digits and underscores"):
        ship(run, "a/b", path)
    monkeypatch.setattr(card, "LARGEST", 100)
    with pytest.raises(ValueError, match="the largest shipped agent may have 100"):
        ship(run, "tiny", path)
    assert not shelf.exists()


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_every_shipped_agent_loads_and_its_card_matches_its_files(folder: Path) -> None:
    name = f"{policy.PREFIX}{folder.name}"
    manifest = json.loads((folder / "manifest.json").read_text())
    rules = rule_set(manifest["rules"]["name"], **manifest["rules"]["options"])
    agent = policy.load(name, rules)
    assert (folder / ACTOR).stat().st_size <= LARGEST
    assert (folder / CARD).read_text() == card.card(folder, folder.name)
    found = report.read(folder / RESULTS)
    prints = {each.name: each.fingerprint for each in found.agents}
    assert prints[name] == policy.fingerprint(name)
    entry = next(each for each in found.entries if {each.a, each.b} == {name, "random"})
    again = edge(agent, policy.load("random", rules), rules, deals=200)
    assert again.edge == pytest.approx(entry.edge if entry.a == name else -entry.edge, abs=0.5)
