"""Checks of arguments. Each refuses a wrong value with one sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sjavs_env.core.errors import as_word, nearest, told

_WHOLE = (int, np.integer)


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number, after checking kind and range."""
    whole = isinstance(value, _WHOLE) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        wanted = f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{name}={told(value)} must be a whole number, {wanted}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def one_of(name: str, value: object, known: Iterable[object]) -> None:
    """Check that a value is one of a few words, or None where that is one of them."""
    words = tuple(known)
    if not (value is None or isinstance(value, str)) or value not in words:
        raise ValueError(
            f"{name}={told(value)} is unknown{nearest(as_word(value), map(str, words))}"
        )


def array_from(name: str, value: object) -> NDArray[Any]:
    """Return a value as numpy reads it."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:  # lists of different lengths, for one
        raise ValueError(f"{name}={told(value)} must be an array, or lists as one") from error


def numbers(name: str, value: object) -> NDArray[np.float64]:
    """Return numbers, one or more, after checking that all of them are finite."""
    array = array_from(name, value)
    if array.dtype.kind not in "iuf" or not array.size or not np.isfinite(array).all():
        raise ValueError(f"{name}={told(value)} must be finite numbers, one or more")
    return array.astype(np.float64)


def check_array(
    name: str, value: object, dtype: DTypeLike, shape: tuple[int | None, ...]
) -> tuple[int, ...]:
    """Return the shape of an array, after checking it and the dtype; None leaves a side open."""
    if isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == len(shape):
        found: tuple[int, ...] = value.shape
        for side, wanted in zip(found, shape, strict=True):
            if wanted is not None and side != wanted:
                break
        else:
            return found
    sides = str(shape).replace("None", "any")
    raise ValueError(
        f"{name} must be an array of {np.dtype(dtype)} of shape {sides}, not {kind(value)}"
    )


def kind(value: object) -> str:
    """Return what a value is, in a few words: the dtype and the shape of an array."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return told(value)


def integers(
    name: str, value: ArrayLike, shape: tuple[int, ...], least: int, most: int
) -> NDArray[np.int64]:
    """Return integers of a shape, after checking kind, range and shape."""
    array = array_from(name, value)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}={told(value)} must be whole numbers, {least} to {most}")
    if array.size and (array.min() < least or array.max() > most):
        raise ValueError(f"{name}={told(value)} must lie between {least} and {most}")
    try:
        return np.broadcast_to(array.astype(np.int64), shape)
    except ValueError as error:
        raise ValueError(f"{name} has shape {array.shape}, which does not fit {shape}") from error


def check_size(name: str, value: object, size: int) -> None:
    """Check that a list or an array has as many items as it must."""
    if array_from(name, value).shape[:1] != (size,):
        raise ValueError(f"{name}={told(value)} must have {size} items")


def check_words(name: str, value: object, sizes: tuple[int, ...]) -> None:
    """Check that a value is a list of texts, of one of a few sizes."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or len(value) not in sizes or not all(isinstance(w, str) for w in value):  # type: ignore[arg-type, attr-defined]
        wanted = " or ".join(map(str, sizes))
        raise ValueError(f"{name}={told(value)} must be a list of {wanted} texts")


def check_lines(deals: object) -> None:
    """Check that deals are a list, or another sequence, of lines."""
    if isinstance(deals, str):
        raise ValueError(f"deals must be a list of deal lines, not one line {told(deals)}")
    is_list = isinstance(deals, Sequence) or (isinstance(deals, np.ndarray) and deals.ndim == 1)
    if not is_list:
        raise ValueError(f"deals={told(deals)} must be a list of deal lines")
