"""Observations: what a seat may know, packed into words by ``layout``.

A ``View`` stands between the state and the code that packs it: it hands out a field only as far as
the field's visibility allows the seat that looks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core.bits import Array, Lanes, blocks, scratch, single, take, transpose, wrapped
from sjavs_env.core.codes import N_CLASSES, NONE, OVER, STEP_BITS, VOID_BITS
from sjavs_env.core.state import State, visibility
from sjavs_env.core.tables import Tables
from sjavs_env.layout import LAYOUT_ALL, N_WORDS_ALL, SLOTS

SLOT_OF_OFFSET: dict[int, tuple[int, ...]] = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}
"""Slot of the seat that sits so many places to the left, by number of seats."""

_VISIBLE = {name: visibility(name) for name in State.__slots__}
_FIRST_CALL = np.uint8(32)
_CALLS = np.uint32((1 << a.NOTHING - 32) - 1)
_CLASS_MASK = np.uint32((1 << N_CLASSES) - 1)
_BLOCK = 16384
"""Rows that are packed together: few enough for their words to stay near the processor."""
_PAIR_BITS = 3
"""A seat that looks stands above this many bits of the seat looked at, in tables of pairs."""


def _relative_table(seats: int) -> NDArray[np.uint32]:
    """Return the slot of a seat as a flag, by looker and seat; 0 for ``NONE``, which is -1."""
    flags = np.zeros((len(SLOTS), 1 << _PAIR_BITS), np.uint32)
    for looker in range(seats):
        for seat in range(seats):
            flags[looker, seat] = 1 << SLOT_OF_OFFSET[seats][(seat - looker) % seats]
    return flags.reshape(-1)


def _factors(name: str, seats: int, numbers: int) -> NDArray[np.uint32]:
    """Return what brings each of a seat's or column's numbers into its slots, [numbers, 1]."""
    item = LAYOUT_ALL[name]
    bits = item.bits * (item.count // len(SLOTS))
    factors = [0] * numbers
    for offset, slot in enumerate(SLOT_OF_OFFSET[seats]):
        factors[offset % numbers] |= 1 << item.shift + slot * bits
    return np.array(factors, np.uint32)[:, None]


_FACTORS = {
    (name, seats, numbers): _factors(name, seats, numbers)
    for name in ("voids", "points", "tricks", "columns")
    for seats in SLOT_OF_OFFSET
    for numbers in {seats, 2}
}
_SEAT_SHIFTS = np.array(
    [LAYOUT_ALL[name].shift for name in ("to_act", "dealer", "declarer", "leader")], np.uint32
)[:, None]
_RELATIVE = {seats: _relative_table(seats) for seats in SLOT_OF_OFFSET}


class View:
    """The state of some rows as one seat of each sees it.

    Where nobody looks the view is that of seat 0.
    """

    def __init__(self, state: State, tables: Tables, lanes: Lanes, seat: NDArray[np.int8]) -> None:
        self._state = state
        self._lanes = lanes
        self.tables = tables
        seats = tables.rules.seats
        self.seat = np.maximum(seat, 0)
        offsets = np.arange(seats, dtype=np.int8)[:, None]
        self.seats = wrapped(self.seat + offsets, seats)
        """The seats from my own on, int8[seats, n]."""
        self._at = lanes.at(self.seats)
        self._pair = self.seat << np.int8(_PAIR_BITS)

    def public(self, name: str) -> Array:
        """Return a fact that all know."""
        return self._rows(self._field(name, "public"))

    def each(self, name: str) -> Array:
        """Return a public fact by seat, from my seat on, [seats, n]."""
        return take(self._field(name, "public"), self._at)

    def mine(self, name: str) -> Array:
        """Return my own entry of a fact that each seat knows for itself."""
        return take(self._field(name, "seat"), self._at[0])

    def as_declarer(self, name: str) -> Array:
        """Return a fact that declarer alone knows, empty for the others."""
        field = self._rows(self._field(name, "declarer"))
        known: Array = field * (self.public("declarer") == self.seat)
        return known

    @cached_property
    def played(self) -> Array:
        """The cards that each seat has played, from my seat on, uint32[seats, n]."""
        return self.each("played")

    def columns(self) -> Array:
        """Return the entries of the score sheet, from my column on, [columns, n]."""
        rules = self.tables.rules
        if rules.columns == rules.seats:
            return self.each("columns")
        mine = self.seats[: rules.columns] & np.int8(1)
        return take(self._field("columns", "public"), self._lanes.at(mine))

    def relative(self, seat: NDArray[np.int8]) -> Array:
        """Return the slots of seats as flags, 0 for none."""
        return take(_RELATIVE[self.tables.rules.seats], self._pair + seat)

    def _rows(self, field: Array) -> Array:
        rows: Array = field[..., self._lanes.rows]
        return rows

    def _field(self, name: str, seen: str) -> Array:
        if _VISIBLE[name] != seen:
            raise PermissionError(f"{name} is {_VISIBLE[name]}, not {seen}")
        field: Array = getattr(self._state, name)
        return field


class OpenView:
    """The same state with all cards on the table, for critics and analysis."""

    def __init__(self, view: View) -> None:
        self.tables = view.tables
        self._view = view

    def hidden(self, name: str) -> Array:
        """Return any fact."""
        return self._view._rows(getattr(self._view._state, name))

    def each_hidden(self, name: str) -> Array:
        """Return any fact by seat, from my seat on, [seats, n]."""
        return take(getattr(self._view._state, name), self._view._at)


def observe(
    state: State,
    tables: Tables,
    seat: NDArray[np.int8],
    out: NDArray[np.uint32] | None,
    n_words: int,
) -> NDArray[np.uint32]:
    """Return the words [B, n_words] of one seat of each row; 0 where the seat is ``NONE``.

    Raises:
        ValueError: ``out`` has another shape or dtype.
    """
    batch = state.clock.size
    shape, dtype = getattr(out, "shape", ()), getattr(out, "dtype", type(out).__name__)
    if out is not None and (shape != (batch, n_words) or dtype != np.uint32):
        raise ValueError(
            f"out is {dtype} of shape {shape}, but must be uint32 of shape {(batch, n_words)}"
        )
    packed = np.empty((batch, n_words), np.uint32) if out is None else out
    for lanes in blocks(batch, _BLOCK):
        looks = seat[lanes.rows]
        words = scratch(n_words, lanes.size)
        view = View(state, tables, lanes, looks)
        for name, pack in _PACKERS.items():
            pack(view, words, name)
        if n_words == N_WORDS_ALL:
            _pack_all(OpenView(view), words)
        transpose(words, packed[lanes.rows])
        packed[lanes.number[looks == NONE]] = 0
    return packed


def _put_sets(view: View | OpenView, words: NDArray[np.uint32], name: str, sets: Array) -> None:
    """Write one set for each seat into its slot."""
    slots = SLOT_OF_OFFSET[view.tables.rules.seats]
    first = LAYOUT_ALL[name].word
    if len(slots) == len(SLOTS):
        words[first : first + len(SLOTS)] = sets
        return
    for slot, mask in zip(slots, sets, strict=True):
        words[first + slot] = mask


def _put_number(words: NDArray[np.uint32], name: str, number: Array) -> None:
    """Write a number that is within its bits."""
    item = LAYOUT_ALL[name]
    words[item.word] |= number.astype(np.uint32) << np.uint32(item.shift)


def _put_numbers(view: View, words: NDArray[np.uint32], name: str, numbers: Array) -> None:
    """Write one number for each seat (or column), within its bits, into its slots."""
    factors = _FACTORS[name, view.tables.rules.seats, len(numbers)]
    placed = numbers.astype(np.uint32) * factors
    words[LAYOUT_ALL[name].word] |= np.bitwise_or.reduce(placed, axis=0)


def _call_bit(action: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the bit of each action from 32 on, none for a card or ``NOTHING``."""
    return single(action - _FIRST_CALL) & _CALLS


def _pack_hand(view: View, words: NDArray[np.uint32], name: str) -> None:
    words[LAYOUT_ALL[name].word] = view.mine("hand")


def _pack_played(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_sets(view, words, name, view.played)


def _pack_face_up(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.piles:
        _put_sets(view, words, name, view.each("face_up") & ~view.played)


def _pack_fell(view: View, words: NDArray[np.uint32], name: str) -> None:
    item = LAYOUT_ALL[name]
    words[item.word : item.word + item.bits] = view.public("fell")


def _pack_trick(view: View, words: NDArray[np.uint32], name: str) -> None:
    on_table = np.bitwise_or.reduce(single(view.public("table")), axis=0)
    _put_sets(view, words, name, view.played & on_table)


def _pack_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.exchange:
        words[LAYOUT_ALL[name].word] = view.as_declarer("laid_away")


def _pack_calls(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_sets(view, words, name, _call_bit(view.each("calls")))


def _pack_contract(view: View, words: NDArray[np.uint32], name: str) -> None:
    owned = view.public("declarer") != NONE
    standing = _call_bit(view.public("standing")) * owned
    words[LAYOUT_ALL[name].word] = standing | _call_bit(view.public("choice"))


def _pack_seats(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack the facts that are a seat, which stand side by side from the one of this name on."""
    seats = np.stack([view.public(fact) for fact in ("seat", "dealer", "declarer", "leader")])
    flags = view.relative(seats) << _SEAT_SHIFTS
    words[LAYOUT_ALL[name].word] |= np.bitwise_or.reduce(flags, axis=0)


def _pack_trump(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_number(words, name, single(view.public("trump").view(np.uint8)))  # none is 255: no flag


def _pack_phase(view: View, words: NDArray[np.uint32], name: str) -> None:
    phase = view.public("clock") >> STEP_BITS
    _put_number(words, name, single(np.maximum(phase, view.public("over") * np.uint8(OVER))))


def _pack_carry(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.carries:
        _put_number(words, name, np.minimum(view.public("carry"), np.uint8(LAYOUT_ALL[name].scale)))


def _pack_n_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.exchange:
        _put_number(words, name, view.public("n_laid_away"))


def _pack_trick_number(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_number(words, name, view.public("trick"))


def _pack_voids(view: View, words: NDArray[np.uint32], name: str) -> None:
    shift = view.seats.astype(np.uint32) * np.uint32(VOID_BITS)
    _put_numbers(view, words, name, view.public("voids") >> shift & _CLASS_MASK)


def _pack_taken(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_numbers(view, words, name, view.each(name))


def _pack_columns(view: View, words: NDArray[np.uint32], name: str) -> None:
    item = LAYOUT_ALL[name]
    least, most = np.int16(-item.offset), np.int16(item.scale - item.offset)
    held = np.minimum(np.maximum(view.columns(), least), most)
    _put_numbers(view, words, name, held + np.int16(item.offset))


_PACKERS: dict[str, Callable[[View, NDArray[np.uint32], str], None]] = {
    "hand": _pack_hand,
    "face_up": _pack_face_up,
    "played": _pack_played,
    "fell": _pack_fell,
    "trick": _pack_trick,
    "laid_away": _pack_laid_away,
    "calls": _pack_calls,
    "contract": _pack_contract,
    "to_act": _pack_seats,
    "trump": _pack_trump,
    "phase": _pack_phase,
    "carry": _pack_carry,
    "n_laid_away": _pack_n_laid_away,
    "voids": _pack_voids,
    "trick_number": _pack_trick_number,
    "points": _pack_taken,
    "tricks": _pack_taken,
    "columns": _pack_columns,
}
"""How each fact of ``layout.LAYOUT`` is packed."""


def _pack_all(view: OpenView, words: NDArray[np.uint32]) -> None:
    """Pack what nobody may see."""
    _put_sets(view, words, "hands", view.each_hidden("hand"))
    _put_sets(view, words, "face_down", view.each_hidden("face_down"))
    talon = np.zeros(words.shape[1], np.uint32)
    for card in view.hidden("talon"):
        talon |= single(card)
    words[LAYOUT_ALL["talon"].word] = talon & ~view.hidden("drawn")
    words[LAYOUT_ALL["all_laid_away"].word] = view.hidden("laid_away")
