"""The networks: packed words in, logits or a value out.

Everything is relative to the trump suit, so that what is learned in one suit serves in all. Each
set of cards is read in 34 slots by one gather: the permanent trumps, the rest of the trump suit,
then the plain suits, the one of the trump suit's colour first. Logits live in the same slots, and
legal actions and choices are brought there; ``Slots`` translates. Before trumps are named the
order is that of clubs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sjavs_env import RuleSet
from sjavs_env.core.actions import N_ACTIONS
from sjavs_env.core.auction_tables import possible_calls
from sjavs_env.core.cards import CARD_IDS, N_CARDS, SUITS
from sjavs_env.core.codes import N_CLASSES, N_SUITS, TRUMP_CLASS
from sjavs_env.layout import LAYOUT, LAYOUT_ALL, SLOTS, Slice

_PERMANENT_SLOTS = tuple(CARD_IDS[name] for name in ("CQ", "SQ", "CJ", "SJ", "HJ", "DJ"))
_SUIT_RANKS = "AKQT987"
_EMPTY = -1
N_CARD_SLOTS = len(_PERMANENT_SLOTS) + N_SUITS * len(_SUIT_RANKS)
N_SLOTS = N_CARD_SLOTS + N_ACTIONS - N_CARDS
"""Slots of the cards, and behind them the other actions as they are."""
_CLUBS = SUITS.index("C")
_ROWS = 64
"""Rows are filled up to a multiple of this, so that what else is in a batch changes no digit."""


@dataclass(frozen=True)
class NetConfig:
    """The size of the networks."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers, of the actor and of the critic."""


def suit_order(context: int) -> list[int]:
    """Return the trump suit of a context, its colour's other suit, then the other two."""
    trump = context if context < N_SUITS else _CLUBS
    return [trump, trump ^ 1, *(suit for suit in range(N_SUITS) if suit // 2 != trump // 2)]


def card_slots(context: int) -> list[int]:
    """Return the card in each slot, ``_EMPTY`` where a suit lacks the rank."""
    suits = [
        CARD_IDS.get(SUITS[suit] + rank, _EMPTY)
        for suit in suit_order(context)
        for rank in _SUIT_RANKS
    ]
    return [*_PERMANENT_SLOTS, *(_EMPTY if card in _PERMANENT_SLOTS else card for card in suits)]


def _table(rows: list[list[int]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.int64)


class Slots(nn.Module):
    """Translates cards and actions into slots, by the trump suit that the words show."""

    card: Tensor
    present: Tensor
    action: Tensor
    slot: Tensor
    void: Tensor
    context: Tensor
    bits: Tensor

    def __init__(self) -> None:
        super().__init__()
        slots = [card_slots(context) for context in range(N_CLASSES)]
        self._constant("card", _table(slots).clamp(min=0))
        self._constant("present", (_table(slots) != _EMPTY).to(torch.uint8))
        others = list(range(N_CARDS, N_ACTIONS))
        self._constant("action", _table([[max(card, 0) for card in row] + others for row in slots]))
        self._constant(
            "slot",
            _table(
                [
                    [row.index(card) for card in range(N_CARDS)]
                    + [N_CARD_SLOTS + action - N_CARDS for action in others]
                    for row in slots
                ]
            ),
        )
        voids = [[TRUMP_CLASS, *suit_order(context)[1:]] for context in range(N_CLASSES)]
        self._constant("void", _table(voids))
        self._constant(
            "context",
            torch.tensor(
                [[0, 1, 2, 3][flags.bit_length() - 1] if flags else N_SUITS for flags in range(16)]
            ),
        )
        bytes_ = np.arange(256, dtype=np.uint8)[:, None]
        self._constant("bits", torch.from_numpy(np.unpackbits(bytes_, axis=1, bitorder="little")))

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
        """Return legal actions, int64[N] as bits, as bool[N, N_SLOTS]."""
        allowed = self.unpack(legal[:, None])[:, 0]
        allowed = allowed.gather(1, self.action[contexts])
        allowed[:, :N_CARD_SLOTS] *= self.present[contexts]
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
        self.slots = Slots()
        words = card_words(rules, all_cards)
        fields = number_fields(rules)
        word, shift, mask, scale = zip(*fields, strict=True)
        self.register_buffer("words", torch.tensor(words), persistent=False)
        self.register_buffer("number_word", torch.tensor(word), persistent=False)
        for name, values in (("number_shift", shift), ("number_mask", mask)):
            self.register_buffer(name, torch.tensor(values, dtype=torch.int32), persistent=False)
        self.register_buffer("number_scale", torch.tensor(scale), persistent=False)
        n_voids = len(SLOTS) * N_SUITS
        self.n_features = len(fields) + n_voids + (1 + len(words)) * N_CARD_SLOTS

    @torch.no_grad()
    def forward(self, words: Tensor, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return features float32[N, n_features] of words int32[N, W] and legal int64[N]."""
        slots, n = self.slots, len(words)
        low = legal.view(torch.int32).view(n, 2)[:, :1]
        sets = slots.unpack(torch.cat([low, words[:, self.words]], dim=1))
        index = slots.card[contexts][:, None, :].expand(n, sets.shape[1], N_CARD_SLOTS)
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


def _mlp(n_in: int, hidden: tuple[int, ...], n_out: int, last_gain: float) -> nn.Sequential:
    """Return a ReLU network with orthogonal weights."""
    layers: list[nn.Module] = []
    widths = [n_in, *hidden, n_out]
    for index, (fan_in, fan_out) in enumerate(itertools.pairwise(widths)):
        last = index == len(hidden)
        linear = nn.Linear(fan_in, fan_out)
        nn.init.orthogonal_(linear.weight, last_gain if last else 2**0.5)
        nn.init.zeros_(linear.bias)
        layers += [linear] if last else [linear, nn.ReLU()]
    return nn.Sequential(*layers)


class Actor(nn.Module):
    """The policy: what a seat may know in, one logit per slot out."""

    def __init__(self, rules: RuleSet, config: NetConfig) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=False)
        self.body = _mlp(self.encode.n_features, config.hidden, N_SLOTS, last_gain=0.01)

    def log_probs(self, features: Tensor, allowed: Tensor) -> Tensor:
        """Return log-probabilities [N, N_SLOTS] from features and legal slots.

        Features behind those that a seat may see are left alone.
        """
        return masked_log_softmax(self.body(features[:, : self.encode.n_features]), allowed)

    def forward(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities [N, N_SLOTS], legal slots bool[N, N_SLOTS] and contexts [N]."""
        contexts = self.encode.slots.contexts(words)
        allowed = self.encode.slots.legal(legal, contexts)
        return self.log_probs(self.encode(words, legal, contexts), allowed), allowed, contexts


class Critic(nn.Module):
    """The value of a deal for the seat to act, with all cards open."""

    def __init__(self, rules: RuleSet, config: NetConfig, scale: float) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=True)
        self.body = _mlp(self.encode.n_features, config.hidden, 1, last_gain=1.0)
        self.scale = scale

    def forward(self, features: Tensor) -> Tensor:
        """Return the expected payoff in game points, float32[N], from features with all cards."""
        value: Tensor = self.body(features)[:, 0].float() * self.scale
        return value


class GreedyPolicy:
    """A policy that plays the actor's most probable action; it uses no randomness."""

    sees_all = False

    def __init__(self, actor: Actor) -> None:
        self._actor = actor.eval()

    @torch.no_grad()
    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return the most probable legal action of each row, int64[N]."""
        n = len(words)
        missing = -n % _ROWS
        padded = np.pad(words, ((0, missing), (0, 0))), np.pad(legal, (0, missing))
        log_probs, _, contexts = self._actor(*tensors(*padded))
        slots = self._actor.encode.slots
        actions: NDArray[np.int64] = slots.actions_of(log_probs.argmax(dim=1), contexts)[:n].numpy()
        return actions


def masked_log_softmax(logits: Tensor, allowed: Tensor) -> Tensor:
    """Return log-probabilities over the allowed slots in float32, and a finite floor elsewhere.

    The floor's exponential is exactly 0, and finite, so that no product with it is NaN.
    """
    floor = torch.finfo(torch.float32).min / 4
    kept = logits.float().masked_fill(~allowed, floor)
    return torch.log_softmax(kept, dim=1).masked_fill(~allowed, floor)


def tensors(words: NDArray[np.uint32], legal: NDArray[np.uint64]) -> tuple[Tensor, Tensor]:
    """Return words and legal actions as the signed tensors that torch can shift."""
    return (
        torch.from_numpy(np.require(words, requirements=["C", "W"]).view(np.int32)),
        torch.from_numpy(np.require(legal, requirements=["C", "W"]).view(np.int64)),
    )
