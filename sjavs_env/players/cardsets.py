"""Arithmetic on card sets whose bits are in the order of strength (``ranking``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.cards import N_CARDS

Cards = NDArray[np.uint32]
"""Card sets, uint32."""
Real = NDArray[np.float32]
Yes = NDArray[np.bool_]
Classes = NDArray[np.uint8]
"""Indices of classes: plain suits, and the trumps."""

ONE = np.uint32(1)


def above(card: Cards) -> Cards:
    """Return the set of all places above a single card."""
    return ~(card | (card - ONE))


def highest(cards: Cards) -> Cards:
    """Return the highest card of each set, as a set; the empty set stays empty."""
    rest = cards.copy()
    for shift in (1, 2, 4, 8, 16):
        rest |= rest >> np.uint32(shift)
    return rest ^ rest >> ONE


def place_of(card: Cards) -> NDArray[np.uint8]:
    """Return the place of a single card."""
    place: NDArray[np.uint8] = np.bitwise_count(card - ONE) & np.uint8(N_CARDS - 1)
    return place


def size(cards: Cards) -> Real:
    """Return the number of cards in each set."""
    return np.bitwise_count(cards).astype(np.float32)


def spread(cards: Cards) -> Cards:
    """Return the cards of each set along a new first axis, lowest first, padded with empty sets."""
    most = int(np.bitwise_count(cards).max(initial=1))
    single = np.empty((most, *cards.shape), np.uint32)
    rest = cards.copy()
    for index in range(most):
        single[index] = rest & ~rest + ONE
        rest ^= single[index]
    return single
