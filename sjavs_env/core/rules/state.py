"""The state of a batch of deals: one array for each fact, and who may know it.

Axes: ``batch`` is always the last one. The sizes of ``seats``, ``columns``, ``piles`` and
``talon`` come from the rule set.

Visibility: all seats know a ``public`` fact. A ``seat`` fact has an entry for each seat, and each
seat knows only its own (``legal``: the seat to act). Only declarer knows a ``declarer`` fact, and
nobody knows a ``hidden`` one. ``sjavs_env.views.observe`` reads only what the observing seat may
know. A test proves it: it exchanges the cards that a seat cannot see, and compares observations.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sjavs_env.core.bits import Array, Rows
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import NONE, TRICK_BITS
from sjavs_env.core.tables.compiled import Tables

Visibility = Literal["public", "seat", "declarer", "hidden"]


def _array(dtype: DTypeLike, *axes: str | int, seen: Visibility = "public", empty: int = 0) -> Any:
    return field(metadata={"dtype": dtype, "axes": axes, "seen": seen, "empty": empty})


@dataclass(slots=True)
class State:
    """All deals of a batch. Masks are card sets; seats, suits and contracts are ``NONE`` if unset.

    The fields come in groups: phase and turn, cards, auction, contract, present trick, tricks
    won, result, the rubber around the deal, history.
    """

    clock: NDArray[np.uint8] = _array(np.uint8)
    """The phase above ``STEP_BITS`` bits of the step in it.

    The step counts calls in the auction and decisions in the exchange; in the play it is the place
    in the trick.
    """
    over: NDArray[np.bool_] = _array(np.bool_)
    seat: NDArray[np.int8] = _array(np.int8, empty=NONE)
    """The seat to act."""
    legal: NDArray[np.uint64] = _array(np.uint64, seen="seat")
    dealer: NDArray[np.int8] = _array(np.int8)

    hand: NDArray[np.uint32] = _array(np.uint32, "seats", seen="seat")
    """Cards that the seat may play, its face-up ones included."""
    played: NDArray[np.uint32] = _array(np.uint32, "seats")
    face_up: NDArray[np.uint32] = _array(np.uint32, "seats")
    """Cards that lie face up, or have lain face up and were played (RULES 4)."""
    face_down: NDArray[np.uint32] = _array(np.uint32, "seats", seen="hidden")
    cover: NDArray[np.uint8] = _array(np.uint8, "seats", "piles")
    """The face-up card dealt onto each pile."""
    under: NDArray[np.uint8] = _array(np.uint8, "seats", "piles", seen="hidden")
    """The face-down card of each pile."""
    talon: NDArray[np.uint8] = _array(np.uint8, "talon", seen="hidden")
    """The talon as dealt, first card first."""
    drawn: NDArray[np.uint32] = _array(np.uint32, seen="declarer")
    """Talon cards that declarer has taken."""
    laid_away: NDArray[np.uint32] = _array(np.uint32, seen="declarer")
    n_laid_away: NDArray[np.uint8] = _array(np.uint8)

    calls: NDArray[np.uint8] = _array(np.uint8, "seats", empty=a.NOTHING)
    """What each seat said in the auction; ``NOTHING`` before it has spoken."""
    standing: NDArray[np.uint8] = _array(np.uint8, empty=a.PASS)
    """The highest call so far."""
    claim: NDArray[np.uint8] = _array(np.uint8, "seats", seen="seat")
    """What the hand may call, as a number (``auction_tables``)."""
    longest: NDArray[np.uint8] = _array(np.uint8, "seats", seen="seat")
    """The suits that give the hand most trumps, as flags. Unused in auctions for contracts."""

    declarer: NDArray[np.int8] = _array(np.int8, empty=NONE)
    """Owner of the standing call, later of the contract."""
    contract: NDArray[np.int8] = _array(np.int8, empty=NONE)
    trump: NDArray[np.int8] = _array(np.int8, empty=NONE)
    choice: NDArray[np.uint8] = _array(np.uint8, empty=a.NOTHING)
    """Declarer's decision before the first lead, if the rules have one (``confirm``)."""

    leader: NDArray[np.int8] = _array(np.int8, empty=NONE)
    trick: NDArray[np.uint8] = _array(np.uint8)
    """Number of complete tricks."""
    table: NDArray[np.uint8] = _array(np.uint8, "seats", empty=a.NOTHING)
    """The cards of the present trick in the order of play."""
    follow: NDArray[np.uint32] = _array(np.uint32)
    """The cards that follow the present lead."""
    row: NDArray[np.uint16] = _array(np.uint16)
    """Start of the present lead's row in ``Tables.strength``. Above ``CLASS_BITS``: its class."""
    best: NDArray[np.uint8] = _array(np.uint8)
    """The strength of the highest card, above ``PLACE_BITS`` bits of its place in the trick."""
    voids: NDArray[np.uint32] = _array(np.uint32)
    """Bit ``VOID_BITS * seat + class`` is set if the seat has failed to follow that class."""
    fell: NDArray[np.uint32] = _array(np.uint32, TRICK_BITS)
    """Bit planes: bit c of word k is binary digit k of the trick number, from 1, of card c."""

    points: NDArray[np.uint8] = _array(np.uint8, "seats")
    """Card points won in tricks."""
    tricks: NDArray[np.uint32] = _array(np.uint32)
    """Number of tricks of each seat, ``TRICK_BITS`` bits each, seat 0 lowest."""

    void: NDArray[np.bool_] = _array(np.bool_)
    card_points: NDArray[np.uint8] = _array(np.uint8, 2)
    gains: NDArray[np.int16] = _array(np.int16, "columns")
    payoff: NDArray[np.float32] = _array(np.float32, "seats")
    ties: NDArray[np.uint8] = _array(np.uint8)
    """Number of ties pending after this deal."""

    columns: NDArray[np.int16] = _array(np.int16, "columns")
    """The score columns before this deal."""
    carry: NDArray[np.uint8] = _array(np.uint8)
    """Number of ties pending before this deal."""

    history: NDArray[np.uint8] = _array(np.uint8, "decisions", empty=a.NOTHING)
    moves: NDArray[np.uint8] = _array(np.uint8)
    """Number of decisions made."""

    @classmethod
    def empty(cls, tables: Tables, batch: int) -> State:
        """Return a state of empty rows."""
        sizes = {
            "seats": tables.rules.seats,
            "columns": tables.rules.columns,
            "piles": tables.rules.piles,
            "talon": tables.rules.talon_size,
            "decisions": tables.max_decisions,
        }
        arrays = {}
        for item in fields(cls):
            shape = [sizes[axis] if isinstance(axis, str) else axis for axis in _axes(item)]
            arrays[item.name] = np.full(
                (*shape, batch), item.metadata["empty"], item.metadata["dtype"]
            )
        return cls(**arrays)

    @property
    def nbytes(self) -> int:
        """Size of all arrays in bytes."""
        return sum(getattr(self, item.name).nbytes for item in fields(self))

    def tricks_by_seat(self, rows: Rows | int) -> NDArray[np.uint8]:
        """Return the number of tricks of each seat in some rows, uint8[seats, rows]."""
        lowest = TRICK_BITS * np.arange(len(self.points), dtype=np.uint32)[:, None]
        won = (self.tricks[rows] >> lowest).astype(np.uint8)
        won &= np.uint8((1 << TRICK_BITS) - 1)
        return won

    def clear(self, rows: Rows) -> None:
        """Reset some rows to empty values."""
        for item in fields(self):
            getattr(self, item.name)[..., rows] = item.metadata["empty"]

    def taken(self, rows: Array) -> State:
        """Return a copy of some rows. A row may be named several times."""
        return State(
            **{f.name: np.ascontiguousarray(getattr(self, f.name)[..., rows]) for f in fields(self)}
        )


def visibility(name: str) -> Visibility:
    """Return who may know a field."""
    return next(f.metadata["seen"] for f in fields(State) if f.name == name)


def _axes(item: Field[Any]) -> tuple[str | int, ...]:
    axes: tuple[str | int, ...] = item.metadata["axes"]
    return axes
