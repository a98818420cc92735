"""The manifest of a checkpoint: find it, and check its rules, actions, observation and features.

A run's folder holds checkpoints, and ``latest`` points to the last complete one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.checkpoints.tensors import TEMPORARY, CheckpointError, as_path
from agents.networks import features
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.errors import nearest
from sjavs_env.core.tables import fingerprints
from sjavs_env.views.layout import FINGERPRINT as OBSERVATION

FORMAT = 1
LATEST = "latest"
MANIFEST = "manifest.json"
_SECTIONS = ("rules", "fingerprints", "config", "progress")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint's folder and the content of its manifest."""

    folder: Path
    manifest: dict[str, Any]


def checkpoints(run: Path) -> list[Path]:
    """Return the complete checkpoints of a run, oldest first.

    Raises:
        CheckpointError: the folder cannot be read.
    """
    try:
        return sorted(path.parent for path in as_path(run).glob(f"update-*/{MANIFEST}"))
    except (OSError, ValueError) as error:
        raise _unreadable(run, error) from None


def is_blank(run: Path) -> bool:
    """Return whether a folder holds only unfinished files, which a run left that died at once."""
    run = as_path(run)
    try:
        found = [path.name for path in run.iterdir()] if run.is_dir() else []
    except (OSError, ValueError) as error:
        raise _unreadable(run, error) from None
    return bool(found) and all(name.startswith(TEMPORARY) for name in found)


def _unreadable(path: Path, error: OSError | ValueError) -> CheckpointError:
    """Return the error about a folder that cannot be read."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return CheckpointError(f"checkpoint {path} cannot be read: {reason}")


def identity(rules: str | RuleSet) -> dict[str, Any]:
    """Return a manifest's entries about the rules, and its fingerprints.

    There is a fingerprint each of the rules, the actions, the observation and the features.
    """
    rules = rule_set(rules)
    return {
        "rules": {"name": rules.name, "options": dict(rules.options)},
        "fingerprints": {
            "rules": fingerprints.of_rules(rules),
            "actions": fingerprints.ACTIONS,
            "observation": OBSERVATION,
            "features": features.fingerprint(rules),
        },
    }


def find(path: Path, rules: str | RuleSet | None = None) -> Checkpoint:
    """Return the checkpoint in a folder, or the latest one of a run's folder.

    Raises:
        CheckpointError: there is no checkpoint, its manifest is damaged, or it is of other rules,
            actions, observations or features.
    """
    rules = None if rules is None else rule_set(rules)
    path = as_path(path)
    try:
        folder = path / LATEST
        if not folder.exists():
            folder = next(reversed(checkpoints(path)), path)
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(f"there is no checkpoint in {path}{_neighbour(path)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {path} has a damaged {MANIFEST}: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else manifest
        raise CheckpointError(
            f"checkpoint {path} has format {found!r}; this program reads {FORMAT}"
        )
    for part in _SECTIONS:
        if not isinstance(manifest.get(part), dict):
            found = manifest.get(part)
            raise CheckpointError(
                f"checkpoint {path} has a damaged {MANIFEST}: its {part} must be a table, "
                f"not {found!r}"
            )
    if rules is not None:
        _check_identity(path, manifest, rules)
    return Checkpoint(folder, manifest)


def _check_identity(path: Path, manifest: dict[str, Any], rules: RuleSet) -> None:
    """Check that a checkpoint was made for these rules, actions, observations and features."""
    ours = identity(rules)
    theirs = manifest["fingerprints"]
    for what, fingerprint in ours["fingerprints"].items():
        if theirs.get(what) != fingerprint:
            made = f": {manifest['rules']!r}, not {ours['rules']!r}" if what == "rules" else ""
            raise CheckpointError(
                f"checkpoint {path} was made for other {what}{made} "
                f"({theirs.get(what)!r}, not {fingerprint!r})"
            )


def _neighbour(path: Path) -> str:
    """Return the end of a sentence about a folder that holds no checkpoint."""
    runs = [each.parent.name for each in path.parent.glob(f"*/{LATEST}")]
    return nearest(path.name, runs) if runs else ""
