"""Features: packed words, as a network reads them.

Everything is relative to the trump suit, so that what is learned in one suit serves in all. Each
set of cards is read in slots by one gather (34 of them in the 32-card games): the permanent trumps,
the rest of the trump suit, then the plain suits, the one of the trump suit's colour first. Logits
live in the same slots, and legal actions and choices are brought there; ``Slots`` translates.
Before trumps are named the order is that of clubs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sjavs_env import RuleSet
from sjavs_env.core.actions import N_ACTIONS
from sjavs_env.core.auction_tables import possible_calls
from sjavs_env.core.cards import CARD_IDS, N_CARDS, SUITS
from sjavs_env.core.codes import CLUBS, N_CLASSES, N_SUITS, TRUMP_CLASS
from sjavs_env.layout import LAYOUT, LAYOUT_ALL, SLOTS, Slice

_EMPTY = -1


def suit_order(context: int) -> list[int]:
    """Return the trump suit of a context, its colour's other suit, then the other two."""
    trump = context if context < N_SUITS else CLUBS
    return [trump, trump ^ 1, *(suit for suit in range(N_SUITS) if suit // 2 != trump // 2)]


def card_slots(rules: RuleSet, context: int) -> list[int]:
    """Return the card in each slot, ``_EMPTY`` where a suit lacks a rank that another has."""
    plain = [name for name in rules.pack if name not in rules.permanents]
    ranks = [rank for rank in rules.ranks if any(name.endswith(rank) for name in plain)]
    names = [SUITS[suit] + rank for suit in suit_order(context) for rank in ranks]
    return [
        *(CARD_IDS[name] for name in rules.permanents),
        *(CARD_IDS[name] if name in plain else _EMPTY for name in names),
    ]


def _table(rows: list[list[int]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.int64)


class Slots(nn.Module):
    """Translates cards and actions into slots, by the trump suit that the words show.

    The slots of the cards come first, and behind them the other actions as they are.
    """

    card: Tensor
    present: Tensor
    action: Tensor
    slot: Tensor
    void: Tensor
    context: Tensor
    bits: Tensor

    def __init__(self, rules: RuleSet) -> None:
        super().__init__()
        slots = [card_slots(rules, context) for context in range(N_CLASSES)]
        others = list(range(N_CARDS, N_ACTIONS))
        self.n_cards = len(slots[0])
        self.n_slots = self.n_cards + len(others)
        filled = [[max(card, 0) for card in row] for row in slots]
        self._constant("card", _table(filled))
        self._constant("present", (_table(slots) != _EMPTY).to(torch.uint8))
        self._constant("action", _table([row + others for row in filled]))
        self._constant("slot", _table([self._slots_by_action(row) for row in slots]))
        voids = [[TRUMP_CLASS, *suit_order(context)[1:]] for context in range(N_CLASSES)]
        self._constant("void", _table(voids))
        flags = [(flag.bit_length() or N_CLASSES) - 1 for flag in range(1 << N_SUITS)]
        self._constant("context", torch.tensor(flags))
        bytes_ = np.arange(256, dtype=np.uint8)[:, None]
        self._constant("bits", torch.from_numpy(np.unpackbits(bytes_, axis=1, bitorder="little")))

    def _slots_by_action(self, cards: list[int]) -> list[int]:
        """Return the slot of each action; cards that are not in play are never asked for."""
        places = [cards.index(card) if card in cards else 0 for card in range(N_CARDS)]
        return places + list(range(self.n_cards, self.n_slots))

    def _constant(self, name: str, value: Tensor) -> None:
        self.register_buffer(name, value, persistent=False)

    def contexts(self, words: Tensor) -> Tensor:
        """Return the trump context of each row, [N]."""
        trump = LAYOUT["trump"]
        return self.context[(words[:, trump.word] >> trump.shift & (1 << N_SUITS) - 1).long()]

    def unpack(self, words: Tensor) -> Tensor:
        """Return the bits of words [N, n] of any width as uint8 [N, n, bits], lowest first."""
        width = 8 * words.element_size()
        return self.bits[words.contiguous().view(torch.uint8).long()].view(*words.shape, width)

    def legal(self, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return legal actions, int64[N] as bits, as bool[N, n_slots]."""
        allowed = self.unpack(legal[:, None])[:, 0]
        allowed = allowed.gather(1, self.action[contexts])
        allowed[:, : self.n_cards] *= self.present[contexts]
        return allowed.bool()

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

    def __init__(self, rules: RuleSet, all_cards: bool) -> None:
        super().__init__()
        self.slots = Slots(rules)
        words = card_words(rules, all_cards)
        fields = number_fields(rules)
        word, shift, mask, scale = zip(*fields, strict=True)
        self.register_buffer("words", torch.tensor(words), persistent=False)
        self.register_buffer("number_word", torch.tensor(word), persistent=False)
        for name, values in (("number_shift", shift), ("number_mask", mask)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.int32), persistent=False)
        self.register_buffer("number_scale", torch.tensor(scale), persistent=False)
        n_voids = len(SLOTS) * N_SUITS
        self.n_features = len(fields) + n_voids + (1 + len(words)) * self.slots.n_cards

    @torch.no_grad()
    def forward(self, words: Tensor, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return features float32[N, n_features] of words int32[N, W] and legal int64[N]."""
        slots, n = self.slots, len(words)
        low = legal.view(torch.int32).view(n, 2)[:, :1]
        sets = slots.unpack(torch.cat([low, words[:, self.words]], dim=1))
        index = slots.card[contexts][:, None, :].expand(n, sets.shape[1], slots.n_cards)
        cards = sets.gather(2, index) * slots.present[contexts][:, None, :]
        numbers = (words[:, self.number_word] >> self.number_shift & self.number_mask).float()
        voids = LAYOUT["voids"]
        flags = slots.unpack(words[:, voids.word, None])[:, 0]
        flags = flags[:, voids.shift : voids.shift + voids.count].view(n, len(SLOTS), N_CLASSES)
        classes = slots.void[contexts][:, None, :].expand(n, len(SLOTS), N_SUITS)
        return torch.cat(
            [
                numbers * self.number_scale,
                flags.gather(2, classes).flatten(1).float(),
                cards.flatten(1).float(),
            ],
            dim=1,
        )


def tensors(words: NDArray[np.uint32], legal: NDArray[np.uint64]) -> tuple[Tensor, Tensor]:
    """Return words and legal actions as the signed tensors that torch can shift."""
    return (
        torch.from_numpy(np.require(words, requirements=["C", "W"]).view(np.int32)),
        torch.from_numpy(np.require(legal, requirements=["C", "W"]).view(np.int64)),
    )
