"""The fast paths of a batch of one give the same states and observations as a batch."""

import random
from dataclasses import fields

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs, rule_set, unpack
from tests.test_rubber import random_options

every_game = pytest.mark.parametrize("rules", RULE_SETS)


@every_game
def test_step_alone_leaves_the_same_state_as_step(rules):
    rng = random.Random(rules)
    for seed in range(20):
        options = {k: v for k, v in random_options(rules, rng).items() if v is not None}
        game = rule_set(rules, **options)
        one, many = (VectorSjavs(game, batch=1, seed=seed) for _ in range(2))
        while not many.over[0]:
            action = rng.choice(np.flatnonzero(many.legal_mask()[0]).tolist())
            many.step([action])
            one.step_alone(action)
            for field in fields(many._state):
                expected = getattr(many._state, field.name)
                np.testing.assert_array_equal(
                    getattr(one._state, field.name), expected, err_msg=field.name
                )


@pytest.mark.parametrize("rules", RULE_SETS)
def test_features_of_one_row_equal_its_unpacked_words(rules):
    rng, seats = random.Random(rules), rule_set(rules).seats
    vec = VectorSjavs(rules, batch=3, seed=1)
    for _ in range(3):
        columns = [[rng.choice([-200, -3, 24, 190, 400])] * vec.rules.columns for _ in range(3)]
        vec.reset(carry=[0, 3, 9] if vec.rules.tie == "carry_by_suit" else 0, columns=columns)
        while not vec.over.all():
            legal = [np.flatnonzero(mask).tolist() or [0] for mask in vec.legal_mask()]
            vec.step([rng.choice(choices) for choices in legal])
            for seat in range(seats):
                expected = unpack(vec.observe(seat=seat), "float32")
                for row in range(3):
                    np.testing.assert_array_equal(vec.features(row, seat), expected[row])
