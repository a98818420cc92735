"""Checkpoints of a run: write the state of the learner atomically, and read it back.

A checkpoint is written under a temporary name, flushed to the disk and renamed. Then ``latest`` is
moved to it. So ``latest`` names a complete checkpoint, whenever the run dies.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from agents.checkpoints.agent import ACTOR
from agents.checkpoints.manifest import FORMAT, LATEST, MANIFEST, Checkpoint, checkpoints
from agents.checkpoints.tensors import TEMPORARY, check_shapes, fit, flush, read
from agents.learning.ppo import Learner

_CRITIC, _OPTIMISER = "critic.safetensors", "optimiser.safetensors"
_MOVING = "weights."
_LATE = "late."


def save(run: Path, name: str, learner: Learner, manifest: dict[str, Any], keep: int) -> Path:
    """Write a checkpoint to a run's folder, make it the latest, and delete old checkpoints.

    Args:
        run: The run's folder.
        name: Name of the checkpoint's folder.
        learner: The learner.
        manifest: The manifest, without its format.
        keep: Number of checkpoints to keep.

    Returns:
        The checkpoint's folder.
    """
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


def restore(checkpoint: Checkpoint, learner: Learner) -> None:
    """Load networks and optimisers into a learner of the same configuration.

    With several processes the first process reads for all, because the folder may exist only on its
    machine.

    Raises:
        CheckpointError: a file is missing, damaged, or of another network.
    """
    states = learner.group.from_first(lambda: _states(checkpoint.folder, learner))
    _load_optimisers(learner, states.pop(_OPTIMISER))
    for part, state in states.items():
        _nets(learner)[part].load_state_dict(state)


def _states(folder: Path, learner: Learner) -> dict[str, dict[str, Tensor]]:
    """Return the tensors of a checkpoint's files, after a check that they fit the learner."""
    states = {}
    for part, expected in _parts(learner).items():
        states[part] = state = read(folder / part)
        if part == _OPTIMISER:
            # Weights without a gradient step so far have no moments.
            stepped = {name.rpartition(".")[0] for name in state}
            moments = _moments(learner).items()
            expected = _weights(learner) | {
                name: like for name, like in moments if name.rpartition(".")[0] in stepped
            }
        check_shapes(folder / part, state, expected)
    return states


def begin(checkpoint: Checkpoint, learner: Learner) -> None:
    """Load the networks of a checkpoint into the learner of a new run.

    A shipped checkpoint has no critic, and an actor may have no late network. The learner then
    keeps its new critic or its new late network.

    Raises:
        CheckpointError: a file is missing, damaged, or of another network.
    """
    nets = _nets(learner)

    def states() -> dict[str, dict[str, Tensor]]:
        paths = {part: checkpoint.folder / part for part in nets}
        if not paths[_CRITIC].exists():
            del paths[_CRITIC]
        return {part: fit(path, nets[part].state_dict(), new=_LATE) for part, path in paths.items()}

    found = learner.group.from_first(states)
    learner.begin(found[ACTOR], found.get(_CRITIC))


def _nets(learner: Learner) -> dict[str, nn.Module]:
    return {ACTOR: learner.average, _CRITIC: learner.critic}


def _weights(learner: Learner) -> dict[str, Tensor]:
    """Return the actor's own weights, from which its average is computed."""
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
    """Return tensors with the shapes of the optimisers' states after their first step."""
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
