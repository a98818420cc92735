"""Declarer's choice before the first lead: play on, concede (RULES 5) or an option (RULES 7)."""

from __future__ import annotations

import numpy as np

from sjavs_env.core.bits import Array, Lanes, take
from sjavs_env.core.rules.state import State
from sjavs_env.core.rules.turns import give_turn, set_clock
from sjavs_env.core.tables.codes import CONFIRM, NONE
from sjavs_env.core.tables.compiled import Tables


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Offer declarer the choices."""
    set_clock(state, lanes, CONFIRM, 0)
    legal = np.full(lanes.size, tables.confirmable, np.uint64)
    give_turn(state, lanes, lanes.of(state.declarer), legal)


def apply(state: State, tables: Tables, lanes: Lanes, act: Array, step: int) -> bool:
    """Store declarer's choice and the contract that follows from it."""
    rows = lanes.rows
    state.choice[rows] = act
    contract = np.maximum(lanes.of(state.contract), take(tables.call_contract, act))
    state.contract[rows] = contract
    state.trump[rows] = np.where(take(tables.trumpless, contract), NONE, lanes.of(state.trump))
    return True
