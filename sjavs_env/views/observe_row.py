"""The observation of a single row, computed with plain integers, for a batch of one.

The cost of each numpy call would make a single observation a hundred times as expensive as its
share of a batch. Words and features equal those of ``observe`` and ``unpack``; a test compares
them for every rule set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import N_CLASSES, NONE, PHASES, STEP_BITS, TRICK_BITS, VOID_BITS
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.views.layout import LAYOUT, N_WORDS, WORD, Slice
from sjavs_env.views.observe import SLOT_OF_OFFSET

_WORD = {name: item.word for name, item in LAYOUT.items()}
_SHIFT = {name: item.shift for name, item in LAYOUT.items()}
_BITS = {name: item.bits for name, item in LAYOUT.items()}
_CARD_BIT = [1 << action if action < N_CARDS else 0 for action in range(a.N_ACTIONS)]
_CALL_BIT = [
    1 << action - N_CARDS if N_CARDS <= action < a.NOTHING else 0 for action in range(a.N_ACTIONS)
]
_CLASS_MASK = (1 << N_CLASSES) - 1


def row_features(state: State, tables: Tables, row: int, seat: int) -> NDArray[np.float32]:
    """Return the observation of one seat in one row: float32[F], each feature from 0 to 1."""
    words = np.array(row_words(state, tables, row, seat), "<u4")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    raw = np.add.reduceat(bits.take(_SOURCE) * _WEIGHT, _START, dtype=np.uint8)
    features: NDArray[np.float32] = raw * _SCALE
    return features


def row_words(state: State, tables: Tables, row: int, seat: int) -> list[int]:
    """Return the observation of one seat in one row as packed words."""
    words = [0] * N_WORDS

    def get(name: str) -> Any:
        return getattr(state, name)[..., row].tolist()

    _write_seats(words, get, tables, seat)
    words[_WORD["hand"]] = int(state.hand[seat, row])
    fell = _WORD["fell"]
    words[fell : fell + TRICK_BITS] = get("fell")
    declarer, trump = get("declarer"), get("trump")
    if declarer == seat:
        words[_WORD["laid_away"]] = get("laid_away")
    standing = _CALL_BIT[get("standing")] if declarer != NONE else 0
    words[_WORD["contract"]] = standing | _CALL_BIT[get("choice")]
    slots, seats = SLOT_OF_OFFSET[tables.rules.seats], tables.rules.seats
    who = (("to_act", get("seat")), ("dealer", get("dealer")), ("declarer", declarer))
    for name, other in (*who, ("leader", get("leader"))):
        if other != NONE:
            words[_WORD[name]] |= 1 << _SHIFT[name] + slots[(other - seat) % seats]
    if trump != NONE:
        words[_WORD["trump"]] |= 1 << _SHIFT["trump"] + trump
    phase = len(PHASES) - 1 if get("over") else get("clock") >> STEP_BITS
    words[_WORD["phase"]] |= 1 << _SHIFT["phase"] + phase
    words[_WORD["carry"]] |= min(get("carry"), LAYOUT["carry"].scale) << _SHIFT["carry"]
    words[_WORD["n_laid_away"]] |= get("n_laid_away") << _SHIFT["n_laid_away"]
    words[_WORD["trick_number"]] |= get("trick") << _SHIFT["trick_number"]
    return words


def _write_seats(words: list[int], get: Any, tables: Tables, seat: int) -> None:
    """Write the facts about each seat into its slot, relative to the observing seat."""
    rules = tables.rules
    played, calls, points, tricks = get("played"), get("calls"), get("points"), get("tricks")
    table, columns, voids = get("table"), get("columns"), get("voids")
    trick_mask = (1 << TRICK_BITS) - 1
    leader = get("leader")
    face_up = get("face_up") if rules.piles else None
    sheet = LAYOUT["columns"]
    for offset, slot in enumerate(SLOT_OF_OFFSET[rules.seats]):
        other = (seat + offset) % rules.seats
        words[_WORD["played"] + slot] = played[other]
        words[_WORD["calls"] + slot] = _CALL_BIT[calls[other]]
        words[_WORD["trick"] + slot] = _CARD_BIT[table[(other - leader) % rules.seats]]
        if face_up is not None:
            words[_WORD["face_up"] + slot] = face_up[other] & ~played[other]
        shown = voids >> VOID_BITS * other & _CLASS_MASK
        words[_WORD["voids"]] |= shown << _SHIFT["voids"] + slot * N_CLASSES
        height = min(max(columns[rules.column(other)] + sheet.offset, 0), sheet.scale)
        words[_WORD["points"]] |= points[other] << _SHIFT["points"] + slot * _BITS["points"]
        won = tricks >> TRICK_BITS * other & trick_mask
        words[_WORD["tricks"]] |= won << _SHIFT["tricks"] + slot * _BITS["tricks"]
        words[_WORD["columns"]] |= height << _SHIFT["columns"] + slot * _BITS["columns"]


def _sources(item: Slice, index: int) -> list[int]:
    """Return the numbers of the bits that make up one feature, lowest first."""
    if item.kind == "cards":
        return [item.word * WORD + index]
    if item.kind == "digits":
        return [(item.word + digit) * WORD + index for digit in range(item.bits)]
    first = item.word * WORD + item.shift + index * item.bits
    return list(range(first, first + item.bits))


_FEATURES = [
    (_sources(item, index), item.scale)
    for item in LAYOUT.values()
    for index in range(item.n_features)
]
_SOURCE = np.array([bit for sources, _ in _FEATURES for bit in sources])
"""Numbers of the bits in the words, in the order of the features."""
_WEIGHT = np.array([1 << k for sources, _ in _FEATURES for k in range(len(sources))], np.uint8)
_START = np.cumsum([0] + [len(sources) for sources, _ in _FEATURES[:-1]])
_SCALE = np.array([1 / scale for _, scale in _FEATURES], np.float32)
for _table in (_SOURCE, _WEIGHT, _START, _SCALE):
    _table.setflags(write=False)
