"""Facts: what a card player works out from what he sees, before he thinks.

A small network finds these by itself only slowly: which of its cards would take the trick as it
lies, who takes it now and what is in it, and how many cards are still out that beat each of its
own. All are functions of what the seat may know.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.bytetables import ByteTable
from sjavs_env import RuleSet
from sjavs_env.core.card_tables import card_class, card_points, card_strength, pack_of
from sjavs_env.core.cards import N_CARDS
from sjavs_env.core.codes import N_CLASSES, N_SUITS, TRUMP_CLASS

_MOST_POINTS = 44
"""Card points of the dearest trick, four aces."""
_OTHERS = 3
"""Seats beside the reader."""
_NOTHING = N_CLASSES
_MANTISSA, _EXPONENT_OF_HALF = 23, 126
"""Of a float32."""


class Taking(NamedTuple):
    """What is found of a trick.

    Attributes:
        cards: Cards that would take it from whoever holds it, int32[N] as bits.
        led: The class led, [N].
        holder: Which of the other seats holds it, bool[N, 3].
        points: Its card points, of 44, float32[N].
    """

    cards: Tensor
    led: Tensor
    holder: Tensor
    points: Tensor


class Facts(nn.Module):
    """Works out facts from card sets.

    Args:
        rules: The rule set.
        slot: The slot of each card, -1 for none; int64[contexts, 32].
        n_slots: Number of slots.
        orders: The suits of each context in the order of their slots; the first is the trump suit,
            but in the last context nothing is trump.
    """

    classes: Tensor
    strength: Tensor
    beating: Tensor
    points: Tensor

    def __init__(
        self, rules: RuleSet, slot: NDArray[np.int64], n_slots: int, orders: list[tuple[int, ...]]
    ) -> None:
        super().__init__()
        trump = [order[0] for order in orders[:-1]] + [N_SUITS]
        self._pack = int(np.bitwise_or.reduce(1 << np.array(pack_of(rules), np.int64)))
        # Cards are counted from 1, and 0 is none. Classes are counted in the order of their slots,
        # trumps last, and behind them is that of nothing led.
        classes = np.full((len(orders), 1 + N_CARDS), _NOTHING, np.int64)
        own = np.zeros((len(orders), 1 + N_CARDS), np.int64)
        for context, order in enumerate(orders):
            for card in pack_of(rules):
                which = card_class(rules, trump[context], card)
                classes[context, 1 + card] = (*order, TRUMP_CLASS).index(which)
                own[context, 1 + card] = card_strength(rules, trump[context], card)
        led = np.arange(_NOTHING + 1)[:, None]
        fights = (classes[:, None] == led) | (classes[:, None] == _NOTHING - 1)
        strength = own[:, None] * (fights & (led < _NOTHING))
        levels = np.arange(strength.max() + 1)
        higher = strength[:, :, None, 1:] > levels[:, None]
        same = classes[:, :, None] == classes[:, None, :]
        above = (same & (own[:, :, None] > own[:, None, :]))[:, 1:, 1:]
        rows = np.zeros((len(orders), N_CARDS, n_slots), np.float32)
        for context, slots in enumerate(slot):
            held = np.flatnonzero(slots >= 0)
            rows[context][:, slots[held]] = above[context][:, held]
        worth = [0, *(card_points(card) for card in range(N_CARDS))]
        masks = (higher.astype(np.int64) << np.arange(N_CARDS)).sum(axis=-1)
        for name, value in (
            ("classes", classes),
            ("strength", strength),
            ("beating", masks.astype(np.uint32).view(np.int32)),
            ("points", np.array(worth, np.float32) / _MOST_POINTS),
        ):
            self.register_buffer(name, torch.from_numpy(value), persistent=False)
        self.above = ByteTable(torch.from_numpy(rows))
        """How many cards of a set are above the card in each slot, in its class."""
        self.n_features = n_slots + _OTHERS + _NOTHING + 1

    def taking(self, legal: Tensor, trick: Tensor, leader: Tensor, contexts: Tensor) -> Taking:
        """Return which cards would take the trick, and who holds it.

        Args:
            legal: Cards that the reader may choose, int32[N] as bits.
            trick: The card of each other seat in the trick, int32[N, 3] as bits.
            leader: Which of the other seats led, [N, 3]; none if the reader leads.
            contexts: Contexts, [N].
        """
        card = _numbers(trick)
        led = self.classes[contexts, (card * leader).amax(dim=1)]
        strength = self.strength[contexts[:, None], led[:, None], card]
        best = strength.amax(dim=1)
        taking = legal & self.beating[contexts, led, best]
        holder = (strength == best[:, None]) & (best > 0)[:, None]
        return Taking(taking, led, holder, self.points[card].sum(dim=1))

    def forward(self, found: Taking, hand: Tensor, seen: Tensor, contexts: Tensor) -> Tensor:
        """Return the facts but for the cards that take the trick, float32[N, n_features].

        Args:
            found: What was found of the trick.
            hand: The reader's cards, float32[N, n_slots].
            seen: Sets of cards that the reader knows not to be out, int32[N, n] as bits.
            contexts: Contexts, [N].
        """
        out = ~reduce(torch.bitwise_or, seen.unbind(1)) & self._pack
        above = self.above(out.int()[:, None], contexts)[:, 0]
        led = nn.functional.one_hot(found.led, _NOTHING + 1)[:, :_NOTHING]
        return torch.cat(
            [hand / (1 + above), found.holder.float(), led.float(), found.points[:, None]], dim=1
        )


def _numbers(cards: Tensor) -> Tensor:
    """Return the numbers of cards from 1, 0 for none, from their bits: a float's exponent."""
    exponent = (cards.long() & 0xFFFFFFFF).float().view(torch.int32) >> _MANTISSA
    return (exponent - _EXPONENT_OF_HALF).clamp(min=0).long()
