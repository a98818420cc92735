"""The auction: each seat speaks once, forehand first (RULES 2, 5, 6, 7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.bits import Array, Lanes, put, take, wrapped
from sjavs_env.core.rules.state import State
from sjavs_env.core.rules.turns import give_turn, set_clock
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import AUCTION, NONE
from sjavs_env.core.tables.compiled import Tables


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Ask forehand for a call. ``state.seat`` holds forehand already."""
    set_clock(state, lanes, AUCTION, 0)
    _ask(state, tables, lanes, lanes.of(state.seat))


def apply(
    state: State, tables: Tables, lanes: Lanes, act: Array, step: int
) -> bool | NDArray[np.bool_]:
    """Take a call or a pass, and return which lanes have ended their auction."""
    rows, seat = lanes.rows, lanes.of(state.seat)
    called = act != a.PASS
    put(state.calls, lanes.at(seat), act)
    state.standing[rows] = np.where(called, act, lanes.of(state.standing))
    state.declarer[rows] = np.where(called, seat, lanes.of(state.declarer))
    last = step + 1 == tables.rules.seats
    if last:
        _settle(state, tables, lanes)
        return True
    asked = lanes
    if tables.rules.first_call_ends:
        _settle(state, tables, lanes.where(called))
        asked = lanes.where(~called)
    set_clock(state, asked, AUCTION, step + 1)
    _ask(state, tables, asked, wrapped(asked.of(state.seat) + np.int8(1), tables.rules.seats))
    return called if tables.rules.first_call_ends else False


def _ask(state: State, tables: Tables, lanes: Lanes, seat: Array) -> None:
    """Offer a seat the calls that beat the standing one, and the pass where it is allowed."""
    claim = take(state.claim, lanes.at(seat)).astype(np.int16)
    legal = take(tables.calls, claim * a.N_ACTIONS + lanes.of(state.standing))
    give_turn(state, lanes, seat, legal)


def _settle(state: State, tables: Tables, lanes: Lanes) -> None:
    """Store contract and trumps as far as the auction settles them. No contract: a void deal."""
    rows = lanes.rows
    standing = lanes.of(state.standing)
    state.contract[rows] = take(tables.call_contract, standing)
    state.trump[rows] = take(tables.call_trump, standing)
    state.void[rows] = lanes.of(state.contract) == NONE
