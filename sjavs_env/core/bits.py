"""The numpy formulations that the rules are written in: lanes, gathers, bits.

A step works on *lanes*: the rows of the batch that are in one phase, as a slice when they are all
of them, so that nothing is copied, and as an index array when they are few. Fields by seat are
stored ``[seats, batch]``; one seat's entry of every lane is taken and put through flat indices,
which costs a quarter of two-dimensional indexing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rows = slice | NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Lanes:
    """Some rows of a batch.

    Attributes:
        rows: The rows, as a slice over all or as indices.
        number: Their row numbers, intp[n].
        batch: Size of the whole batch.
        live: Whether every row of them is a deal in progress.
    """

    rows: Rows
    number: NDArray[np.intp]
    batch: int
    live: bool

    def at(self, index: Array) -> NDArray[np.intp]:
        """Return flat indices into a field by seat (or slot) for one index of each lane."""
        flat = np.multiply(index, self.batch, dtype=np.intp)
        flat += self.number
        return flat

    def where(self, chosen: NDArray[np.bool_]) -> Lanes:
        """Return the lanes that are chosen."""
        number = self.number[chosen]
        return Lanes(number, number, self.batch, self.live)

    def __len__(self) -> int:
        return len(self.number)


def take(table: Array, index: Array) -> Array:
    """Look up a flat table or field; an index below 0 counts from the end."""
    return table.reshape(-1).take(index, mode="wrap")


def put(field: Array, index: NDArray[np.intp], values: Array) -> None:
    """Write into a field by flat indices, which name each lane once."""
    field.reshape(-1)[index] = values


def count(mask: Array) -> NDArray[np.uint8]:
    """Return the number of bits in each mask."""
    return np.bitwise_count(mask)


def first_nonempty(*choices: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return, lane by lane, the first of the card sets that holds a card."""
    result = choices[-1]
    for choice in choices[-2::-1]:
        empty = np.minimum(choice, 1) - np.uint32(1)
        result = choice | (result & empty)
    return result


def common(values: Array) -> Array:
    """Return the one value that all lanes share as an array of no axes, else the values."""
    return values[0] if len(values) and (values == values[0]).all() else values
