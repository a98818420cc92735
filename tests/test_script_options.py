"""Every option of every script: it begins the work, or ends with one sentence and exit code 2."""

import importlib
import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.runs.config import Config
from scripts import _cli
from tests.test_train_script import SMOKE

ODD = (
    *("", "x", "nan", "inf", "-inf", "-1", "0", "0.5", "1e400", "-", "--", "None", "true", "\x00"),
    *("99999999999999999999", "♠", "../none", "runs/none", "module:callable", "random", "a" * 500),
)
"""Values for an option, most of them unfit for it."""


class Begun(BaseException):
    """The work has begun: every check lies behind."""


def begin(*given: object, **named: object) -> None:
    raise Begun


SCRIPTS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "evaluate": (["random", "rule-of-thumb"], ("edge", "_exploited")),
    "benchmark": ([], ("measure",)),
    "ship": (["runs/none", "name", "--results", "none.json"], ()),
    "train": ([SMOKE], ("train",)),
}
"""The scripts: what they need on the command line, and where their work begins."""


def schema(name: str) -> type:
    return Config if name == "train" else importlib.import_module(f"scripts.{name}").Arguments


OPTIONS = [
    (name, flag)
    for name in SCRIPTS
    for flag in _cli._flags(schema(name))
    if flag != "--phase"  # its own options have numbers in their names
]


def outcome(module: ModuleType, words: list[str], patch: pytest.MonkeyPatch) -> tuple[object, str]:
    """Run a script up to its work; return how it ended and what it said."""
    told: list[str] = []
    patch.setattr(sys, "argv", [module.__name__, *words])
    patch.setattr(sys.stderr, "write", lambda text: told.append(text) or len(text))
    main: Callable[[], None] = module.main
    try:
        _cli.run(main)
    except Begun:
        return "begun", ""
    except SystemExit as end:
        return end.code, "".join(told)
    return 0, ""


@pytest.mark.parametrize(("name", "flag"), OPTIONS, ids=[" ".join(each) for each in OPTIONS])
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(value=st.one_of(st.sampled_from(ODD), st.integers().map(str), st.text(max_size=8)))
@example(value="99999999999999999999")
@example(value="-1")
@example(value="nan")
def test_an_option_begins_the_work_or_is_one_sentence(
    name: str, flag: str, value: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words, works = SCRIPTS[name]
    module = importlib.import_module(f"scripts.{name}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here", numbered=True))
        for work in works:
            patch.setattr(module, work, begin)
        ended, said = outcome(module, [*words, f"{flag}={value}"], patch)
    assert ended in ("begun", _cli.USER_MISTAKE), said
    if ended == _cli.USER_MISTAKE:
        assert said.startswith("error: ")
        assert said.count("\n") == 1
