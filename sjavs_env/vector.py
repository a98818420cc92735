"""``VectorSjavs``: many deals at once, without auto-reset."""

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
from sjavs_env.views.render import Sheet, table
from sjavs_env.views.transcript import Result, result_of

_MOST_ROWS = 2**31 - 1
_MOST_TIES = np.iinfo(np.uint8).max - 1
"""The most ties that may be pending, so that one more has room."""


class VectorSjavs:
    """A batch of deals under one rule set, stepped together.

    The arrays that it shows are live and read-only: ``step`` and ``reset`` overwrite them. A row
    whose deal is over has seat -1, nothing legal, and takes any action without moving.

    Args:
        rules: A preset's name or a ``RuleSet``.
        batch: Number of rows, B.
        seed: Seed of the deals; the same seed gives the same deals for ever. None: fresh entropy.

    Raises:
        ValueError: the rule set or the seed is none, or ``batch`` is no number from 1.
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
        """Take a state as ours, and show its arrays."""
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
        """Gain of each column in game points, a carry included, int16[B, C]."""
        self.card_points: NDArray[np.uint8] = _shown(state.card_points.T)
        """Card points of the declaring side and of the others, uint8[B, 2], as in ``result``."""
        self.declarer: NDArray[np.int8] = _shown(state.declarer)
        """Declarer, or the owner of the standing call; -1 if there is none, int8[B]."""
        self.trump: NDArray[np.int8] = _shown(state.trump)
        """Index of the trump suit in "DHSC", -1 if there is none (yet), int8[B]."""
        self.dealer: NDArray[np.int8] = _shown(state.dealer)
        """The dealer, int8[B]."""
        self.ties: NDArray[np.uint8] = _shown(state.ties)
        """60-60 deals that the next deal would carry, uint8[B]."""

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
        """Deal anew.

        Args:
            rows: Only these rows, as indices or as a mask; all if not given.
            deals: One given deal for each of the rows, in deal notation; random if not given.
            dealer: The dealer, one for all or one for each row; uniform if not given. A given deal
                names its own.
            columns: The score sheet before the deal, [C] or [rows, C]; the start if not given.
            carry: 60-60 deals pending, one for all or one for each row; 0 if not given.
            seed: Restart the stream of deals from this seed.

        Raises:
            DealError: a given deal is malformed or not of this rule set; nothing has changed.
            ValueError: an argument has the wrong shape or range; nothing has changed.
        """
        chosen: Rows = slice(None) if rows is None else self._numbers(rows)
        n = self.batch if isinstance(chosen, slice) else len(chosen)
        parsed = None if deals is None else self._parse(deals, n, dealer)
        given_dealer = None if dealer is None else integers("dealer", dealer, (n,), 0, self._last)
        sheet = self.rules.start if columns is None else columns
        given_columns = integers("columns", sheet, (n, self.rules.columns), -(2**15), 2**15 - 1)
        given_carry = integers("carry", 0 if carry is None else carry, (n,), 0, _MOST_TIES)
        if given_carry.any() and not self.rules.carries:
            carries = f"{self.rules.name} carries no ties"
            raise ValueError(f"carry={told(carry)} must be 0, for {carries}")
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
        """Bytes of memory that the state of all rows takes."""
        return self._state.nbytes

    @property
    def _last(self) -> int:
        return self.rules.seats - 1

    def _numbers(self, rows: ArrayLike) -> NDArray[np.intp]:
        """Return row numbers, each once."""
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
        except IndexError as error:
            raise ValueError(f"rows={told(rows)} does not fit a batch of {self.batch}") from error
        if index.dtype == np.bool_ and index.shape != (self.batch,):
            raise ValueError(f"rows={told(rows)} does not fit a batch of {self.batch}")
        if index.ndim > 1:
            raise ValueError(
                f"rows={told(rows)} must be one line of rows, not {index.ndim}-dimensional"
            )
        return number

    def _parse(
        self, deals: Sequence[str], n: int, dealer: ArrayLike | None
    ) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
        """Return the dealers and the slots of given deals."""
        check_lines(deals)
        if len(deals) != n:
            raise ValueError(f"{len(deals)} deals were given for {n} rows")
        if dealer is not None:
            raise ValueError("deals name their dealers, so dealer may not be given beside them")
        pairs = [parse_deal(line, self._tables) for line in deals]
        seats = np.array([seat for seat, _ in pairs], np.int8)
        slots = np.array([cards for _, cards in pairs], np.uint8)
        return seats, np.ascontiguousarray(slots.reshape(n, len(self.rules.pack)).T)

    def step(self, actions: ArrayLike) -> None:
        """Carry out one decision in every row that is not over.

        Args:
            actions: Action ids, int[B]; rows that are over take any value.

        Raises:
            IllegalActionError: an action is illegal; then no row has moved.
            ValueError: wrong shape or no integers.
        """
        machine.step(self._state, self._tables, array_from("actions", actions))

    def step_alone(self, action: int) -> None:
        """Carry out one decision in a batch of one, quicker than ``step``.

        That the batch is one, the deal is not over and the action is legal is not checked.
        """
        machine.step_alone(self._state, self._tables, action)

    def legal_mask(self) -> NDArray[np.bool_]:
        """Return the legal actions as bool[B, 64], all False where the deal is over."""
        legal = np.ascontiguousarray(self.legal.astype("<u8"))
        bits = np.unpackbits(legal.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        return bits.view(np.bool_).reshape(self.batch, N_ACTIONS)

    def observe(
        self, seat: ArrayLike | None = None, out: NDArray[np.uint32] | None = None
    ) -> NDArray[np.uint32]:
        """Return what a seat may know, as packed words uint32[B, W] (``sjavs_env.unpack``).

        Args:
            seat: The seat to look from, one for all or one for each row; the seat to act if not
                given, and then a row that is over has words 0.
            out: Array to write into.

        Raises:
            ValueError: a seat is out of range, or ``out`` has the wrong shape or dtype.
        """
        return observe(self._state, self._tables, self._seats(seat), out, N_WORDS)

    def observe_all(
        self, seat: ArrayLike | None = None, out: NDArray[np.uint32] | None = None
    ) -> NDArray[np.uint32]:
        """Return ``observe`` and behind it all cards, as uint32[B, W_ALL], for critics.

        Never feed this to a policy that is to play fair.
        """
        return observe(self._state, self._tables, self._seats(seat), out, N_WORDS_ALL)

    def features(self, row: int, seat: int) -> NDArray[np.float32]:
        """Return what a seat of one row may know as flat features, float32[F].

        The same as ``unpack`` of its words, and quick where only one row is asked for.

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
        """Return a copy of some rows, which may repeat: branches for search.

        The copy deals on from a copy of this one's stream.

        Raises:
            ValueError: a row is outside the batch, or there is none.
        """
        index = self._chosen(rows)
        if not len(index):
            raise ValueError(f"rows={told(rows)} chooses no row, and a batch has 1 or more")
        branch = object.__new__(VectorSjavs)
        branch.__setstate__(self.__getstate__() | {"state": self._state.taken(index)})
        return branch

    def result(self, row: int) -> Result:
        """Return the result of a row in words.

        Raises:
            ValueError: the deal is not over, or there is no such row.
        """
        return result_of(self._state, self._row(row))

    def table(self, row: int, seat: int | None = None, sheet: Sheet | None = None) -> str:
        """Return the table of a row as text, seen from a seat or, without one, with all cards.

        Args:
            row: The row.
            seat: The seat that looks.
            sheet: Names of the seats, and the results on the score sheet.

        Raises:
            ValueError: there is no such row or seat, or the sheet is of another rule set.
        """
        looks = None if seat is None else whole_number("seat", seat, 0, self._last)
        around = Sheet() if sheet is None else sheet
        return table(self._state, self._tables, self._row(row), looks, around)

    def record(self, row: int) -> str:
        """Return the deal of a row and its actions so far, in notation.

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
    """Return the bit generator of a seed."""
    return np.random.PCG64(None if seed is None else whole_number("seed", seed, 0))
