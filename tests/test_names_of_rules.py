"""Wherever a rule set is asked for, its name does, and what is none is told in the same words."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pytest

import agents
import sjavs_env
from agents import policy
from agents.evaluation.edge import edge
from agents.evaluation.rubbers import rubbers
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.rules import rubber
from sjavs_env.players import player

INSIDE = (
    # What compiles a rule set, what a player is made of, what a network is and how it learns: their
    # callers hold the rule set that a door has been given.
    "sjavs_env.core.tables.auction_tables",
    "sjavs_env.core.tables.card_tables",
    "sjavs_env.core.tables.score_tables",
    "sjavs_env.players.bidding",
    "sjavs_env.players.cardplay",
    "sjavs_env.players.facts",
    "sjavs_env.players.lines",
    "sjavs_env.players.ranking",
    "agents.networks",
    "agents.learning",
)
"""Rooms and files whose functions are called from inside alone."""


def modules() -> Iterator[Any]:
    for package in (sjavs_env, agents):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(found.name == name or found.name.startswith(f"{name}.") for name in INSIDE):
                yield importlib.import_module(found.name)


def functions(module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions and constructors of a module, and public methods."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        where = f"{module.__name__}.{name}"
        if not inspect.isclass(value):
            if callable(value):
                yield where, value
            continue
        if not is_dataclass(value):  # a dataclass holds what it was made of
            yield where, value
        for method, function in inspect.getmembers(value, inspect.isfunction):
            if not method.startswith("_"):
                yield f"{where}.{method}", function


def rule_set_parameters(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield the parameters that take a rule set, with their types as they are written."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        return
    for name, parameter in parameters.items():
        told = str(parameter.annotation)
        if "RuleSet" in told and "Callable" not in told:
            yield name, told


DOORS = {
    f"{where}({name})": (function, name, told)
    for module in modules()
    for where, function in functions(module)
    for name, told in rule_set_parameters(function)
}


FIT = {"action": 33, "name": "random", "span": range(1), "seeds": 1}
"""Other arguments that are looked at before a rule set is."""


def run(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call a function, and begin to read what it yields."""
    found = function(**arguments)
    if inspect.isgenerator(found):
        next(found)


def test_the_doors_are_found() -> None:
    known = ("VectorSjavs(rules)", "core.rules.notation.action_name(rules)", "players.player(rules")
    for name in known:
        assert any(name in door for door in DOORS), name
    assert len(DOORS) > 25


@pytest.mark.parametrize("door", DOORS)
def test_a_name_is_taken_and_what_is_none_is_told(door: str) -> None:
    function, name, told = DOORS[door]
    assert "str" in told, f"{door} is annotated {told}"
    others = {
        each.name: FIT.get(each.name)
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD and each.name != name
    }
    wrong = {
        "faroese5": "unknown rule set 'faroese5'; the nearest is 'faroese4'",
        3: "unknown rule set 3; known: faroese4, ",
        ("faroese4",): r"unknown rule set \('faroese4',\); the nearest is 'faroese4'",
    }
    for value, sentence in wrong.items():
        with pytest.raises(ValueError, match=f"^{sentence}"):
            run(function, others | {name: value})
    with pytest.raises(ValueError, match=r"^unknown rule set \[\]; known: faroese4, "):
        run(function, others | {name: []})


def test_none_is_no_rule_set_unless_it_says_so() -> None:
    assert sjavs_env.action_name(33, None) == "5"
    with pytest.raises(ValueError, match="unknown rule set None"):
        player("random", None)  # type: ignore[arg-type]


def test_a_name_means_the_preset() -> None:
    rules = rule_set("klorsjavs")
    ten = sjavs_env.action_id("CT")
    assert sjavs_env.action_name(ten, "klorsjavs") == sjavs_env.action_name(ten, rules) == "C5"
    assert rubber.begin("klorsjavs", [0]).rules == rules
    thumb, random = (player(name, "klorsjavs") for name in ("rule-of-thumb", "random"))
    assert thumb.rules == rules  # type: ignore[attr-defined]
    named = edge(thumb, random, "klorsjavs", 20)
    assert named == edge(thumb, random, rules, 20)
    assert rubbers(thumb, random, "klorsjavs", 2) == rubbers(thumb, random, rules, 2)


def test_a_shipped_agent_is_found_by_the_name_of_its_rules() -> None:
    assert policy.shipped("faroese4") == "pretrained:faroese4"
    agent = policy.load("pretrained:faroese4", "faroese4")
    vec = sjavs_env.VectorSjavs(seed=1)
    chosen = agent.act(vec.observe(), vec.legal, np.zeros(1, np.uint64))
    assert vec.legal_mask()[0, chosen[0]]


def test_a_rule_set_of_its_own_is_taken_as_it_is() -> None:
    rules = rule_set("faroese4", start=7)
    assert isinstance(rules, RuleSet)
    assert rubber.begin(rules, [0]).columns.tolist() == [[7], [7]]
