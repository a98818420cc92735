"""Checks of arguments. Each refuses a wrong value with one sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def whole_number(name: str, value: object, least: int) -> int:
    """Return a whole number, after checking type and range."""
    if not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number, {least} or more")
    return int(value)


def integers(
    name: str, value: ArrayLike, shape: tuple[int, ...], least: int, most: int
) -> NDArray[np.int64]:
    """Return integers broadcast to a shape, after checking type, range and shape."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}={value!r} must be whole numbers")
    if array.size and (array.min() < least or array.max() > most):
        raise ValueError(f"{name}={value!r} must lie between {least} and {most}")
    try:
        return np.broadcast_to(array.astype(np.int64), shape)
    except ValueError as error:
        raise ValueError(f"{name} has shape {array.shape}, which does not fit {shape}") from error


def check_lines(deals: object) -> None:
    """Check that deals are a list, or another sequence, of lines."""
    if isinstance(deals, str):
        raise ValueError(f"deals must be a list of deal lines, not one line {deals!r}")
    if not isinstance(deals, Sequence | np.ndarray):
        raise ValueError(f"deals={deals!r} must be a list of deal lines")
