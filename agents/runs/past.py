"""Past selves of a run in its folder; a resumed run needs them for its league."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path

from safetensors.torch import save_file

from agents.checkpoints.tensors import TEMPORARY, fit, flush
from agents.learning.ppo import Learner
from agents.networks.nets import Actor

_FOLDER = "league"


def save(run: Path, past: Iterable[tuple[int, Actor]]) -> None:
    """Write past selves to a run's folder, except those that are there already.

    Args:
        run: The run's folder.
        past: The number of an update, and the actor after it.
    """
    folder = run / _FOLDER
    for update, actor in past:
        path = _file(run, update)
        if not path.exists():
            folder.mkdir(exist_ok=True, parents=True)
            unfinished = folder / (TEMPORARY + path.name)
            save_file(actor.state_dict(), unfinished)
            flush(unfinished)
            unfinished.rename(path)
            flush(folder)


def load(run: Path, updates: list[int], learner: Learner) -> Iterator[tuple[int, Actor]]:
    """Yield past selves of a run, each with the number of its update.

    Raises:
        CheckpointError: a past self is missing, damaged, or of another network.
    """
    shapes = learner.actor.state_dict()
    states = learner.group.from_first(
        lambda: [fit(_file(run, update), shapes) for update in updates]
    )
    for update, state in zip(updates, states, strict=True):
        actor = deepcopy(learner.actor)
        actor.load_state_dict(state)
        yield update, actor


def _file(run: Path, update: int) -> Path:
    return run / _FOLDER / f"update-{update:06d}.safetensors"
