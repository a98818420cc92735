"""Ship an agent: copy its weights, its manifest and its results, and write its model card.

A shipped agent is a folder with ``actor.safetensors``, ``manifest.json``, ``results.json``, if best
responses were trained ``exploit.json``, and ``README.md``. The last is the card; it is made from
the other files alone.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors.torch import save

from agents.checkpoints.agent import ACTOR, fingerprint
from agents.checkpoints.manifest import MANIFEST, Checkpoint, find
from agents.checkpoints.tensors import read
from agents.evaluation import report
from agents.policy import PREFIX, PRETRAINED
from agents.runs.config import Config, to_dict

LARGEST = 2_000_000
"""Largest size of a shipped agent's weights, in bytes."""
CARD, RESULTS, EXPLOIT = "README.md", "results.json", "exploit.json"
_LICENCE = "MIT, as the whole project"


def ship(run: Path, name: str, results: Path, exploit: Path | None = None, notes: str = "") -> Path:
    """Copy the latest agent of a run and its results to the shipped agents.

    Args:
        run: The folder of the run or checkpoint.
        name: Name of the shipped agent, as in ``pretrained:NAME``.
        results: Its results file. The agent is found in it by its fingerprint.
        exploit: The results file of best responses to it, if there is one.
        notes: More about the training recipe, for the card.

    Returns:
        The new folder. It replaces an existing folder of that name.

    Raises:
        ValueError: there is no such run or results file, the results are of another agent, or the
            weights are too large. Nothing is then written.
    """
    if not name.isidentifier():
        raise ValueError(f"name {name!r} must be letters, digits and underscores")
    found = find(run)
    weights = found.folder / ACTOR
    shipped = save({key: value.half() for key, value in read(weights).items()})
    if len(shipped) > LARGEST:
        raise ValueError(
            f"{weights} has {len(shipped):,} bytes in half precision; the largest shipped agent "
            f"may have {LARGEST:,}"
        )
    sources = {RESULTS: results} | ({EXPLOIT: exploit} if exploit else {})
    for source in sources.values():
        _check_measured(source, fingerprint(found), str(run))
    folder, unfinished = PRETRAINED / name, PRETRAINED / f".unfinished-{name}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    (unfinished / ACTOR).write_bytes(shipped)
    manifest = found.manifest | ({"notes": notes} if notes else {})
    text = json.dumps(manifest, indent=1, sort_keys=True)
    (unfinished / MANIFEST).write_text(text + "\n", encoding="utf-8")
    for target, source in sources.items():
        _copy_renamed(source, unfinished / target, fingerprint(found), PREFIX + name)
    (unfinished / CARD).write_text(card(unfinished, name), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(unfinished, folder)
    return folder


def _check_measured(source: Path, fingerprint: str, name: str) -> None:
    """Check that a results file contains the agent."""
    if fingerprint not in {agent.fingerprint for agent in report.read(source).agents}:
        raise ValueError(f"{source} has no results of {name} (fingerprint {fingerprint})")


def _copy_renamed(source: Path, target: Path, fingerprint: str, name: str) -> None:
    """Copy a results file, and give the agent its new name in it."""
    value = json.loads(source.read_text(encoding="utf-8"))
    old = {agent["name"] for agent in value["agents"] if agent["fingerprint"] == fingerprint}
    for agent in value["agents"]:
        agent["name"] = name if agent["name"] in old else agent["name"]
    for entry in value["entries"]:
        for side in "ab":
            entry[side] = name if entry[side] in old else entry[side]
    report.write(target, value)


def card(folder: Path, name: str) -> str:
    """Return the card of a shipped agent as Markdown, made from the other files of its folder."""
    found = find(folder)
    return "\n".join(_card(found, folder, name)) + "\n"


def _card(found: Checkpoint, folder: Path, name: str) -> Iterator[str]:
    manifest, results = found.manifest, report.read(folder / RESULTS)
    rules, progress, origin = manifest["rules"], manifest["progress"], manifest.get("origin")
    options = ", ".join(f"{option} = {value}" for option, value in rules["options"].items())
    yield f"# {PREFIX}{name}"
    yield ""
    yield f"An agent for [`{rules['name']}`](../../../docs/rules/{rules['name']}.md) ({options})."
    yield ""
    yield "```sh"
    yield f"python -m scripts.evaluate {PREFIX}{name} rule-of-thumb --deals 10000"
    yield "```"
    yield ""
    yield "## Strength"
    yield ""
    yield report.markdown(results)
    yield "How they played, in all and by seat:"
    yield ""
    yield report.health_markdown(results)
    if (folder / EXPLOIT).exists():
        yield "## Exploitability"
        yield ""
        yield "Best responses trained against it; the largest edge is a lower bound."
        yield ""
        yield report.markdown(report.read(folder / EXPLOIT))
    yield "## Recipe"
    yield ""
    yield (
        f"{progress['deals']:,} deals and {progress['decisions']:,} learned decisions in "
        f"{progress['seconds'] / 60:.0f} minutes on {_work(manifest)}."
    )
    if origin:
        yield (
            f"It began with the networks of `{origin['name']}` ({origin['fingerprint']}), which "
            f"had seen {origin['deals']:,} deals."
        )
    if "notes" in manifest:
        yield manifest["notes"]
    yield ""
    yield "What differs from the defaults of the configuration:"
    yield ""
    yield "```toml"
    yield from _differing(manifest["config"])
    yield "```"
    yield ""
    yield "## Fingerprints"
    yield ""
    yield "| of | |"
    yield "|---|---|"
    for what, value in (
        ("agent", fingerprint(found)),
        *manifest["fingerprints"].items(),
    ):
        yield f"| {what} | `{value}` |"
    yield f"| commit | {manifest['commit'] or 'not known'} |"
    for package, version in manifest["versions"].items():
        yield f"| {package} | {version} |"
    yield ""
    yield f"Licence: {_LICENCE}. Weights: {(folder / ACTOR).stat().st_size:,} bytes."


def _work(manifest: dict[str, Any]) -> str:
    """Return the numbers of processes and threads of a run in words."""
    # A manifest without the number of processes is of a run with one process.
    number, processes = manifest["threads"], manifest.get("processes", 1)
    threads = f"{number} threads" if number > 1 else "one thread"
    return f"{processes} processes of {threads} each" if processes > 1 else threads


def _differing(config: dict[str, Any]) -> Iterator[str]:
    """Yield the values that differ from the defaults as TOML: dotted keys, then the phases."""
    usual = to_dict(Config())
    phases = config.get("phase", [])
    yield from _lines({key: value for key, value in config.items() if key != "phase"}, usual)
    for phase in phases:
        yield ""
        yield "[[phase]]"
        # A phase always says what it teaches and for how long.
        yield from _lines(phase, usual["phase"][0] | {"lesson": None, "deals": None})


def _lines(values: dict[str, Any], usual: dict[str, Any]) -> Iterator[str]:
    """Yield a line for every value that is not the usual one."""
    for key, value in values.items():
        default = usual.get(key)
        if isinstance(value, dict) and isinstance(default, dict):
            yield from (f"{key}.{line}" for line in _lines(value, default))
        elif value != default:
            yield f"{key} = {json.dumps(value)}"
