"""The exchange: declarer lays cards away and takes as many from the talon (RULES 3, 5, 6).

In a blind exchange he lays away first and then draws unseen talon cards. Otherwise he may first
take up the talon, and then lays away cards from hand and talon.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.bits import Array, Lanes, put, single, take
from sjavs_env.core.rules.state import State
from sjavs_env.core.rules.turns import give_turn, set_clock
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import EXCHANGE
from sjavs_env.core.tables.compiled import Tables

_PASS, _TAKE = np.uint64(1 << a.PASS), np.uint64(1 << a.TAKE)


def enter(state: State, tables: Tables, lanes: Lanes) -> None:
    """Offer declarer the exchange."""
    _ask(state, tables, lanes, 0)


def apply(state: State, tables: Tables, lanes: Lanes, act: Array, step: int) -> NDArray[np.bool_]:
    """Take up the talon, lay a card away, or stop. Return which lanes are done."""
    rows, at = lanes.rows, lanes.at(lanes.of(state.declarer))
    blind = tables.rules.exchange == "blind"
    card = single(act)
    lanes.mark(state.laid_away, card)
    state.n_laid_away[rows] += card != 0
    put(state.hand, at, take(state.hand, at) & ~card)
    done: NDArray[np.bool_] = (act == a.PASS) | (
        lanes.of(state.n_laid_away) == tables.rules.lay_away[-1]
    )
    if blind:
        _draw(state, tables, lanes.where(done))
    else:
        _draw(state, tables, lanes.where(act == a.TAKE))
    _ask(state, tables, lanes.where(~done), step + 1)
    return done


def _ask(state: State, tables: Tables, lanes: Lanes, step: int) -> None:
    """Offer declarer his cards to lay away, or the talon, and the pass where it is allowed."""
    set_clock(state, lanes, EXCHANGE, step)
    declarer = lanes.of(state.declarer)
    legal = take(state.hand, lanes.at(declarer)).astype(np.uint64)
    if tables.rules.exchange == "take" and step == 0:
        legal = np.full(lanes.size, _PASS | _TAKE)
    elif tables.rules.exchange == "blind" and step in tables.rules.lay_away:
        legal |= _PASS
    give_turn(state, lanes, declarer, legal)


def _draw(state: State, tables: Tables, lanes: Lanes) -> None:
    """Let declarer take talon cards: as many as he laid away if blind, else all (RULES 3)."""
    at = lanes.at(lanes.of(state.declarer))
    drawn = np.zeros(lanes.size, np.uint32)
    for place in range(tables.rules.talon_size):
        card = single(lanes.of(state.talon[place]))
        if tables.rules.exchange == "blind":
            card *= lanes.of(state.n_laid_away) > place
        drawn |= card
    lanes.mark(state.drawn, drawn)
    put(state.hand, at, take(state.hand, at) | drawn)
