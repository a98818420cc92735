"""Features: packed words, as a network reads them.

Everything is relative to the trump suit, so that what is learned in one suit serves in all. Each
set of cards is read in slots (34 of them in the 32-card games): the permanent trumps,
the rest of the trump suit, then the plain suits: that of the trump suit's colour, and the other
two. These two have the same ranks and are alike but for who holds them, so that which the reader
holds more of comes first, and of two deals that differ by their names alone a network sees one.
Logits live in the same slots, and legal actions and choices are brought there; ``Slots``
translates. Before trumps are named the order is fixed, with clubs in the place of trumps.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.bytetables import ByteTable
from agents.facts import Facts
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.actions import N_ACTIONS
from sjavs_env.core.auction_tables import possible_calls
from sjavs_env.core.cards import CARD_IDS, N_CARDS, SUITS
from sjavs_env.core.codes import CLUBS, N_CLASSES, N_SUITS, TRUMP_CLASS
from sjavs_env.layout import LAYOUT, LAYOUT_ALL, SLOTS, Slice
from sjavs_env.players.random import lowest_action

_EMPTY = -1
_POSITIONS = 16
"""Deals whose positions tell features apart."""
_HAND, _PLAYED = 1, slice(2, 2 + len(SLOTS))
"""Where they stand among the sets, behind the legal cards; the trick follows them."""
_N_RANKS = 7
_RANKS = (1 << _N_RANKS) - 1
"""The bits of a suit's cards that are no permanent trumps."""


def suit_orders() -> list[tuple[int, ...]]:
    """Return the order of the suits in each context: two for each trump suit, and one for none."""
    orders = []
    for trump in range(N_SUITS):
        one, two = (suit for suit in range(N_SUITS) if suit // 2 != trump // 2)
        orders += [(trump, trump ^ 1, one, two), (trump, trump ^ 1, two, one)]
    return [*orders, orders[2 * CLUBS]]


def card_slots(rules: RuleSet, order: tuple[int, ...]) -> list[int]:
    """Return the card in each slot, ``_EMPTY`` where a suit lacks a rank that another has."""
    plain = [name for name in rules.pack if name not in rules.permanents]
    ranks = [rank for rank in rules.ranks if any(name.endswith(rank) for name in plain)]
    names = [SUITS[suit] + rank for suit in order for rank in ranks]
    return [
        *(CARD_IDS[name] for name in rules.permanents),
        *(CARD_IDS[name] if name in plain else _EMPTY for name in names),
    ]


def _slot_of_card(rules: RuleSet) -> NDArray[np.int64]:
    """Return the slot of each card, ``_EMPTY`` for none, by context."""
    found = np.full((len(suit_orders()), N_CARDS), _EMPTY)
    for context, order in enumerate(suit_orders()):
        for slot, card in enumerate(card_slots(rules, order)):
            if card != _EMPTY:
                found[context, card] = slot
    return found


def _table(rows: list[list[int]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.int64)


def _one_hot(bits: list[list[int]], word: int) -> Tensor:
    """Return the row of each bit, from the bit of each place of a row, by context."""
    rows = torch.zeros(len(bits), word, len(bits[0]))
    for context, row in enumerate(bits):
        for place, bit in enumerate(row):
            if bit != _EMPTY:
                rows[context, bit, place] = 1
    return rows


class Slots(nn.Module):
    """Translates cards and actions into slots, by the trump suit that the words show.

    The slots of the cards come first, and behind them the other actions as they are.
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
        """Card sets in slots."""
        voids = [[TRUMP_CLASS, *order[1:]] for order in orders]
        bits = [
            [N_CLASSES * seat + which for seat in range(len(SLOTS)) for which in row]
            for row in voids
        ]
        self.voids = ByteTable(_one_hot(bits, N_CARDS))
        """Classes that each seat has been seen to lack, in the order of the slots."""
        self.others = ByteTable(_one_hot([list(range(len(others)))], N_CARDS))
        """The other actions as they are."""

    def _slots_by_action(self, cards: list[int]) -> list[int]:
        """Return the slot of each action; cards that are not in play are never asked for."""
        places = [cards.index(card) if card in cards else 0 for card in range(N_CARDS)]
        return places + list(range(self.n_cards, self.n_slots))

    def _constant(self, name: str, value: Tensor) -> None:
        self.register_buffer(name, value, persistent=False)

    def contexts(self, words: Tensor) -> Tensor:
        """Return the context of each row, [N]: its trump suit, and the order of plain suits."""
        field = LAYOUT["trump"]
        trump = self.trump[(words[:, field.word] >> field.shift & (1 << N_SUITS) - 1).long()]
        # Which cards of the two were played by whom tells them apart where the hand does not.
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
        """Return the actions in slots, int64[N]."""
        return self.action[contexts, slots]


def card_words(rules: RuleSet, all_cards: bool) -> list[int]:
    """Return the words of the card sets that a network reads, those that a seat may see first."""
    others = range(1, len(SLOTS))
    chosen: list[tuple[str, Iterable[int]]] = [
        ("hand", (0,)),
        ("played", range(len(SLOTS))),
        ("trick", others),
        *([("face_up", range(len(SLOTS)))] if rules.piles else []),
        *([("laid_away", (0,))] if rules.exchange else []),
    ]
    if all_cards:
        chosen += [
            ("hands", others),
            *([("face_down", range(len(SLOTS)))] if rules.piles else []),
            *([("talon", (0,)), ("all_laid_away", (0,))] if rules.talon_size else []),
        ]
    return [LAYOUT_ALL[name].word + index for name, indices in chosen for index in indices]


def number_fields(rules: RuleSet) -> list[tuple[int, int, int, float]]:
    """Return word, shift, mask and scale of each number that a network reads."""
    skipped = ("to_act", "voids") + (() if rules.talon_size else ("n_laid_away",))
    fields = []
    for item in LAYOUT.values():
        if item.kind == "numbers" and item.name not in skipped:
            fields += [_field(item, index) for index in range(item.count)]
    calls = [action - N_CARDS for action in possible_calls(rules)]
    for word in [LAYOUT["contract"].word, *(LAYOUT["calls"].word + i for i in range(len(SLOTS)))]:
        fields += [(word, call, 1, 1.0) for call in calls]
    return fields


def _field(item: Slice, index: int) -> tuple[int, int, int, float]:
    return item.word, item.shift + index * item.bits, (1 << item.bits) - 1, 1 / item.scale


class Encoder(nn.Module):
    """Turns words and legal actions into the features of a network.

    The features of an encoder with all cards begin with those of one without.
    """

    words: Tensor
    number_word: Tensor
    number_shift: Tensor
    number_mask: Tensor
    number_scale: Tensor
    leads: Tensor
    of_others: Tensor

    def __init__(self, rules: RuleSet, all_cards: bool) -> None:
        super().__init__()
        self.slots = Slots(rules)
        words = card_words(rules, all_cards)
        self.n_seen = 1 + len(card_words(rules, all_cards=False))
        fields = number_fields(rules)
        word, shift, mask, scale = zip(*fields, strict=True)
        self.register_buffer("words", torch.tensor(words), persistent=False)
        self.register_buffer("number_word", torch.tensor(word), persistent=False)
        for name, values in (("number_shift", shift), ("number_mask", mask)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.int32), persistent=False)
        self.register_buffer("number_scale", torch.tensor(scale), persistent=False)
        leader = LAYOUT["leader"]
        leads = leader.shift + torch.arange(1, leader.count, dtype=torch.int32)
        self.register_buffer("leads", leads, persistent=False)
        others = N_CLASSES * torch.arange(1, len(SLOTS), dtype=torch.int32)
        self.register_buffer("of_others", others, persistent=False)
        self.face_up: slice | None = None
        if rules.piles:
            first = 1 + words.index(LAYOUT["face_up"].word + 1)
            self.face_up = slice(first, first + len(SLOTS) - 1)
        slots = self.slots
        self.facts = Facts(rules, _slot_of_card(rules), slots.n_cards, suit_orders())
        n_voids = len(SLOTS) * N_SUITS
        n_sets = (2 + len(words)) * slots.n_cards
        self.n_features = self.facts.n_features + len(fields) + n_voids + n_sets

    @torch.no_grad()
    def forward(self, words: Tensor, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return features float32[N, n_features] of words int32[N, W] and legal int64[N]."""
        slots = self.slots
        low = legal.view(torch.int32).view(-1, 2)[:, :1]
        sets = torch.cat([low, words[:, self.words]], dim=1)
        leader = LAYOUT["leader"]
        leads = words[:, leader.word, None] >> self.leads & 1
        trick = sets[:, _PLAYED.stop : _PLAYED.stop + len(SLOTS) - 1]
        voids = LAYOUT["voids"]
        lacking = words[:, voids.word, None] >> voids.shift & (1 << voids.count) - 1
        lacks = (lacking >> self.of_others & (1 << N_CLASSES) - 1).long()
        shown = torch.zeros_like(trick) if self.face_up is None else sets[:, self.face_up]
        seen = sets[:, _HAND : self.n_seen]
        found = self.facts.taking(low[:, 0], trick, leads, contexts)
        known = self.facts.known(seen, shown, lacks, trick, contexts)
        cards = slots.cards(torch.cat([found.cards[:, None], sets], dim=1), contexts)
        facts = self.facts(found, known, cards[:, : 2 + _HAND], contexts)
        numbers = (words[:, self.number_word] >> self.number_shift & self.number_mask).float()
        return torch.cat(
            [
                cards[:, 0],
                facts,
                numbers * self.number_scale,
                slots.voids(lacking, contexts)[:, 0],
                cards[:, 1:].flatten(1),
            ],
            dim=1,
        )


def tensors(words: NDArray[np.uint32], legal: NDArray[np.uint64]) -> tuple[Tensor, Tensor]:
    """Return words and legal actions as the signed tensors that torch can shift."""
    return (
        torch.from_numpy(np.require(words, requirements=["C", "W"]).view(np.int32)),
        torch.from_numpy(np.require(legal, requirements=["C", "W"]).view(np.int64)),
    )


@lru_cache(maxsize=64)
def fingerprint(rules: RuleSet) -> str:
    """Return what tells these features from others: 16 hexadecimal digits.

    It is taken from the features of some positions as a critic reads them, so that whatever changes
    their meaning changes it. They are counted in thousandths, to be the same on every machine.
    """
    deals = VectorSjavs(rules, batch=_POSITIONS, seed=0)
    encoder = Encoder(rules, all_cards=True)
    digest = sha256()
    while not deals.over.all():
        words, legal = tensors(deals.observe_all(), deals.legal.copy())
        contexts = encoder.slots.contexts(words)
        features = encoder(words, legal, contexts)
        slots = encoder.slots.legal(legal, contexts)
        for part in ((features * 1000).round().to(torch.int16), slots):
            digest.update(part.numpy().tobytes())
        deals.step(lowest_action(deals.legal))
    return digest.hexdigest()[:16]
