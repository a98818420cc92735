"""Scoring a finished deal: card points, gains, the carry, payoffs (RULES 2-8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.bits import Array, Lanes, count, single, take
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.cards import CARD_NAMES, card_mask, rank_of
from sjavs_env.core.tables.codes import (
    CARD_POINTS,
    CLUBS,
    CONCEDED,
    N_OUTCOMES,
    NO_TRICK,
    ONE_SEAT,
    VOL,
)
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.core.tables.ruleset import RuleSet

_RANK_MASKS = {
    rank: np.uint32(
        card_mask(name for card, name in enumerate(CARD_NAMES) if rank_of(card) == rank)
    )
    for rank in CARD_POINTS
}


def points_of(mask: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the card points of card sets, uint8."""
    total = np.zeros(mask.shape, np.uint8)
    for rank, points in CARD_POINTS.items():
        total += count(mask & _RANK_MASKS[rank]) * np.uint8(points)
    return total


def settle(state: State, tables: Tables, lanes: Lanes) -> None:
    """Write the result of deals that were played or conceded: gains, ties and payoffs."""
    rules, rows = tables.rules, lanes.rows
    owner = np.maximum(lanes.of(state.declarer), 0)
    contract = lanes.of(state.contract).astype(np.intp)
    side = take(tables.declaring, contract * rules.seats + owner)
    clubs = lanes.of(state.trump) == CLUBS
    index = (contract * 2 + clubs) * N_OUTCOMES + _outcome(state, tables, lanes, side)
    carry = lanes.of(state.carry)
    own, others = (_with_carry(rules, take(part, index), carry, clubs) for part in tables.gains)
    column = owner if rules.columns == rules.seats else owner % rules.columns
    owned = column == np.arange(rules.columns, dtype=np.int8)[:, None]
    gains = others + (own - others) * owned
    for each, gain in enumerate(gains):
        state.gains[each][rows] = gain
    state.ties[rows] = (carry + np.uint8(1)) * take(tables.ties, index)
    _pay(state, tables, lanes, gains.astype(np.float32), owner)


def settle_void(state: State, lanes: Lanes) -> None:
    """Write the result of void deals: they score nothing, and the carry stays."""
    state.ties[lanes.rows] = lanes.of(state.carry)


def _outcome(
    state: State, tables: Tables, lanes: Lanes, side: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Store the card points of both sides, and return the outcome (``codes.N_OUTCOMES``)."""
    rules, rows = tables.rules, lanes.rows
    conceded = lanes.of(state.choice) == a.CONCEDE
    if conceded.all():
        return np.full(lanes.size, CONCEDED, np.uint8)
    inside = side >> np.arange(rules.seats, dtype=np.uint8)[:, None] & np.uint8(1)
    points = lanes.of(state.points)
    own: NDArray[np.uint8] = np.add.reduce(points * inside, axis=0, dtype=np.uint8)
    others = np.add.reduce(points, axis=0, dtype=np.uint8) - own
    won = state.tricks_by_seat(rows) * inside
    tricks = np.add.reduce(won, axis=0, dtype=np.uint8)
    by_one = np.logical_or.reduce(won == rules.n_tricks, axis=0)
    if rules.talon_size:
        own += _points_on_table(state, tables, lanes)
    for index, total in enumerate((own, others)):
        state.card_points[index][rows] = total * ~conceded
    told_by_tricks = (
        (tricks == rules.n_tricks) * np.uint8(VOL),
        by_one * np.uint8(ONE_SEAT),
        (tricks == 0) * np.uint8(NO_TRICK),
        conceded * np.uint8(CONCEDED),
    )
    for told in told_by_tricks:
        np.maximum(own, told, out=own)
    return own


def _points_on_table(state: State, tables: Tables, lanes: Lanes) -> NDArray[np.uint8]:
    """Return the card points of talon and laid-away cards; declarer gets them (RULES 3, 5, 6)."""
    laid_away: NDArray[np.uint32] = lanes.of(state.laid_away)
    on_table = laid_away.copy()
    for place in range(tables.rules.talon_size):
        on_table |= single(lanes.of(state.talon[place]))
    return points_of(on_table & ~lanes.of(state.drawn) | laid_away)


def _with_carry(rules: RuleSet, gain: Array, carry: Array, clubs: Array) -> Array:
    """Return a gain raised by the ties before it (RULES 2, 60-60)."""
    if not (rules.carries and carry.any()):
        return gain
    if rules.tie in ("double", "quadruple"):
        return gain * np.where(carry > 0, 2 if rules.tie == "double" else 4, 1)
    worth = np.where(clubs, 4, 2) if rules.tie == "carry_by_suit" else np.int16(2)
    raised: Array = gain + worth * carry * (gain > 0)
    return raised


def _pay(
    state: State, tables: Tables, lanes: Lanes, gains: NDArray[np.float32], owner: Array
) -> None:
    """Store the payoffs: the gain of the seat's column minus the mean of the others (RULES 8)."""
    rules, rows = tables.rules, lanes.rows
    payoffs = column_payoffs(gains)
    alone = tables.alone[lanes.of(state.contract)] if tables.alone.any() else None
    for seat in range(rules.seats):
        paid = payoffs[rules.column(seat)]
        if alone is not None:
            stake = np.take_along_axis(payoffs, owner[None, :] % rules.columns, axis=0)[0]
            single = np.where(owner == seat, stake, -stake / (rules.seats - 1))
            paid = np.where(alone, single, paid)
        state.payoff[seat][rows] = paid


def column_payoffs(gains: Array) -> Array:
    """Return each column's gain minus the mean gain of the other columns, [columns, ...]."""
    others = len(gains) - 1
    payoffs: Array = gains - (gains.sum(axis=0) - gains) / others
    return payoffs
