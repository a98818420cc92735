"""Trick play: following, ruffing, winning tricks, turning face-down cards (RULES 1, 2, 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core.bits import Array, Lanes, first_nonempty, put, single, take, wrapped
from sjavs_env.core.card_tables import N_STRENGTHS
from sjavs_env.core.codes import CLASS_BITS, PLACE_BITS, PLAY, TRICK_BITS, VOID_BITS
from sjavs_env.core.state import State
from sjavs_env.core.tables import Tables
from sjavs_env.core.turns import give_turn, set_clock

PLACE_MASK = (1 << PLACE_BITS) - 1


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Let forehand lead to the first trick."""
    _lead(state, lanes, wrapped(state.dealer[lanes.rows] + np.int8(1), tables.rules.seats))


def apply(
    state: State, tables: Tables, lanes: Lanes, act: Array, step: int
) -> bool | NDArray[np.bool_]:
    """Play a card at a place of the trick, and say which lanes have played their last."""
    rows, seat = lanes.rows, state.seat[lanes.rows]
    at = lanes.at(seat)
    card = single(act)
    put(state.hand, at, take(state.hand, at) & ~card)
    put(state.played, at, take(state.played, at) | card)
    state.table[step][rows] = act
    _mark_fall(state, lanes, card)
    if step == 0:
        lead = state.trump[rows] * np.int16(a.N_ACTIONS) + act
        row, follow = take(tables.row, lead), take(tables.follow, lead)
        state.row[rows], state.follow[rows] = row, follow
        best = take(tables.strength, row + act)
    else:
        row, follow = state.row[rows], state.follow[rows]
        _mark_void(state, lanes, seat, row, (card & follow) == 0)
        best = np.maximum(state.best[rows], take(tables.strength, row + act) | np.uint8(step))
    state.best[rows] = best
    if step + 1 == tables.rules.seats:
        return _end_trick(state, tables, lanes, best)
    following = wrapped(seat + np.int8(1), tables.rules.seats)
    hand = take(state.hand, lanes.at(following))
    set_clock(state, lanes, PLAY, step + 1)
    give_turn(state, lanes, following, _choices(state, tables, lanes, hand, follow, best))
    return False


def _mark_void(
    state: State, lanes: Lanes, seat: Array, row: Array, failed: NDArray[np.bool_]
) -> None:
    """Note the class that was led where a seat has failed to follow."""
    if lanes.dead is not None:
        failed &= ~lanes.dead
    shown = seat.view(np.uint8) * np.uint16(VOID_BITS) + (row >> np.uint16(CLASS_BITS))
    state.voids[lanes.rows] |= failed.astype(np.uint32) << shown


def _mark_fall(state: State, lanes: Lanes, card: NDArray[np.uint32]) -> None:
    """Note the number of the trick, counted from 1, for the card that falls."""
    number = state.trick[lanes.rows] + np.uint8(1)
    common = lanes.common(number)
    digits = int(np.bitwise_or.reduce(number)) if common is None else common
    for digit in range(digits.bit_length()):
        if not digits >> digit & 1:
            continue
        part = card if common is not None else card * (number >> digit & 1)
        state.fell[digit][lanes.rows] |= part


def _lead(state: State, lanes: Lanes, seat: Array) -> None:
    """Let a seat lead any card."""
    set_clock(state, lanes, PLAY, 0)
    if lanes.dead is None:
        state.leader[lanes.rows] = seat
    else:
        np.copyto(state.leader, seat, where=~lanes.dead)
    hand = take(state.hand, lanes.at(seat))
    give_turn(state, lanes, seat, hand.astype(np.uint64))


def _choices(
    state: State, tables: Tables, lanes: Lanes, hand: Array, follow: Array, best: Array
) -> NDArray[np.uint64]:
    """Return the cards that follow; without one those that ruff or are thrown away by the rules."""
    choices: list[Array] = [hand & follow]
    if tables.ruff:
        highest = state.trump[lanes.rows] * np.int16(N_STRENGTHS) + (best >> PLACE_BITS)
        choices += [hand & take(table, highest) for table in tables.ruff]
    return first_nonempty(*choices, hand).astype(np.uint64)


def _end_trick(state: State, tables: Tables, lanes: Lanes, best: Array) -> NDArray[np.bool_]:
    """Give the trick to its winner, who leads to the next one."""
    rows = lanes.rows
    place = (best & PLACE_MASK).astype(np.int8)
    winner = wrapped(np.maximum(state.leader[rows], 0) + place, tables.rules.seats)
    at = lanes.at(winner)
    worth = np.zeros(lanes.size, np.uint8)
    for cards in state.table:
        worth += take(tables.points, cards[rows])
        cards[rows] = a.NOTHING
    put(state.points, at, take(state.points, at) + worth)
    one = np.uint8(1) if lanes.dead is None else ~lanes.dead
    state.tricks[rows] += one.astype(np.uint32) << winner.view(np.uint8) * np.uint8(TRICK_BITS)
    state.trick[rows] += one
    turn_up(state, tables, lanes)
    _lead(state, lanes, winner)
    last: NDArray[np.bool_] = state.trick[rows] == tables.rules.n_tricks
    return last if lanes.dead is None else last & ~lanes.dead


def turn_up(state: State, tables: Tables, lanes: Lanes) -> None:
    """Turn the face-down cards whose cover has been played (RULES 4)."""
    rows = lanes.rows
    for pile in range(tables.rules.piles):
        for seat in range(tables.rules.seats):
            covered = state.hand[seat][rows] & single(state.cover[seat, pile][rows])
            card = single(state.under[seat, pile][rows]) * (covered == 0)
            card &= state.face_down[seat][rows]
            state.face_down[seat][rows] ^= card
            state.face_up[seat][rows] |= card
            state.hand[seat][rows] |= card
