"""Measure one peer of the benchmark, in the virtual environment of scripts/peers.txt.

    PYTHONPATH=. .peers/bin/python scripts/peers.py open_spiel_skat --seconds 2

It prints one line of JSON with decisions per CPU second of one thread, under uniform random legal
play. For a peer that trains, it is decisions with more than one legal action per wall second.
"""

# Each peer is imported inside the function that measures it. A process needs one peer; the others
# may be missing or slow to load.

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from itertools import count
from typing import Any

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_USER_MISTAKE = 2
_SPIEL_DEALS = 1000
_PGX_BATCH, _PGX_STEPS = 1024, 64
_PPO_NET = {"net_arch": {"pi": [256, 256], "vf": [256, 256]}}
Measured = tuple[str, float]


def main() -> None:
    """Measure the peer that the command line names."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("name")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=2, help="threads of a peer that trains")
    arguments = parser.parse_args()
    measure = _PEERS.get(arguments.name)
    if measure is None:
        near = difflib.get_close_matches(arguments.name, _PEERS, n=1, cutoff=0.0)[0]
        sys.stderr.write(f"error: there is no peer {arguments.name!r}; the nearest is {near!r}\n")
        sys.exit(_USER_MISTAKE)
    trains = arguments.name.startswith("maskable_ppo")
    threads = str(arguments.threads if trains else 1)
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, threads))
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    package, speed = measure(arguments)
    found = {"peer": arguments.name, "version": f"{package} {version(package)}"}
    print(json.dumps(found | {"decisions_per_second": speed}))


def _rate(play: Callable[[], int], seconds: float) -> float:
    """Return decisions per CPU second, after one warm-up call.

    Args:
        play: Plays, and returns the number of decisions.
        seconds: Minimum CPU seconds of the measurement.
    """
    play()
    begun, decisions = time.process_time(), 0
    while time.process_time() - begun < seconds:
        decisions += play()
    return decisions / (time.process_time() - begun)


def _open_spiel(game_name: str) -> Callable[[argparse.Namespace], Measured]:
    """Return a function that measures an OpenSpiel game driven from Python.

    Chance nodes are timed but not counted as decisions. They are uniform in these games.
    """

    def measured(arguments: argparse.Namespace) -> Measured:
        import pyspiel

        game, share = pyspiel.load_game(game_name), random.Random(0).random

        def play() -> int:
            state: Any = game.new_initial_state()
            decisions = 0
            while not state.is_terminal():
                decisions += not state.is_chance_node()
                legal = state.legal_actions()
                state.apply_action(legal[int(share() * len(legal))])
            return decisions

        return "open_spiel", _rate(play, arguments.seconds)

    return measured


def _open_spiel_skat_cpp(arguments: argparse.Namespace) -> Measured:
    """Measure Skat with OpenSpiel's own random bots, all in C++."""
    import pyspiel

    game = pyspiel.load_game("skat")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(3)]
    seeds = count()

    def played() -> Any:
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, next(seeds))
        return state

    # To count decisions in the history costs more than to play. So the decisions of the first
    # deals stand for those of every later call.
    histories = [played().full_history() for _ in range(_SPIEL_DEALS)]
    decisions: int = sum(move.player >= 0 for history in histories for move in history)

    def play() -> int:
        for _ in range(_SPIEL_DEALS):
            played()
        return decisions

    return "open_spiel", _rate(play, arguments.seconds)


def _pettingzoo(module_name: str) -> Callable[[argparse.Namespace], Measured]:
    """Return a function that measures an AEC environment of PettingZoo, with its wrappers."""

    def measured(arguments: argparse.Namespace) -> Measured:
        from agents.speed.environment import turns

        env = import_module(f"pettingzoo.classic.{module_name}").env()
        return "pettingzoo", _rate(lambda: turns(env), arguments.seconds)

    return measured


def _rlcard_bridge(arguments: argparse.Namespace) -> Measured:
    """Measure RLCard's Bridge with its random agents."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("bridge", config={"seed": 0})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum(len(each) // 2 for each in trajectories)

    return "rlcard", _rate(play, arguments.seconds)


def _pgx_sparrow_mahjong(arguments: argparse.Namespace) -> Measured:
    """Measure Pgx's small Mahjong, batched and compiled, with auto-reset."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("sparrow_mahjong")
    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choice, dealing = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        action = jax.random.categorical(choice, logits, axis=-1)
        return (step(state, action, jax.random.split(dealing, _PGX_BATCH)), key), None

    run = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=_PGX_STEPS)[0])
    key = jax.random.PRNGKey(0)
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(key, _PGX_BATCH)), key
    kept = [jax.block_until_ready(run(carry))]

    def play() -> int:
        kept[0] = jax.block_until_ready(run(kept[0]))
        return _PGX_BATCH * _PGX_STEPS

    return "pgx", _rate(play, arguments.seconds)


def _maskable_ppo(
    rows: int, n_steps: int, **options: int
) -> Callable[[argparse.Namespace], Measured]:
    """Return a function that measures MaskablePPO on our game: one rollout and its update.

    It counts only decisions with more than one legal action, as our own trainer does.
    """

    def measured(arguments: argparse.Namespace) -> Measured:
        import torch
        from sb3_contrib import MaskablePPO

        from recipes.sb3_env import TableEnv

        torch.set_num_threads(arguments.threads)
        env = TableEnv("faroese4", rows, seed=0)
        learner = MaskablePPO(
            "MlpPolicy",
            env,
            n_steps=n_steps,
            policy_kwargs=_PPO_NET,
            seed=0,
            device="cpu",
            **options,
        )
        begun = time.perf_counter()
        learner.learn(rows * n_steps)
        return "sb3-contrib", env.table.choices / (time.perf_counter() - begun)

    return measured


_PEERS: dict[str, Callable[[argparse.Namespace], Measured]] = {
    "open_spiel_skat": _open_spiel("skat"),
    "open_spiel_skat_cpp": _open_spiel_skat_cpp,
    "open_spiel_euchre": _open_spiel("euchre"),
    "pettingzoo_hanabi": _pettingzoo("hanabi_v5"),
    "pettingzoo_connect_four": _pettingzoo("connect_four_v3"),
    "rlcard_bridge": _rlcard_bridge,
    "pgx_sparrow_mahjong": _pgx_sparrow_mahjong,
    "maskable_ppo": _maskable_ppo(rows=64, n_steps=256),
    "maskable_ppo_tuned": _maskable_ppo(rows=1024, n_steps=128, batch_size=4096, n_epochs=4),
}


if __name__ == "__main__":
    main()
