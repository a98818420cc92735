"""The numpy building blocks of the rules: lanes, gathers, bits.

A step works on *lanes*: the rows of the batch that are in one phase. They are a slice if they are
all rows, so that nothing is copied, and an index array otherwise. Fields by seat are stored as
``[seats, batch]``. Flat indices read and write the entry of one seat in each lane; they cost a
quarter of two-dimensional indexing.
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
"""The step within a phase: one for all lanes, or one for each."""
_KEPT = local()
_LINE = 16
"""Words in a cache line."""
_PIECE = 1024
"""Rows that are transposed together."""


class Lanes(NamedTuple):
    """Some rows of a batch.

    Attributes:
        rows: The rows, as a slice over all or as indices.
        number: Their row numbers, intp[n].
        batch: Size of the whole batch.
        dead: Which of the rows are over and must not change, bool[n]; None if there are none.
    """

    rows: Rows
    number: NDArray[np.intp]
    batch: int
    dead: NDArray[np.bool_] | None = None

    def at(self, index: Array) -> NDArray[np.intp]:
        """Return flat indices into a field by seat (or slot), given one index for each lane."""
        flat = np.multiply(index, self.batch, dtype=np.intp)
        flat += self.number
        return flat

    def of(self, field: Array) -> Array:
        """Return a field's entries of the lanes: a view if the lanes are all rows, else a copy."""
        if isinstance(self.rows, slice):
            return field[..., self.rows]
        return field.take(self.number, axis=-1, mode="wrap")

    def mark(self, field: NDArray[np.uint32], sets: NDArray[np.uint32]) -> None:
        """Add bits to the sets of the lanes."""
        if isinstance(self.rows, slice):
            field[self.rows] |= sets
        else:
            field[self.number] = self.of(field) | sets

    def where(self, chosen: NDArray[np.bool_]) -> Lanes:
        """Return the chosen lanes. None of them may be over."""
        if np.count_nonzero(chosen) == self.size:
            return self
        number = take(self.number, chosen.nonzero()[0])
        return Lanes(number, number, self.batch)

    def alive(self) -> Lanes:
        """Return the lanes that are not over."""
        return self if self.dead is None else self.where(~self.dead)

    def common(self, values: Array) -> int | None:
        """Return the value that all rows in play share, or None if they differ.

        It is also None if the lanes are only a part of the batch: the comparison would cost more
        than it saves.
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
    """Look up entries of a flat table or field. A negative index counts from the end."""
    return table.take(index, mode="wrap")


def put(field: Array, index: NDArray[np.intp], values: Array) -> None:
    """Write into a field by flat indices, one for each lane."""
    field.reshape(-1)[index] = values


@lru_cache(maxsize=64)
def row_numbers(batch: int) -> NDArray[np.intp]:
    """Return the numbers of the rows of a batch, read-only."""
    number = np.arange(batch)
    number.setflags(write=False)
    return number


def blocks(batch: int, size: int) -> Iterator[Lanes]:
    """Yield all rows of a batch in blocks of a given size."""
    for first in range(0, batch, size):
        rows = slice(first, min(first + size, batch))
        yield Lanes(rows, row_numbers(batch)[rows], batch)


def scratch(n: int, rows: int) -> NDArray[np.uint32]:
    """Return working memory, uint32[n, rows], not initialised.

    It is valid until the same thread calls this function again. It is kept because freeing and
    allocating it anew costs more than the work in it. One cache line separates the rows: if their
    distance were a power of two, they would evict each other from the cache.
    """
    size = n * (rows + _LINE)
    kept: NDArray[np.uint32] | None = getattr(_KEPT, "words", None)
    if kept is None or kept.size < size:
        kept = _KEPT.words = np.empty(size, np.uint32)
    return kept[:size].reshape(n, rows + _LINE)[:, :rows]


def transpose(source: Array, out: Array) -> None:
    """Copy ``source`` [n, rows] to ``out`` [rows, n], in pieces that fit into the L1 cache."""
    for first in range(0, len(out), _PIECE):
        out[first : first + _PIECE] = source[:, first : first + _PIECE].T


def turned(ring: Array, by: NDArray[np.int8]) -> Array:
    """Return bytes by seat, [seats, n], rotated so that seat ``by`` of each lane comes first.

    Pass k rotates by 2 ** k where bit k of the seat is set. For bytes these passes over whole
    arrays cost a quarter of a gather.
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
    """Write entries by seat, [seats, n], rotated so that flat index ``at`` of each lane is first.

    The ring is stored twice in a row, so the same index, plus an offset, finds every seat.
    """
    seats, n = ring.shape
    twice = np.concatenate((ring, ring[:-1])).reshape(-1)
    for offset in range(seats):
        twice[offset * n :].take(at, mode="wrap", out=out[offset])


def side_by_side(numbers: Array | Sequence[Array], bits: int, out: NDArray[np.uint32]) -> None:
    """Pack numbers of ``bits`` bits each into one word of each lane, the first number lowest."""
    out[...] = numbers[-1]
    for number in numbers[-2::-1]:
        out <<= np.uint32(bits)
        out |= number


def turn_words(
    words: NDArray[np.uint32], by: NDArray[np.int8], bits: NDArray[np.uint32], seats: int
) -> None:
    """Rotate words [n_words, n] that hold one number for each seat; seat ``by`` becomes lowest.

    ``bits``, [n_words, 1], is the width of a number in each word. The bits above the numbers are
    undefined afterwards. In numpy a shift by 32 bits gives 0.
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
    """Return for each lane the first card set that is not empty."""
    result = choices[-1]
    for choice in choices[-2::-1]:
        empty = np.minimum(choice, 1) - np.uint32(1)
        result = choice | (result & empty)
    return result


def wrapped(index: Array, size: int) -> Array:
    """Return the remainder of integers from 0 to 2 * size - 1, 5 times faster than numpy's."""
    remainder: Array = index - index.dtype.type(size) * (index >= size)
    return remainder


def single(index: Array) -> NDArray[np.uint32]:
    """Return the set that holds one card, from its id; the empty set for an id above 31."""
    one: NDArray[np.uint32] = np.left_shift(np.uint32(1), index)
    return one
