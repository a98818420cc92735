"""What the documents show from data. `python -m tests.readme` renews them."""

import ast
import inspect
import re
import subprocess
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

from agents.runs.config import Config
from agents.runs.logbook import TAGS
from sjavs_env import N_ACTIONS, RULE_SETS, VectorSjavs, rule_set
from sjavs_env.core.tables.actions import ACTION_NAMES
from sjavs_env.core.tables.rulesets import PRESETS
from sjavs_env.views.layout import LAYOUT
from tests.pages.marks import default_marks
from tests.pages.page import PAGES
from tests.strategies import play_names
from tests.test_floors import ROOMS

CHECKOUT = Path(__file__).resolve().parent.parent

FILES = {
    ".ci/run": "what a change must pass",
    "CHANGELOG.md": "what has changed for whom",
    "CONTRIBUTING.md": "set-up, rooms, house style, tests, and how to add what",
    "LICENSE": "MIT",
    "Makefile": "every command",
    "README.md": "what this is, in two minutes",
    "constraints.txt": "the pinned versions",
    "pyproject.toml": "the package and its tools",
}
# Folders that are one line: what they hold, if no `__init__` says it.
FOLDERS = {
    "configs": "one file per experiment, only what differs from the defaults",
    "docs": "what needs more than a line",
    "docs/rules": "a page for each rule set, made from its data",
    "notebooks": "executed by the tests",
    "sjavs_env": "",
    "sjavs_env/core": "",
    "sjavs_env/core/tables": "",
    "sjavs_env/core/rules": "",
    "sjavs_env/views": "",
    "sjavs_env/players": "",
    "agents": "",
    "agents/common": "",
    "agents/networks": "",
    "agents/checkpoints": "",
    "agents/evaluation": "",
    "agents/learning": "",
    "agents/learning/lessons": "",
    "agents/runs": "",
    "agents/speed": "",
    "recipes": "",
    "scripts": "",
    "tests": "examples, laws, a naive reference player; the rules by which they are written are in "
    "CONTRIBUTING.md",
}
CLOSED = ("docs/rules", "tests")
# What goes into the rooms at the top of a tree, whose openings are about the whole tree, and what
# comes out of them.
TOP_ROOMS = {
    "sjavs_env": ("a rule set, a seed, actions", "`sjavs_v0` for PettingZoo, `VectorSjavs`"),
    "agents": ("the name of a policy", "the policy"),
    "scripts": ("a command line", "files and a table on the terminal"),
}

# Seed 108 of `faroese4`, played by `rule-of-thumb`, in the middle of its fourth trick.
POSITION = (
    "0:D8DQS9C8C9CTCAHJ/D9DAH9STSKSAC7SJ/D7H7HKHAS7CKDJCQ/DTDKH8HTHQS8CJSQ "
    "- 5 - 5+ =C DA D7 DT D8 H9 HA H8 DQ CQ CJ CA C7 HK HQ S9"
)
POSITION_SCORE = (20, 16)


def preset_table() -> str:
    """Return the presets with their shape and options."""
    lines = [
        "| preset | seats | cards each | from | options and their defaults |",
        "|---|--:|--:|---|---|",
    ]
    for name in RULE_SETS:
        rules = rule_set(name)
        options = [
            f"`{option}={value}`{default_marks(name, option)}"
            for option, value in PRESETS[name].defaults
        ]
        talon = f" + {rules.talon_size}" if rules.talon_size else ""
        lines.append(
            f"| [`{name}`](rules/{name}.md) | {rules.seats} | {rules.n_tricks}{talon} | "
            f"{rules.source} | {' '.join(options)} |"
        )
    return "\n".join(lines)


def tracked() -> list[str]:
    """Return the files that belong to the checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "--deduplicate"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    # A file in conflict is listed once for each side.
    names = dict.fromkeys(listed.stdout.splitlines())
    return [name for name in names if (CHECKOUT / name).exists()]


def said_of(path: Path) -> str:
    """Return the first line that a file says about itself."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        line = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    elif path.suffix == ".ipynb":
        line = re.search(r'"# ([^"\\]*)', text)[1]
    elif path.suffix == ".svg":
        line = ElementTree.parse(path).findtext("{*}title")
    else:
        lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#!"))
        line = next(lines).lstrip("#/* ")
    return line.removesuffix(".").replace("``", "`")


def file_tree() -> str:
    """Return the files that a reader looks for, with a line each."""
    lines = []
    files = tracked()
    for folder, said in FOLDERS.items():
        inside = [name for name in files if name.startswith(f"{folder}/")]
        if not inside:
            continue
        depth = folder.count("/")
        own = CHECKOUT / folder / "__init__.py"
        lines.append((f"{'  ' * depth}{folder.rpartition('/')[2]}/", said or said_of(own)))
        if folder in CLOSED:
            continue
        for name in inside:
            rest = name.removeprefix(f"{folder}/")
            if "/" not in rest and rest not in ("__init__.py", "py.typed"):
                lines.append((f"{'  ' * (depth + 1)}{rest}", said_of(CHECKOUT / name)))
    top = [name for name in files if "/" not in name and not name.startswith(".gitignore")]
    lines += [(name, FILES[name]) for name in [".ci/run", *top]]
    width = max(len(name) for name, _ in lines) + 2
    return "```\n" + "\n".join(f"{name:{width}}{said}" for name, said in lines) + "\n```"


def opening_of(room: str) -> str:
    """Return what a room says about itself, in one line."""
    own = CHECKOUT / room.replace(".", "/") / "__init__.py"
    said = ast.get_docstring(ast.parse(own.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split()).replace("``", "`")


def folder_of(room: str) -> str:
    """Return the folder of a room."""
    return room.replace(".", "/")


def reached() -> dict[str, set[str]]:
    """Return the rooms that each room reaches along the arrows, however far."""
    reach: dict[str, set[str]] = {}
    for room, arrows in ROOMS.items():
        below = set(arrows.split())
        reach[room] = below.union(*(reach[each] for each in below))
    return reach


def room_table() -> str:
    """Return the rooms, lowest first: what goes in, what comes out, what they may not import."""
    reach = reached()
    lines = [
        "| room | what goes in | what comes out | reaches, but may not import |",
        "|---|---|---|---|",
    ]
    for room, arrows in ROOMS.items():
        found = re.search(r"In: (.*?)[.;] Out: (.*?)\.(?: |$)", opening_of(room))
        goes_in, comes_out = found.groups() if found else TOP_ROOMS[room]
        refused = [each for each in ROOMS if each in reach[room] - set(arrows.split())]
        named, *shut = [f"`{folder_of(each)}`" for each in (room, *refused)]
        lines.append(f"| {named} | {goes_in} | {comes_out} | {' '.join(shut)} |")
    return "\n".join(lines)


def room_diagram() -> str:
    """Return the rooms and the arrows between them, but those that other arrows lead along."""
    reach = reached()
    lines = ["```mermaid", "flowchart TD"]
    for top in dict.fromkeys(room.partition(".")[0] for room in ROOMS):
        rooms = [room for room in ROOMS if room.partition(".")[0] == top]
        boxes = [f'  {room.replace(".", "_")}["{folder_of(room)}"]' for room in rooms]
        grouped = [f"  subgraph in_{top}[{top}]", *(f"  {box}" for box in boxes), "  end"]
        lines += grouped if len(boxes) > 1 else boxes
    for room, arrows in ROOMS.items():
        below = arrows.split()
        for each in below:
            if not any(each in reach[other] for other in below):
                lines.append(f"  {room.replace('.', '_')} --> {each.replace('.', '_')}")
    return "\n".join([*lines, "```"])


def action_table() -> str:
    """Return the ids of the actions with their names."""
    names = [f"`{name}`" for name in ACTION_NAMES] + [""] * (N_ACTIONS - len(ACTION_NAMES))
    rows = [names[first : first + 8] for first in range(0, N_ACTIONS, 8)]
    lines = ["| from id | " + " | ".join(f"+{k}" for k in range(8)) + " |", "|--:|" + "---|" * 8]
    return "\n".join(
        lines + [f"| {8 * k} | " + " | ".join(row) + " |" for k, row in enumerate(rows)]
    )


def observation_table() -> str:
    """Return the slices of an observation."""
    lines = ["| features | name | what it says | divided by |", "|--:|---|---|--:|"]
    for item in LAYOUT.values():
        last = item.feature + item.n_features - 1
        says = f"{item.meaning}; {item.note}" if item.note else item.meaning
        lines.append(f"| {item.feature}–{last} | `{item.name}` | {says} | {item.scale} |")
    return "\n".join(lines)


def config_table() -> str:
    """Return every value of a training configuration."""
    lines = ["| key | default | what it does |", "|---|---|---|"]
    return "\n".join([*lines, *_values(Config, "")])


def _values(schema: type, within: str) -> Iterator[str]:
    """Yield a row for each value of a dataclass, and of those in it."""
    body = ast.parse(dedent(inspect.getsource(schema))).body[0].body
    said = {
        first.target.id: " ".join(second.value.value.split())
        for first, second in pairwise(body)
        if isinstance(first, ast.AnnAssign) and isinstance(second, ast.Expr)
    }
    for item in fields(schema):
        default = item.default if item.default is not MISSING else item.default_factory()
        if is_dataclass(default):
            yield from _values(type(default), f"{item.name}.")
        elif isinstance(default, tuple) and any(map(is_dataclass, default)):
            yield f"| `{within}{item.name}` | | {said[item.name]} |"
            yield from _values(type(default[0]), f"{item.name}.")
        else:
            yield f"| `{within}{item.name}` | `{default}` | {said[item.name]} |"


def tag_table() -> str:
    """Return what a run logs."""
    lines = ["| tag | what it says |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{tag}` | {said} |" for tag, said in TAGS.items())])


def table_picture() -> str:
    """Return a table as a drawing."""
    vec = VectorSjavs("faroese4")
    deal, _, names = POSITION.partition(" ")
    vec.reset(deals=[deal], columns=[POSITION_SCORE])
    play_names(vec, names)
    return vec.picture(0)


WHOLE = PAGES | {"docs/table.svg": table_picture}
MADE = {
    "docs/games.md": {"presets": preset_table},
    "docs/architecture.md": {"diagram": room_diagram, "rooms": room_table, "files": file_tree},
    "docs/training.md": {"config": config_table, "tags": tag_table},
    "docs/environment.md": {"actions": action_table, "observation": observation_table},
}


def renewed(document: str) -> str:
    """Return a document as it must be: a whole file, or the parts that are made from data."""
    if document in WHOLE:
        return WHOLE[document]()
    text = (CHECKOUT / document).read_text(encoding="utf-8")
    for name, make in MADE[document].items():
        begin, end = f"<!-- {name}: made by `python -m tests.readme` -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        after = rest.partition(end)[2]
        text = f"{before}{begin}\n{make()}\n{end}{after}"
    return text


if __name__ == "__main__":
    for document in (*WHOLE, *MADE):
        (CHECKOUT / document).write_text(renewed(document), encoding="utf-8")
