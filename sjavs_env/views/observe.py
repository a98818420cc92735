"""Observations: what a seat may know, packed into words by ``layout``.

The packing code reads the state only through a ``View``. The view returns a field only as far as
the field's visibility allows for the observing seat.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.arguments import check_array, kind
from sjavs_env.core.bits import (
    Array,
    Lanes,
    blocks,
    row_numbers,
    scratch,
    side_by_side,
    single,
    take,
    take_turned,
    transpose,
    turn_words,
    turned,
)
from sjavs_env.core.rules.state import State, visibility
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import N_SUITS, NONE, OVER, PLAY, STEP_BITS
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.views.layout import LAYOUT_ALL, N_WORDS_ALL, SLOTS

SLOT_OF_OFFSET: dict[int, tuple[int, ...]] = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}
"""Slot of the seat k places to the left of the observing seat, by number of seats."""

_VISIBLE = {name: visibility(name) for name in State.__slots__}
_FIRST_CALL = np.uint8(32)
_CALLS = np.uint32((1 << a.NOTHING - 32) - 1)
_PASS_BIT = np.uint32(1 << a.PASS - 32)
_BLOCK = 16384
"""Rows that are packed together; their words fit into the cache."""
_WHOSE = ("seat", "dealer", "declarer", "leader")
"""State fields that hold a seat, in the order of the slices from ``to_act`` on."""
_WHOSE_BASE = 5
"""Base of the lookup number: a digit is a seat or a suit, 0 to 3, or ``NONE``."""


def _whose_table(seats: int) -> NDArray[np.uint32]:
    """Return a table of the word that holds the flags of all ``_WHOSE`` facts and of the trumps.

    The index is a number in base ``_WHOSE_BASE``. Its digits are the observing seat, the facts of
    ``_WHOSE`` and the trump suit. ``NONE`` is the digit -1, so an index may be negative: it then
    counts from the end of the table.
    """
    lookers, n_facts = len(SLOTS), len(_WHOSE) + 1
    flags = np.zeros((lookers,) + (1,) * n_facts, np.uint32)
    for place, name in enumerate(("to_act", *_WHOSE[1:])):
        told = np.zeros((lookers, _WHOSE_BASE), np.uint32)
        for looker in range(seats):
            for seat in range(seats):
                slot = SLOT_OF_OFFSET[seats][(seat - looker) % seats]
                told[looker, seat - NONE] = 1 << LAYOUT_ALL[name].shift + slot
        flags = flags | _along(told, place, n_facts)
    suits = np.zeros((lookers, _WHOSE_BASE), np.uint32)
    suits[:, -NONE:] = 1 << LAYOUT_ALL["trump"].shift + np.arange(N_SUITS)
    flags = flags | _along(suits, n_facts - 1, n_facts)
    below = sum(_WHOSE_BASE**digit for digit in range(n_facts))
    return np.roll(flags.reshape(-1), -below)


def _along(told: NDArray[np.uint32], place: int, n_facts: int) -> NDArray[np.uint32]:
    """Return one fact's flags by observing seat, shaped to broadcast along the axis of the fact."""
    axes = [1] * n_facts
    axes[place] = _WHOSE_BASE
    return told.reshape(len(told), *axes)


_WHOSE_TABLES = {seats: _whose_table(seats) for seats in SLOT_OF_OFFSET}


_BY_SEAT = ("voids", "points", "tricks", "columns")
"""Facts that are numbers of each seat, in the order of their words."""
_BITS_BY_SEAT = np.array(
    [[LAYOUT_ALL[name].bits * LAYOUT_ALL[name].count // len(SLOTS)] for name in _BY_SEAT], np.uint32
)
"""Bits for each seat in each of those words, [words, 1]."""


def _masks_by_seat(seats: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return two masks for each ``_BY_SEAT`` word.

    The first selects the seats whose slot is their offset. With fewer than four seats the second
    selects the last seat, which moves up by one slot.
    """
    in_place = seats if seats == len(SLOTS) else seats - 1
    bits = _BITS_BY_SEAT.astype(np.uint64)
    stay = (np.uint64(1) << bits * np.uint64(in_place)) - np.uint64(1)
    last = ((np.uint64(1) << bits) - np.uint64(1)) << bits * np.uint64(in_place)
    return stay.astype(np.uint32), last.astype(np.uint32)


_MASKS_BY_SEAT = {seats: _masks_by_seat(seats) for seats in SLOT_OF_OFFSET}


class View:
    """The state of some rows, each as one seat sees it.

    A row without an observing seat (``NONE``) is viewed from seat 0; its words are cleared later.
    """

    def __init__(self, state: State, tables: Tables, lanes: Lanes, seat: NDArray[np.int8]) -> None:
        self._state = state
        self._lanes = lanes
        self.tables = tables
        self.seat = np.maximum(seat, np.int8(0))
        self._at = self.seat * np.intp(lanes.size)
        self._at += row_numbers(lanes.size)
        over = self.public("over") * np.uint8(OVER << STEP_BITS)
        self.clock = np.maximum(self.public("clock"), over)
        """Phase and step of each row."""
        blind = seat == NONE
        looking = lanes._replace(dead=blind) if blind.any() else lanes
        self.common_clock = looking.common(self.clock)
        """The value of ``clock`` if all rows with an observing seat share it, else None."""

    def public(self, name: str) -> Array:
        """Return a public fact."""
        return self._rows(self._field(name, "public"))

    def each(self, name: str) -> Array:
        """Return a public fact of each seat, the observing seat first, uint8[seats, n]."""
        return turned(self._rows(self._field(name, "public")), self.seat)

    def mine(self, name: str) -> Array:
        """Return the observing seat's entry of a fact that each seat knows only for itself."""
        return take(self._rows(self._field(name, "seat")), self._at)

    def as_declarer(self, name: str) -> Array:
        """Return a fact that only declarer knows; empty where the observing seat is another."""
        field = self._rows(self._field(name, "declarer"))
        known: Array = field * (self.public("declarer") == self.seat)
        return known

    def sets(self, name: str, out: NDArray[np.uint32]) -> None:
        """Write a public card set of each seat, the observing seat first."""
        take_turned(self._rows(self._field(name, "public")), self._at, out)

    def whose(self) -> NDArray[np.uint32]:
        """Return the word that holds the flags of all ``_WHOSE`` facts and of the trumps."""
        number = self.seat.astype(np.int16)
        for fact in (*_WHOSE, "trump"):
            number *= np.int16(_WHOSE_BASE)
            number += self.public(fact)
        return take(_WHOSE_TABLES[self.tables.rules.seats], number)

    def _rows(self, field: Array) -> Array:
        rows: Array = field[..., self._lanes.rows]
        return rows

    def _field(self, name: str, seen: str) -> Array:
        if _VISIBLE[name] != seen:
            raise PermissionError(f"{name} is {_VISIBLE[name]}, not {seen}")
        field: Array = getattr(self._state, name)
        return field


class OpenView:
    """The same rows with all cards visible, for critics and analysis."""

    def __init__(self, view: View) -> None:
        self.tables = view.tables
        self._view = view

    def hidden(self, name: str) -> Array:
        """Return any fact, hidden or not."""
        return self._view._rows(getattr(self._view._state, name))

    def hidden_sets(self, name: str, out: NDArray[np.uint32]) -> None:
        """Write any card set of each seat, the observing seat first."""
        take_turned(self.hidden(name), self._view._at, out)


def observe(
    state: State,
    tables: Tables,
    seat: NDArray[np.int8],
    out: NDArray[np.uint32] | None,
    n_words: int,
) -> NDArray[np.uint32]:
    """Return the words of one seat in each row, uint32[B, n_words]; 0 where it is ``NONE``.

    Args:
        state: The deals.
        tables: The tables of their rule set.
        seat: The observing seat of each row, int8[B].
        out: Array to write into, or None for a new one.
        n_words: ``N_WORDS``, or ``N_WORDS_ALL`` to add all hidden cards.

    Raises:
        ValueError: ``out`` has another shape or dtype.
    """
    batch = state.clock.size
    if out is not None:
        check_array("out", out, np.uint32, (batch, n_words))
        if not out.flags.writeable:
            raise ValueError(f"out, {kind(out)}, must not be read-only")
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
        blind = (looks == NONE).nonzero()[0]
        packed[lanes.rows][blind] = 0
    return packed


def _sets(words: NDArray[np.uint32], name: str) -> NDArray[np.uint32]:
    """Return the words of a fact that holds one set for each slot."""
    first = LAYOUT_ALL[name].word
    return words[first : first + len(SLOTS)]


def _to_slots(view: View | OpenView, sets: NDArray[np.uint32]) -> None:
    """Move the sets from consecutive words, by offset, into the slots of their seats."""
    slots = SLOT_OF_OFFSET[view.tables.rules.seats]
    if len(slots) < len(SLOTS):
        sets[slots[-1]] = sets[len(slots) - 1]
        sets[[slot for slot in range(len(SLOTS)) if slot not in slots]] = 0


def _add_number(words: NDArray[np.uint32], name: str, number: Array | np.uint32) -> None:
    """Add a number to a shared word. The number must fit into its bits."""
    item = LAYOUT_ALL[name]
    words[item.word] |= number.astype(np.uint32) << np.uint32(item.shift)


def _call_bit(action: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the bit of each action from 32 on; 0 for a card or ``NOTHING``."""
    bit = single(action - _FIRST_CALL)
    bit &= _CALLS
    return bit


def _pack_hand(view: View, words: NDArray[np.uint32], name: str) -> None:
    words[LAYOUT_ALL[name].word] = view.mine("hand")


def _pack_played(view: View, words: NDArray[np.uint32], name: str) -> None:
    played = _sets(words, name)
    view.sets(name, played)
    _to_slots(view, played)


def _pack_face_up(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack the cards that lie face up. ``played`` must be packed before."""
    face_up = _sets(words, name)
    if not view.tables.rules.piles:
        face_up[...] = 0
        return
    view.sets(name, face_up)
    _to_slots(view, face_up)
    face_up &= ~_sets(words, "played")


def _pack_fell(view: View, words: NDArray[np.uint32], name: str) -> None:
    item = LAYOUT_ALL[name]
    words[item.word : item.word + item.bits] = view.public("fell")


def _pack_trick(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack the cards of the present trick. ``played`` must be packed before.

    If all rows are at the same place of the trick, that place is the number of cards in it.
    """
    cards, trick = view.public("table"), _sets(words, name)
    if view.common_clock is not None:
        phase, place = divmod(view.common_clock, 1 << STEP_BITS)
        cards = cards[: place if phase == PLAY else 0]
    if len(cards):
        on_table = np.bitwise_or.reduce(single(cards), axis=0)
        np.bitwise_and(_sets(words, "played"), on_table, out=trick)
    else:
        trick[...] = 0


def _pack_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    exchange = view.tables.rules.exchange
    words[LAYOUT_ALL[name].word] = view.as_declarer("laid_away") if exchange else 0


def _pack_calls(view: View, words: NDArray[np.uint32], name: str) -> None:
    calls, said = _sets(words, name), view.each("calls")
    calls[: len(said)] = _call_bit(said)
    _to_slots(view, calls)


def _pack_contract(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack the standing call and declarer's choice; before a call the standing one is the pass."""
    word = words[LAYOUT_ALL[name].word]
    np.bitwise_and(_call_bit(view.public("standing")), ~_PASS_BIT, out=word)
    if view.tables.confirmable.bit_count() > 1:
        word |= _call_bit(view.public("choice"))


def _pack_whose(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack the ``_WHOSE`` facts and the trumps. This writes the whole word, so it comes first."""
    words[LAYOUT_ALL[name].word] = view.whose()


def _pack_phase(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.common_clock is None:
        _add_number(words, name, single(view.clock >> np.uint8(STEP_BITS)))
    else:
        _add_number(words, name, np.uint32(1 << (view.common_clock >> STEP_BITS)))


def _pack_carry(view: View, words: NDArray[np.uint32], name: str) -> None:
    carry = view.public("carry")
    if carry.any():
        _add_number(words, name, np.minimum(carry, np.uint8(LAYOUT_ALL[name].scale)))


def _pack_n_laid_away(view: View, words: NDArray[np.uint32], name: str) -> None:
    if view.tables.rules.exchange:
        _add_number(words, name, view.public("n_laid_away"))


def _pack_by_seat(view: View, words: NDArray[np.uint32], name: str) -> None:
    """Pack all ``_BY_SEAT`` facts, one word each, beginning with this one.

    The numbers are first written in the order of the seats. Then all words are turned at once so
    that the observing seat comes first, and the last seat moves to its slot.
    """
    first = LAYOUT_ALL[name].word
    voids, points, tricks, columns = target = words[first : first + len(_BY_SEAT)]
    voids[...] = view.public("voids")
    side_by_side(view.public("points"), LAYOUT_ALL["points"].bits, points)
    tricks[...] = view.public("tricks")
    side_by_side(_held_columns(view), LAYOUT_ALL["columns"].bits, columns)
    seats = view.tables.rules.seats
    turn_words(target, view.seat, _BITS_BY_SEAT, seats)
    own, last = _MASKS_BY_SEAT[seats]
    if seats == len(SLOTS):
        target &= own
    else:
        moved = target & last
        moved <<= _BITS_BY_SEAT
        target &= own
        target |= moved


def _held_columns(view: View) -> list[NDArray[np.uint16]]:
    """Return the column of each seat, clipped and offset as in the layout."""
    item, rules = LAYOUT_ALL["columns"], view.tables.rules
    held = np.maximum(view.public("columns"), np.int16(-item.offset))
    np.minimum(held, np.int16(item.scale - item.offset), out=held)
    held += np.int16(item.offset)
    return [held[rules.column(seat)].view(np.uint16) for seat in range(rules.seats)]


def _pack_trick_number(view: View, words: NDArray[np.uint32], name: str) -> None:
    _add_number(words, name, view.public("trick"))


_PACKERS: dict[str, Callable[[View, NDArray[np.uint32], str], None]] = {
    "hand": _pack_hand,
    "played": _pack_played,
    "face_up": _pack_face_up,
    "fell": _pack_fell,
    "trick": _pack_trick,
    "laid_away": _pack_laid_away,
    "calls": _pack_calls,
    "contract": _pack_contract,
    "to_act": _pack_whose,
    "phase": _pack_phase,
    "carry": _pack_carry,
    "n_laid_away": _pack_n_laid_away,
    "voids": _pack_by_seat,
    "trick_number": _pack_trick_number,
}
"""How each fact of ``layout.LAYOUT`` is packed. The first fact of a word writes the whole word."""


def _pack_all(view: OpenView, words: NDArray[np.uint32]) -> None:
    """Pack the hidden facts."""
    for name, fact in (("hands", "hand"), ("face_down", "face_down")):
        target = _sets(words, name)
        view.hidden_sets(fact, target)
        _to_slots(view, target)
    talon = np.zeros(words.shape[1], np.uint32)
    for card in view.hidden("talon"):
        talon |= single(card)
    words[LAYOUT_ALL["talon"].word] = talon & ~view.hidden("drawn")
    words[LAYOUT_ALL["all_laid_away"].word] = view.hidden("laid_away")
