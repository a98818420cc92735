"""Trick play: following, ruffing, winning tricks, turning face-down cards (RULES 1, 2, 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core.bits import Array, Lanes, common, first_nonempty, put, take
from sjavs_env.core.card_tables import N_STRENGTHS
from sjavs_env.core.codes import PLACE_BITS, PLAY, VOID_BITS
from sjavs_env.core.state import FELL_BITS, State
from sjavs_env.core.tables import Tables
from sjavs_env.core.turns import give_turn, set_clock

PLACE_MASK = (1 << PLACE_BITS) - 1


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Let forehand lead to the first trick."""
    _lead(state, lanes, (state.dealer[lanes.rows] + 1) % tables.rules.seats)


def apply(
    state: State, tables: Tables, lanes: Lanes, act: Array, step: int
) -> bool | NDArray[np.bool_]:
    """Play a card at a place of the trick, and say which lanes have played their last."""
    rows, seat = lanes.rows, state.seat[lanes.rows]
    at = lanes.at(seat)
    card = take(tables.bit, act)
    put(state.hand, at, take(state.hand, at) & ~card)
    put(state.played, at, take(state.played, at) | card)
    state.table[step, rows] = act
    _mark_fall(state, lanes, card)
    if step == 0:
        lead = state.trump[rows] * np.int16(a.N_ACTIONS) + act
        state.follow[rows] = take(tables.follow, lead)
        state.row[rows] = take(tables.row, lead)
        state.led[rows] = take(tables.led_class, lead)
        state.best[rows] = 0
    else:
        failed = (card & state.follow[rows]) == 0
        if not lanes.live:
            failed &= ~state.over[rows]
        shown = (seat.astype(np.uint32) * VOID_BITS + state.led[rows]) & np.uint32(31)
        state.voids[rows] |= failed.astype(np.uint32) << shown
    strength = take(tables.strength, state.row[rows] + act) | np.uint8(step)
    state.best[rows] = np.maximum(state.best[rows], strength)
    if step + 1 == tables.rules.seats:
        return _end_trick(state, tables, lanes)
    _follow(state, tables, lanes, step + 1, (seat + np.int8(1)) % tables.rules.seats)
    return False


def _mark_fall(state: State, lanes: Lanes, card: NDArray[np.uint32]) -> None:
    """Note the number of the trick, counted from 1, for the card that falls."""
    tricks = common(state.trick[lanes.rows])
    if tricks.ndim == 0:
        for digit in range(FELL_BITS):
            if int(tricks) + 1 >> digit & 1:
                state.fell[digit, lanes.rows] |= card
        return
    number = tricks.astype(np.uint32) + np.uint32(1)
    for digit in range(FELL_BITS):
        state.fell[digit, lanes.rows] |= card * (number >> np.uint32(digit) & np.uint32(1))


def _lead(state: State, lanes: Lanes, seat: Array) -> None:
    """Let a seat lead any card."""
    set_clock(state, lanes, PLAY, 0)
    leader = state.leader[lanes.rows]
    state.leader[lanes.rows] = np.where(state.over[lanes.rows], leader, seat)
    hand = take(state.hand, lanes.at(seat))
    give_turn(state, lanes, seat, hand.astype(np.uint64))


def _follow(state: State, tables: Tables, lanes: Lanes, place: int, seat: Array) -> None:
    """Let a seat follow; if it cannot, ruff or throw away as the rules allow."""
    rows = lanes.rows
    set_clock(state, lanes, PLAY, place)
    hand = take(state.hand, lanes.at(seat))
    choices: list[Array] = [hand & state.follow[rows]]
    if tables.ruff:
        highest = state.trump[rows] * np.int16(N_STRENGTHS) + (state.best[rows] >> PLACE_BITS)
        choices += [hand & take(table, highest) for table in tables.ruff]
    give_turn(state, lanes, seat, first_nonempty(*choices, hand).astype(np.uint64))


def _end_trick(state: State, tables: Tables, lanes: Lanes) -> NDArray[np.bool_]:
    """Give the trick to its winner, who leads to the next one."""
    rows = lanes.rows
    place = (state.best[rows] & PLACE_MASK).astype(np.int8)
    winner = (state.leader[rows] + place) % tables.rules.seats
    at = lanes.at(winner)
    worth = take(tables.points, state.table[0, rows])
    for later in range(1, tables.rules.seats):
        worth = worth + take(tables.points, state.table[later, rows])
    put(state.points, at, take(state.points, at) + worth)
    alive = ~state.over[rows]
    put(state.tricks, at, take(state.tricks, at) + alive)
    state.trick[rows] += alive
    state.table[:, rows] = a.NOTHING
    turn_up(state, tables, lanes)
    _lead(state, lanes, winner)
    last: NDArray[np.bool_] = common(state.trick[rows]) == tables.rules.n_tricks
    return last if lanes.live else last & alive


def turn_up(state: State, tables: Tables, lanes: Lanes) -> None:
    """Turn the face-down cards whose cover has been played (RULES 4)."""
    rows = lanes.rows
    for pile in range(tables.rules.piles):
        for seat in range(tables.rules.seats):
            covered = state.hand[seat, rows] & tables.bit[state.cover[seat, pile, rows]]
            card = tables.bit[state.under[seat, pile, rows]] * (covered == 0)
            card &= state.face_down[seat, rows]
            state.face_down[seat, rows] ^= card
            state.face_up[seat, rows] |= card
            state.hand[seat, rows] |= card
