"""The house has floors: a file imports from lower floors, and beside itself only without a circle.

The tables below are the plan of the house. A new module is entered here before it is imported.
"""

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent

# Lowest floor first; per package its modules on that floor. `name.*` is a package and everything in
# it; without the star it is the `__init__.py` alone, which stands above whatever it gathers.
FLOORS: dict[str, dict[str, str]] = {
    "tables": {
        "sjavs_env.core": "actions auction_tables card_tables cards codes errors fingerprints "
        "ruleset rulesets score_tables scores tables",
    },
    "rules": {
        "sjavs_env.core": "auction bits confirm dealing exchange machine naming notation play "
        "play_alone rubber scoring state turns",
        "sjavs_env": "core",
    },
    "views": {"sjavs_env": "arguments layout observe observe_row render score_sheet transcript"},
    "wrappers": {"sjavs_env": "aec episode players.* single sjavs_v0 vector", "": "sjavs_env"},
    "agents": {
        "agents": "bounds branches bytetables card checkpoint config dealsets devices duplicate "
        "evaluate exploit facts features health holdings league loader logbook losses nets "
        "parallel past peers policy ppo processes provenance ratings report rollout rubbers runs "
        "search.* slots speed speed_training stakes stopwatch table training weights",
        "": "agents",
    },
    "scripts": {"": "scripts.*"},
}

# What may be imported from outside, by the longest prefix of the importer; no entry: anything but
# torch. The standard library is open to all.
OUTSIDE: dict[str, tuple[str, ...]] = {
    "sjavs_env": ("gymnasium", "numpy", "pettingzoo"),
    "sjavs_env.core": ("numpy",),
    "sjavs_env.players": ("numpy",),
}
TORCH = (
    "agents.bytetables",
    "agents.checkpoint",
    "agents.config",
    "agents.devices",
    "agents.facts",
    "agents.features",
    "agents.holdings",
    "agents.loader",
    "agents.logbook",
    "agents.losses",
    "agents.nets",
    "agents.parallel",
    "agents.ppo",
    "agents.runs",
    "agents.slots",
    "agents.stakes",
    "agents.speed_training",
    "agents.weights",
    "scripts",
)

# Downward edges that are forbidden all the same: built-in players see observations only, the
# learner does not know the environment, evaluation does not know the learner, the report knows
# only results.json.
STRANGERS: dict[str, tuple[str, ...]] = {
    "sjavs_env.players": (
        "sjavs_env.aec",
        "sjavs_env.core.dealing",
        "sjavs_env.core.machine",
        "sjavs_env.core.state",
        "sjavs_env.single",
        "sjavs_env.vector",
    ),
    "agents.ppo": ("sjavs_env.aec", "sjavs_env.single", "sjavs_env.vector", "agents.evaluate"),
    "agents.evaluate": ("agents.ppo", "agents.rollout"),
    "agents.report": ("agents", "sjavs_env"),
}

OURS = ("agents", "scripts", "sjavs_env", "tests")


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    """Say whether `module` is one of `packages` or lies in one of them."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def entries(floor: str) -> list[str]:
    """List the full names of the entries of one floor."""
    packages = FLOORS[floor].items()
    return [
        f"{package}.{name}".lstrip(".") for package, names in packages for name in names.split()
    ]


def floor_of(module: str) -> int | None:
    """Look up the floor of a module; None where the table does not have it."""
    for level, floor in enumerate(FLOORS):
        for entry in entries(floor):
            package = entry.removesuffix(".*")
            if module == package or (package != entry and is_within(module, (package,))):
                return level
    return None


def modules_in(root: Path) -> dict[str, Path]:
    """List the modules below `root` by dotted name; a package is named without `__init__`."""
    modules = {}
    for top in ("agents", "scripts", "sjavs_env"):
        for path in sorted((root / top).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def imports_of(module: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """Yield the modules that a file imports, each with its line."""
    base = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = base[: len(base) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from package import name`: a module of the package, or a name in its __init__.
                inner = f"{source}.{alias.name}"
                yield (inner if inner in known else source), node.lineno


def imports_in_functions(path: Path) -> Iterator[int]:
    """Yield the lines of imports that stand inside a function."""
    everything = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    for function in (
        n for n in everything if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ):
        inner = ast.walk(function)
        yield from (n.lineno for n in inner if isinstance(n, ast.Import | ast.ImportFrom))


def fault_of_edge(module: str, target: str) -> str | None:
    """Say what is wrong with one import, or None."""
    top = target.partition(".")[0]
    if top in OURS:
        here, there = floor_of(module), floor_of(target)
        if there is None:
            return "the target is not in the table of floors"
        if here is not None and there > here:
            low, high = list(FLOORS)[here], list(FLOORS)[there]
            return f"an upward edge, from floor {here} ({low}) to {there} ({high})"
        for stranger, unknown in STRANGERS.items():
            if is_within(module, (stranger,)) and is_within(target, unknown):
                return "the two are to stay strangers"
    elif top == "torch":
        if not is_within(module, TORCH):
            return f"torch belongs in {', '.join(TORCH)} only"
    elif top not in sys.stdlib_module_names:
        owners = [owner for owner in OUTSIDE if is_within(module, (owner,))]
        allowed = OUTSIDE[max(owners, key=len)] if owners else (top,)
        if top not in allowed:
            return f"from outside only {', '.join(allowed)} may be imported here"
    return None


def circles(edges: dict[str, set[str]]) -> list[str]:
    """Find a circle of imports among the edges, in words."""
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        # The sorter ends where it began, and goes from the imported module to its importer.
        circle = error.args[1][:0:-1]
        first = circle.index(min(circle))
        return ["a circle of imports: " + " -> ".join([*circle[first:], *circle[: first + 1]])]
    return []


def faults(root: Path) -> list[str]:
    """Check the checkout at `root` against the tables and name every fault."""
    known = modules_in(root)
    found = [
        f"{module}: not in the table of floors (tests/test_floors.py); enter it on its floor"
        for module in known
        if floor_of(module) is None
    ]
    edges: dict[str, set[str]] = {}
    for module, path in known.items():
        where = path.relative_to(root)
        if not is_within(module, ("scripts",)):
            found += [f"{where}:{n}: an import in a function" for n in imports_in_functions(path)]
        for target, line in dict.fromkeys(imports_of(module, path, known)):
            if target in known and target != module:
                edges.setdefault(module, set()).add(target)
            if fault := fault_of_edge(module, target):
                found.append(f"{where}:{line}: {module} -> {target}: {fault}")
    return found + circles(edges)


def build(root: Path, **files: str) -> Path:
    """Write a small checkout; `sjavs_env__core__cards="…"` is sjavs_env/core/cards.py."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_every_file_imports_only_from_lower_floors():
    assert "\n".join(faults(CHECKOUT)) == ""


def test_the_whole_checkout_is_read():
    assert {"sjavs_env", "sjavs_env.core.machine", "agents.ppo"} <= set(modules_in(CHECKOUT))


def test_downward_edges_and_neighbours_are_allowed(tmp_path):
    root = build(
        tmp_path,
        sjavs_env__core__cards="import numpy as np\n",
        sjavs_env__core__tables="from . import cards\nfrom .rulesets import rule_set\n",
        sjavs_env__core__rulesets="from sjavs_env.core.cards import CARDS\n",
        sjavs_env__aec="import pettingzoo\nfrom .core.tables import TABLE\nfrom . import observe\n",
        sjavs_env__observe="from sjavs_env.core import cards\n",
        agents__nets="import torch\nfrom sjavs_env import observe\n",
        agents__search__solver="from sjavs_env.core import cards\n",
        scripts__train="import torch, tyro\nfrom agents import nets\n",
    )
    assert faults(root) == []


UPWARD = "an upward edge, from floor 0 (tables) to 1 (rules)"
PLANTED = {
    "absolute": (
        {"sjavs_env__core__cards": "\nfrom sjavs_env.core.play import follow\n"},
        f"sjavs_env/core/cards.py:2: sjavs_env.core.cards -> sjavs_env.core.play: {UPWARD}",
    ),
    "relative": (
        {"sjavs_env__core__cards": "from . import play\n", "sjavs_env__core__play": ""},
        f"sjavs_env/core/cards.py:1: sjavs_env.core.cards -> sjavs_env.core.play: {UPWARD}",
    ),
    "the gathering package": (
        {"sjavs_env__core__cards": "from sjavs_env import sjavs_v0\n"},
        "sjavs_env/core/cards.py:1: sjavs_env.core.cards -> sjavs_env: "
        "an upward edge, from floor 0 (tables) to 3 (wrappers)",
    ),
    "types only": (
        {
            "sjavs_env__observe": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from .players.rules import Player\n"
        },
        "sjavs_env/observe.py:3: sjavs_env.observe -> sjavs_env.players.rules: "
        "an upward edge, from floor 2 (views) to 3 (wrappers)",
    ),
    "agents": (
        {"sjavs_env__vector": "import agents.policy\n"},
        "sjavs_env/vector.py:1: sjavs_env.vector -> agents.policy: "
        "an upward edge, from floor 3 (wrappers) to 4 (agents)",
    ),
    "tests": (
        {"agents__evaluate": "from tests.reference import oracle\n"},
        "agents/evaluate.py:1: agents.evaluate -> tests.reference: "
        "the target is not in the table of floors",
    ),
    "a function": (
        {"sjavs_env__vector": "def step():\n    import json\n"},
        "sjavs_env/vector.py:2: an import in a function",
    ),
    "torch in the environment": (
        {"sjavs_env__observe": "import torch.nn\n"},
        "sjavs_env/observe.py:1: sjavs_env.observe -> torch.nn: "
        f"torch belongs in {', '.join(TORCH)} only",
    ),
    "torch in evaluation": (
        {"agents__evaluate": "from torch import nn\n"},
        f"agents/evaluate.py:1: agents.evaluate -> torch: torch belongs in {', '.join(TORCH)} only",
    ),
    "a framework in the core": (
        {"sjavs_env__core__state": "import gymnasium\n"},
        "sjavs_env/core/state.py:1: sjavs_env.core.state -> gymnasium: "
        "from outside only numpy may be imported here",
    ),
    "a player that looks at the state": (
        {"sjavs_env__players__peeking": "from sjavs_env.core.state import State\n"},
        "sjavs_env/players/peeking.py:1: sjavs_env.players.peeking -> sjavs_env.core.state: "
        "the two are to stay strangers",
    ),
    "a stranger": (
        {"agents__report": "from agents import evaluate\n", "agents__evaluate": ""},
        "agents/report.py:1: agents.report -> agents.evaluate: the two are to stay strangers",
    ),
    "an unknown module": (
        {"sjavs_env__core__luck": ""},
        "sjavs_env.core.luck: not in the table of floors (tests/test_floors.py); "
        "enter it on its floor",
    ),
    "a circle": (
        {
            "sjavs_env__core__play": "from .state import State\n",
            "sjavs_env__core__state": "from .bits import lowest\n",
            "sjavs_env__core__bits": "from . import play\n",
        },
        "a circle of imports: sjavs_env.core.bits -> sjavs_env.core.play "
        "-> sjavs_env.core.state -> sjavs_env.core.bits",
    ),
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_fault_is_found_and_named(planted, tmp_path):
    files, message = planted
    assert faults(build(tmp_path, **files)) == [message]


def test_no_module_stands_on_two_floors():
    names = [entry for floor in FLOORS for entry in entries(floor)]
    assert len(names) == len(set(names))
