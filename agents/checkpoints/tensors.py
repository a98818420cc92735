"""Files of tensors: read back whole and of the right network, or refused with a reason."""

from __future__ import annotations

import os
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

TEMPORARY = ".unfinished-"
"""Before the name of what is still being written."""


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or not of these rules; the message says which."""


def read(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    try:
        return load_file(path)
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint {path.parent} lacks {path.name}") from None
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"checkpoint file {path} is damaged: {error}") from None


def fit(path: Path, expected: dict[str, Tensor], new: str | None = None) -> dict[str, Tensor]:
    """Return the tensors of a file, which are those of this network.

    Where it has none at all with names that begin in some way, those expected stand in for them.
    """
    state = read(path)
    if new is not None and not any(name.startswith(new) for name in state):
        state |= {name: value for name, value in expected.items() if name.startswith(new)}
    check_shapes(path, state, expected)
    return state


def check_shapes(path: Path, found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    """Check that a file holds the tensors of this network."""
    for name in sorted(found.keys() ^ expected.keys()):
        kind = "lacks" if name in expected else "has"
        raise CheckpointError(f"checkpoint file {path} is of another network: it {kind} {name}")
    for name, tensor in expected.items():
        if found[name].shape != tensor.shape:
            raise CheckpointError(
                f"checkpoint file {path} is of another network: {name} has shape "
                f"{tuple(found[name].shape)}, not {tuple(tensor.shape)}"
            )


def flush(path: Path) -> None:
    """Have a file or folder written to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
