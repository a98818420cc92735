"""Scoring a finished deal: card points, gains, the carry, payoffs (RULES 2-8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core.bits import Array, Lanes, count, take
from sjavs_env.core.cards import CARD_NAMES, card_mask, rank_of
from sjavs_env.core.codes import CARD_POINTS, CLUBS, CONCEDED, N_OUTCOMES, NO_TRICK, ONE_SEAT, VOL
from sjavs_env.core.state import State
from sjavs_env.core.tables import Tables

_RANK_MASKS = {
    rank: np.uint32(
        card_mask(name for card, name in enumerate(CARD_NAMES) if rank_of(card) == rank)
    )
    for rank in CARD_POINTS
}


def points_of(mask: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the card points of card sets."""
    total = np.zeros(mask.shape, np.uint8)
    for rank, points in CARD_POINTS.items():
        total += count(mask & _RANK_MASKS[rank]) * np.uint8(points)
    return total


def settle(state: State, tables: Tables, lanes: Lanes) -> None:
    """Write the result of deals that have been played or conceded; void deals score nothing."""
    rules, rows = tables.rules, lanes.rows
    owner = np.maximum(state.declarer[rows], 0)
    contract = state.contract[rows].astype(np.intp)
    side = tables.declaring[contract * rules.seats + owner]
    outcome = _outcome(state, tables, lanes, side)
    clubs = state.trump[rows] == CLUBS
    index = (contract * 2 + clubs) * N_OUTCOMES + outcome
    own, others = tables.gains[index].T
    column = owner % rules.columns
    for each in range(rules.columns):
        gain = np.where(column == each, own, others)
        state.gains[each, rows] = _with_carry(rules.tie, gain, state.carry[rows], clubs)
    state.ties[rows] = np.where(tables.ties[index], state.carry[rows] + 1, 0)
    _pay(state, tables, lanes, owner)


def settle_void(state: State, lanes: Lanes) -> None:
    """Leave a void deal without score; what was carried stays carried."""
    state.ties[lanes.rows] = state.carry[lanes.rows]


def _outcome(
    state: State, tables: Tables, lanes: Lanes, side: NDArray[np.uint8]
) -> NDArray[np.intp]:
    """Note the card points of both sides, and return the outcome (``codes``)."""
    rules, rows = tables.rules, lanes.rows
    conceded = state.choice[rows] == a.CONCEDE
    points = np.zeros((2, len(lanes)), np.uint8)
    tricks = np.zeros(len(lanes), np.uint8)
    by_one = np.zeros(len(lanes), np.bool_)
    for seat in range(rules.seats):
        inside = side >> seat & 1
        points[0] += state.points[seat, rows] * inside
        points[1] += state.points[seat, rows] * (1 - inside)
        tricks += state.tricks[seat, rows] * inside
        by_one |= (state.tricks[seat, rows] == rules.n_tricks) & (inside == 1)
    points[0] += _points_on_table(state, tables, lanes)
    state.card_points[:, rows] = points * ~conceded
    outcome = points[0].astype(np.intp)
    outcome = np.where(tricks == 0, NO_TRICK, outcome)
    outcome = np.where(tricks == rules.n_tricks, np.where(by_one, ONE_SEAT, VOL), outcome)
    return np.where(conceded, CONCEDED, outcome)


def _points_on_table(state: State, tables: Tables, lanes: Lanes) -> NDArray[np.uint8]:
    """Return the points of talon and laid-away cards, which count for declarer (RULES 3, 5, 6)."""
    on_table = state.laid_away[lanes.rows]
    for place in range(tables.rules.talon_size):
        on_table = on_table | take(tables.bit, state.talon[place, lanes.rows])
    return points_of(on_table & ~state.drawn[lanes.rows] | state.laid_away[lanes.rows])


def _with_carry(tie: str, gain: Array, carry: Array, clubs: Array) -> Array:
    """Return a column's gain with what earlier ties make of it (RULES 2, 60-60)."""
    if tie in ("double", "quadruple"):
        return gain * np.where(carry > 0, 2 if tie == "double" else 4, 1)
    worth = np.where(clubs, 4, 2) if tie == "carry_by_suit" else np.full(len(gain), 2)
    return np.where(gain > 0, gain + worth * carry, gain)


def _pay(state: State, tables: Tables, lanes: Lanes, owner: Array) -> None:
    """Pay every seat its column's gain less the mean of the others' (RULES 8)."""
    rules, rows = tables.rules, lanes.rows
    gains = state.gains[:, rows].astype(np.float32)
    payoffs = column_payoffs(gains)
    alone = tables.alone[state.contract[rows]]
    for seat in range(rules.seats):
        paid = payoffs[rules.column(seat)]
        if alone.any():
            stake = np.take_along_axis(payoffs, owner[None, :] % rules.columns, axis=0)[0]
            single = np.where(owner == seat, stake, -stake / (rules.seats - 1))
            paid = np.where(alone, single, paid)
        state.payoff[seat, rows] = paid


def column_payoffs(gains: Array) -> Array:
    """Return gain minus the mean of the other columns' gains, [columns, ...]."""
    others = len(gains) - 1
    payoffs: Array = gains - (gains.sum(axis=0) - gains) / others
    return payoffs
