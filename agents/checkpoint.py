"""Checkpoints: a folder of safetensors and a manifest, written whole or not at all.

A checkpoint is written under a temporary name, flushed to the disk, and renamed; then ``latest``
is moved to it. Whatever moment a run dies at, ``latest`` names a complete checkpoint.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError
from safetensors.torch import save_file
from torch import Tensor, nn

from agents import features
from agents.nets import Actor, NetConfig, NetPolicy, rounded
from agents.ppo import Learner
from agents.weights import TEMPORARY, CheckpointError, check_shapes, fit, flush, read
from sjavs_env import RuleSet
from sjavs_env.core import fingerprints
from sjavs_env.core.errors import nearest
from sjavs_env.layout import FINGERPRINT as OBSERVATION

FORMAT = 1
LATEST = "latest"
MANIFEST = "manifest.json"
_SECTIONS = ("rules", "fingerprints", "config", "progress")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint's folder and what its manifest says."""

    folder: Path
    manifest: dict[str, Any]


def save(run: Path, name: str, learner: Learner, manifest: dict[str, Any], keep: int) -> Path:
    """Write a checkpoint into a run's folder, make it the latest, and drop all but ``keep``."""
    folder, unfinished = run / name, run / (TEMPORARY + name)
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for part, state in _parts(learner).items():
        save_file({key: value.contiguous() for key, value in state.items()}, unfinished / part)
    text = json.dumps(manifest | {"format": FORMAT}, indent=1, sort_keys=True)
    (unfinished / MANIFEST).write_text(text + "\n", encoding="utf-8")
    for path in (*unfinished.iterdir(), unfinished):
        flush(path)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    pointer = run / (TEMPORARY + LATEST)
    pointer.unlink(missing_ok=True)
    pointer.symlink_to(name)
    pointer.replace(run / LATEST)
    flush(run)
    for old in checkpoints(run)[:-keep]:
        shutil.rmtree(old)
    return folder


def checkpoints(run: Path) -> list[Path]:
    """Return the complete checkpoints of a run, oldest first."""
    return sorted(path.parent for path in run.glob(f"update-*/{MANIFEST}"))


def is_blank(run: Path) -> bool:
    """Return whether a folder holds nothing but what a run that died at its start had begun."""
    found = [path.name for path in run.iterdir()] if run.is_dir() else []
    return bool(found) and all(name.startswith(TEMPORARY) for name in found)


def identity(rules: RuleSet) -> dict[str, Any]:
    """Return what a manifest says about rules, actions, observation and features."""
    return {
        "rules": {"name": rules.name, "options": dict(rules.options)},
        "fingerprints": {
            "rules": fingerprints.of_rules(rules),
            "actions": fingerprints.ACTIONS,
            "observation": OBSERVATION,
            "features": features.fingerprint(rules),
        },
    }


def find(path: Path, rules: RuleSet | None = None) -> Checkpoint:
    """Return the checkpoint in a folder, or the latest one of a run's folder.

    Raises:
        CheckpointError: there is none, its manifest is damaged, or it is of other rules, actions
            or observations.
    """
    folder = path / LATEST
    if not folder.exists():
        folder = next(reversed(checkpoints(path)), path)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(f"there is no checkpoint in {path}{_neighbour(path)}") from None
    except (OSError, ValueError) as error:
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


def restore(checkpoint: Checkpoint, learner: Learner) -> None:
    """Load networks and optimiser into a learner of the same configuration.

    Of several processes the first reads for all: the folder may be on its machine alone.

    Raises:
        CheckpointError: a file is missing, damaged, or of another network.
    """
    states = learner.group.from_first(lambda: _states(checkpoint.folder, learner))
    _load_optimisers(learner, states.pop(_OPTIMISER))
    for part, state in states.items():
        _nets(learner)[part].load_state_dict(state)


def _states(folder: Path, learner: Learner) -> dict[str, dict[str, Tensor]]:
    """Return what the files of a checkpoint hold, fit for a learner."""
    states = {}
    for part, expected in _parts(learner).items():
        states[part] = state = read(folder / part)
        if part == _OPTIMISER:
            # What has made no step yet has no moments.
            stepped = {name.rpartition(".")[0] for name in state}
            moments = _moments(learner).items()
            expected = _weights(learner) | {
                name: like for name, like in moments if name.rpartition(".")[0] in stepped
            }
        check_shapes(folder / part, state, expected)
    return states


def begin(checkpoint: Checkpoint, learner: Learner) -> None:
    """Load the networks of a checkpoint into a learner that goes its own way from there.

    A checkpoint that is shipped has no critic, and an actor may have no second network: the
    learner's stays new.

    Raises:
        CheckpointError: a file is missing, damaged, or of another network.
    """
    nets = _nets(learner)

    def states() -> dict[str, dict[str, Tensor]]:
        paths = {part: checkpoint.folder / part for part in nets}
        if not paths[_CRITIC].exists():
            del paths[_CRITIC]
        return {part: fit(path, nets[part].state_dict(), new=_LATE) for part, path in paths.items()}

    for part, state in learner.group.from_first(states).items():
        nets[part].load_state_dict(state)
    learner.actor.load_state_dict(learner.average.state_dict())


def origin(checkpoint: Checkpoint, name: str) -> dict[str, Any]:
    """Return what a run has to say about the checkpoint that it begins with."""
    manifest = checkpoint.manifest
    before = manifest.get("origin") or {"deals": 0}
    return {
        "name": name,
        "fingerprint": fingerprint(checkpoint),
        "deals": manifest["progress"]["deals"] + before["deals"],
    }


def fingerprint(checkpoint: Checkpoint) -> str:
    """Return what tells a checkpoint's agent from others: 16 hexadecimal digits.

    It is taken from the weights in half precision, with which it plays and is shipped.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    digest = sha256()
    for name, weights in sorted(read(checkpoint.folder / ACTOR).items()):
        digest.update(name.encode())
        digest.update(weights.half().numpy().tobytes())
    return digest.hexdigest()[:16]


def net(checkpoint: Checkpoint) -> NetConfig:
    """Return the size of a checkpoint's networks.

    Raises:
        CheckpointError: its manifest does not say.
    """
    try:
        said = checkpoint.manifest["config"]["net"]
        return _NETS.validate_python(said | {"hidden": said["hidden"]})
    except (KeyError, TypeError, ValidationError):
        raise CheckpointError(
            f"checkpoint {checkpoint.folder} does not say how wide its network is"
        ) from None


def load_policy(path: Path, rules: RuleSet) -> NetPolicy:
    """Return the policy in a checkpoint's folder, or the latest in a run's.

    Raises:
        CheckpointError: as ``find`` and ``restore`` do.
    """
    checkpoint = find(path, rules)
    actor = Actor(rules, net(checkpoint))
    actor.load_state_dict(fit(checkpoint.folder / ACTOR, actor.state_dict()))
    return NetPolicy(rounded(actor))


ACTOR, _CRITIC, _OPTIMISER = "actor.safetensors", "critic.safetensors", "optimiser.safetensors"
_NETS = TypeAdapter(NetConfig)
_MOVING = "weights."
_LATE = "late."


def _nets(learner: Learner) -> dict[str, nn.Module]:
    return {ACTOR: learner.average, _CRITIC: learner.critic}


def _weights(learner: Learner) -> dict[str, Tensor]:
    """Return the weights that the actor's optimiser moves, which its average follows."""
    return {f"{_MOVING}{key}": value for key, value in learner.actor.state_dict().items()}


def _parts(learner: Learner) -> dict[str, dict[str, Tensor]]:
    """Return the tensors of each file of a checkpoint."""
    optimiser = {
        f"{net}.{index}.{name}": torch.as_tensor(value)
        for net, each in learner.optimisers.items()
        for index, state in each.state_dict()["state"].items()
        for name, value in state.items()
    }
    nets = {part: dict(net.state_dict()) for part, net in _nets(learner).items()}
    return nets | {_OPTIMISER: optimiser | _weights(learner)}


def _moments(learner: Learner) -> dict[str, Tensor]:
    """Return tensors of the shapes that the optimisers keep once they have made a step."""
    return {
        f"{net}.{index}.{name}": like
        for net, each in learner.optimisers.items()
        for index, weights in enumerate(each.param_groups[0]["params"])
        for name, like in (("step", torch.empty(())), ("exp_avg", weights), ("exp_avg_sq", weights))
    }


def _load_optimisers(learner: Learner, state: dict[str, Tensor]) -> None:
    moving = {key.removeprefix(_MOVING): state.pop(key) for key in _weights(learner)}
    learner.actor.load_state_dict(moving)
    slots: dict[str, dict[int, dict[str, Tensor]]] = {net: {} for net in learner.optimisers}
    for key, value in state.items():
        net, index, name = key.split(".")
        slots[net].setdefault(int(index), {})[name] = value
    for net, optimiser in learner.optimisers.items():
        optimiser.load_state_dict(optimiser.state_dict() | {"state": slots[net]})
