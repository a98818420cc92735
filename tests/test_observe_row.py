"""The observation of a single row is that of the batch."""

import random

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs, rule_set, unpack


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_features_of_one_row_are_those_of_its_words(rules):
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
