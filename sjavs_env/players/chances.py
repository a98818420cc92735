"""Probabilities that the seats still to play beat a card."""

from __future__ import annotations

import numpy as np

from sjavs_env.core.tables.codes import TRUMP_CLASS
from sjavs_env.players.cardsets import ONE, Cards, Classes, Real, above, size
from sjavs_env.players.facts import Facts, Seat

_GRID = 32
"""Number of steps from 0 to 1 to which a share is rounded."""
_MOST = 16
_LEAST = np.float32(1e-6)
_LACKS_ALL = ((1 - np.arange(_GRID + 1)[None, :] / _GRID) ** np.arange(_MOST)[:, None]).astype(
    np.float32
)
"""Probability of holding none of n cards, by n and by the share (probability of each)."""


def lacks_all(number: Real, share: Real) -> Real:
    """Return the probability that a seat holds none of ``number`` cards, from its share of each."""
    step = (share * _GRID + np.float32(0.5)).astype(np.intp)
    index = number.astype(np.intp) * (_GRID + 1) + step
    chance: Real = _LACKS_ALL.reshape(-1).take(index, mode="clip")
    return chance


def trump_share(facts: Facts, seat: Seat) -> Real:
    """Return the probability that a seat holds a given unseen trump."""
    share: Real = np.divide(seat.trumps, np.maximum(facts.trumps_unseen, 1), dtype=np.float32)
    return share


def class_shares(facts: Facts, which: Classes) -> list[Real]:
    """Return for each seat the probability that it holds a given unseen card of a class."""
    flags = which.astype(np.uint32)
    weights = [seat.plain * (1 - (seat.lacks >> flags & ONE)) for seat in facts.seats]
    total = np.maximum(sum(weights) + facts.nowhere, _LEAST)
    return [
        np.where(which == TRUMP_CLASS, trump_share(facts, seat), weight / total).astype(np.float32)
        for seat, weight in zip(facts.seats, weights, strict=True)
    ]


def beats(facts: Facts, led: Classes, led_mask: Cards, card: Cards) -> list[Real]:
    """Return for each seat the probability that it can beat the card that is winning the trick.

    The arrays may have an axis of candidates before the axis of rows.
    """
    shares = class_shares(facts, led)
    is_trump = card & facts.trumps != 0
    higher = np.where(is_trump, facts.trumps, led_mask) & above(card)
    hidden = size(higher & facts.unseen)
    unseen = size(led_mask & facts.unseen)
    plain_led = led != TRUMP_CLASS
    ruffed = is_trump & plain_led
    result = []
    for seat, share in zip(facts.seats, shares, strict=True):
        trump_chance = trump_share(facts, seat)
        void = lacks_all(unseen, share) * (seat.shown & led_mask == 0)
        high = 1 - lacks_all(hidden, np.where(is_trump, trump_chance, share))
        high = np.maximum(high, seat.shown & higher != 0)
        ruff = (1 - lacks_all(facts.trumps_unseen, trump_chance)) * plain_led
        ruff = np.maximum(ruff, (seat.shown & facts.trumps != 0) & plain_led)
        chance = np.where(ruffed, void * high, high + (1 - high) * void * ruff)
        result.append(chance.astype(np.float32))
    return result
