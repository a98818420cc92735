"""Trick play: following, ruffing, winning tricks, turning face-down cards (RULES 1, 2, 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.bits import Array, Lanes, Step, first_nonempty, put, single, take, wrapped
from sjavs_env.core.rules.state import State
from sjavs_env.core.rules.turns import give_turn, set_clock
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.card_tables import N_STRENGTHS
from sjavs_env.core.tables.codes import CLASS_BITS, PLACE_BITS, PLAY, TRICK_BITS, VOID_BITS
from sjavs_env.core.tables.compiled import Tables

PLACE_MASK = (1 << PLACE_BITS) - 1


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Let forehand lead to the first trick."""
    _lead(state, lanes, wrapped(lanes.of(state.dealer) + np.int8(1), tables.rules.seats))


def apply(
    state: State, tables: Tables, lanes: Lanes, act: Array, step: Step
) -> bool | NDArray[np.bool_]:
    """Play a card at a place of the trick, and return which lanes have played their last card."""
    rows, seat = lanes.rows, lanes.of(state.seat)
    at = lanes.at(seat)
    card = single(act)
    put(state.hand, at, take(state.hand, at) & ~card)
    put(state.played, at, take(state.played, at) | card)
    if isinstance(step, int):
        state.table[step][rows] = act
    else:
        put(state.table, lanes.at(step), act)
    _mark_fall(state, lanes, card)
    leading = _standing(lanes, step, 0)
    if leading is not None:
        _open(state, tables, leading)
    row, follow = lanes.of(state.row), lanes.of(state.follow)
    if leading is not lanes:
        _mark_void(state, lanes, seat, row, (card & follow) == 0)
    best = np.maximum(lanes.of(state.best), take(tables.strength, row + act) | step)
    state.best[rows] = best
    ending = _standing(lanes, step, tables.rules.seats - 1)
    if ending is not lanes:
        following = wrapped(seat + np.int8(1), tables.rules.seats)
        hand = take(state.hand, lanes.at(following))
        after = (
            step + 1 if isinstance(step, int) else wrapped(step + np.uint8(1), tables.rules.seats)
        )
        set_clock(state, lanes, PLAY, after)
        give_turn(state, lanes, following, _choices(state, tables, lanes, hand, follow, best))
    if ending is None:
        return False
    _end_trick(state, tables, ending)
    last: NDArray[np.bool_] = lanes.of(state.trick) == tables.rules.n_tricks
    return last if lanes.dead is None else last & ~lanes.dead


def _standing(lanes: Lanes, step: Step, place: int) -> Lanes | None:
    """Return the lanes that are at a place of the trick; None if there are none."""
    if isinstance(step, int):
        return lanes if step == place else None
    there = step == place
    if lanes.dead is not None:
        there &= ~lanes.dead
    standing = lanes.where(there)
    return standing if standing.size else None


def _open(state: State, tables: Tables, lanes: Lanes) -> None:
    """Store what the lead of a trick decides: the cards that follow, and the strengths."""
    rows = lanes.rows
    lead = lanes.of(state.trump) * np.int16(a.N_ACTIONS) + lanes.of(state.table[0])
    state.row[rows] = take(tables.row, lead)
    state.follow[rows] = take(tables.follow, lead)
    state.best[rows] = 0


def _mark_void(
    state: State, lanes: Lanes, seat: Array, row: Array, failed: NDArray[np.bool_]
) -> None:
    """Store the class of the lead as a void of a seat that has failed to follow."""
    if lanes.dead is not None:
        failed &= ~lanes.dead
    shown = seat.view(np.uint8) * np.uint16(VOID_BITS) + (row >> np.uint16(CLASS_BITS))
    lanes.mark(state.voids, failed.astype(np.uint32) << shown)


def _mark_fall(state: State, lanes: Lanes, card: NDArray[np.uint32]) -> None:
    """Store the number of the trick, counted from 1, for the card that is played."""
    number = lanes.of(state.trick) + np.uint8(1)
    common = lanes.common(number)
    digits = int(np.bitwise_or.reduce(number)) if common is None else common
    for digit in range(digits.bit_length()):
        if not digits >> digit & 1:
            continue
        part = card if common is not None else card * (number >> digit & 1)
        lanes.mark(state.fell[digit], part)


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
    """Return the legal cards of a seat that does not lead.

    They are the cards that follow; without one, the cards that the duty to ruff leaves (RULES 2).
    """
    choices: list[Array] = [hand & follow]
    if tables.ruff:
        highest = lanes.of(state.trump) * np.int16(N_STRENGTHS) + (best >> PLACE_BITS)
        choices += [hand & take(table, highest) for table in tables.ruff]
    return first_nonempty(*choices, hand).astype(np.uint64)


def _end_trick(state: State, tables: Tables, lanes: Lanes) -> None:
    """Give the trick to its winner, and let him lead to the next one."""
    rows = lanes.rows
    place = (lanes.of(state.best) & PLACE_MASK).astype(np.int8)
    winner = wrapped(np.maximum(lanes.of(state.leader), 0) + place, tables.rules.seats)
    at = lanes.at(winner)
    worth = np.zeros(lanes.size, np.uint8)
    for cards in state.table:
        worth += take(tables.points, lanes.of(cards))
        cards[rows] = a.NOTHING
    put(state.points, at, take(state.points, at) + worth)
    one = np.uint8(1) if lanes.dead is None else ~lanes.dead
    state.tricks[rows] += one.astype(np.uint32) << winner.view(np.uint8) * np.uint8(TRICK_BITS)
    state.trick[rows] += one
    turn_up(state, tables, lanes)
    _lead(state, lanes, winner)


def turn_up(state: State, tables: Tables, lanes: Lanes) -> None:
    """Turn up the face-down cards whose cover has been played (RULES 4)."""
    rows = lanes.rows
    for pile in range(tables.rules.piles):
        for seat in range(tables.rules.seats):
            covered = lanes.of(state.hand[seat]) & single(lanes.of(state.cover[seat, pile]))
            card = single(lanes.of(state.under[seat, pile])) * (covered == 0)
            card &= lanes.of(state.face_down[seat])
            state.face_down[seat][rows] ^= card
            state.face_up[seat][rows] |= card
            state.hand[seat][rows] |= card
