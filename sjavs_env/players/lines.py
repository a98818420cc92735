"""What card points are worth: the lines of the score (31, 61, 90 or others), smoothed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.codes import PACK_POINTS
from sjavs_env.core.ruleset import RuleSet
from sjavs_env.core.score_tables import contracts_of, gain_of
from sjavs_env.core.scores import Score
from sjavs_env.players.cardsets import Real

N_POINTS = PACK_POINTS + 1
_SPREAD = 2.3
"""Standard deviation of a side's share of the points left, over the square root of these."""


def prospects(rules: RuleSet) -> Real:
    """Return what the points of the declaring side are worth to it.

    The table goes by contract, clubs, points won and points left, float32[contracts, 2, 121, 121].
    It is scaled so that all points are worth as many more than none as if each counted 2, which is
    what a card point won rather than lost makes in the difference of the sides.
    """
    rest_shares = _shares()
    tables = [
        _prospect(score, rest_shares)
        for contract in contracts_of(rules)
        for score in contract.scores
    ]
    return np.array(tables, np.float32).reshape(-1, 2, N_POINTS, N_POINTS)


def _shares() -> list[NDArray[np.float64]]:
    """Return how the points left fall to a side, for each number of them."""
    shares = []
    for rest in range(N_POINTS):
        deviation = max(_SPREAD * rest**0.5, 0.5)
        weight = np.exp(-0.5 * ((np.arange(rest + 1) - rest / 2) / deviation) ** 2)
        shares.append(weight / weight.sum())
    return shares


def _prospect(score: Score, shares: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean gain by points won and left, 0 beyond the points of the pack."""
    gains = [gain_of(score, points) for points in range(N_POINTS)]
    margin = np.array([ours - theirs for ours, theirs in gains], float)
    span = margin[-1] - margin[0]
    margin = margin * 2 * PACK_POINTS / span if span else np.arange(N_POINTS) * 2.0
    table = np.zeros((N_POINTS, N_POINTS))
    for rest, share in enumerate(shares):
        table[: N_POINTS - rest, rest] = np.correlate(margin, share, "valid")
    return table


def misere(rules: RuleSet) -> NDArray[np.bool_]:
    """Say in which contracts declarer aims at no trick."""
    scores = [contract.scores[0] for contract in contracts_of(rules)]
    return np.array([score.no_trick[0] > score.vol[0] for score in scores])
