"""Duplicate deals: the seatings, the value of a deal over all of them, the bootstrap interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, rule_set
from sjavs_env.core.arguments import check_array, numbers, whole_number
from sjavs_env.core.errors import told

CONFIDENCE = 0.95
RESAMPLES = 10_001
"""Bootstrap samples: one more than a multiple of 40, so that no quantile needs interpolation."""
_MOST_RESAMPLES = 10**7
_BOOTSTRAP_SEED = 0
_PARTS = 6
"""Payoffs, and means of one to three payoffs, are whole numbers of 1/6 game point."""


def seatings(rules: str | RuleSet) -> NDArray[np.bool_]:
    """Return every seating: the seats that A takes, bool[seatings, P]."""
    rules = rule_set(rules)
    chosen = np.arange(1, 2**rules.columns - 1)
    column = np.array([rules.column(seat) for seat in range(rules.seats)])
    held: NDArray[np.bool_] = (chosen[:, None] >> column & 1).astype(np.bool_)
    return held


def deal_values(payoff: NDArray[np.float32], held: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the value of each deal for A in game points, float64[deals].

    It sums whole numbers, so that equal policies score exactly 0.

    Args:
        payoff: Payoff of each seat in game points, float32[seatings, deals, P].
        held: The seats that A takes, bool[seatings, P].

    Raises:
        ValueError: a shape or a dtype is another, or a payoff is no finite number.
    """
    number, seats = check_array("held", held, np.bool_, (None, None))
    check_array("payoff", payoff, np.float32, (number, None, seats))
    numbers("payoff", payoff)
    if not (held.any(1) & ~held.all(1)).all():
        raise ValueError(f"held={told(held)} must give A a seat and B one in every seating")
    parts = np.rint(payoff * _PARTS).astype(np.int64)
    shares = np.where(held, _PARTS // held.sum(1)[:, None], -(_PARTS // (~held).sum(1)[:, None]))
    totals = np.einsum("sdp,sp->d", parts, shares)
    values: NDArray[np.float64] = totals / (2 * _PARTS**2 * len(held))
    return values


def interval(values: NDArray[np.float64], resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean.

    Deals have few distinct values, so each resample is a multinomial draw of their counts. The
    random numbers are the same in every call, so that equal values have equal intervals. Negated
    values have exactly the negated interval.

    Args:
        values: The values, float64[n].
        resamples: Number of bootstrap samples.

    Raises:
        ValueError: there are no values, or one is no finite number.
    """
    finite = numbers("values", values).reshape(-1)
    whole_number("resamples", resamples, 1, _MOST_RESAMPLES)
    return _interval(finite, resamples)


def _interval(values: NDArray[np.float64], resamples: int) -> tuple[float, float]:
    """Return the interval of finite values."""
    if values.mean() < 0:
        low, high = _interval(-values, resamples)
        return -high + 0.0, -low + 0.0
    distinct, counts = np.unique(values, return_counts=True)
    generator = np.random.Generator(np.random.PCG64(_BOOTSTRAP_SEED))
    drawn = generator.multinomial(len(values), counts / len(values), size=resamples)
    means = np.sort((drawn * distinct).sum(axis=1) / len(values))
    tail = round((resamples - 1) * (1 - CONFIDENCE) / 2)
    return float(means[tail]), float(means[-1 - tail])
