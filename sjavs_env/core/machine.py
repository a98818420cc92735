"""The machine: one step for every form of the game, dispatched by phase.

Which phase follows which is data (``tables.next_phase``); no line here knows a game. When all
lanes stand at the same step, as in whole deals played in step, they are handled as one slice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core import actions as a
from sjavs_env.core import auction, confirm, exchange, naming, play, play_alone
from sjavs_env.core.bits import Array, Lanes, take
from sjavs_env.core.codes import (
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
from sjavs_env.core.dealing import lay_out
from sjavs_env.core.errors import IllegalActionError
from sjavs_env.core.notation import record
from sjavs_env.core.play_alone import ALONE
from sjavs_env.core.scoring import settle, settle_void
from sjavs_env.core.state import State
from sjavs_env.core.tables import Tables

_MODULES = {AUCTION: auction, NAME: naming, EXCHANGE: exchange, CONFIRM: confirm, PLAY: play}


def begin(state: State, tables: Tables, number: NDArray[np.intp], deal: NDArray[np.uint8]) -> None:
    """Lay out deals in cleared rows whose dealer stands, and ask their forehands."""
    whole = len(number) == state.clock.size
    lanes = Lanes(slice(None) if whole else number, number, state.clock.size, live=True)
    lay_out(state, tables, lanes, deal)
    auction.enter(state, tables, lanes)


def step(state: State, tables: Tables, actions: Array) -> None:
    """Carry out one decision in every row that is not over.

    Raises:
        IllegalActionError: an action is not legal in its row; then nothing has moved.
    """
    act = _checked(state, tables, actions)
    for lanes, phase, place in _groups(state):
        _move(state, tables, lanes, act[lanes.rows], phase, place)


def step_alone(state: State, tables: Tables, action: int) -> None:
    """Carry out one decision in a batch of one whose deal is not over.

    That it is legal is not checked.
    """
    phase, place = divmod(int(state.clock[0]), 1 << STEP_BITS)
    if phase != PLAY:
        _move(state, tables, ALONE, np.array([action], np.uint8), phase, place)
        return
    moves = int(state.moves[0])
    state.history[moves, 0], state.moves[0] = action, moves + 1
    if play_alone.apply(state, tables, action, place):
        _leave(state, tables, ALONE, PLAY)


def _move(
    state: State, tables: Tables, lanes: Lanes, act: NDArray[np.uint8], phase: int, place: int
) -> None:
    """Carry out one decision in lanes that stand at the same step."""
    _note(state, lanes, act)
    done = _MODULES[phase].apply(state, tables, lanes, act, place)
    if done is not False and np.any(done):
        _leave(state, tables, lanes if np.all(done) else lanes.where(np.asarray(done)), phase)


def _checked(state: State, tables: Tables, actions: Array) -> NDArray[np.uint8]:
    """Return the actions with ``NOTHING`` in the rows that are over, after checking the others."""
    given = asked = np.asarray(actions)
    if given.dtype == np.object_ and all(isinstance(each, int) for each in given.flat):
        asked = np.clip(given, NONE, a.N_ACTIONS).astype(np.int64)  # integers beyond 64 bits
    if asked.shape != state.over.shape or asked.dtype.kind not in "iu":
        raise ValueError(
            f"actions must be integers of shape {state.over.shape}, "
            f"not {asked.dtype} of shape {asked.shape}"
        )
    allowed = (state.legal >> asked.astype(np.uint64) & np.uint64(1)).astype(np.bool_)
    allowed |= state.over
    if not allowed.all():
        raise IllegalActionError(_complaint(state, tables, given, int(np.argmin(allowed))))
    act = asked.astype(np.uint8)
    return np.where(state.over, np.uint8(a.NOTHING), act) if state.over.any() else act


def _complaint(state: State, tables: Tables, asked: Array, row: int) -> str:
    """Return the sentence about an illegal action."""
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


def _groups(state: State) -> Iterator[tuple[Lanes, int, int]]:
    """Yield the lanes that stand at the same step, with phase and step.

    Where they are most of the batch, rows that are over run on as dead lanes of the play, in which
    everything they do is neutral.
    """
    clock, batch = state.clock, state.clock.size
    number = np.arange(batch)
    live = number[~state.over] if state.over.any() else number
    if not len(live):
        return
    stands = clock[live]
    first = int(stands[0])
    phase, place = divmod(first, 1 << STEP_BITS)
    alive = len(live) == batch
    few_dead = alive or (phase == PLAY and 2 * len(live) > batch)
    if few_dead and (stands == first).all():
        yield Lanes(slice(None), number, batch, alive), phase, place
        return
    for value in np.unique(stands):
        chosen = live[stands == value]
        yield Lanes(chosen, chosen, batch, live=True), *divmod(int(value), 1 << STEP_BITS)


def _note(state: State, lanes: Lanes, act: NDArray[np.uint8]) -> None:
    """Write the decision into the history."""
    rows = lanes.rows
    state.history.reshape(-1)[lanes.at(state.moves[rows])] = act
    state.moves[rows] += ~state.over[rows]


def _leave(state: State, tables: Tables, lanes: Lanes, phase: int) -> None:
    """Move lanes that are done with a phase to the next one, or end their deals."""
    rows = lanes.rows
    if not lanes.live:
        lanes = lanes.where(~state.over[rows])
        rows = lanes.rows
    following = take(tables.next_phase, state.contract[rows].astype(np.intp) * len(PHASES) + phase)
    following = np.where(state.void[rows] | (state.choice[rows] == a.CONCEDE), OVER, following)
    for value in np.unique(following):
        part = lanes if (following == value).all() else lanes.where(following == value)
        if value == OVER:
            _finish(state, tables, part)
        else:
            _MODULES[value].enter(state, tables, part)


def _finish(state: State, tables: Tables, lanes: Lanes) -> None:
    """End deals: score them, and leave nobody to act."""
    state.over[lanes.rows] = True
    state.seat[lanes.rows] = NONE
    state.legal[lanes.rows] = 0
    void = state.void[lanes.rows]
    settle_void(state, lanes.where(void))
    settle(state, tables, lanes.where(~void))
