"""Policies by name."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from agents import policy
from agents.checkpoints import agent
from agents.checkpoints.manifest import checkpoints
from agents.checkpoints.tensors import CheckpointError
from agents.evaluation.edge import edge
from agents.networks.nets import NetConfig
from agents.policy import fingerprint, load
from agents.runs.config import Config
from agents.runs.training import start
from sjavs_env import rule_set
from sjavs_env.players import PLAYERS

RULES = rule_set("faroese4")


class Silent:
    """A policy that only stores its rules."""

    sees_all = True

    def __init__(self, rules) -> None:
        self.rules = rules

    def act(self, words, legal, keys):
        raise NotImplementedError


def without_eyes(rules):
    return type("Blind", (), {"act": print})()


def nothing(rules):
    return None


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Provide two pretrained agents, and a loader that returns the folder that it gets."""
    for name in ("faroese4", "klorsjavs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").touch()
    (tmp_path / "notes").mkdir()
    monkeypatch.setattr(policy, "PRETRAINED", tmp_path)
    monkeypatch.setattr(agent, "load_policy", lambda folder, rules: (folder, rules))
    return tmp_path


@pytest.mark.parametrize("name", PLAYERS)
def test_a_built_in_player_is_loaded_by_its_name(name):
    assert type(load(name, RULES)) is type(PLAYERS[name](RULES))


def test_a_callable_of_a_module_makes_a_policy_for_the_rules():
    found = load("tests.test_policies:Silent", RULES)
    assert found.sees_all
    assert found.rules == RULES


def test_a_folder_is_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(agent, "load_policy", lambda folder, rules: (folder, rules))
    assert load(str(tmp_path), RULES) == (tmp_path, RULES)
    monkeypatch.chdir(tmp_path.parent)
    assert load(tmp_path.name, RULES)[0].resolve() == tmp_path
    assert load(os.path.join("runs", "new"), RULES)[0].parts == ("runs", "new")


def test_a_pretrained_agent_is_loaded_by_the_name_of_its_folder(shipped):
    assert load("pretrained:faroese4", RULES) == (shipped / "faroese4", RULES)


@pytest.mark.parametrize("name", ["pretrained:faroese5", "pretrained:notes", "pretrained:"])
def test_an_unknown_pretrained_agent_is_refused_with_the_known_ones(name, shipped):
    with pytest.raises(ValueError, match=r"no pretrained agent .*; known: faroese4, klorsjavs$"):
        load(name, RULES)


def test_a_folder_without_a_checkpoint_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"there is no checkpoint in .*nowhere"):
        load(str(tmp_path / "nowhere"), RULES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("randon", "unknown policy 'randon'; the nearest is 'random'; a policy can also be"),
        ("rule-of-tumb", "unknown policy 'rule-of-tumb'; the nearest is 'rule-of-thumb'; a"),
        ("pretrained", "unknown policy 'pretrained'"),
        ("pimc:50", "unknown policy 'pimc:50'"),
        ("onnx:net.onnx", "unknown policy 'onnx:net.onnx'"),
        ("bot:./bot", "there is no checkpoint in bot:./bot"),
        (":x", "unknown policy ':x'"),
        ("", "unknown policy ''"),
        ("no_such_module:x", "unknown policy 'no_such_module:x'"),
        ("tests.nothing_here:x", "unknown policy 'tests.nothing_here:x'"),
        (
            "tests.test_policies:Silence",
            "tests.test_policies has no callable 'Silence'; the nearest is 'Silent'",
        ),
        ("tests.test_policies:RULES", "tests.test_policies has no callable 'RULES'"),
        ("tests.test_policies:", "tests.test_policies has no callable ''"),
        ("tests.test_policies:nothing", "nothing returned a NoneType, which has no 'act'"),
        ("tests.test_policies:without_eyes", "without_eyes returned a Blind, which has no 'sees_"),
    ],
)
def test_a_name_without_a_policy_is_refused_with_one_sentence(name, words):
    with pytest.raises(ValueError, match=words) as caught:
        load(name, RULES)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the folder of a run with the checkpoint of an untrained network."""
    folder = tmp_path_factory.mktemp("run")
    start(Config(batch=16, net=NetConfig(hidden=(8,)))).save(folder)
    return folder


def test_a_run_and_its_checkpoint_are_the_same_policy(run):
    (checkpoint,) = checkpoints(run)
    assert fingerprint(str(run)) == fingerprint(str(checkpoint))
    policies = [load(str(folder), RULES) for folder in (run, checkpoint)]
    entry = edge(*policies, RULES, deals=200)
    assert (entry.edge, entry.draws) == (0, 200)


def test_a_network_plays_the_same_in_every_batch_and_process(run):
    policies = load(str(run), RULES), load("random", RULES)
    whole = edge(*policies, RULES, deals=30)
    assert whole == edge(*policies, RULES, deals=30, batch=4)
    assert whole == edge(*policies, RULES, deals=30, batch=16, processes=2)


def test_a_checkpoint_of_other_rules_is_refused(run):
    with pytest.raises(CheckpointError, match="was made for other rules"):
        load(str(run), rule_set("faroese4", bidding="free"))


def test_a_module_with_a_missing_import_is_refused_by_the_missing_name(tmp_path, monkeypatch):
    (tmp_path / "my_policy.py").write_text("import not_there_at_all\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="my_policy needs the module 'not_there_at_all'"):
        load("my_policy:Mine", RULES)


def test_fingerprints_follow_name_weights_and_source(tmp_path):
    assert fingerprint("random") == sha256(b"random").hexdigest()[:16]
    source = Path(__file__).read_bytes()
    assert fingerprint("tests.test_policies:Silent") == sha256(source).hexdigest()[:16]
    with pytest.raises(ValueError, match="unknown policy 'randon'"):
        fingerprint("randon")


def test_measuring_needs_no_torch():
    measuring = "agents.evaluation.edge, agents.evaluation.report"
    code = f"import sys, {measuring}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
