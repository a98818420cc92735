"""Duplicate deals: who sits where, what a deal is worth then, and how sure their mean is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, rule_set

CONFIDENCE = 0.95
RESAMPLES = 10_001
"""Bootstrap samples; one more than a multiple of 40, so that no quantile is interpolated."""
_BOOTSTRAP_SEED = 0
_PARTS = 6
"""Payoffs, and the mean of one to three of them, are whole when counted in these parts."""


def seatings(rules: str | RuleSet) -> NDArray[np.bool_]:
    """Return every seating as the seats that A takes, bool[seatings, P]."""
    rules = rule_set(rules)
    chosen = np.arange(1, 2**rules.columns - 1)
    column = np.array([rules.column(seat) for seat in range(rules.seats)])
    held: NDArray[np.bool_] = (chosen[:, None] >> column & 1).astype(np.bool_)
    return held


def deal_values(payoff: NDArray[np.float32], held: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what each deal is worth to A, float64[deals].

    The sums are of whole numbers, so that equals come out at 0 and not near it.

    Args:
        payoff: Payoff of each seat, float32[seatings, deals, P].
        held: The seats that A takes, bool[seatings, P].
    """
    parts = np.rint(payoff * _PARTS).astype(np.int64)
    shares = np.where(held, _PARTS // held.sum(1)[:, None], -(_PARTS // (~held).sum(1)[:, None]))
    totals = np.einsum("sdp,sp->d", parts, shares)
    values: NDArray[np.float64] = totals / (2 * _PARTS**2 * len(held))
    return values


def interval(values: NDArray[np.float64], resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the 95 % percentile-bootstrap interval of the mean.

    Deals have few distinct values, so a resample is drawn as how often each of them occurs. The
    random numbers are the same every time, so that equal values have equal intervals; and the
    negated values have exactly the negated interval.
    """
    if values.mean() < 0:
        low, high = interval(-values, resamples)
        return -high + 0.0, -low + 0.0
    distinct, counts = np.unique(values, return_counts=True)
    generator = np.random.Generator(np.random.PCG64(_BOOTSTRAP_SEED))
    drawn = generator.multinomial(len(values), counts / len(values), size=resamples)
    means = np.sort((drawn * distinct).sum(axis=1) / len(values))
    tail = round((resamples - 1) * (1 - CONFIDENCE) / 2)
    return float(means[tail]), float(means[-1 - tail])
