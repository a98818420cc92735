"""``VectorSjavs``: a batch of deals, without auto-reset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sjavs_env.core.arguments import array_from, check_lines, integers, whole_number
from sjavs_env.core.bits import Rows
from sjavs_env.core.errors import told
from sjavs_env.core.rules import machine
from sjavs_env.core.rules.dealing import shuffle
from sjavs_env.core.rules.notation import parse_deal, record
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.views.layout import N_WORDS, N_WORDS_ALL
from sjavs_env.views.observe import observe
from sjavs_env.views.observe_row import row_features
from sjavs_env.views.picture import picture
from sjavs_env.views.render import Sheet, table
from sjavs_env.views.transcript import Result, result_of

_MOST_ROWS = 2**31 - 1
_MOST_TIES = np.iinfo(np.uint8).max - 1
"""Largest carry of a reset: uint8 still has room for one more tie."""


class VectorSjavs:
    """A batch of deals under one rule set, stepped together.

    The array attributes are read-only views of the state: ``step`` and ``reset`` overwrite them.
    A row whose deal is over has seat -1 and no legal action, and ``step`` ignores its action.

    Args:
        rules: Name of a preset, or a ``RuleSet``.
        batch: Number of rows, B.
        seed: Seed of the deals. The same seed gives the same deals with every numpy version. None
            takes fresh entropy.

    Raises:
        ValueError: ``rules`` is unknown, ``batch`` is not a whole number from 1, or ``seed`` is
            not a whole number from 0.
    """

    def __init__(
        self, rules: str | RuleSet = "faroese4", batch: int = 1, seed: int | None = None
    ) -> None:
        self.rules = rule_set(rules)
        self.batch = whole_number("batch", batch, 1, _MOST_ROWS)
        self._tables = compile_tables(self.rules)
        self._generator = _stream(seed)
        self._adopt(State.empty(self._tables, self.batch))
        self.reset()

    def _adopt(self, state: State) -> None:
        """Make a state the one of this batch, and publish its arrays as read-only views."""
        self._state = state
        self.seat: NDArray[np.int8] = _shown(state.seat)
        """The seat to act, int8[B], -1 where the deal is over."""
        self.legal: NDArray[np.uint64] = _shown(state.legal)
        """The legal actions as bits, uint64[B]."""
        self.over: NDArray[np.bool_] = _shown(state.over)
        """Whether the deal is over, bool[B]."""
        self.payoff: NDArray[np.float32] = _shown(state.payoff.T)
        """Payoff of each seat in game points (RULES 8), float32[B, P], 0 before the end."""
        self.gains: NDArray[np.int16] = _shown(state.gains.T)
        """Gain of each column in game points, carry included, int16[B, C]."""
        self.card_points: NDArray[np.uint8] = _shown(state.card_points.T)
        """Card points of the declaring side and of the others as in ``Result``, uint8[B, 2]."""
        self.declarer: NDArray[np.int8] = _shown(state.declarer)
        """Seat of declarer (in the auction: of the standing call), int8[B]. -1: none."""
        self.trump: NDArray[np.int8] = _shown(state.trump)
        """Index of the trump suit in "DHSC", int8[B]. -1: no trumps, or not known yet."""
        self.dealer: NDArray[np.int8] = _shown(state.dealer)
        """The dealer, int8[B]."""
        self.ties: NDArray[np.uint8] = _shown(state.ties)
        """Number of tied (60-60) deals that the next deal carries, uint8[B]."""

    def reset(
        self,
        *,
        rows: ArrayLike | None = None,
        deals: Sequence[str] | None = None,
        dealer: ArrayLike | None = None,
        columns: ArrayLike | None = None,
        carry: ArrayLike | None = None,
        seed: int | None = None,
    ) -> None:
        """Start a new deal in all rows, or in some.

        After an error nothing has changed.

        Args:
            rows: The rows to deal, as indices or as a boolean mask. Default: all.
            deals: One line in deal notation for each of these rows. Default: random deals.
            dealer: One seat for all rows, or one for each. Default: uniformly random. Not allowed
                together with ``deals``, because a deal line names its dealer.
            columns: Score columns before the deal, [C] or [rows, C]. Default: the start values.
            carry: Number of tied (60-60) deals pending, one for all rows or one for each.
                Default: 0.
            seed: Restart the stream of deals from this seed. Default: the stream continues.

        Raises:
            DealError: a line of ``deals`` is malformed or does not fit this rule set.
            ValueError: an argument has the wrong shape, type or range.
        """
        chosen: Rows = slice(None) if rows is None else self._numbers(rows)
        n = self.batch if isinstance(chosen, slice) else len(chosen)
        parsed = None if deals is None else self._parse(deals, n, dealer)
        given_dealer = None if dealer is None else integers("dealer", dealer, (n,), 0, self._last)
        sheet = self.rules.start if columns is None else columns
        given_columns = integers("columns", sheet, (n, self.rules.columns), -(2**15), 2**15 - 1)
        given_carry = integers("carry", 0 if carry is None else carry, (n,), 0, _MOST_TIES)
        if given_carry.any() and not self.rules.carries:
            raise ValueError(f"carry={told(carry)} must be 0: {self.rules.name} carries no ties")
        if seed is not None:
            self._generator = _stream(seed)
        if parsed is not None:
            seats, deal = parsed
        else:
            deal, seats = shuffle(self._tables, self._generator, n)
            seats = seats if given_dealer is None else given_dealer.astype(np.int8)
        state = self._state
        state.clear(chosen)
        state.dealer[chosen] = seats
        for column, entries in zip(state.columns, given_columns.T, strict=True):
            column[chosen] = entries
        state.carry[chosen] = given_carry
        machine.begin(state, self._tables, chosen, deal)

    @property
    def nbytes(self) -> int:
        """Memory of the state of all rows, in bytes."""
        return self._state.nbytes

    @property
    def _last(self) -> int:
        return self.rules.seats - 1

    def _numbers(self, rows: ArrayLike) -> NDArray[np.intp]:
        """Return row numbers, and refuse a row that is named twice."""
        number = self._chosen(rows)
        if len(np.unique(number)) != number.size:
            raise ValueError(f"rows={told(rows)} names a row twice")
        return number

    def _chosen(self, rows: ArrayLike) -> NDArray[np.intp]:
        """Return the row numbers that indices or a mask choose."""
        index = array_from("rows", rows)
        index = index if index.size else index.astype(np.intp)
        try:
            number = np.atleast_1d(np.arange(self.batch)[index])
        except (IndexError, OverflowError) as error:
            raise ValueError(f"rows={told(rows)} does not fit a batch of {self.batch}") from error
        if index.dtype == np.bool_ and index.shape != (self.batch,):
            raise ValueError(f"rows={told(rows)} does not fit a batch of {self.batch}")
        if index.ndim > 1:
            raise ValueError(
                f"rows={told(rows)} must be 1-dimensional, not {index.ndim}-dimensional"
            )
        return number

    def _parse(
        self, deals: Sequence[str], n: int, dealer: ArrayLike | None
    ) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
        """Return the dealers int8[n] and the cards in slots uint8[cards, n] of deal lines."""
        check_lines(deals)
        if len(deals) != n:
            raise ValueError(f"{len(deals)} deals were given for {n} rows")
        if dealer is not None:
            raise ValueError("dealer cannot be given together with deals, which name their dealers")
        pairs = [parse_deal(line, self._tables) for line in deals]
        seats = np.array([seat for seat, _ in pairs], np.int8)
        slots = np.array([cards for _, cards in pairs], np.uint8)
        return seats, np.ascontiguousarray(slots.reshape(n, len(self.rules.pack)).T)

    def step(self, actions: ArrayLike) -> None:
        """Carry out one decision in every row that is not over.

        Args:
            actions: Action ids, int[B]. The values in rows that are over are ignored.

        Raises:
            IllegalActionError: an action is illegal. No row has moved.
            ValueError: ``actions`` has the wrong shape or does not hold integers.
        """
        machine.step(self._state, self._tables, array_from("actions", actions))

    def step_alone(self, action: int) -> None:
        """Carry out one decision in a batch of one, faster than ``step``.

        Not checked: the batch has one row, its deal is not over, the action is legal.
        """
        machine.step_alone(self._state, self._tables, action)

    def legal_mask(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool[B, 64]. A row that is over is all False."""
        legal = np.ascontiguousarray(self.legal.astype("<u8"))
        bits = np.unpackbits(legal.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        return bits.view(np.bool_).reshape(self.batch, N_ACTIONS)

    def observe(
        self, seat: ArrayLike | None = None, out: NDArray[np.uint32] | None = None
    ) -> NDArray[np.uint32]:
        """Return the observation of one seat in each row, as packed words uint32[B, W].

        ``sjavs_env.unpack`` turns words into features.

        Args:
            seat: The observing seat, one for all rows or one for each. Default: the seat to act;
                the words of a row that is over are then 0.
            out: Array to write into, uint32[B, W]. Default: a new one.

        Raises:
            ValueError: a seat is out of range, or ``out`` has the wrong shape or dtype.
        """
        return observe(self._state, self._tables, self._seats(seat), out, N_WORDS)

    def observe_all(
        self, seat: ArrayLike | None = None, out: NDArray[np.uint32] | None = None
    ) -> NDArray[np.uint32]:
        """Return the words of ``observe`` followed by all hidden cards, as uint32[B, W_ALL].

        This is for critics and analysis. A policy that reads it does not play fair.
        """
        return observe(self._state, self._tables, self._seats(seat), out, N_WORDS_ALL)

    def features(self, row: int, seat: int) -> NDArray[np.float32]:
        """Return the observation of one seat in one row as flat features, float32[F].

        The result equals ``unpack(words, "float32")`` of that row, and is faster for a single row.

        Raises:
            ValueError: there is no such row or seat.
        """
        chosen = whole_number("row", row, 0, self.batch - 1)
        looks = whole_number("seat", seat, 0, self._last)
        return row_features(self._state, self._tables, chosen, looks)

    def _seats(self, seat: ArrayLike | None) -> NDArray[np.int8]:
        if seat is None:
            return self._state.seat
        return integers("seat", seat, (self.batch,), 0, self._last).astype(np.int8)

    def __getstate__(self) -> dict[str, Any]:
        return {"rules": self.rules, "state": self._state, "stream": self._generator.state}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.rules, self.batch = kept["rules"], kept["state"].clock.size
        self._tables = compile_tables(self.rules)
        self._generator = np.random.PCG64()
        self._generator.state = kept["stream"]
        self._adopt(kept["state"])

    def take(self, rows: ArrayLike) -> VectorSjavs:
        """Return a copy of some rows, for instance as branches of a search.

        A row may be named several times. The copy has its own copy of the stream of deals.

        Raises:
            ValueError: a row is outside the batch, or no row is selected.
        """
        index = self._chosen(rows)
        if not len(index):
            raise ValueError(f"rows={told(rows)} selects no row; a batch has 1 or more")
        branch = object.__new__(VectorSjavs)
        branch.__setstate__(self.__getstate__() | {"state": self._state.taken(index)})
        return branch

    def result(self, row: int) -> Result:
        """Return the result of a row's deal.

        Raises:
            ValueError: the deal is not over, or there is no such row.
        """
        return result_of(self._state, self._row(row))

    def table(self, row: int, seat: int | None = None, sheet: Sheet | None = None) -> str:
        """Return the table of a row as text.

        Args:
            row: The row.
            seat: The observing seat. None shows all cards.
            sheet: Names of the seats, and the results for the score sheet.

        Raises:
            ValueError: there is no such row or seat, or the sheet is of another rule set.
        """
        around = Sheet() if sheet is None else sheet
        return table(self._state, self._tables, self._row(row), self._observer(seat), around)

    def picture(self, row: int, seat: int | None = None) -> str:
        """Return the table of a row as SVG. The same row gives the same text, byte for byte.

        The score columns are those before the deal.

        Args:
            row: The row.
            seat: The observing seat. None shows all cards.

        Raises:
            ValueError: there is no such row or seat.
        """
        return picture(self._state, self._tables, self._row(row), self._observer(seat))

    def _observer(self, seat: int | None) -> int | None:
        """Return the observing seat, after checking it."""
        return None if seat is None else whole_number("seat", seat, 0, self._last)

    def record(self, row: int) -> str:
        """Return the deal of a row and its actions so far as one line of notation.

        Raises:
            ValueError: there is no such row.
        """
        return record(self._state, self._tables, self._row(row))

    def _row(self, row: int) -> int:
        return int(integers("row", row, (), -self.batch, self.batch - 1))


def _shown(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    view = array.view()
    view.setflags(write=False)
    return view


def _stream(seed: int | None) -> np.random.PCG64:
    """Return the bit generator for a seed; None seeds it with fresh entropy."""
    return np.random.PCG64(None if seed is None else whole_number("seed", seed, 0))
