"""Naming trumps: declarer names a suit (RULES 2, 5; RULES 6)."""

from __future__ import annotations

from sjavs_env.core.bits import Array, Lanes, take
from sjavs_env.core.rules.state import State
from sjavs_env.core.rules.turns import give_turn, set_clock
from sjavs_env.core.tables.codes import NAME
from sjavs_env.core.tables.compiled import Tables


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Offer declarer the suits that he may name."""
    set_clock(state, lanes, NAME, 0)
    declarer = lanes.of(state.declarer)
    longest = take(state.longest, lanes.at(declarer))
    give_turn(state, lanes, declarer, take(tables.nameable, longest))


def apply(state: State, tables: Tables, lanes: Lanes, act: Array, step: int) -> bool:
    """Store the trump suit. The phase is then complete."""
    state.trump[lanes.rows] = take(tables.call_trump, act)
    return True
