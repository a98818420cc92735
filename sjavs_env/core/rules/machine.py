"""The machine: one ``step`` for all rule sets, which passes each row to the module of its phase.

The order of the phases is data (``Tables.next_phase``), so no line here depends on a rule set. If
all rows are at the same step, as when whole deals are played in lock-step, they are handled as one
slice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.arguments import kind
from sjavs_env.core.bits import Array, Lanes, Rows, Step, put, row_numbers, single, take
from sjavs_env.core.errors import IllegalActionError
from sjavs_env.core.rules import auction, confirm, exchange, naming, play, play_alone
from sjavs_env.core.rules.dealing import lay_out
from sjavs_env.core.rules.notation import record
from sjavs_env.core.rules.play_alone import ALONE
from sjavs_env.core.rules.scoring import settle, settle_void
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import (
    AUCTION,
    CONFIRM,
    EXCHANGE,
    NAME,
    NONE,
    OVER,
    PHASES,
    PLAY,
    STEP_BITS,
)
from sjavs_env.core.tables.compiled import Tables

_PLACE_MASK = np.uint8((1 << STEP_BITS) - 1)
_MOST_DEAD = 1
"""Rows that are over, for each row in play, up to which the whole batch is handled as a slice."""
_MODULES: dict[int, Any] = {
    AUCTION: auction,
    NAME: naming,
    EXCHANGE: exchange,
    CONFIRM: confirm,
    PLAY: play,
}


def begin(state: State, tables: Tables, rows: Rows, deal: NDArray[np.uint8]) -> None:
    """Lay out deals in cleared rows, and ask forehand. ``state.dealer`` must be set already."""
    batch = state.clock.size
    lanes = Lanes(rows, row_numbers(batch)[rows], batch)
    lay_out(state, tables, lanes, deal)
    auction.enter(state, tables, lanes)


def step(state: State, tables: Tables, actions: Array) -> None:
    """Carry out one decision in every row that is not over.

    Raises:
        IllegalActionError: an action is not legal in its row. Nothing has moved.
        ValueError: the actions have the wrong shape or are not integers. Nothing has moved.
    """
    act = _checked(state, tables, actions)
    _note(state, act)
    for lanes, phase, place in _groups(state):
        _move(state, tables, lanes, lanes.of(act), phase, place)


def step_alone(state: State, tables: Tables, action: int) -> None:
    """Carry out one decision in a batch of one.

    Not checked: the deal is not over, and the action is legal.
    """
    phase, place = divmod(int(state.clock[0]), 1 << STEP_BITS)
    moves = int(state.moves[0])
    state.history[moves, 0], state.moves[0] = action, moves + 1
    if phase != PLAY:
        _move(state, tables, ALONE, np.array([action], np.uint8), phase, place)
    elif play_alone.apply(state, tables, action, place):
        _leave(state, tables, ALONE, PLAY)


def _move(
    state: State, tables: Tables, lanes: Lanes, act: NDArray[np.uint8], phase: int, place: Step
) -> None:
    """Carry out one decision in lanes that are in the same phase."""
    done = _MODULES[phase].apply(state, tables, lanes, act, place)
    if done is True:
        _leave(state, tables, lanes.alive(), phase)
    elif done is not False and np.count_nonzero(done):
        _leave(state, tables, lanes.where(done), phase)


def _checked(state: State, tables: Tables, actions: Array) -> NDArray[np.uint8]:
    """Check the actions, and return them with ``NOTHING`` in the rows that are over."""
    given = asked = np.asarray(actions)
    if (
        given.dtype == np.object_
        and given.ndim
        and all(isinstance(each, int) for each in given.flat)
    ):
        asked = np.clip(given, NONE, a.N_ACTIONS).astype(np.int64)  # integers beyond 64 bits
    if asked.shape != state.over.shape or asked.dtype.kind not in "iu":
        raise ValueError(f"actions must be integers of shape {state.over.shape}, not {kind(asked)}")
    allowed = state.legal >> asked.astype(np.int64, copy=False).view(np.uint64)
    allowed &= np.uint64(1)
    n_over = np.count_nonzero(state.over)
    if allowed.sum() + n_over != asked.size:
        row = int(np.argmin(allowed.astype(np.bool_) | state.over))
        raise IllegalActionError(_complaint(state, tables, given, row))
    act = asked.astype(np.uint8)
    if n_over:
        act |= state.over * np.uint8(a.NOTHING)
        act &= np.uint8(a.NOTHING)
    return act


def _complaint(state: State, tables: Tables, asked: Array, row: int) -> str:
    """Return the message for an illegal action."""
    fives = tables.rules.fives
    action = int(asked[row])
    named = a.name_of(action, fives) if 0 <= action < len(a.ACTION_NAMES) else str(action)
    legal = int(state.legal[row])
    names = [a.name_of(i, fives) for i in range(len(a.ACTION_NAMES)) if legal >> i & 1]
    return (
        f"illegal action {named!r} (id {action}) in row {row}, seat {state.seat[row]}, phase "
        f"{PHASES[state.clock[row] >> STEP_BITS]}: legal are {' '.join(names)}; "
        f"record {record(state, tables, row)!r}"
    )


def _groups(state: State) -> list[tuple[Lanes, int, Step]]:
    """Split the rows in play into groups at the same step; return lanes, phase and step of each.

    In the play one group holds the rows at all places of the trick; its step is then an array. If
    enough rows are in play, the rows that are over stay in the group as dead lanes. What is done
    in a dead lane has no effect.
    """
    clock, batch = state.clock, state.clock.size
    n_over = np.count_nonzero(state.over)
    waiting, n_waiting = ~state.over, batch - n_over
    groups: list[tuple[Lanes, int, Step]] = []
    while n_waiting:
        first = int(clock[waiting.argmax()])
        phase, place = divmod(first, 1 << STEP_BITS)
        there = clock == first
        there &= waiting
        n_there = np.count_nonzero(there)
        apart = phase == PLAY and n_there < n_waiting
        if apart:
            np.greater_equal(clock, PLAY << STEP_BITS, out=there)
            there &= waiting
            n_there = np.count_nonzero(there)
        if n_there + n_over == batch and n_over <= (n_there * _MOST_DEAD if phase == PLAY else 0):
            lanes = Lanes(slice(None), row_numbers(batch), batch, state.over if n_over else None)
        else:
            rows = there.nonzero()[0]
            lanes = Lanes(rows, rows, batch)
        groups.append((lanes, phase, lanes.of(clock) & _PLACE_MASK if apart else place))
        waiting ^= there
        n_waiting -= n_there
    return groups


def _note(state: State, act: NDArray[np.uint8]) -> None:
    """Write the decisions into the history.

    An empty entry of the history is ``NOTHING``. All six bits of ``NOTHING`` are set, so ``&=``
    writes a decision, and leaves the entry empty in a row that is over.
    """
    batch, dead = state.over.size, state.over if state.over.any() else None
    lanes = Lanes(slice(None), row_numbers(batch), batch, dead)
    common = lanes.common(state.moves)
    if common is not None:
        state.history[common] &= act
    else:
        live = lanes.alive()
        put(state.history, live.at(live.of(state.moves)), live.of(act))
    state.moves += ~state.over


def _leave(state: State, tables: Tables, lanes: Lanes, phase: int) -> None:
    """Move lanes that have finished a phase to the next one, or end their deals."""
    stands = lanes.of(state.contract) * np.int8(len(PHASES)) + np.int8(phase)
    conceded = lanes.of(state.choice) == a.CONCEDE
    following = take(tables.next_phase, stands * np.int16(2) + conceded)
    present = int(np.bitwise_or.reduce(single(following)))
    for value in range(len(PHASES)):
        if not present >> value & 1:
            continue
        part = lanes.where(following == value)
        if value == OVER:
            _finish(state, tables, part)
        else:
            _MODULES[value].enter(state, tables, part)


def _finish(state: State, tables: Tables, lanes: Lanes) -> None:
    """End deals: no seat is to act, and they are scored."""
    state.over[lanes.rows] = True
    state.seat[lanes.rows] = NONE
    state.legal[lanes.rows] = 0
    void = lanes.of(state.void)
    if void.any():
        settle_void(state, lanes.where(void))
        lanes = lanes.where(~void)
    settle(state, tables, lanes)
