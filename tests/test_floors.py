"""The checkout has rooms: a folder is a room, and a room imports only from the rooms allowed to it.

``ROOMS`` is the table of rooms and of the imports allowed between them. A new room needs an entry
here; a new file in a room needs none. Files of one room may import each other, but not in a circle.
"""

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent

_ENVIRONMENT = "sjavs_env sjavs_env.core sjavs_env.core.tables sjavs_env.players sjavs_env.views"

# Each room, and the rooms that it may import from, lowest room first.
ROOMS: dict[str, str] = {
    "sjavs_env.core": "",
    "sjavs_env.core.tables": "sjavs_env.core",
    "sjavs_env.core.rules": "sjavs_env.core sjavs_env.core.tables",
    "sjavs_env.views": "sjavs_env.core sjavs_env.core.tables sjavs_env.core.rules",
    # Built-in players see observations only.
    "sjavs_env.players": "sjavs_env.core sjavs_env.core.tables sjavs_env.views",
    "sjavs_env": "sjavs_env.core sjavs_env.core.tables sjavs_env.core.rules sjavs_env.views",
    "agents.common": "sjavs_env.core",
    "agents.networks": f"{_ENVIRONMENT} agents.common",
    "agents.checkpoints": f"{_ENVIRONMENT} agents.networks",
    # Evaluation imports neither the learner nor the networks.
    "agents.evaluation": f"{_ENVIRONMENT} sjavs_env.core.rules agents.common",
    "agents": f"{_ENVIRONMENT} agents.checkpoints agents.evaluation",
    "agents.learning": f"{_ENVIRONMENT} agents.common agents.networks agents.evaluation",
    "agents.learning.lessons": f"{_ENVIRONMENT} agents.learning",
    "agents.runs": f"{_ENVIRONMENT} agents agents.common agents.networks agents.checkpoints "
    "agents.evaluation agents.learning agents.learning.lessons",
    "agents.speed": f"{_ENVIRONMENT} agents.learning agents.runs",
    "recipes": "sjavs_env sjavs_env.players",
    "scripts": f"{_ENVIRONMENT} agents agents.common agents.networks agents.checkpoints "
    "agents.evaluation agents.learning agents.runs agents.speed recipes",
}

# External packages that a module may import, by the longest prefix of its name. Without an entry
# it may import everything except torch. The standard library is always allowed.
OUTSIDE: dict[str, tuple[str, ...]] = {
    "sjavs_env": ("gymnasium", "numpy", "pettingzoo"),
    "sjavs_env.core": ("numpy",),
    "sjavs_env.players": ("numpy",),
    "sjavs_env.views": ("numpy",),
}
TORCH = (
    "agents.networks",
    "agents.checkpoints",
    "agents.learning",
    "agents.runs",
    "agents.speed",
    "scripts",
)

# Arrows between single files that are forbidden though their rooms may know each other: the learner
# does not know the environment, the report knows only results.json, and every room is below the
# door but the ones that need a policy by its name.
STRANGERS: dict[str, tuple[str, ...]] = {
    "agents.learning.ppo": ("sjavs_env.aec", "sjavs_env.vector", "agents.evaluation"),
    "agents.learning.losses": ("sjavs_env", "agents.evaluation"),
    "agents.evaluation.report": ("agents", "sjavs_env"),
}

OURS = ("agents", "recipes", "scripts", "sjavs_env", "tests")


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    """Return whether `module` is one of `packages`, or is inside one of them."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def room_of(module: str, known: dict[str, Path]) -> str:
    """Return the room of a module: its folder. A module that does not exist goes by its name."""
    if module in known and known[module].name == "__init__.py":
        return module
    return module.rpartition(".")[0]


def modules_in(root: Path) -> dict[str, Path]:
    """List the modules below `root` by dotted name; a package is named without `__init__`."""
    modules = {}
    for top in ("agents", "recipes", "scripts", "sjavs_env"):
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
    """Yield the lines of imports inside functions."""
    everything = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    for function in (
        n for n in everything if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ):
        inner = ast.walk(function)
        yield from (n.lineno for n in inner if isinstance(n, ast.Import | ast.ImportFrom))


def fault_of_edge(module: str, target: str, known: dict[str, Path]) -> str | None:
    """Return what is wrong with one import; None if nothing is."""
    top = target.partition(".")[0]
    if top in OURS:
        here, there = room_of(module, known), room_of(target, known)
        if here in ROOMS and there != here and there not in ROOMS[here].split():
            return f"the room {here} may not import from the room {there}"
        for stranger, unknown in STRANGERS.items():
            if is_within(module, (stranger,)) and is_within(target, unknown):
                return "the table of strangers forbids this import"
    elif top == "torch":
        if not is_within(module, TORCH):
            return f"torch belongs in {', '.join(TORCH)} only"
    elif top not in sys.stdlib_module_names:
        owners = [owner for owner in OUTSIDE if is_within(module, (owner,))]
        allowed = OUTSIDE[max(owners, key=len)] if owners else (top,)
        if top not in allowed:
            return f"only {', '.join(allowed)} may be imported from outside here"
    return None


def circles(edges: dict[str, set[str]]) -> list[str]:
    """Return a list with a circle of imports among the edges as text, or an empty one."""
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        # The sorter ends where it began, and goes from the imported module to its importer.
        circle = error.args[1][:0:-1]
        first = circle.index(min(circle))
        return ["a circle of imports: " + " -> ".join([*circle[first:], *circle[: first + 1]])]
    return []


def faults(root: Path) -> list[str]:
    """Return every fault of the checkout at `root` by the tables."""
    known = modules_in(root)
    found = [
        f"{path.relative_to(root)}: the room {room_of(module, known)} is not in the table of rooms "
        "(tests/test_floors.py)"
        for module, path in known.items()
        if room_of(module, known) not in ROOMS
    ]
    edges: dict[str, set[str]] = {}
    for module, path in known.items():
        where = path.relative_to(root)
        if not is_within(module, ("scripts",)):
            found += [f"{where}:{n}: an import in a function" for n in imports_in_functions(path)]
        for target, line in dict.fromkeys(imports_of(module, path, known)):
            if target in known and target != module:
                edges.setdefault(module, set()).add(target)
            if fault := fault_of_edge(module, target, known):
                found.append(f"{where}:{line}: {module} -> {target}: {fault}")
    return found + circles(edges)


def build(root: Path, **files: str) -> Path:
    """Write a small checkout; `sjavs_env__core__cards="…"` is sjavs_env/core/tables/cards.py."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_every_file_imports_only_from_lower_floors():
    assert "\n".join(faults(CHECKOUT)) == ""


def test_the_whole_checkout_is_read():
    assert {"sjavs_env", "sjavs_env.core.rules.machine", "agents.policy"} <= set(
        modules_in(CHECKOUT)
    )


def test_the_table_of_rooms_is_ordered_and_names_only_existing_rooms():
    below: set[str] = set()
    for room, arrows in ROOMS.items():
        assert set(arrows.split()) <= below, f"{room} may know a room above it"
        assert (CHECKOUT / room.replace(".", "/") / "__init__.py").exists()
        below.add(room)


def test_the_docstring_of_a_room_says_what_goes_in_and_out_and_where_to_start():
    for room in ROOMS:
        opening = ast.get_docstring(
            ast.parse((CHECKOUT / room.replace(".", "/") / "__init__.py").read_text("utf-8"))
        )
        assert opening, room
        if room not in ("sjavs_env", "agents", "scripts"):
            assert "In: " in opening, room
            assert "Out: " in opening, room


MOST_FILES = 15


def test_a_room_has_about_a_dozen_files():
    for room in ROOMS:
        files = list((CHECKOUT / room.replace(".", "/")).glob("[!_]*.py"))
        assert len(files) <= MOST_FILES, f"{room} has {len(files)} files: it is two rooms"


def test_file_names_are_unique_except_a_script_and_the_module_that_it_runs():
    places: dict[str, list[str]] = {}
    for module in modules_in(CHECKOUT):
        room, _, name = module.rpartition(".")
        if module not in ROOMS and room != "scripts":
            places.setdefault(name, []).append(module)
    assert [each for each in places.values() if len(each) > 1] == []


def test_downward_edges_and_neighbours_are_allowed(tmp_path):
    root = build(
        tmp_path,
        sjavs_env__core__tables__cards="import numpy as np\n",
        sjavs_env__core__tables__compiled="from . import cards\nfrom .rulesets import rule_set\n",
        sjavs_env__core__tables__rulesets="from sjavs_env.core.tables.cards import CARDS\n",
        sjavs_env__aec="import pettingzoo\nfrom .core.tables.compiled import TABLE\n",
        sjavs_env__views__observe="from sjavs_env.core.tables import cards\n",
        agents__networks__nets="import torch\nfrom sjavs_env.views import observe\n",
        agents__runs__config="from agents.networks import nets\n",
        scripts__train="import torch, tyro\nfrom agents.runs import config\n",
    )
    assert faults(root) == []


UNKNOWN = "the room sjavs_env.core.tables may not import from the room sjavs_env.core.rules"
PLANTED = {
    "absolute": (
        {"sjavs_env__core__tables__cards": "\nfrom sjavs_env.core.rules.play import follow\n"},
        "sjavs_env/core/tables/cards.py:2: sjavs_env.core.tables.cards -> "
        f"sjavs_env.core.rules.play: {UNKNOWN}",
    ),
    "relative": (
        {
            "sjavs_env__core__tables__cards": "from ..rules import play\n",
            "sjavs_env__core__rules__play": "",
        },
        "sjavs_env/core/tables/cards.py:1: sjavs_env.core.tables.cards -> "
        f"sjavs_env.core.rules.play: {UNKNOWN}",
    ),
    "the gathering package": (
        {"sjavs_env__core__cards": "from sjavs_env.sjavs_v0 import env\n"},
        "sjavs_env/core/cards.py:1: sjavs_env.core.cards -> sjavs_env.sjavs_v0: "
        "the room sjavs_env.core may not import from the room sjavs_env",
    ),
    "types only": (
        {
            "sjavs_env__views__observe": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from ..players.rules import Player\n"
        },
        "sjavs_env/views/observe.py:3: sjavs_env.views.observe -> sjavs_env.players.rules: "
        "the room sjavs_env.views may not import from the room sjavs_env.players",
    ),
    "agents": (
        {"sjavs_env__vector": "import agents.policy\n"},
        "sjavs_env/vector.py:1: sjavs_env.vector -> agents.policy: "
        "the room sjavs_env may not import from the room agents",
    ),
    "tests": (
        {"agents__evaluation__edge": "from tests.reference import oracle\n"},
        "agents/evaluation/edge.py:1: agents.evaluation.edge -> tests.reference: "
        "the room agents.evaluation may not import from the room tests",
    ),
    "a function": (
        {"sjavs_env__vector": "def step():\n    import json\n"},
        "sjavs_env/vector.py:2: an import in a function",
    ),
    "torch in the environment": (
        {"sjavs_env__views__observe": "import torch.nn\n"},
        "sjavs_env/views/observe.py:1: sjavs_env.views.observe -> torch.nn: "
        f"torch belongs in {', '.join(TORCH)} only",
    ),
    "torch in evaluation": (
        {"agents__evaluation__edge": "from torch import nn\n"},
        "agents/evaluation/edge.py:1: agents.evaluation.edge -> torch: "
        f"torch belongs in {', '.join(TORCH)} only",
    ),
    "a framework in the core": (
        {"sjavs_env__core__rules__state": "import gymnasium\n"},
        "sjavs_env/core/rules/state.py:1: sjavs_env.core.rules.state -> gymnasium: "
        "only numpy may be imported from outside here",
    ),
    "a player that looks at the state": (
        {"sjavs_env__players__peeking": "from sjavs_env.core.rules.state import State\n"},
        "sjavs_env/players/peeking.py:1: sjavs_env.players.peeking -> sjavs_env.core.rules.state: "
        "the room sjavs_env.players may not import from the room sjavs_env.core.rules",
    ),
    "a stranger": (
        {"agents__evaluation__report": "from agents.evaluation.edge import edge\n"},
        "agents/evaluation/report.py:1: agents.evaluation.report -> agents.evaluation.edge: "
        "the table of strangers forbids this import",
    ),
    "an unknown room": (
        {"sjavs_env__luck__dice": ""},
        "sjavs_env/luck/dice.py: the room sjavs_env.luck is not in the table of rooms "
        "(tests/test_floors.py)",
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
