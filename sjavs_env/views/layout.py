"""The layout of an observation: one table of named slices.

The table says where each fact lies in the packed words and in the flat features; packing,
unpacking, named views and the documentation all come from it. Seats are relative to the seat that
looks, in four slots: me, left, across, right. With three seats nobody sits across; with two, the
opponent does.

Kinds of slices: ``cards``, a card set (or a set of the actions 32-63) in a word of its own, 32
features; ``digits``, words that hold one binary digit each of a number for every card, 32 features;
``numbers``, small numbers side by side, one feature each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.arguments import kind
from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.core.tables.codes import N_CLASSES, N_SUITS, PACK_POINTS, PHASES, TRICK_BITS
from sjavs_env.core.tables.fingerprints import of_text

WORD = 32
SLOTS = ("me", "left", "across", "right")
MOST_TRICKS = 16


@dataclass(frozen=True, slots=True)
class Slice:
    """One fact of an observation.

    Attributes:
        name: Its name.
        kind: "cards", "digits" or "numbers".
        count: Number of card sets or of numbers.
        bits: Bits of each number.
        scale: The raw value that becomes 1.0 as a feature.
        offset: What is added to a value to make it a raw number.
        meaning: What it says, for the documentation.
        word: First word.
        feature: First feature.
        shift: Lowest bit in the first word.
    """

    name: str
    kind: Literal["cards", "digits", "numbers"]
    count: int
    meaning: str
    bits: int = 1
    scale: int = 1
    offset: int = 0
    word: int = 0
    feature: int = 0
    shift: int = 0

    @property
    def n_features(self) -> int:
        """Number of flat features."""
        return {"cards": WORD * self.count, "digits": WORD, "numbers": self.count}[self.kind]

    @property
    def n_words(self) -> int:
        """Number of words, 0 for numbers, which share theirs."""
        return {"cards": self.count, "digits": self.bits, "numbers": 0}[self.kind]


_SEATS = len(SLOTS)
_FACTS = (
    Slice("hand", "cards", 1, "the cards I may play, my face-up ones included"),
    Slice("face_up", "cards", _SEATS, "cards lying face up before each seat"),
    Slice("played", "cards", _SEATS, "cards that each seat has played"),
    Slice(
        "fell",
        "digits",
        1,
        "the number of the trick in which each card fell, from 1; 0 if it has not",
        bits=TRICK_BITS,
        scale=MOST_TRICKS,
    ),
    Slice("trick", "cards", _SEATS, "the card of each seat in the present trick"),
    Slice("laid_away", "cards", 1, "the cards that I laid away"),
    Slice("calls", "cards", _SEATS, "what each seat said in the auction (actions 32-63)"),
    Slice("contract", "cards", 1, "the standing call, and declarer's choice (actions 32-63)"),
    Slice("to_act", "numbers", _SEATS, "the seat to act"),
    Slice("dealer", "numbers", _SEATS, "the dealer"),
    Slice("declarer", "numbers", _SEATS, "declarer, or the owner of the standing call"),
    Slice("leader", "numbers", _SEATS, "the leader of the present trick"),
    Slice("trump", "numbers", N_SUITS, "the trump suit: diamonds, hearts, spades, clubs"),
    Slice("phase", "numbers", len(PHASES), f"the phase: {', '.join(PHASES)}"),
    Slice("carry", "numbers", 1, "60-60 deals pending", bits=3, scale=7),
    Slice("n_laid_away", "numbers", 1, "how many cards declarer laid away", bits=2, scale=2),
    Slice(
        "voids",
        "numbers",
        _SEATS * N_CLASSES,
        "what each seat's hand has been seen to lack: diamonds, hearts, spades, clubs, trumps",
    ),
    Slice(
        "trick_number",
        "numbers",
        1,
        "number of complete tricks",
        bits=TRICK_BITS,
        scale=MOST_TRICKS,
    ),
    Slice(
        "points",
        "numbers",
        _SEATS,
        "card points that each seat has won in tricks",
        bits=7,
        scale=PACK_POINTS,
    ),
    Slice(
        "tricks",
        "numbers",
        _SEATS,
        "tricks that each seat has won",
        bits=TRICK_BITS,
        scale=MOST_TRICKS,
    ),
    Slice(
        "columns",
        "numbers",
        _SEATS,
        "each seat's column before this deal, held within -64 and 191",
        bits=8,
        scale=255,
        offset=64,
    ),
)
_HIDDEN_FACTS = (
    Slice("hands", "cards", _SEATS, "the cards that each seat may play, seen or not"),
    Slice("face_down", "cards", _SEATS, "the cards lying face down before each seat"),
    Slice("talon", "cards", 1, "talon cards that nobody has taken"),
    Slice("all_laid_away", "cards", 1, "the cards that declarer laid away"),
)


def _place(facts: tuple[Slice, ...], word: int, feature: int) -> dict[str, Slice]:
    """Give every slice its place: sets first come first, numbers fill words after them."""
    placed = {}
    used = WORD
    for fact in facts:
        if fact.kind == "numbers":
            need = fact.count * fact.bits
            if used + need > WORD:
                word, used = word + 1, 0
            at, shift = word - 1, used
            used += need
        else:
            at, shift, used = word, 0, WORD
            word += fact.n_words
        placed[fact.name] = Slice(
            **{
                **{name: getattr(fact, name) for name in Slice.__slots__},
                "word": at,
                "feature": feature,
                "shift": shift,
            }
        )
        feature += fact.n_features
    return placed


LAYOUT: dict[str, Slice] = _place(_FACTS, 0, 0)
"""What a seat may know, by name."""


def _ends(layout: dict[str, Slice]) -> tuple[int, int]:
    return (
        max(item.word + max(item.n_words, 1) for item in layout.values()),
        max(item.feature + item.n_features for item in layout.values()),
    )


N_WORDS, N_FEATURES = _ends(LAYOUT)
LAYOUT_ALL: dict[str, Slice] = LAYOUT | _place(_HIDDEN_FACTS, N_WORDS, N_FEATURES)
"""The same, and behind it all cards."""
N_WORDS_ALL, N_FEATURES_ALL = _ends(LAYOUT_ALL)

FINGERPRINT = of_text(repr(LAYOUT_ALL))
"""Tells checkpoints of another observation apart."""


def _layout_for(words: object) -> tuple[dict[str, Slice], int]:
    """Return the layout and the number of features for words, by their width."""
    if not isinstance(words, np.ndarray) or words.dtype != np.uint32 or not words.ndim:
        raise ValueError(f"words must be an array of uint32, as observe returns, not {kind(words)}")
    if words.shape[-1] == N_WORDS:
        return LAYOUT, N_FEATURES
    if words.shape[-1] == N_WORDS_ALL:
        return LAYOUT_ALL, N_FEATURES_ALL
    raise ValueError(
        f"words have width {words.shape[-1]}, but observations have {N_WORDS}, "
        f"or {N_WORDS_ALL} with all cards"
    )


def view(words: NDArray[np.uint32], name: str) -> NDArray[Any]:
    """Return one named fact of packed words.

    Card sets come as uint32[..., count], ``digits`` as uint8[..., 32], numbers as int16[..., count]
    with their true values.

    Raises:
        ValueError: there is no such fact in words of this width; the nearest is named.
    """
    layout, _ = _layout_for(words)
    item = layout.get(as_word(name))
    if item is None:
        raise ValueError(f"unknown fact {told(name)}{nearest(name, layout)}")
    if item.kind == "cards":
        return words[..., item.word : item.word + item.count]
    if item.kind == "digits":
        return _digits(words, item)
    return _numbers(words, item).astype(np.int16) - np.int16(item.offset)


def _numbers(words: NDArray[np.uint32], item: Slice) -> NDArray[np.uint32]:
    shifts = np.arange(item.count, dtype=np.uint32) * np.uint32(item.bits) + np.uint32(item.shift)
    mask = np.uint32((1 << item.bits) - 1)
    return words[..., item.word, None] >> shifts & mask


def _digits(words: NDArray[np.uint32], item: Slice) -> NDArray[np.uint8]:
    planes = words[..., item.word : item.word + item.bits]
    bits = _bits(planes).reshape(*words.shape[:-1], item.bits, WORD)
    weights = (1 << np.arange(item.bits)).astype(np.uint8)
    numbers: NDArray[np.uint8] = np.einsum("...kc,k->...c", bits, weights)
    return numbers


def _bits(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return all bits of the words, lowest first, along the last axis."""
    packed = np.ascontiguousarray(words, "<u4").view(np.uint8)
    return np.unpackbits(packed, axis=-1, bitorder="little")


@overload
def unpack(words: NDArray[np.uint32], dtype: Literal["uint8"] = ...) -> NDArray[np.uint8]: ...
@overload
def unpack(words: NDArray[np.uint32], dtype: Literal["float32"]) -> NDArray[np.float32]: ...
def unpack(words: NDArray[np.uint32], dtype: Literal["uint8", "float32"] = "uint8") -> NDArray[Any]:
    """Return packed words as flat features [..., F], or [..., F_ALL] of words with all cards.

    As "uint8" the features are raw numbers, as "float32" each is scaled to 0 .. 1.

    Raises:
        ValueError: the words have another width, or the dtype is not one of the two.
    """
    if as_word(dtype) not in ("uint8", "float32"):
        raise ValueError(f"dtype={told(dtype)} must be 'uint8' or 'float32'")
    layout, n_features = _layout_for(words)
    features = np.empty((*words.shape[:-1], n_features), dtype)
    for item in layout.values():
        target = features[..., item.feature : item.feature + item.n_features]
        if item.kind == "cards":
            target[...] = _bits(words[..., item.word : item.word + item.count])
        else:
            target[...] = (_digits if item.kind == "digits" else _numbers)(words, item)
        if dtype == "float32" and item.scale != 1:
            target *= np.float32(1 / item.scale)
    return features
