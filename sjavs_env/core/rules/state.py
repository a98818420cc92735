"""The state of a batch of deals: one array per fact, and who may know it.

Axes: ``batch`` is always the last; ``seats``, ``columns``, ``piles``, ``talon`` come from the rule
set. Visibility: ``public`` facts are known to all, ``seat`` facts to the seat they belong to (first
axis ``seats``) or to declarer alone, ``hidden`` ones to nobody. Observations are built from what
their seat may know (``sjavs_env.views.observe``), and a test exchanges the rest.
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

    The fields in order: where the deal stands; the cards; the auction; the contract; the trick;
    what has been won; the result; the rubber around the deal; the history.
    """

    clock: NDArray[np.uint8] = _array(np.uint8)
    """The phase, then ``STEP_BITS`` of the step in it: calls made, cards laid, place in trick."""
    over: NDArray[np.bool_] = _array(np.bool_)
    seat: NDArray[np.int8] = _array(np.int8, empty=NONE)
    """The seat to act."""
    legal: NDArray[np.uint64] = _array(np.uint64, seen="seat")
    dealer: NDArray[np.int8] = _array(np.int8)

    hand: NDArray[np.uint32] = _array(np.uint32, "seats", seen="seat")
    """Cards that the seat may play, its face-up ones included."""
    played: NDArray[np.uint32] = _array(np.uint32, "seats")
    face_up: NDArray[np.uint32] = _array(np.uint32, "seats")
    """Cards that lie or have lain face up (RULES 4)."""
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
    """What the auction asks of a hand (``auction_tables``)."""
    longest: NDArray[np.uint8] = _array(np.uint8, "seats", seen="seat")
    """The set of suits in which the hand has most trumps, where a call promises such a suit."""

    declarer: NDArray[np.int8] = _array(np.int8, empty=NONE)
    """Owner of the standing call, and of the contract."""
    contract: NDArray[np.int8] = _array(np.int8, empty=NONE)
    trump: NDArray[np.int8] = _array(np.int8, empty=NONE)
    choice: NDArray[np.uint8] = _array(np.uint8, empty=a.NOTHING)
    """What declarer said before the first lead, where the rules ask (``confirm``)."""

    leader: NDArray[np.int8] = _array(np.int8, empty=NONE)
    trick: NDArray[np.uint8] = _array(np.uint8)
    """Number of complete tricks."""
    table: NDArray[np.uint8] = _array(np.uint8, "seats", empty=a.NOTHING)
    """The cards of the present trick by place, the leader's first."""
    follow: NDArray[np.uint32] = _array(np.uint32)
    """The cards that follow the present lead."""
    row: NDArray[np.uint16] = _array(np.uint16)
    """Where the strengths for the present lead begin, its class above ``CLASS_BITS``."""
    best: NDArray[np.uint8] = _array(np.uint8)
    """The highest card's strength, and its place in the low bits."""
    voids: NDArray[np.uint32] = _array(np.uint32)
    """Bit ``VOID_BITS`` * seat + class: the seat has shown that its hand lacks the class."""
    fell: NDArray[np.uint32] = _array(np.uint32, TRICK_BITS)
    """Digit k of the number of the trick in which each card fell, counted from 1."""

    points: NDArray[np.uint8] = _array(np.uint8, "seats")
    """Card points won in tricks."""
    tricks: NDArray[np.uint32] = _array(np.uint32)
    """The number of tricks that each seat has won, ``TRICK_BITS`` each."""

    void: NDArray[np.bool_] = _array(np.bool_)
    card_points: NDArray[np.uint8] = _array(np.uint8, 2)
    gains: NDArray[np.int16] = _array(np.int16, "columns")
    payoff: NDArray[np.float32] = _array(np.float32, "seats")
    ties: NDArray[np.uint8] = _array(np.uint8)
    """Ties pending after this deal."""

    columns: NDArray[np.int16] = _array(np.int16, "columns")
    """The score sheet before this deal."""
    carry: NDArray[np.uint8] = _array(np.uint8)
    """Ties pending before this deal."""

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
        """Bytes of all arrays."""
        return sum(getattr(self, item.name).nbytes for item in fields(self))

    def tricks_by_seat(self, rows: Rows | int) -> NDArray[np.uint8]:
        """Return the number of tricks that each seat has won in some rows, [seats, rows]."""
        lowest = TRICK_BITS * np.arange(len(self.points), dtype=np.uint32)[:, None]
        won = (self.tricks[rows] >> lowest).astype(np.uint8)
        won &= np.uint8((1 << TRICK_BITS) - 1)
        return won

    def clear(self, rows: Rows) -> None:
        """Empty some rows."""
        for item in fields(self):
            getattr(self, item.name)[..., rows] = item.metadata["empty"]

    def taken(self, rows: Array) -> State:
        """Return a copy of some rows, which may repeat."""
        return State(
            **{f.name: np.ascontiguousarray(getattr(self, f.name)[..., rows]) for f in fields(self)}
        )


def visibility(name: str) -> Visibility:
    """Return who may know a field."""
    return next(f.metadata["seen"] for f in fields(State) if f.name == name)


def _axes(item: Field[Any]) -> tuple[str | int, ...]:
    axes: tuple[str | int, ...] = item.metadata["axes"]
    return axes
