"""Observations: what a seat may know, packed into words by ``layout``.

A ``View`` stands between the state and the code that packs it: it hands out a field only as far as
the field's visibility allows the seat that looks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core.bits import Array, Lanes, row_numbers, single, take
from sjavs_env.core.codes import N_CLASSES, NONE, PHASES, STEP_BITS, VOID_BITS
from sjavs_env.core.state import State, visibility
from sjavs_env.core.tables import Tables
from sjavs_env.layout import LAYOUT_ALL, N_WORDS_ALL

SLOT_OF_OFFSET: dict[int, tuple[int, ...]] = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}
"""Slot of the seat that sits so many places to the left, by number of seats."""

_VISIBLE = {name: visibility(name) for name in State.__slots__}
_WORD_ACTIONS = 32
_CALL_BIT = np.array(
    [
        1 << (action - _WORD_ACTIONS) if action >= _WORD_ACTIONS else 0
        for action in range(a.N_ACTIONS)
    ],
    np.uint32,
)
_CALL_BIT[a.NOTHING] = 0


class View:
    """The state as one seat of each row sees it."""

    def __init__(self, state: State, tables: Tables, seat: NDArray[np.int8]) -> None:
        self._state = state
        self.tables = tables
        batch = state.clock.size
        self._lanes = Lanes(slice(None), row_numbers(batch), batch)
        seats = tables.rules.seats
        self.seat = seat % np.int8(seats)
        self.seats = [(self.seat + np.int8(offset)) % np.int8(seats) for offset in range(seats)]
        self.slots = SLOT_OF_OFFSET[seats]
        self._at = [self._lanes.at(each) for each in self.seats]

    def public(self, name: str) -> Array:
        """Return a fact that all know."""
        return self._field(name, "public")

    def each(self, name: str) -> list[Array]:
        """Return a public fact by seat, from my seat on."""
        return [take(self._field(name, "public"), at) for at in self._at]

    def mine(self, name: str) -> Array:
        """Return my own entry of a fact that each seat knows for itself."""
        return take(self._field(name, "seat"), self._at[0])

    def as_declarer(self, name: str) -> Array:
        """Return a fact that declarer alone knows, empty for the others."""
        field: Array = self._field(name, "declarer") * (self.public("declarer") == self.seat)
        return field

    def at_place(self, name: str, place: Array) -> Array:
        """Return a public fact by place in the trick."""
        return take(self._field(name, "public"), self._lanes.at(place))

    def column_of(self, seat: Array) -> Array:
        """Return the score sheet's entry for a seat."""
        column = seat % np.int8(self.tables.rules.columns)
        return take(self._field("columns", "public"), self._lanes.at(column))

    def relative(self, seat: Array) -> NDArray[np.uint32]:
        """Return the slot of a seat as a flag, 0 for none."""
        flags = np.array([1 << slot for slot in self.slots], np.uint32)
        slot: NDArray[np.uint32] = flags[(seat - self.seat) % np.int8(self.tables.rules.seats)] * (
            seat != NONE
        )
        return slot

    def _field(self, name: str, seen: str) -> Array:
        if _VISIBLE[name] != seen:
            raise PermissionError(f"{name} is {_VISIBLE[name]}, not {seen}")
        field: Array = getattr(self._state, name)
        return field


class OpenView(View):
    """The state with all cards on the table, for critics and analysis."""

    def hidden(self, name: str) -> Array:
        """Return any fact."""
        field: Array = getattr(self._state, name)
        return field

    def each_hidden(self, name: str) -> list[Array]:
        """Return any fact by seat, from my seat on."""
        return [take(self.hidden(name), at) for at in self._at]


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
    words = np.zeros((n_words, batch), np.uint32)
    view = View(state, tables, seat)
    for name, pack in _PACKERS.items():
        pack(view, words, name)
    if n_words == N_WORDS_ALL:
        _pack_all(OpenView(state, tables, seat), words)
    words *= seat != NONE
    if out is None:
        return np.ascontiguousarray(words.T)
    out[...] = words.T
    return out


def _put_sets(view: View, words: NDArray[np.uint32], name: str, sets: list[Array]) -> None:
    """Write one set for each seat into its slot."""
    for slot, mask in zip(view.slots, sets, strict=True):
        words[LAYOUT_ALL[name].word + slot] = mask


def _put_number(words: NDArray[np.uint32], name: str, number: Array, index: int = 0) -> None:
    """Write a number, offset and held within its bits."""
    item = LAYOUT_ALL[name]
    raw = number if item.offset == 0 else np.clip(number + item.offset, 0, (1 << item.bits) - 1)
    words[item.word] |= raw.astype(np.uint32) << np.uint32(item.shift + index * item.bits)


def _put_flags(words: NDArray[np.uint32], name: str, flags: Array) -> None:
    """Write all flags of a slice at once."""
    item = LAYOUT_ALL[name]
    words[item.word] |= flags.astype(np.uint32) << np.uint32(item.shift)


def _pack_hand(view: View, words: NDArray[np.uint32], name: str) -> None:
    words[LAYOUT_ALL[name].word] = view.mine("hand")


def _pack_played(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_sets(view, words, name, view.each("played"))


def _pack_face_up(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.piles:
        shown = zip(view.each("face_up"), view.each("played"), strict=True)
        _put_sets(view, words, name, [up & ~played for up, played in shown])


def _pack_fell(view: View, words: NDArray[np.uint32], name: str) -> None:
    item = LAYOUT_ALL[name]
    words[item.word : item.word + item.bits] = view.public("fell")


def _pack_trick(view: View, words: NDArray[np.uint32], name: str) -> None:
    seats = np.int8(view.tables.rules.seats)
    leader = view.public("leader")
    cards = [view.at_place("table", (seat - leader) % seats) for seat in view.seats]
    _put_sets(view, words, name, [single(card) for card in cards])


def _pack_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    words[LAYOUT_ALL[name].word] = view.as_declarer("laid_away")


def _pack_calls(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_sets(view, words, name, [_CALL_BIT[call] for call in view.each("calls")])


def _pack_contract(view: View, words: NDArray[np.uint32], name: str) -> None:
    owned = view.public("declarer") != NONE
    standing = _CALL_BIT[view.public("standing")] * owned
    words[LAYOUT_ALL[name].word] = standing | _CALL_BIT[view.public("choice")]


def _pack_seat(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_flags(words, name, view.relative(view.public("seat" if name == "to_act" else name)))


def _pack_trump(view: View, words: NDArray[np.uint32], name: str) -> None:
    trump = view.public("trump")
    _put_flags(
        words, name, (trump != NONE).astype(np.uint32) << np.maximum(trump, 0).astype(np.uint32)
    )


def _pack_phase(view: View, words: NDArray[np.uint32], name: str) -> None:
    phase = np.where(view.public("over"), len(PHASES) - 1, view.public("clock") >> STEP_BITS)
    _put_flags(words, name, np.uint32(1) << phase.astype(np.uint32))


def _pack_carry(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_number(words, name, np.minimum(view.public("carry"), LAYOUT_ALL[name].scale))


def _pack_n_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_number(words, name, view.public("n_laid_away"))


def _pack_trick_number(view: View, words: NDArray[np.uint32], name: str) -> None:
    _put_number(words, name, view.public("trick"))


def _pack_voids(view: View, words: NDArray[np.uint32], name: str) -> None:
    voids = view.public("voids")
    mask = np.uint32((1 << N_CLASSES) - 1)
    for slot, seat in zip(view.slots, view.seats, strict=True):
        shown = voids >> seat.astype(np.uint32) * np.uint32(VOID_BITS) & mask
        _put_flags(words, name, shown << np.uint32(slot * N_CLASSES))


def _pack_taken(view: View, words: NDArray[np.uint32], name: str) -> None:
    for slot, number in zip(view.slots, view.each(name), strict=True):
        _put_number(words, name, number, slot)


def _pack_columns(view: View, words: NDArray[np.uint32], name: str) -> None:
    for slot, seat in zip(view.slots, view.seats, strict=True):
        _put_number(words, name, view.column_of(seat), slot)


_PACKERS: dict[str, Callable[[View, NDArray[np.uint32], str], None]] = {
    "hand": _pack_hand,
    "face_up": _pack_face_up,
    "played": _pack_played,
    "fell": _pack_fell,
    "trick": _pack_trick,
    "laid_away": _pack_laid_away,
    "calls": _pack_calls,
    "contract": _pack_contract,
    "to_act": _pack_seat,
    "dealer": _pack_seat,
    "declarer": _pack_seat,
    "leader": _pack_seat,
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
