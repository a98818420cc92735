"""Whatever comes through a public door, it works or is refused in one sentence of ours.

A door is a public function or method with arguments that fit. Hypothesis puts something else in the
place of one of them, or of several. What Python or numpy would say of it, a caller never reads.
"""

import json
import math
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sjavs_env
from agents import policy
from agents.checkpoints import agent, manifest, tensors
from agents.evaluation import dealsets, duplicate, ratings, report
from agents.evaluation.edge import edge, results
from agents.evaluation.rubbers import rubbers
from sjavs_env import VectorSjavs, sjavs_v0
from sjavs_env.core.rules import rubber
from sjavs_env.core.rules.notation import parse_record
from sjavs_env.players import player
from sjavs_env.players.random import Random, lowest_action
from sjavs_env.players.rule_of_thumb import RuleOfThumb
from sjavs_env.views.layout import N_WORDS
from sjavs_env.views.render import Sheet

CHECKOUT = Path(__file__).resolve().parent.parent
SHIPPED = CHECKOUT / "agents" / "pretrained" / "faroese4"
LINE = "3:SQCJHKHQHTSKSTDT/SJDJCKC9C7S9S7H7/CQHJC8DKD9D7HAS8/CACTDADQD8H9H8SA"
FOREIGN = (
    *(AttributeError, KeyError, IndexError, OverflowError, RecursionError, ZeroDivisionError),
    *(AssertionError, NotImplementedError, MemoryError, UnicodeError, StopIteration),
)
"""Errors that are never meant for a caller."""
LONGEST = 2000

huge = st.sampled_from(
    [2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -(2**63), -(10**30)]
)
numbers = st.one_of(
    st.integers(-70, 70),
    huge,
    st.floats(width=32),
    st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1e300, True, False, 3 + 4j]),
    st.sampled_from([np.int8(1), np.uint64(2**64 - 1), np.float32("nan"), np.bool_(True)]),
)
words = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["", "\x00", "a\nb", "../..", "\udcff", "x" * 900, "faroese4", "test", LINE]),
    st.binary(max_size=4),
)
dtypes = st.sampled_from(
    ["bool", "int8", "int64", "uint8", "uint32", "uint64", "float32", "float64", "O", "U3"]
)
shapes = st.sampled_from(
    [(), (0,), (1,), (2,), (3,), (2, 2), (2, N_WORDS), (0, N_WORDS), (1, 1, 1)]
)
arrays = st.builds(
    lambda dtype, shape, value: np.full(shape, value).astype(dtype),
    *(dtypes, shapes, st.integers(0, 100)),
)
plain = st.one_of(st.none(), numbers, words, arrays)
lists = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(-1, 3)), inner, max_size=2),
    ),
    max_leaves=4,
)
odd = st.sampled_from(
    [object(), int, range(3), range(0), slice(1), {1, 2}, Ellipsis, Path("x"), iter([1])]
)
anything = st.one_of(lists, odd)


class Door:
    """A function with arguments that fit, each made anew for every call."""

    def __init__(self, function: Callable[..., Any], **fit: Callable[[], Any]) -> None:
        self.function, self.fit = function, fit


def door(function: Callable[..., Any], **fit: Any) -> Door:
    return Door(function, **{name: lambda value=value: value for name, value in fit.items()})


def vec(batch: int = 2) -> VectorSjavs:
    return VectorSjavs("faroese4", batch, seed=1)


def method(name: str, **fit: Any) -> Door:
    """Return the door of a method of a fresh batch."""
    return door(lambda **given: getattr(vec(), name)(**given), **fit)


def of_env(name: str, **fit: Any) -> Door:
    """Return the door of a method of an environment in which an episode has begun."""

    def called(**given: Any) -> Any:
        env = sjavs_v0.env()
        env.reset(seed=1)
        return getattr(env, name)(**given)

    return door(called, **fit)


def reset_with(**options: Any) -> Any:
    env = sjavs_v0.env(episode="rubber")
    env.reset(options=options)
    return env


def acting(kind: Callable[[str], Any]) -> Door:
    """Return the door of a player that is asked for two decisions."""
    table = vec()
    asked = {"words": table.observe(), "legal": table.legal.copy(), "keys": np.zeros(2, np.uint64)}
    built = kind("faroese4")
    return door(lambda **given: built.act(**given), **asked)


def _results() -> dict[str, Any]:
    return json.loads((SHIPPED / "results.json").read_text(encoding="utf-8"))


RANDOM = Random("faroese4")
CHECKPOINT = manifest.find(SHIPPED)
MATCH = {"a": RANDOM, "b": RANDOM, "rules": "faroese4", "seed": 0, "deal_set": "test"}
MATCH |= {"names": ("a", "b"), "processes": 1, "progress": None}
WORDS = vec().observe()

DOORS: dict[str, Door] = {
    "rule_set": door(sjavs_env.rule_set, name="faroese4", bidding="free", start=24, tie="double"),
    "rule_set french8": door(sjavs_env.rule_set, name="french8", solo=True, start=24),
    "action_name": door(sjavs_env.action_name, action=33, rules="faroese4"),
    "action_id": door(sjavs_env.action_id, name="C5"),
    "unpack": door(sjavs_env.unpack, words=WORDS, dtype="uint8"),
    "view": door(sjavs_env.view, words=WORDS, name="hand"),
    "VectorSjavs": door(VectorSjavs, rules="faroese4", batch=2, seed=1),
    "reset": method("reset", rows=[0, 1], dealer=0, columns=[[24, 24]] * 2, carry=[0, 1], seed=1),
    "reset deals": method("reset", rows=[1], deals=[LINE], columns=[24, 24], carry=0, seed=None),
    "step": method("step", actions=lowest_action(vec().legal)),
    "observe": method("observe", seat=[0, 1], out=np.empty((2, N_WORDS), np.uint32)),
    "observe_all": method("observe_all", seat=0, out=None),
    "features": method("features", row=0, seat=0),
    "take": method("take", rows=[0, 0]),
    "result": method("result", row=0),
    "record": method("record", row=0),
    "table": method("table", row=0, seat=0, sheet=Sheet(("a", "b", "c", "d"))),
    "picture": method("picture", row=0, seat=0),
    "Sheet": door(
        lambda **given: vec().table(0, 0, Sheet(**given)),
        names=("a", "b", "c", "d"),
        results=(),
        crosses=(1, 0),
    ),
    "sjavs_v0.env": door(
        sjavs_v0.env,
        rules="faroese4",
        episode="deal",
        render_mode=None,
        illegal_action="raise",
    ),
    "env.reset": of_env("reset", seed=1, options={"dealer": 1}),
    "env.reset deal": door(reset_with, deal=LINE),
    "env.reset deals": door(reset_with, deals=[LINE]),
    "env.reset dealer": door(reset_with, dealer=2),
    "env.step": of_env("step", action=int(lowest_action(vec().legal)[0])),
    "env.observe": of_env("observe", agent="player_1"),
    "env.observation_space": of_env("observation_space", agent="player_1"),
    "env.action_space": of_env("action_space", agent="player_1"),
    "player": door(player, name="random", rules="faroese4"),
    "Random": door(Random, rules="faroese4"),
    "RuleOfThumb": door(RuleOfThumb, rules="faroese4"),
    "random.act": acting(Random),
    "rule-of-thumb.act": acting(RuleOfThumb),
    "network.act": acting(lambda rules: policy.load("pretrained:faroese4", rules)),
    "parse_record": door(parse_record, line=f"{LINE} 5 5+ - -"),
    "rubber.begin": door(rubber.begin, rules="faroese4", dealer=[0, 1]),
    "policy.load": door(policy.load, name="random", rules="faroese4"),
    "policy.fingerprint": door(policy.fingerprint, name="pretrained:faroese4"),
    "policy.folder": door(policy.folder, name="pretrained:faroese4"),
    "policy.shipped": door(policy.shipped, rules="faroese4"),
    "versioned": door(dealsets.versioned, deal_set="test"),
    "stream": door(dealsets.stream, deal_set="test", seed=0),
    "dealt": door(dealsets.dealt, rules="faroese4", span=range(3), deal_set="test", seed=0),
    "seatings": door(duplicate.seatings, rules="faroese4"),
    "deal_values": door(
        duplicate.deal_values,
        payoff=np.ones((2, 3, 4), np.float32),
        held=duplicate.seatings("faroese4"),
    ),
    "interval": door(duplicate.interval, values=[1.0, -1.0], resamples=41),
    "edge": door(edge, **MATCH, deals=2, batch=2),
    "rubbers": door(rubbers, **MATCH, number=1),
    "results": door(
        results,
        entries=[edge(RANDOM, RANDOM, "faroese4", 2)],
        agents={"a": "0", "b": "0"},
        rules="faroese4",
        deals=2,
        seed=0,
        deal_set="test",
    ),
    "report.check": door(report.check, value=_results()),
    "report.read": door(report.read, path=SHIPPED / "results.json"),
    "report.table": door(report.table, results=report.check(_results())),
    "report.markdown": door(report.markdown, results=report.check(_results())),
    "report.health": door(report.health, results=report.check(_results())),
    "report.health_markdown": door(report.health_markdown, results=report.check(_results())),
    "ratings": door(ratings.ratings, results=report.check(_results())),
    "ratings_table": door(ratings.ratings_table, results=report.check(_results())),
    "find": door(manifest.find, path=SHIPPED, rules="faroese4"),
    "checkpoints": door(manifest.checkpoints, run=SHIPPED),
    "is_blank": door(manifest.is_blank, run=SHIPPED),
    "identity": door(manifest.identity, rules="faroese4"),
    "load_policy": door(agent.load_policy, path=SHIPPED, rules="faroese4"),
    "tensors.read": door(tensors.read, path=SHIPPED / "actor.safetensors"),
}


def try_door(name: str, /, **changed: Any) -> Exception | None:
    """Go through a door with some arguments changed; what it raises must be a sentence of ours."""
    opened = DOORS[name]
    given = {each: make() for each, make in opened.fit.items()} | changed
    try:
        opened.function(**given)
    except (ValueError, TypeError, RuntimeError, *FOREIGN) as error:
        check_sentence(error)
        return error
    return None


def check_sentence(error: Exception) -> None:
    """Check that an error is ours: raised by a line of ours that says so, and one short line."""
    deepest = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{deepest.filename}:{deepest.lineno}: {deepest.line}: {type(error).__name__}: {error}"
    assert not isinstance(error, FOREIGN), where
    assert str(CHECKOUT) in deepest.filename, where
    assert str(deepest.line).startswith("raise "), where
    text = str(error)
    assert text, where
    assert "\n" not in text, where
    assert len(text) < LONGEST, where


@pytest.mark.parametrize("name", DOORS)
def test_what_fits_goes_through(name: str) -> None:
    error = try_door(name)
    if name == "result":
        assert "row 0 has no result yet: its deal is not over" in str(error)
    elif name in ("ratings", "ratings_table") and error is not None:
        assert isinstance(error, report.ResultsError)
    else:
        assert error is None, error


@pytest.mark.filterwarnings("ignore:reset option")
@pytest.mark.parametrize("name", DOORS)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_does_not_fit_is_one_sentence(name: str, data: st.DataObject) -> None:
    arguments = list(DOORS[name].fit)
    changed = data.draw(st.lists(st.sampled_from(arguments), min_size=1, max_size=2, unique=True))
    try_door(name, **{each: data.draw(anything, label=each) for each in changed})


def test_results_with_seats_of_several_numbers_are_damaged() -> None:
    found = _results()
    found["entries"][0]["health_by_seat"]["a"]["mean_tricks"].pop()
    with pytest.raises(report.ResultsError, match=r"is damaged: health_by_seat of .* has 3 and 4"):
        report.check(found)
