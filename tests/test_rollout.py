"""Rollouts: what is recorded, and how advantages follow each seat's own decisions."""

from dataclasses import replace

import numpy as np
import pytest

from agents.learning.rollout import Experience, advantages, collect
from agents.runs import training
from agents.runs.config import from_dict
from agents.runs.training import entropy_tags
from sjavs_env import RULE_SETS, VectorSjavs
from sjavs_env.core.bits import count
from sjavs_env.players.random import lowest_action
from tests.test_update import moved, weights_of


def made(
    rows: list[int], seats: list[int], starts: list[int], payoff: list[list[float]]
) -> Experience:
    n = len(rows)
    return Experience(
        words=np.zeros((n, 1), np.uint32),
        legal=np.zeros(n, np.uint64),
        action=np.zeros(n, np.int64),
        log_prob=np.zeros(n, np.float32),
        row=np.array(rows),
        seat=np.array(seats),
        starts=np.array(starts),
        payoff=np.array(payoff, np.float32),
        moves=n,
    )


def test_advantages_over_interleaved_seats_equal_those_worked_out_by_hand() -> None:
    # One deal with three seats; seats 0 1 2 1 0 0 act; payoffs 4, -2, -2; lambda 1/2.
    experience = made([0] * 6, [0, 1, 2, 1, 0, 0], [0, 1, 2, 3, 4, 5, 6], [[4, -2, -2]])
    values = np.array([1, 0, -1, 2, 3, 2], np.float32)
    # Seat 0 values 1 3 2: 4-2 = 2; (2-3) + 2/2 = 0; (3-1) + 0/2 = 2.
    # Seat 1 values 0 2: -2-2 = -4; (2-0) - 4/2 = 0. Seat 2 value -1: -2+1 = -1.
    assert advantages(experience, values, lam=0.5).tolist() == [2, 0, -1, -4, 0, 2]


def test_lambda_one_gives_the_payoff_minus_the_value() -> None:
    generator = np.random.default_rng(1)
    experience = made([0, 1, 0, 1, 1], [0, 1, 1, 0, 1], [0, 2, 4, 5], [[3, -3], [-1, 1]])
    values = generator.normal(size=5).astype(np.float32)
    expected = experience.payoff[experience.row, experience.seat] - values
    np.testing.assert_allclose(advantages(experience, values, lam=1.0), expected, rtol=1e-5)


def scalar_advantages(experience: Experience, values: np.ndarray, lam: float) -> np.ndarray:
    """Compute the advantages decision by decision, seat by seat."""
    result = np.zeros(len(experience))
    for row in range(len(experience.payoff)):
        for seat in range(experience.payoff.shape[1]):
            mine = np.flatnonzero((experience.row == row) & (experience.seat == seat))
            following, carried = experience.payoff[row, seat], 0.0
            for index in mine[::-1]:
                carried = following - values[index] + lam * carried
                result[index], following = carried, values[index]
    return result


@pytest.mark.parametrize("rules", RULE_SETS)
def test_advantages_equal_a_walk_along_each_seat(rules: str) -> None:
    vec = VectorSjavs(rules, batch=16)
    generator = np.random.default_rng(2)

    def sample(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return lowest_action(legal), np.zeros(len(legal), np.float32)

    experience = collect(vec, sample, seed=4)
    values = generator.normal(size=len(experience)).astype(np.float32)
    np.testing.assert_allclose(
        advantages(experience, values, lam=0.9),
        scalar_advantages(experience, values, lam=0.9),
        atol=1e-4,
    )


def test_forced_moves_are_played_and_not_recorded() -> None:
    vec = VectorSjavs("faroese4", batch=64)
    asked = []

    def sample(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(legal.copy())
        return lowest_action(legal), np.zeros(len(legal), np.float32)

    experience = collect(vec, sample, seed=5)
    assert (count(np.concatenate(asked)) > 1).all()
    assert vec.over.all()
    assert experience.moves > len(experience) == sum(map(len, asked))
    np.testing.assert_array_equal(experience.payoff, vec.payoff)


@pytest.mark.parametrize("late", [0, 7])
def test_deals_in_which_nobody_has_a_choice_are_played_and_nothing_is_learned(late: int) -> None:
    values = {
        "rules": "russian6",
        "batch": 1,
        "deals": 20,
        "threads": 1,
        "net": {"hidden": [8], "late": late, "late_width": 8},
        "phase": [{"lesson": "late-tricks" if late else "self-play"}],
        # With one deal at a time nobody else has a choice when an opponent has.
        "league": {"share": 1.0, "players": ["random"], "at_once": 1},
    }
    trainer = training.start(from_dict(values, "test"))
    nothing = 0
    while not trainer.done:
        before = weights_of(trainer.learner.actor)
        logged = trainer.advance()
        learned = any(name.startswith("losses/") for name in logged)
        assert learned or moved(trainer.learner.actor, before) == 0
        nothing += not learned
    assert 0 < nothing < trainer.progress.update == 20


def test_what_is_recorded_belongs_to_its_seat_and_time() -> None:
    vec = VectorSjavs("faroese4", batch=32)

    def sample(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return lowest_action(legal), np.arange(len(legal), dtype=np.float32)

    experience = collect(vec, sample, seed=6)
    again = VectorSjavs("faroese4", batch=32)
    again.reset(seed=6)
    step = 0
    while not again.over.all():
        chosen = np.flatnonzero(count(again.legal) > 1)
        if len(chosen):
            part = slice(experience.starts[step], experience.starts[step + 1])
            np.testing.assert_array_equal(experience.row[part], chosen)
            np.testing.assert_array_equal(experience.seat[part], again.seat[chosen])
            np.testing.assert_array_equal(experience.words[part], again.observe_all()[chosen])
            np.testing.assert_array_equal(experience.legal[part], again.legal[chosen])
            step += 1
        again.step(lowest_action(again.legal))
    assert step + 1 == len(experience.starts)


def test_entropies_of_calls_and_of_cards_are_reported_separately() -> None:
    quarter, half = float(np.log(0.25)), float(np.log(0.5))
    experience = replace(
        made([0, 0, 0], [0, 1, 2], [0, 1, 2, 3], [[0, 0, 0]]),
        legal=np.array([1 << 33 | 1 << 32, 0b11, 0b1111], np.uint64),
        log_prob=np.array([quarter, half, half], np.float32),
    )
    told = entropy_tags(experience)
    assert told["policy/entropy_norm_bid"] == pytest.approx(2)
    assert told["policy/entropy_norm_play"] == pytest.approx(0.75)
    cards = replace(experience, legal=np.full(3, 0b11, np.uint64))
    assert np.isnan(entropy_tags(cards)["policy/entropy_norm_bid"])
