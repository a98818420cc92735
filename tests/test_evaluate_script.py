"""``python -m scripts.evaluate`` from outside."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.evaluation import report
from scripts import benchmark
from scripts._cli import run
from scripts.evaluate import main
from sjavs_env import RuleSet
from sjavs_env.players.random import lowest_action

CHECKOUT = Path(__file__).resolve().parent.parent
QUICK = ("--deals", "40")


def evaluate(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "scripts.evaluate", *map(str, arguments)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_pair_of_agents_plays_and_the_file_holds_the_results(tmp_path):
    out = tmp_path / "results.json"
    agents = ("random", "tests.test_evaluate:Fixed", "random")
    ran = evaluate(
        *agents, *QUICK, "--option", "bidding=free", "--option", "start=12", "--out", out
    )
    assert ran.returncode == 0, ran.stderr
    assert "edge of A over B" in ran.stdout
    assert "Bradley-Terry" in ran.stdout
    assert ran.stderr.count("random against tests.test_evaluate:Fixed: 40 deals in") == 1
    found = report.read(out)
    assert [(entry.a, entry.b) for entry in found.entries] == [
        ("random", "tests.test_evaluate:Fixed"),
        ("random", "random"),
        ("tests.test_evaluate:Fixed", "random"),
    ]
    first, itself, last = found.entries
    assert first.edge == -last.edge != 0
    assert (itself.edge, itself.low, itself.high) == (0, 0, 0)
    assert [agent.name for agent in found.agents] == ["random", "tests.test_evaluate:Fixed"]
    assert found.rules.options["bidding"] == "free"
    assert found.rules.options["start"] == 12


def test_markdown_is_printed_alone():
    ran = evaluate("random", "random", *QUICK, "--markdown", "--deal-set", "validation")
    assert ran.stdout.startswith("faroese4, 40 deals of validation-v1, seed 0\n\n| A | B |")


class OnThreads:
    """A policy that plays the lowest legal action, if torch has the expected number of threads."""

    sees_all = False

    def __init__(self, number: int) -> None:
        self._number = number

    def act(self, words: np.ndarray, legal: np.ndarray, keys: np.ndarray) -> np.ndarray:
        import torch  # a policy may load it as late as this

        if torch.get_num_threads() != self._number:
            raise RuntimeError(f"torch has {torch.get_num_threads()} threads")
        return lowest_action(legal)


def on_one_thread(rules: RuleSet) -> OnThreads:
    return OnThreads(1)


def on_three_threads(rules: RuleSet) -> OnThreads:
    return OnThreads(3)


def unsendable(rules: RuleSet) -> OnThreads:
    policy = OnThreads(1)
    policy.act = lambda words, legal, keys: lowest_action(legal)  # type: ignore[method-assign]
    return policy


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("on_one_thread", ()),
        ("on_three_threads", ("--threads", 3)),
        ("on_one_thread", ("--processes", 2, "--deals", 5000)),
    ],
)
def test_networks_have_one_thread_unless_more_are_asked_for(name, options):
    ran = evaluate("random", f"tests.test_evaluate_script:{name}", *QUICK, *options)
    assert ran.returncode == 0, ran.stderr


def test_processes_that_load_torch_later_have_one_thread_each():
    code = (
        "from agents.evaluation.edge import edge\n"
        "from sjavs_env import rule_set\n"
        "from sjavs_env.players import player\n"
        "from tests.test_evaluate_script import on_one_thread\n"
        "if __name__ == '__main__':\n"
        "    rules = rule_set('faroese4')\n"
        "    a, b = player('random', rules), on_one_thread(rules)\n"
        "    edge(a, b, rules, 40, batch=20, processes=2)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


MISTAKES = {
    "one agent": (("random",), "a match needs two agents or more, not 1"),
    "policy": (("random", "randon"), "unknown policy 'randon'; the nearest is 'random'"),
    "checkpoint": (("random", "runs/nowhere"), "there is no checkpoint in runs/nowhere"),
    "pretrained": (("random", "pretrained:nobody"), "there is no pretrained agent 'nobody'"),
    "preset": (("random", "random", "--rules", "faroes4"), "unknown rule set 'faroes4'; the near"),
    "option": (("random", "random", "--option", "biding=free"), "no option 'biding'; the nearest"),
    "value": (("random", "random", "--option", "bidding=fre"), "bidding='fre'; the nearest is"),
    "no value": (("random", "random", "--option", "bidding"), "option 'bidding' must be written"),
    "deal set": (
        ("random", "random", "--deal-set", "tset"),
        "unknown deal set 'tset'; the nearest",
    ),
    "deals": (("random", "random", "--deals", "0"), "deals=0 must be a whole number, "),
    "seed": (("random", "random", "--seed", "-1"), "seed=-1 must be a whole number, "),
    "folder": (("random", "random", "--out", "no/r.json"), "cannot write no/r.json: there is no"),
    "no file": (("random", "random", "--out", "/"), "cannot write /: it is a folder"),
    "unpicklable": (
        ("random", "tests.test_evaluate_script:unsendable", "--processes", "2"),
        "policy 'tests.test_evaluate_script:unsendable' cannot be sent to other processes: ",
    ),
    "not for rules": (
        ("random", "os:getcwd"),
        "policy 'os:getcwd' cannot be made of a rule set: ",
    ),
    "threads": (("random", "random", "--threads", "9999999999"), "threads=9999999999 must be a"),
    "rubbers": (("random", "random", "--rubbers", "-1"), "rubbers=-1 must be a whole number, "),
    "flag": (
        ("random", "random", "--deel", "3"),
        "unknown option '--deel'; the nearest is '--deals'",
    ),
    "number": (("random", "random", "--deals", "many"), "Error parsing --deals: invalid literal"),
    "no number": (("random", "random", "--deals"), "Missing value for argument '--deals'"),
    "bad player": (
        ("random", "tests.test_evaluate_script:Cheat", *QUICK),
        "policy 'tests.test_evaluate_script:Cheat' chose the illegal action 'concede' (id 58)",
    ),
}


class Cheat:
    """A policy that always concedes."""

    sees_all = False

    def __init__(self, rules) -> None:
        self.rules = rules

    def act(self, words, legal, keys):
        return legal.astype("int64") * 0 + 58


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_code_2(mistake, tmp_path, monkeypatch, capsys):
    arguments, words = MISTAKES[mistake]
    out = tmp_path / "results.json"
    out.write_text("precious", encoding="utf-8")
    given = () if "--out" in arguments else ("--out", str(out))
    monkeypatch.setattr(sys, "argv", ["evaluate", *given, *arguments])
    with pytest.raises(SystemExit) as ended:
        run(main)
    stdout, stderr = capsys.readouterr()
    assert ended.value.code == 2
    assert stderr.startswith("error: ")
    assert words in stderr
    assert stderr.count("\n") == 1
    assert stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert out.read_text(encoding="utf-8") == "precious"


def test_a_mistake_leaves_no_traceback_outside_either():
    ran = evaluate("random", "randon")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: unknown policy 'randon'")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--out", "no/figures.json"), "cannot write no/figures.json: there is no folder no"),
        (("--out", "."), "cannot write .: it is a folder"),
        (("--seconds", "nan"), "seconds=nan must be more than 0"),
        (("--updates", "-1"), "updates=-1 must be a whole number, 0 to"),
        (("--runs", "0"), "runs=0 must be a whole number, "),
        (("--watches", "cores"), "unknown watches ['cores']; known: core, packed"),
    ],
)
def test_a_mistake_is_reported_before_anything_is_measured(arguments, words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    with pytest.raises(SystemExit) as ended:
        run(benchmark.main)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {words}")
