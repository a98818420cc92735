"""Facts of the trick: who holds it, which cards take it, and which unseen cards may beat them.

A small network learns these only slowly: which of its cards would take the trick as it lies, who
holds the trick and how many card points are in it, how many unseen cards beat each of its own, and
how many of them the seats may hold that have yet to play, given the voids they have shown. All
facts follow from what the seat may know.

``sjavs_env/players/facts.py`` derives related facts for the built-in players. Both take classes and
strengths from ``sjavs_env/core/tables/card_tables.py``. They are two modules because this one works
on torch tensors in the slots of a network, and that one on numpy card sets whose bits are ordered
by rank.
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
"""Card points of the most valuable trick, four aces."""
OTHERS = 3
"""Number of slots for the other seats."""
NOTHING = N_CLASSES
"""The class led when no card is led."""
_MANTISSA, _EXPONENT_OF_HALF = 23, 126
"""The bits of a float32's mantissa, and the biased exponent of 0.5."""


class Taking(NamedTuple):
    """The state of a trick.

    Attributes:
        cards: Legal cards that would take the trick from its holder, int32[N] as bits.
        led: The class led, int64[N]; ``NOTHING`` if no card is led.
        holder: Which of the other seats holds the trick, bool[N, 3].
        beaters: Cards of any seat that would take it from the holder, int32[N] as bits.
        points: Its card points in units of 44, float32[N].
    """

    cards: Tensor
    led: Tensor
    holder: Tensor
    beaters: Tensor
    points: Tensor


class Known(NamedTuple):
    """The knowledge of the other seats' hands.

    Attributes:
        out: Cards that the reader does not see, int32[N] as bits.
        hidden: Unseen cards that each other seat may hold, int32[N, 3] as bits.
        coming: Cards that each other seat may still play to the trick, int32[N, 3] as bits.
        later: Which of the other seats have yet to play to the trick, bool[N, 3].
    """

    out: Tensor
    hidden: Tensor
    coming: Tensor
    later: Tensor


class Facts(nn.Module):
    """Computes facts from card sets.

    Args:
        rules: The rule set.
        slot: The slot of each card, -1 for none; int64[contexts, 32].
        n_slots: Number of slots.
        orders: The suits of each context in the order of their slots. The first is the trump suit,
            except in the last context, which has no trumps.
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
        # Cards are numbered from 1; 0 is no card. Classes are numbered in the order of their slots,
        # with the trumps last. The number after the trumps means that no card is led.
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
        """For the card in each slot: how many cards of a set are higher in its class (``above``),
        and how many would take a trick from it (``beaten``)."""
        self.count = ByteTable(torch.ones(1, N_CARDS, 1))
        """Counts the cards of a set."""
        self.n_features = 2 * n_slots + 2 * OTHERS + NOTHING + 1

    def taking(self, legal: Tensor, trick: Tensor, leader: Tensor, contexts: Tensor) -> Taking:
        """Return the state of the trick: which cards would take it, and who holds it.

        Args:
            legal: Cards that the reader may choose, int32[N] as bits.
            trick: The card of each other seat in the trick, int32[N, 3] as bits.
            leader: 1 for the other seat that led, 0 elsewhere, int32[N, 3]; all 0 if the reader
                leads.
            contexts: Contexts, int64[N].
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
        """Return which cards are unseen, who may hold them, and which may still come.

        Args:
            seen: Sets of cards that the reader sees or has seen, int32[N, n] as bits.
            shown: Cards that lie face up before each other seat, int32[N, 3] as bits.
            lacks: The classes that each other seat has shown to lack, int64[N, 3] as bits.
            trick: The card of each other seat in the trick, int32[N, 3] as bits.
            contexts: Contexts, int64[N].
        """
        out = (~reduce(torch.bitwise_or, seen.unbind(1)) & self._pack).int()
        in_hand = out[:, None] & ~self.lacking[contexts[:, None], lacks]
        # In games with piles, a class that a hand lacks may still lie face down.
        hidden = out[:, None] * self.present if self._piles else in_hand * self.present
        later = (trick == 0) & self.present
        return Known(out, hidden, torch.where(later, in_hand | shown, 0), later)

    def forward(
        self, found: Taking, known: Known, candidates: Tensor, hand: Tensor, contexts: Tensor
    ) -> Tensor:
        """Return the facts except the cards that take the trick, float32[N, n_features].

        In this order: the reader's hand, each card divided by 1 + the number of unseen cards above
        it in its class; the candidates, each divided by 1 + the number of cards that may still come
        and would beat it; for each other seat the share n / (1 + n) of the n cards that it may
        still play and that would take the trick; its holder; the class led; its card points.

        Args:
            found: The state of the trick.
            known: The knowledge of the other seats' hands.
            candidates: The legal cards that take the trick (for its leader: all legal cards),
                float32[N, n_slots].
            hand: The reader's hand, float32[N, n_slots].
            contexts: Contexts, int64[N].
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
    """Return card sets as signed words, int32, because torch combines no unsigned ones."""
    return torch.from_numpy(bits.astype(np.uint32).view(np.int32))


def _numbers(cards: Tensor) -> Tensor:
    """Return the numbers of single cards from their bits, counted from 1; 0 for no card.

    The number is the exponent of the bits' value as a float.
    """
    exponent = (cards.long() & 0xFFFFFFFF).float().view(torch.int32) >> _MANTISSA
    return (exponent - _EXPONENT_OF_HALF).clamp(min=0).long()
