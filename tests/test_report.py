"""``results.json`` and the reports made from it."""

import copy
import json
import math

import numpy as np
import pytest
from rich.console import Console

from agents.evaluation.edge import edge, results
from agents.evaluation.ratings import ratings, ratings_table
from agents.evaluation.report import ResultsError, check, markdown, read, table, write
from sjavs_env import rule_set
from sjavs_env.players import player

OLDER = {
    "format": 1,
    "rules": {"name": "faroese4", "options": {"bidding": "free", "start": 24}},
    "fingerprint": "20b2c9876b0e5c36",
    "deal_set": "test-v1",
    "seed": 0,
    "deals": 2000,
    "entries": [
        {"a": "runs/[new]", "b": "random", "edge": 3.125, "low": 3.0, "high": 3.25, "plays": 4000}
        | {"rubbers": {"share": 0.6625, "low": 0.65, "high": 0.68, "plays": 2000}},
        {"a": "runs/[new]", "b": "old", "edge": 0.01, "low": -0.05, "high": 0.07, "plays": 4000},
    ],
    "agents": [
        {"name": "runs/[new]", "fingerprint": "ab"},
        {"name": "random", "fingerprint": "cd"},
        {"name": "old", "fingerprint": "ef"},
    ],
    "versions": {"python": "3.11.7", "numpy": "2.4.6", "sjavs-env": "0.1.0"},
}
MARKDOWN = """\
faroese4, 2,000 deals of test-v1, seed 0

| A | B | edge of A over B |  | rubbers won | plays |
| --- | --- | ---: | --- | ---: | ---: |
| runs/[new] | random | +3.12 ± 0.12 |  | 66.2% ± 1.5% | 4,000 |
| runs/[new] | old | +0.01 ± 0.06 | not separated |  | 4,000 |

game points per deal with 95 % intervals; bidding=free, start=24
"""


def counted(*matches):
    """Return results of matches given as (A, B, wins, draws, losses)."""
    names = dict.fromkeys(name for match in matches for name in match[:2])
    entries = [
        {"a": a, "b": b, "edge": 0, "low": 0, "high": 0, "plays": 2}
        | {"wins": wins, "draws": draws, "losses": losses}
        for a, b, wins, draws, losses in matches
    ]
    agents = [{"name": name, "fingerprint": name} for name in names]
    return check(OLDER | {"entries": entries, "agents": agents})


def test_a_match_is_read_back_from_the_file_unchanged(tmp_path):
    rules = rule_set("french8", solo=True)
    entry = edge(
        player("random", rules), player("random", rules), rules, 50, names=("random", "r2")
    )
    fingerprints = {"random": "1", "r2": "2"}
    value = results([entry], fingerprints, rules, deals=50, seed=0, deal_set="test")
    write(tmp_path / "results.json", value)
    found = read(tmp_path / "results.json")
    assert found.model_dump(mode="json") == json.loads(json.dumps(value))
    assert found.rules.options == dict(rules.options)
    assert found.deal_set == "test-v1"
    assert {"python", "numpy", "torch", "sjavs-env"} <= found.versions.keys()
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_newer_fields_may_be_missing():
    assert check(OLDER).entries[0].wins is None


def test_unknown_fields_are_accepted():
    assert check(OLDER | {"later": 1}).deals == 2000


def damage(*path, to):
    """Return results with one value replaced; None removes it."""
    value = copy.deepcopy(OLDER)
    *steps, last = path
    place = value
    for step in steps:
        place = place[step]
    if to is None:
        del place[last]
    else:
        place[last] = to
    return value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (damage("format", to=2), "has format 2; this program reads 1$"),
        (damage("format", to=None), "has format None; this program reads 1$"),
        ([], r"has format \[\]; this program reads 1$"),
        (damage("deals", to="many"), "is damaged: deals: input should be a valid integer$"),
        (damage("seed", to=-1), "is damaged: seed: input should be greater than or equal to 0$"),
        (damage("entries", 1, "high", to=None), r"is damaged: entries.1.high: field required$"),
        (damage("entries", 0, "edge", to=math.nan), "is damaged: entries.0.edge: input should be"),
        (damage("entries", 0, "b", to="rnd"), "is damaged: 'rnd' is not among its agents$"),
        (damage("rules", to=None), "is damaged: rules: field required$"),
    ],
)
def test_a_damaged_file_is_named_with_its_fault_and_never_written(value, words, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(ResultsError, match=f"results file .*results.json {words}"):
        read(path)
    write(path, OLDER)
    with pytest.raises(ResultsError, match=f"results {words}"):
        write(path, value)
    assert read(path) == check(OLDER)


@pytest.mark.parametrize("content", [b"", b'{"format": 1', b"\xff\xfe"])
def test_a_truncated_file_is_named(content, tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=r"results.json"):
        read(path)


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path):
    with pytest.raises(ResultsError, match=r"cannot read results .*none.json: No such file"):
        read(tmp_path / "none.json")
    with pytest.raises(ResultsError, match=r"cannot write results .*none/r.json: No such file"):
        write(tmp_path / "none" / "r.json", OLDER)


def test_the_table_says_which_agents_are_not_separated():
    assert markdown(check(OLDER)) == MARKDOWN
    console = Console(width=100)
    with console.capture() as shown:
        console.print(table(check(OLDER)))
    for word in ("runs/[new]", "+3.12 ± 0.12", "not separated", "bidding=free"):
        assert word in shown.get()


def test_ratings_of_two_are_the_logarithm_of_their_odds():
    best, anchor = ratings(counted(("a", "random", 600, 200, 200)))
    assert (anchor.name, anchor.rating, anchor.low, anchor.high) == ("random", 0, 0, 0)
    assert best.rating == pytest.approx(400 * math.log10(700.5 / 300.5))
    half = 1.96 * 400 / math.log(10) * (1 / 700.5 + 1 / 300.5) ** 0.5
    assert best.high - best.rating == pytest.approx(half, rel=1e-3)
    assert best.rating - best.low == pytest.approx(half, rel=1e-3)


def test_ratings_find_the_strengths_behind_the_outcomes():
    strengths = {"random": 0, "weak": 100, "strong": 300}
    generator = np.random.Generator(np.random.PCG64(3))
    covered = 0
    for _ in range(200):
        matches = []
        for a, b in (("random", "weak"), ("weak", "strong"), ("random", "strong")):
            odds = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))
            wins = int(generator.binomial(500, odds))
            matches.append((a, b, wins, 0, 500 - wins))
        found = ratings(counted(*matches))
        assert [each.name for each in found] == ["strong", "weak", "random"]
        covered += sum(each.low <= strengths[each.name] <= each.high for each in found[:2])
    assert 0.92 <= covered / 400 <= 0.98


def test_ratings_stay_finite_if_one_agent_wins_everything():
    best, _ = ratings(counted(("a", "random", 1000, 0, 0)))
    assert 1000 < best.rating < 2000


def test_ratings_do_not_depend_on_who_is_named_first():
    one = ratings(counted(("a", "random", 60, 20, 20), ("b", "a", 50, 0, 50)))
    other = ratings(counted(("a", "b", 50, 0, 50), ("random", "a", 20, 20, 60)))
    for left, right in zip(one, other, strict=True):
        assert left.rating == pytest.approx(right.rating, abs=1e-3)


def test_the_table_of_ratings_shows_them_best_first():
    console = Console(width=100)
    with console.capture() as shown:
        console.print(ratings_table(counted(("random", "a", 20, 20, 60))))
    assert shown.get().index("a ") < shown.get().index("random")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            counted(("a", "b", 1, 1, 1)),
            "ratings need the agent 'random' as their zero; the agents are a, b",
        ),
        (
            counted(("a", "b", 1, 1, 1), ("random", "c", 1, 1, 1)),
            "not every agent has met 'random'",
        ),
        (check(OLDER), r"runs/\[new\] against random lacks wins, draws and losses"),
    ],
)
def test_ratings_that_cannot_be_made_say_why(found, words):
    with pytest.raises(ResultsError, match=words):
        ratings(found)
