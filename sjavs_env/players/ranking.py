"""Card sets whose bits are in the order of strength, so that a higher card is a higher bit.

In the genuine games the card ids are in this order already. In ``french8`` they are not: there the
built-in players renumber the cards that they see, and map the card that they play back to its id.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.card_tables import card_points, class_mask, order, pack_of
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import N_CLASSES
from sjavs_env.core.tables.ruleset import RuleSet

_BYTE = 8
_BYTES = N_CARDS // _BYTE


class Ranking:
    """The cards of a rule set by strength, in each context (a trump suit, or none).

    A *place* is the bit of a card after renumbering. Within a class places rise with strength.
    """

    def __init__(self, rules: RuleSet) -> None:
        places = np.array([_places(rules, context) for context in range(N_CLASSES)])
        self.pack = np.uint32(sum(1 << card for card in pack_of(rules)))
        self.class_masks = _frozen(
            [
                [_moved(class_mask(rules, c, which), places[c]) for which in range(N_CLASSES)]
                for c in range(N_CLASSES)
            ],
            np.uint32,
        )
        """The places of each class, uint32[contexts, classes]."""
        actions = np.tile(np.arange(N_ACTIONS), (N_CLASSES, 1))
        self.card_class = np.zeros((N_CLASSES, N_CARDS), np.uint8)
        """The class of the card in each place, uint8[contexts, cards]."""
        for context in range(N_CLASSES):
            actions[context, places[context]] = np.arange(N_CARDS)
            for which in range(N_CLASSES):
                for place in range(N_CARDS):
                    if self.class_masks[context, which] >> np.uint32(place) & np.uint32(1):
                        self.card_class[context, place] = which
        self.actions = _frozen(actions, np.int64)
        """The action that plays the card in each place, int64[contexts, actions]."""
        self.points = _frozen(
            [[card_points(card) for card in row[:N_CARDS]] for row in actions], np.float32
        )
        """The card points of the card in each place, float32[contexts, cards]."""
        self._bytes = None if (places == np.arange(N_CARDS)).all() else _byte_tables(places)

    def renumber(self, mask: NDArray[np.uint32], context: NDArray[np.uint8]) -> NDArray[np.uint32]:
        """Return the places of a card set."""
        if self._bytes is None:
            return mask
        result = np.zeros_like(mask)
        for index in range(_BYTES):
            byte = mask >> np.uint32(_BYTE * index) & np.uint32(0xFF)
            result |= self._bytes[context, index, byte]
        return result


def _places(rules: RuleSet, context: int) -> NDArray[np.intp]:
    """Return the place of each card: within a class the same ids, assigned by strength."""
    places = np.arange(N_CARDS)
    for which in range(N_CLASSES):
        strong_first = order(rules, context, which)
        places[strong_first] = sorted(strong_first, reverse=True)
    return places


def _moved(mask: int, places: NDArray[np.intp]) -> int:
    return sum(1 << int(places[card]) for card in range(N_CARDS) if mask >> card & 1)


def _byte_tables(places: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return the places of the cards in each byte of a card set, by context and byte."""
    tables = np.zeros((N_CLASSES, _BYTES, 1 << _BYTE), np.uint32)
    for context in range(N_CLASSES):
        for index in range(_BYTES):
            for byte in range(1 << _BYTE):
                tables[context, index, byte] = _moved(byte << _BYTE * index, places[context])
    return tables


def _frozen(values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    array = np.array(values, dtype)
    array.setflags(write=False)
    return array
