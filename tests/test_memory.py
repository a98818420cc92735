"""The memory of a batch, and that stepping it leaks none."""

import gc
import tracemalloc

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs
from sjavs_env.players.random import lowest_action

BATCH = 4096
MOST_BYTES_PER_DEAL = 300


def play(vec: VectorSjavs) -> int:
    """Play a batch to its end, and return the most bytes that a step held besides the state."""
    most = 0
    vec.reset(seed=1)
    while not vec.over.all():
        actions = lowest_action(vec.legal)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        vec.step(actions)
        most = max(most, tracemalloc.get_traced_memory()[1] - before)
    return most


@pytest.mark.parametrize("preset", RULE_SETS)
def test_a_deal_takes_at_most_300_bytes_and_a_step_no_more_besides(preset: str) -> None:
    vec = VectorSjavs(preset, batch=BATCH)
    assert vec.nbytes <= MOST_BYTES_PER_DEAL * BATCH
    tracemalloc.start()
    try:
        assert 0 < play(vec) <= vec.nbytes
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_deals_played() -> None:
    vec = VectorSjavs("faroese4", batch=256)
    out = vec.observe()
    tracemalloc.start()
    try:
        held = []
        for _ in range(6):
            play(vec)
            vec.observe(out=out)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        assert max(held[2:]) - held[1] < 4096
    finally:
        tracemalloc.stop()


def test_observe_writes_into_the_given_array() -> None:
    vec = VectorSjavs("faroese4", batch=40_000, seed=2)
    out = np.full_like(vec.observe(), 7)
    assert vec.observe(out=out) is out
    np.testing.assert_array_equal(out, vec.observe())
    np.testing.assert_array_equal(out[33_000], vec.take([33_000]).observe()[0])
