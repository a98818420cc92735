"""Facts: what a card player works out from what he sees, before he thinks.

A small network finds these by itself only slowly: which of its cards would take the trick as it
lies, who takes it now and what is in it, how many cards are still out that beat each of its own,
and how many of them those who have yet to play to the trick may hold, as far as they have not shown
that they lack them. All are functions of what the seat may know.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.networks.bytetables import ByteTable
from sjavs_env import RuleSet
from sjavs_env.core.tables.card_tables import card_class, card_points, card_strength, pack_of
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import N_CLASSES, N_SUITS, TRUMP_CLASS
from sjavs_env.views.observe import SLOT_OF_OFFSET

_MOST_POINTS = 44
"""Card points of the dearest trick, four aces."""
OTHERS = 3
"""Seats beside the reader."""
NOTHING = N_CLASSES
"""Stands for the class led where nothing is."""
_MANTISSA, _EXPONENT_OF_HALF = 23, 126
"""Of a float32."""


class Taking(NamedTuple):
    """What is found of a trick.

    Attributes:
        cards: Cards that would take it from whoever holds it, int32[N] as bits.
        led: The class led, [N].
        holder: Which of the other seats holds it, bool[N, 3].
        beaters: Cards that would take it from the holder, whoever played them, int32[N] as bits.
        points: Its card points, of 44, float32[N].
    """

    cards: Tensor
    led: Tensor
    holder: Tensor
    beaters: Tensor
    points: Tensor


class Known(NamedTuple):
    """What is known of the others' hands.

    Attributes:
        out: Cards that the reader does not see, int32[N] as bits.
        hidden: Cards that each other seat may hold unseen, int32[N, 3] as bits.
        coming: Cards that each other seat may still play to the trick, int32[N, 3] as bits.
        later: Which of the other seats have yet to play to the trick, bool[N, 3].
    """

    out: Tensor
    hidden: Tensor
    coming: Tensor
    later: Tensor


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
    lacking: Tensor
    present: Tensor

    def __init__(
        self, rules: RuleSet, slot: NDArray[np.int64], n_slots: int, orders: list[tuple[int, ...]]
    ) -> None:
        super().__init__()
        trump = [order[0] for order in orders[:-1]] + [N_SUITS]
        self._piles = bool(rules.piles)
        self._pack = int(np.bitwise_or.reduce(1 << np.array(pack_of(rules), np.int64)))
        # Cards are counted from 1, and 0 is none. Classes are counted in the order of their slots,
        # trumps last, and behind them is that of nothing led.
        classes = np.full((len(orders), 1 + N_CARDS), NOTHING, np.int64)
        own = np.zeros((len(orders), 1 + N_CARDS), np.int64)
        for context, order in enumerate(orders):
            for card in pack_of(rules):
                which = card_class(rules, trump[context], card)
                classes[context, 1 + card] = (*order, TRUMP_CLASS).index(which)
                own[context, 1 + card] = card_strength(rules, trump[context], card)
        led = np.arange(NOTHING + 1)[:, None]
        fights = (classes[:, None] == led) | (classes[:, None] == NOTHING - 1)
        strength = own[:, None] * (fights & (led < NOTHING))
        levels = np.arange(strength.max() + 1)
        higher = strength[:, :, None, 1:] > levels[:, None]
        same = classes[:, :, None] == classes[:, None, :]
        above = (same & (own[:, :, None] > own[:, None, :]))[:, 1:, 1:]
        trumps = classes[:, 1:] == NOTHING - 1
        beaten = above | (trumps[:, :, None] & ~trumps[:, None])
        rows = np.zeros((2, len(orders), N_CARDS, n_slots), np.float32)
        for context, slots in enumerate(slot):
            held = np.flatnonzero(slots >= 0)
            for each, of in zip(rows, (above, beaten), strict=True):
                each[context][:, slots[held]] = of[context][:, held]
        flags = np.zeros((len(orders), 1 << N_CLASSES), np.int64)
        for context in range(len(orders)):
            for card in pack_of(rules):
                shown = np.arange(1 << N_CLASSES) >> card_class(rules, trump[context], card) & 1
                flags[context] |= shown << card
        present = [slot in SLOT_OF_OFFSET[rules.seats] for slot in range(1, 1 + OTHERS)]
        worth = [0, *(card_points(card) for card in range(N_CARDS))]
        masks = (higher.astype(np.int64) << np.arange(N_CARDS)).sum(axis=-1)
        for name, value in (
            ("classes", classes),
            ("strength", strength),
            ("points", np.array(worth, np.float32) / _MOST_POINTS),
            ("present", np.array(present)),
        ):
            self.register_buffer(name, torch.from_numpy(value), persistent=False)
        for name, value in (("beating", masks), ("lacking", flags)):
            self.register_buffer(name, _signed(value), persistent=False)
        self.above, self.beaten = (ByteTable(torch.from_numpy(each)) for each in rows)
        """How many cards of a set are above the card in each slot, in its class; how many would
        take a trick from it."""
        self.count = ByteTable(torch.ones(1, N_CARDS, 1))
        """How many cards a set has."""
        self.n_features = 2 * n_slots + 2 * OTHERS + NOTHING + 1

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
        beaters = self.beating[contexts, led, best]
        holder = (strength == best[:, None]) & (best > 0)[:, None]
        return Taking(legal & beaters, led, holder, beaters, self.points[card].sum(dim=1))

    def known(
        self, seen: Tensor, shown: Tensor, lacks: Tensor, trick: Tensor, contexts: Tensor
    ) -> Known:
        """Return which cards are out, and which may still come.

        Args:
            seen: Sets of cards that the reader knows not to be out, int32[N, n] as bits.
            shown: Cards that lie face up before each other seat, int32[N, 3] as bits.
            lacks: The classes that each other seat is known to lack, int64[N, 3] as bits.
            trick: The card of each other seat in the trick, int32[N, 3] as bits.
            contexts: Contexts, [N].
        """
        out = (~reduce(torch.bitwise_or, seen.unbind(1)) & self._pack).int()
        in_hand = out[:, None] & ~self.lacking[contexts[:, None], lacks]
        # What a hand has been seen to lack may lie face down.
        hidden = out[:, None] * self.present if self._piles else in_hand * self.present
        later = (trick == 0) & self.present
        return Known(out, hidden, torch.where(later, in_hand | shown, 0), later)

    def forward(
        self, found: Taking, known: Known, candidates: Tensor, hand: Tensor, contexts: Tensor
    ) -> Tensor:
        """Return the facts but for the cards that take the trick, float32[N, n_features].

        Args:
            found: What was found of the trick.
            known: What is known of the others' hands.
            candidates: The cards that take the trick, all legal ones for its leader,
                float32[N, n_slots].
            hand: The reader's hand, float32[N, n_slots].
            contexts: Contexts, [N].
        """
        above = self.above(known.out[:, None], contexts)[:, 0]
        anyone = reduce(torch.bitwise_or, known.coming.unbind(1))
        beaten = self.beaten(anyone[:, None], contexts)[:, 0]
        threats = self.count(known.coming & found.beaters[:, None], torch.zeros_like(contexts))
        led = nn.functional.one_hot(found.led, NOTHING + 1)[:, :NOTHING]
        return torch.cat(
            [
                hand / (1 + above),
                candidates / (1 + beaten),
                threats[:, :, 0] / (1 + threats[:, :, 0]),
                found.holder.float(),
                led.float(),
                found.points[:, None],
            ],
            dim=1,
        )


def _signed(bits: NDArray[np.int64]) -> Tensor:
    """Return sets of cards as the signed words that torch can combine."""
    return torch.from_numpy(bits.astype(np.uint32).view(np.int32))


def _numbers(cards: Tensor) -> Tensor:
    """Return the numbers of cards from 1, 0 for none, from their bits: a float's exponent."""
    exponent = (cards.long() & 0xFFFFFFFF).float().view(torch.int32) >> _MANTISSA
    return (exponent - _EXPONENT_OF_HALF).clamp(min=0).long()
