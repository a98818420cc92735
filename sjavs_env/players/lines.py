"""The score lines: the numbers of card points at which the game points change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.codes import PACK_POINTS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.score_tables import contracts_of, gain_of
from sjavs_env.players.cardsets import Real

N_POINTS = PACK_POINTS + 1


def margins(rules: RuleSet) -> Real:
    """Return the declaring side's gain minus the others' gain, by its card points.

    The table is float32[contracts, 2, 121], by contract, clubs and card points. It is scaled so
    that its last entry is 120 above its first, as if each card point were worth 1. A score line is
    a step in it.
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
    """Return for each contract whether declarer aims to win no trick, bool[contracts]."""
    scores = [contract.scores[0] for contract in contracts_of(rules)]
    return np.array([score.no_trick[0] > score.vol[0] for score in scores])
