"""Rubbers: the score sheets of a batch of rubbers, and how they end (RULES 2, 5, 6).

In: the gains of finished deals. Out: the columns, the carry, the next dealer, and at the end the
crosses and payoffs. There are three ways to end; the rule set says which one applies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sjavs_env.core.arguments import array_from, integers
from sjavs_env.core.bits import Array
from sjavs_env.core.rules.scoring import column_payoffs
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set

_SINGLE, _DOUBLE = 1, 2
"""Crosses for a victory and for a double victory (RULES 2)."""

MOST_CROSSES = {"first_to_zero_wins": _DOUBLE, "first_to_zero_loses": _SINGLE, "account": _SINGLE}
"""The most crosses that a column can win, by ``RuleSet.rubber``."""


@dataclass(slots=True)
class Rubbers:
    """B rubbers under one rule set. ``begin`` makes them, ``score`` enters each finished deal.

    Attributes:
        rules: The rule set.
        columns: The score columns in game points, int32[C, B].
        carry: Number of tied (60-60) deals pending, uint8[B].
        dealer: The next dealer, int8[B].
        scored: Number of scored deals, int32[B]. A tied deal and a void deal do not count.
        tied: Columns that are level, so that further deals decide between them (RULES 5),
            bool[C, B].
        over: Whether the rubber has ended, bool[B].
        crosses: Crosses won by each column, int8[C, B]; 0 before the end.
        payoff: Crosses of the seat's column minus the mean of the others (RULES 8),
            float32[P, B].
    """

    rules: RuleSet
    columns: NDArray[np.int32]
    carry: NDArray[np.uint8]
    dealer: NDArray[np.int8]
    scored: NDArray[np.int32]
    tied: NDArray[np.bool_]
    over: NDArray[np.bool_]
    crosses: NDArray[np.int8]
    payoff: NDArray[np.float32]

    @property
    def untouched(self) -> NDArray[np.bool_]:
        """Columns that stand on their start value, bool[C, B].

        RULES 5 asks to report them at the end of a rubber.
        """
        standing: NDArray[np.bool_] = self.columns == self.rules.start
        return standing


def begin(rules: str | RuleSet, dealer: ArrayLike) -> Rubbers:
    """Return new rubbers, one for each first dealer."""
    rules = rule_set(rules)
    given = np.atleast_1d(array_from("dealer", dealer))
    batch = given.size
    dealers = integers("dealer", given, (batch,), 0, rules.seats - 1).astype(np.int8)
    return Rubbers(
        rules=rules,
        columns=np.full((rules.columns, batch), rules.start, np.int32),
        carry=np.zeros(batch, np.uint8),
        dealer=dealers,
        scored=np.zeros(batch, np.int32),
        tied=np.zeros((rules.columns, batch), np.bool_),
        over=np.zeros(batch, np.bool_),
        crosses=np.zeros((rules.columns, batch), np.int8),
        payoff=np.zeros((rules.seats, batch), np.float32),
    )


def score(rubbers: Rubbers, gains: Array, ties: Array, void: Array) -> None:
    """Enter one finished deal into every rubber that is not over.

    Args:
        rubbers: The rubbers; they are changed in place.
        gains: Gains of the columns in game points, carry included, int[C, B].
        ties: Number of tied (60-60) deals that the next deal carries, int[B].
        void: Whether the deal was void, bool[B].
    """
    rules = rubbers.rules
    live, void = ~rubbers.over, np.asarray(void, np.bool_)
    passes = live & (~void | (rules.all_pass == "redeal_next"))
    rubbers.dealer[:] = (rubbers.dealer + passes) % rules.seats
    live &= ~void
    moved = np.asarray(gains, np.int32) * live
    before = rubbers.columns.copy()
    rubbers.columns[:] = new_columns(rules, before, moved)
    np.copyto(rubbers.carry, np.asarray(ties).astype(np.uint8), where=live)
    rubbers.scored += moved.any(axis=0)
    over, crosses = _ENDS[rules.rubber](rubbers, before, live)
    over &= live
    rubbers.over |= over
    rubbers.crosses[:, over] = crosses[:, over]
    paid = column_payoffs(rubbers.crosses.astype(np.float32))
    for seat in range(rules.seats):
        rubbers.payoff[seat] = paid[rules.column(seat)]


def new_columns(rules: str | RuleSet, columns: Array, gains: Array) -> Array:
    """Return the columns after a deal: gains are subtracted in a race to zero, else added."""
    down = rule_set(rules).rubber == "first_to_zero_wins"
    after: Array = columns - gains if down else columns + gains
    return after


def _won(columns: Array, best: Array, prize: Array | int) -> Array:
    """Return the crosses won: the best columns win, nobody if all are equal (RULES 2, 6)."""
    winners = columns == best
    crosses: Array = winners * (prize * ~winners.all(axis=0))
    return crosses


def _first_to_zero_wins(rubbers: Rubbers, before: Array, live: Array) -> tuple[Array, Array]:
    """End at a column of 0 or below, or after the last deal: the lowest wins (RULES 2, 3)."""
    columns, limit = rubbers.columns, rubbers.rules.max_deals
    lowest = columns.min(axis=0)
    over = (lowest <= 0) | (limit > 0) & (rubbers.scored >= limit)
    untouched = ((columns >= rubbers.rules.start) | (columns == lowest)).all(axis=0)
    return over, _won(columns, lowest, np.where(untouched, _DOUBLE, _SINGLE))


def _first_to_zero_loses(rubbers: Rubbers, before: Array, live: Array) -> tuple[Array, Array]:
    """End when one column has lost (RULES 5).

    A column at 0 or below loses. Of several, the one that was lowest before the deal loses. If
    those are equal, they stay tied, and the lowest of them after a further deal loses, and so on.
    """
    deciding = rubbers.tied.any(axis=0)
    candidates = np.where(deciding, rubbers.tied, rubbers.columns <= 0)
    height = np.where(deciding, rubbers.columns, before)
    lowest = np.where(candidates, height, np.iinfo(height.dtype).max).min(axis=0)
    losers = candidates & (height == lowest)
    np.copyto(rubbers.tied, losers, where=live)
    return losers.sum(axis=0) == 1, ~losers * np.int8(_SINGLE)


def _account(rubbers: Rubbers, before: Array, live: Array) -> tuple[Array, Array]:
    """End after the last deal: the highest column wins (RULES 6)."""
    columns = rubbers.columns
    return rubbers.scored >= rubbers.rules.max_deals, _won(columns, columns.max(axis=0), _SINGLE)


_ENDS = {
    "first_to_zero_wins": _first_to_zero_wins,
    "first_to_zero_loses": _first_to_zero_loses,
    "account": _account,
}
"""How a rubber ends, by ``RuleSet.rubber``."""
