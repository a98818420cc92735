"""Read files of tensors, and check that they are complete and fit the network."""

from __future__ import annotations

import os
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from sjavs_env.core.errors import told

TEMPORARY = ".unfinished-"
"""Stands before the name of a file or folder that is not yet written to its end."""


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or of other rules; the message says which."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.splitlines()))


def as_path(path: Path | str) -> Path:
    """Return the path of a checkpoint, after checking that it is one.

    Raises:
        CheckpointError: it is neither a path nor text.
    """
    if not isinstance(path, str | os.PathLike):
        raise CheckpointError(f"a checkpoint is named by its path, not by {told(path)}")
    return Path(path)


def read(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    path = as_path(path)
    try:
        return load_file(path)
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint {path.parent} lacks {path.name}") from None
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"checkpoint file {path} is damaged: {error}") from None


def fit(path: Path, expected: dict[str, Tensor], new: str | None = None) -> dict[str, Tensor]:
    """Return the tensors of a file after a check that they fit this network.

    Args:
        path: The file.
        expected: The tensors of the network, by name.
        new: A prefix of names. If the file has no tensor with this prefix, those of ``expected``
            are taken instead.

    Raises:
        CheckpointError: the file is missing, damaged or of another network.
    """
    state = read(path)
    if new is not None and not any(name.startswith(new) for name in state):
        state |= {name: value for name, value in expected.items() if name.startswith(new)}
    check_shapes(path, state, expected)
    return state


def check_shapes(path: Path, found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    """Check that a file holds the tensors of this network.

    Raises:
        CheckpointError: a name is missing, a name is unknown, or a shape differs.
    """
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
    """Wait until a file or folder is on the disk (fsync)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
