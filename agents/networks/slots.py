"""Slots: the positions of cards and actions in a network, relative to the trump suit.

A network reads each card set in slots, so that it can use in every trump suit what it has learned
in one. There are 34 card slots in the 32-card games, in this order: the permanent trumps, the rest
of the trump suit, the plain suit of the same colour, the two suits of the other colour.

The two suits of the other colour have the same ranks, so only the holders of their cards tell them
apart. The reader's hand decides which of the two comes first: the one in which its ranks, read as a
binary number, are higher. If they are equal, the cards that each seat has played decide in the same
way. Two deals that differ only by the names of these two suits therefore look the same to a
network.

Logits stand in the same slots. ``Slots`` translates legal actions and chosen actions. Before trumps
are named, the order is fixed, and clubs stand in the place of trumps.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.networks.bytetables import ByteTable
from sjavs_env import RuleSet
from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.cards import CARD_IDS, N_CARDS, SUITS
from sjavs_env.core.tables.codes import CLUBS, N_CLASSES, N_SUITS, TRUMP_CLASS
from sjavs_env.views.layout import LAYOUT, SLOTS

_EMPTY = -1
_N_RANKS = 7
_RANKS = (1 << _N_RANKS) - 1
"""The bits of a suit's cards without the permanent trumps."""


def suit_orders() -> list[tuple[int, ...]]:
    """Return the order of the suits by context: two orders for each trump suit, one without trumps.

    A context is a trump suit with one of the two orders of the suits of the other colour.
    """
    orders = []
    for trump in range(N_SUITS):
        one, two = (suit for suit in range(N_SUITS) if suit // 2 != trump // 2)
        orders += [(trump, trump ^ 1, one, two), (trump, trump ^ 1, two, one)]
    return [*orders, orders[2 * CLUBS]]


def card_slots(rules: RuleSet, order: tuple[int, ...]) -> list[int]:
    """Return the card in each slot; ``_EMPTY`` where a suit lacks a rank that another suit has."""
    plain = [name for name in rules.pack if name not in rules.permanents]
    ranks = [rank for rank in rules.ranks if any(name.endswith(rank) for name in plain)]
    names = [SUITS[suit] + rank for suit in order for rank in ranks]
    return [
        *(CARD_IDS[name] for name in rules.permanents),
        *(CARD_IDS[name] if name in plain else _EMPTY for name in names),
    ]


def slot_of_card(rules: RuleSet) -> NDArray[np.int64]:
    """Return the slot of each card, int64[contexts, 32]; ``_EMPTY`` if the card has none."""
    found = np.full((len(suit_orders()), N_CARDS), _EMPTY)
    for context, order in enumerate(suit_orders()):
        for slot, card in enumerate(card_slots(rules, order)):
            if card != _EMPTY:
                found[context, card] = slot
    return found


def _table(rows: list[list[int]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.int64)


def _one_hot(bits: list[list[int]], word: int) -> Tensor:
    """Return one-hot rows of bits, float32[contexts, word, places].

    Args:
        bits: The bit of each place, by context; ``_EMPTY`` if a place has none.
        word: Number of bits.
    """
    rows = torch.zeros(len(bits), word, len(bits[0]))
    for context, row in enumerate(bits):
        for place, bit in enumerate(row):
            if bit != _EMPTY:
                rows[context, bit, place] = 1
    return rows


class Slots(nn.Module):
    """Translates cards and actions into slots, by the trump suit in the words.

    The card slots come first. The other actions follow in the order of their ids.
    """

    action: Tensor
    slot: Tensor
    trump: Tensor
    shift: Tensor
    seen: Tensor
    place: Tensor

    def __init__(self, rules: RuleSet) -> None:
        super().__init__()
        orders = suit_orders()
        slots = [card_slots(rules, order) for order in orders]
        others = list(range(N_CARDS, N_ACTIONS))
        self.n_cards = len(slots[0])
        self.n_slots = self.n_cards + len(others)
        filled = [[max(card, 0) for card in row] for row in slots]
        self._constant("action", _table([row + others for row in filled]))
        self._constant("slot", _table([self._slots_by_action(row) for row in slots]))
        flags = [(flag.bit_length() or N_CLASSES) - 1 for flag in range(1 << N_SUITS)]
        self._constant("trump", torch.tensor(flags))
        self._constant("shift", _N_RANKS * _table([[order[2], order[3]] for order in orders[::2]]))
        seen = [LAYOUT["played"].word + index for index in reversed(range(len(SLOTS)))]
        self._constant("seen", torch.tensor([*seen, LAYOUT["hand"].word]))
        self._constant("place", _N_RANKS * torch.arange(1 + len(SLOTS)))
        self.cards = ByteTable(_one_hot(slots, N_CARDS))
        """Maps card sets to slots."""
        voids = [[TRUMP_CLASS, *order[1:]] for order in orders]
        bits = [
            [N_CLASSES * seat + which for seat in range(len(SLOTS)) for which in row]
            for row in voids
        ]
        self.voids = ByteTable(_one_hot(bits, N_CARDS))
        """Maps the voids that each seat has shown to the order of the slots."""
        self.others = ByteTable(_one_hot([list(range(len(others)))], N_CARDS))
        """Maps the other actions to slots; their order stays."""

    def _slots_by_action(self, cards: list[int]) -> list[int]:
        """Return the slot of each action; for a card that is not in play, an arbitrary slot."""
        places = [cards.index(card) if card in cards else 0 for card in range(N_CARDS)]
        return places + list(range(self.n_cards, self.n_slots))

    def _constant(self, name: str, value: Tensor) -> None:
        self.register_buffer(name, value, persistent=False)

    def contexts(self, words: Tensor) -> Tensor:
        """Return the context of each row, int64[N]: its trump suit and the order of its suits."""
        field = LAYOUT["trump"]
        trump = self.trump[(words[:, field.word] >> field.shift & (1 << N_SUITS) - 1).long()]
        # The hand stands in the highest bits, and the cards played by each seat below it.
        sets = words[:, self.seen].long()[:, :, None] >> self.shift[trump][:, None, :] & _RANKS
        one, two = (sets << self.place[:, None]).sum(dim=1).unbind(1)
        return 2 * trump + (one < two) * (trump < N_SUITS)

    def legal(self, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return legal actions, int64[N] as bits, as bool[N, n_slots]."""
        low, high = legal.view(torch.int32).view(-1, 2).split(1, dim=1)
        cards = self.cards(low, contexts)[:, 0]
        return torch.cat([cards, self.others(high, torch.zeros_like(contexts))[:, 0]], dim=1).bool()

    def slots_of(self, actions: Tensor, contexts: Tensor) -> Tensor:
        """Return the slots of actions, int64[N]."""
        return self.slot[contexts, actions]

    def actions_of(self, slots: Tensor, contexts: Tensor) -> Tensor:
        """Return the actions of slots, int64[N]."""
        return self.action[contexts, slots]
