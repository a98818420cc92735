"""The numpy formulations that the rules are written in: lanes, gathers, bits.

A step works on *lanes*: the rows of the batch that are in one phase, as a slice when they are all
of them, so that nothing is copied, and as an index array when they are few. Fields by seat are
stored ``[seats, batch]``; one seat's entry of every lane is taken and put through flat indices,
which costs a quarter of two-dimensional indexing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rows = slice | NDArray[np.intp]
Step = int | NDArray[np.uint8]
"""A step within a phase that lanes share, or the step of each."""
_KEPT = local()
_LINE = 16
"""Words of a cache line."""
_PIECE = 1024
"""Rows that are transposed together."""


class Lanes(NamedTuple):
    """Some rows of a batch.

    Attributes:
        rows: The rows, as a slice over all or as indices.
        number: Their row numbers, intp[n].
        batch: Size of the whole batch.
        dead: Which of the rows are over and must stay as they are; None if none is.
    """

    rows: Rows
    number: NDArray[np.intp]
    batch: int
    dead: NDArray[np.bool_] | None = None

    def at(self, index: Array) -> NDArray[np.intp]:
        """Return flat indices into a field by seat (or slot) for one index of each lane."""
        flat = np.multiply(index, self.batch, dtype=np.intp)
        flat += self.number
        return flat

    def of(self, field: Array) -> Array:
        """Return a field's entries of the lanes: a view if they are all, else a copy."""
        if isinstance(self.rows, slice):
            return field[..., self.rows]
        return field.take(self.number, axis=-1, mode="wrap")

    def mark(self, field: NDArray[np.uint32], sets: NDArray[np.uint32]) -> None:
        """Add to the sets of the lanes."""
        if isinstance(self.rows, slice):
            field[self.rows] |= sets
        else:
            field[self.number] = self.of(field) | sets

    def where(self, chosen: NDArray[np.bool_]) -> Lanes:
        """Return the lanes that are chosen, none of which may be over."""
        if np.count_nonzero(chosen) == self.size:
            return self
        number = take(self.number, chosen.nonzero()[0])
        return Lanes(number, number, self.batch)

    def alive(self) -> Lanes:
        """Return the lanes that are not over."""
        return self if self.dead is None else self.where(~self.dead)

    def common(self, values: Array) -> int | None:
        """Return the one value that the whole batch shares but for what is over.

        None if they differ, or if the lanes are a part, of which finding out would not pay.
        """
        if not isinstance(self.rows, slice):
            return None
        first = values[0 if self.dead is None else self.dead.argmin()]
        same = values == first
        if self.dead is not None:
            same |= self.dead
        return int(first) if np.count_nonzero(same) == len(same) else None

    @property
    def size(self) -> int:
        """Number of lanes."""
        return len(self.number)


def take(table: Array, index: Array) -> Array:
    """Look up a flat table or field; an index below 0 counts from the end."""
    return table.take(index, mode="wrap")


def put(field: Array, index: NDArray[np.intp], values: Array) -> None:
    """Write into a field by flat indices, which name each lane once."""
    field.reshape(-1)[index] = values


@lru_cache(maxsize=64)
def row_numbers(batch: int) -> NDArray[np.intp]:
    """Return the numbers of the rows of a batch, read-only."""
    number = np.arange(batch)
    number.setflags(write=False)
    return number


def blocks(batch: int, size: int) -> Iterator[Lanes]:
    """Yield all rows of a batch, so many at a time."""
    for first in range(0, batch, size):
        rows = slice(first, min(first + size, batch))
        yield Lanes(rows, row_numbers(batch)[rows], batch)


def scratch(n: int, rows: int) -> NDArray[np.uint32]:
    """Return words [n, rows] of any value to work in, which live until this thread asks again.

    Memory that is returned to the system and asked for anew costs more than the work in it. Rows
    lie a cache line further apart than they are long: a power of two apart, they would drive each
    other out of the cache.
    """
    size = n * (rows + _LINE)
    kept: NDArray[np.uint32] | None = getattr(_KEPT, "words", None)
    if kept is None or kept.size < size:
        kept = _KEPT.words = np.empty(size, np.uint32)
    return kept[:size].reshape(n, rows + _LINE)[:, :rows]


def transpose(source: Array, out: Array) -> None:
    """Copy ``source`` [n, rows] to ``out`` [rows, n], in pieces that a first-level cache holds."""
    for first in range(0, len(out), _PIECE):
        out[first : first + _PIECE] = source[:, first : first + _PIECE].T


def turned(ring: Array, by: NDArray[np.int8]) -> Array:
    """Return bytes by seat, [seats, n], each lane's own seat first.

    Entries change places by powers of two where the seat has that bit: a few passes over whole
    arrays, which for bytes cost a quarter of a gather.
    """
    for bit in range((len(ring) - 1).bit_length()):
        far = 1 << bit
        change = np.empty_like(ring)
        np.bitwise_xor(ring[:-far], ring[far:], out=change[:-far])
        np.bitwise_xor(ring[-far:], ring[:far], out=change[-far:])
        change &= np.negative(by >> np.int8(bit) & np.int8(1)).view(ring.dtype)
        change ^= ring
        ring = change
    return ring


def take_turned(ring: NDArray[np.uint32], at: NDArray[np.intp], out: NDArray[np.uint32]) -> None:
    """Write entries by seat, [seats, n], from the one on that the index of each lane names.

    In two copies of the ring, one behind the other, one index serves all seats.
    """
    seats, n = ring.shape
    twice = np.concatenate((ring, ring[:-1])).reshape(-1)
    for offset in range(seats):
        twice[offset * n :].take(at, mode="wrap", out=out[offset])


def side_by_side(numbers: Array | Sequence[Array], bits: int, out: NDArray[np.uint32]) -> None:
    """Write numbers of so many bits side by side into one word of each lane, the first lowest."""
    out[...] = numbers[-1]
    for number in numbers[-2::-1]:
        out <<= np.uint32(bits)
        out |= number


def turn_words(
    words: NDArray[np.uint32], by: NDArray[np.int8], bits: NDArray[np.uint32], seats: int
) -> None:
    """Turn words [n_words, n] that hold numbers seat by seat, each lane's own seat lowest.

    The numbers of each word have so many bits, [n_words, 1]; what stands above them is waste. A
    shift by all 32 bits leaves nothing, in numpy.
    """
    low = by.astype(np.uint32) * bits
    turned_down = words >> low
    np.subtract(bits * np.uint32(seats), low, out=low)
    words <<= low
    words |= turned_down


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


def wrapped(index: Array, size: int) -> Array:
    """Return the remainder of integers from 0 to 2 * size - 1; numpy's is five times slower."""
    remainder: Array = index - index.dtype.type(size) * (index >= size)
    return remainder


def single(index: Array) -> NDArray[np.uint32]:
    """Return the set of each card, from its id; no set for an id beyond the cards."""
    one: NDArray[np.uint32] = np.left_shift(np.uint32(1), index)
    return one
