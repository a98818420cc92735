"""The lines of the score: how many card points decide over how many game points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.codes import PACK_POINTS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.score_tables import contracts_of, gain_of
from sjavs_env.players.cardsets import Real

N_POINTS = PACK_POINTS + 1


def margins(rules: RuleSet) -> Real:
    """Return by how much the declaring side is ahead of the others, by its card points.

    The table goes by contract, clubs and points, float32[contracts, 2, 121]. It is scaled so that
    all points are as far from none as if each were worth 1: a line of the score is a step in it.
    """
    table = np.array(
        [
            [np.subtract(*gain_of(score, points)) for points in range(N_POINTS)]
            for contract in contracts_of(rules)
            for score in contract.scores
        ],
        np.float32,
    ).reshape(-1, 2, N_POINTS)
    span = table[..., -1:] - table[..., :1]
    scaled: Real = np.divide(PACK_POINTS * table, span, out=np.zeros_like(table), where=span != 0)
    return scaled


def misere(rules: RuleSet) -> NDArray[np.bool_]:
    """Say in which contracts declarer aims at no trick."""
    scores = [contract.scores[0] for contract in contracts_of(rules)]
    return np.array([score.no_trick[0] > score.vol[0] for score in scores])
