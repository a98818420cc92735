"""Speed of the environment and the players: decisions per CPU second of one thread.

The core is measured in two steps. First ``random`` plays the deals, and only its choice of actions
is timed. Then the same actions are replayed and timed, with dealing and legal actions. Every figure
except that of the choice is the median of several runs. A loop in C, compiled on this machine,
gives an upper bound for the core.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sjavs_env import VectorSjavs, rule_set, sjavs_v0, unpack
from sjavs_env.players import player

Watch = Callable[[VectorSjavs], object]
WATCHES: dict[str, Watch] = {
    "core": lambda vec: None,
    "packed": lambda vec: vec.observe(),
    "uint8": lambda vec: unpack(vec.observe()),
    "float32": lambda vec: unpack(vec.observe(), "float32"),
}
"""The observation read before every step, by the name of the measurement."""

C_LOOP = Path(__file__).with_name("play_loop.c")
_COMPILERS = ("cc", "gcc", "clang")
_TURN_LIMIT = 2000


@dataclass(frozen=True)
class Figure:
    """One measurement, in decisions per CPU second.

    Attributes:
        what: A key of ``WATCHES``: the core with this observation. "choice": the random choice
            without the core. "players": a built-in player without the core. "aec" and "aec in its
            wrapper": the PettingZoo environment, in turns.
        rules: The rule set.
        batch: Deals in a batch.
        decisions_per_second: Decisions (or turns) per CPU second.
        bytes_per_deal: Memory of the core's state per deal; None where no core is measured.
    """

    what: str
    rules: str
    batch: int
    decisions_per_second: float
    bytes_per_deal: float | None = None


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a measurement: minimum CPU seconds of a run, and number of runs."""

    seconds: float = 0.3
    runs: int = 5


def of_batch(rules: str, batch: int, watches: tuple[str, ...], effort: Effort) -> list[Figure]:
    """Measure the core with each observation in ``watches``, and the random choice by itself."""
    vec = VectorSjavs(rules, batch=batch)
    script, choice = _script(vec)
    decisions = sum(int(np.count_nonzero(actions >= 0)) for actions in script)
    size = vec.nbytes / batch
    figures = [Figure("choice", rules, batch, decisions / choice)]
    for name in watches:
        watch = WATCHES[name]
        speed = _median(partial(_again, vec, script, watch), decisions, effort)
        figures.append(Figure(name, rules, batch, speed, size))
    return figures


def of_player(name: str, rules: str, batch: int, effort: Effort) -> Figure:
    """Measure a built-in player on the positions of deals that it has played itself."""
    vec, policy = VectorSjavs(rules, batch=batch), player(name, rule_set(rules))
    vec.reset(seed=0)
    asked = []
    while not vec.over.all():
        live = ~vec.over
        keys = np.arange(batch, dtype=np.uint64)[live]
        asked.append((vec.observe()[live], vec.legal[live], keys))
        actions = np.zeros(batch, np.int64)
        actions[live] = policy.act(*asked[-1])
        vec.step(actions)

    def again() -> None:
        for position in asked:
            policy.act(*position)

    decisions = sum(len(keys) for _, _, keys in asked)
    return Figure("players", rules, batch, _median(again, decisions, effort))


def of_aec(rules: str, effort: Effort) -> list[Figure]:
    """Measure the turns per CPU second of the AEC environment, bare and with its wrapper."""
    figures = []
    for what, make in (("aec", sjavs_v0.raw_env), ("aec in its wrapper", sjavs_v0.env)):
        env = make(rules)
        speed = _median(partial(turns, env), turns(env), effort)
        figures.append(Figure(what, rules, 1, speed))
    return figures


def of_c_loop(deals: int = 1_000_000) -> tuple[float | None, str]:
    """Compile and measure the loop in C.

    Args:
        deals: Deals of a run.

    Returns:
        Decisions per CPU second, the median of three runs, and the compiler's command. None and the
        reason if the loop cannot be compiled or run.
    """
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        return None, f"no C compiler ({', '.join(_COMPILERS)}) is installed"
    with TemporaryDirectory() as place:
        program = str(Path(place) / "play_loop")
        command = [compiler, "-O3", "-march=native", "-o", program, str(C_LOOP)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
            ran = [
                subprocess.run(
                    [program, str(deals)], check=True, capture_output=True, text=True
                ).stdout
                for _ in range(3)
            ]
        except (OSError, subprocess.CalledProcessError) as error:
            return None, f"{compiler} failed: {getattr(error, 'stderr', None) or error}".strip()
    return median(float(line.split()[0]) for line in ran), " ".join(command[:3])


def _median(run: Callable[[], object], decisions: int, effort: Effort) -> float:
    """Return the decisions per CPU second of a run: the median, after one warm-up run."""
    run()
    found = []
    for _ in range(effort.runs):
        begun, times = process_time(), 0
        while process_time() - begun < effort.seconds:
            run()
            times += 1
        found.append(times * decisions / (process_time() - begun))
    return median(found)


def _script(vec: VectorSjavs) -> tuple[list[NDArray[np.int64]], float]:
    """Play the deals of seed 0 with ``random``.

    Returns:
        The actions of each step, int64[B], -1 where a deal is over, and the CPU seconds that their
        choice took.
    """
    policy = player("random", vec.rules)
    vec.reset(seed=0)
    script: list[NDArray[np.int64]] = []
    seconds = 0.0
    while not vec.over.all():
        keys = np.arange(vec.batch, dtype=np.uint64) << np.uint64(8) | np.uint64(len(script))
        live = ~vec.over
        position = vec.observe()[live], vec.legal[live], keys[live]
        begun = process_time()
        chosen = policy.act(*position)
        seconds += process_time() - begun
        actions = np.full(vec.batch, -1)
        actions[live] = chosen
        script.append(actions)
        vec.step(actions)
    return script, seconds


def turns(env: Any) -> int:
    """Play whole episodes of an AEC environment at random, the same ones in each call.

    Returns:
        The number of turns: 2000, and those that end the last episode.
    """
    rng, taken = random.Random(0), 0
    while taken < _TURN_LIMIT:
        env.reset(seed=taken)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            taken += 1
    return taken


def _again(vec: VectorSjavs, script: list[NDArray[np.int64]], watch: Watch) -> None:
    """Replay a script: deal the deals of seed 0 and play its actions."""
    vec.reset(seed=0)
    for actions in script:
        watch(vec)
        vec.step(actions)
