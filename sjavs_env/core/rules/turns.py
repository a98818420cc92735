"""The turn: every phase sets the seat to act, its legal actions, and the clock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.bits import Array, Lanes, Step
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables.codes import STEP_BITS


def give_turn(state: State, lanes: Lanes, seat: Array, legal: NDArray[np.uint64]) -> None:
    """Set the seat to act and its legal actions. Lanes that are over keep ``NONE`` and 0."""
    if lanes.dead is not None:
        seat = seat | np.negative(lanes.dead.view(np.int8))  # all bits set: NONE
        legal = legal * ~lanes.dead
    state.seat[lanes.rows] = seat
    state.legal[lanes.rows] = legal


def set_clock(state: State, lanes: Lanes, phase: int, step: Step) -> None:
    """Set the phase of the lanes and the step within it."""
    state.clock[lanes.rows] = phase << STEP_BITS | step
