"""Features: turn packed words into the inputs of a network.

A network reads card sets in slots relative to the trump suit (``slots.py``), features derived from
them (``trick_facts.py``, ``holdings.py``), and numbers scaled to about 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.networks.holdings import Holdings, fitted
from agents.networks.slots import Slots, slot_of_card, suit_orders
from agents.networks.trick_facts import NOTHING, Facts
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.tables.auction_tables import possible_calls
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import N_CLASSES, N_SUITS, PLAY
from sjavs_env.players.random import lowest_action
from sjavs_env.views.layout import LAYOUT, LAYOUT_ALL, SLOTS, Slice

_POSITIONS = 16
"""Deals whose positions make the fingerprint."""
_HAND, _PLAYED = 1, slice(2, 2 + len(SLOTS))
"""Their indices among the card sets. The legal cards stand before them, the trick after them."""


def card_words(rules: RuleSet, all_cards: bool) -> list[int]:
    """Return the indices of the words with card sets that a network reads.

    The sets that a seat may see come first.

    Args:
        rules: The rule set.
        all_cards: Whether to read hidden cards too, as a critic does.
    """
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

    With ``all_cards`` it also reads hidden cards, for a critic. Their features come last, so the
    others are those of an encoder without ``all_cards``.
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
        self._tricks_scale = LAYOUT["trick_number"].scale
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
        self.facts = Facts(rules, slot_of_card(rules), slots.n_cards, suit_orders())
        self.holdings = Holdings(self.facts, slot_of_card(rules), slots.n_cards)
        self._n_tricks = rules.n_tricks
        n_facts = self.facts.n_features + self.holdings.n_features
        n_voids = len(SLOTS) * N_SUITS
        n_sets = (2 + len(words)) * slots.n_cards
        before = slots.n_cards + n_facts
        at = {field[:2]: before + index for index, field in enumerate(fields)}
        self.column = {
            (item.name, index): at[place]
            for item in LAYOUT.values()
            for index in range(item.count)
            if (place := (item.word, item.shift + index * item.bits)) in at
        }
        """The index of a number among the features, by its slice and its index in the slice."""
        self._tricks = self.column["trick_number", 0]
        self._playing = self.column["phase", PLAY]
        self.n_features = n_facts + len(fields) + n_voids + n_sets

    def trick(self, features: Tensor) -> Tensor:
        """Return the number of the current trick, float32[N], from features.

        It counts from 1 and is 0 before the first trick.
        """
        done = (features[:, self._tricks] * self._tricks_scale).round()
        return (1 + done) * features[:, self._playing]

    @torch.no_grad()
    def forward(self, words: Tensor, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return the features, float32[N, n_features].

        Args:
            words: Packed words, int32[N, W]; with all cards those of ``observe_all``.
            legal: Legal actions, int64[N] as bits.
            contexts: Contexts, int64[N].
        """
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
        worked_out = torch.cat(
            [found.cards[:, None], found.beaters[:, None], known.out[:, None], known.hidden, shown],
            dim=1,
        )
        cards = slots.cards(torch.cat([worked_out, sets], dim=1), contexts)
        (taking, beaters, out), hidden, face_up, cards = (
            cards[:, :3].unbind(1),
            cards[:, 3:6],
            cards[:, 6:9],
            cards[:, 9:],
        )
        candidates = torch.where((found.led == NOTHING)[:, None], cards[:, 0], taking)
        facts = self.facts(found, known, candidates, cards[:, _HAND], contexts)
        trick_number = LAYOUT["trick_number"]
        done = words[:, trick_number.word] >> trick_number.shift & (1 << trick_number.bits) - 1
        left = self._n_tricks - done[:, None] - (trick != 0).int()
        sizes = (left * self.facts.present - face_up.sum(dim=2)).clamp(min=0)
        chances = fitted(hidden, out, sizes) + face_up
        holdings = self.holdings(
            found, torch.stack([candidates, beaters], dim=1), chances, known.later, contexts
        )
        numbers = (words[:, self.number_word] >> self.number_shift & self.number_mask).float()
        return torch.cat(
            [
                taking,
                facts,
                holdings,
                numbers * self.number_scale,
                slots.voids(lacking, contexts)[:, 0],
                cards.flatten(1),
            ],
            dim=1,
        )


def tensors(words: NDArray[np.uint32], legal: NDArray[np.uint64]) -> tuple[Tensor, Tensor]:
    """Return words int32[N, W] and legal actions int64[N] as tensors.

    They are signed, because torch shifts no unsigned integers. They share memory with the arrays
    where these are contiguous and writable.
    """
    return (
        torch.from_numpy(np.require(words, requirements=["C", "W"]).view(np.int32)),
        torch.from_numpy(np.require(legal, requirements=["C", "W"]).view(np.int64)),
    )


@lru_cache(maxsize=64)
def fingerprint(rules: RuleSet) -> str:
    """Return the fingerprint of the features: 16 hexadecimal digits.

    It is a hash of the features of 16 deals, as a critic reads them, so a change of any feature's
    meaning changes it. The features are rounded to thousandths, so that every machine gives the
    same fingerprint.
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
