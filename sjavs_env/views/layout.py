"""The layout of an observation: one table of named slices.

The table gives the place of each fact in the packed words and in the flat features. Packing,
unpacking, named views and the documentation all use it. Seats are relative to the observing seat,
in four slots: me, left, across, right. In a game for three the slot "across" is empty. In a game
for two the opponent sits across, and "left" and "right" are empty.

There are three kinds of slices:

- ``cards``: sets. Each set has its own word and 32 features, one flag for each card id. A set of
  the actions 32-63 has one flag for each of those actions.
- ``digits``: one number for each card, 32 features. The packed words are bit planes: word k holds
  binary digit k of all 32 numbers.
- ``numbers``: small numbers packed side by side in a word, one feature each. A fact such as
  ``to_act`` is one-hot: one flag for each slot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
        meaning: What it says. The fingerprint of the observation depends on this text.
        bits: Bits of each number.
        scale: The raw number that becomes the float feature 1.0.
        offset: Added to the true value to give the raw number, which is never negative.
        word: First word.
        feature: First feature.
        shift: Lowest bit in the first word.
        note: What else a reader of the documentation needs. It is not part of the fingerprint.
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
    note: str = field(default="", repr=False)

    @property
    def n_features(self) -> int:
        """Number of flat features."""
        return {"cards": WORD * self.count, "digits": WORD, "numbers": self.count}[self.kind]

    @property
    def n_words(self) -> int:
        """Number of words; 0 for numbers, because several facts share a word."""
        return {"cards": self.count, "digits": self.bits, "numbers": 0}[self.kind]


_SEATS = len(SLOTS)
_FACTS = (
    Slice("hand", "cards", 1, "the cards I may play, my face-up ones included"),
    Slice(
        "face_up",
        "cards",
        _SEATS,
        "cards lying face up before each seat",
        note="only in `faroese2`",
    ),
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
    Slice("laid_away", "cards", 1, "the cards that I laid away", note="empty unless I am declarer"),
    Slice("calls", "cards", _SEATS, "what each seat said in the auction (actions 32-63)"),
    Slice(
        "contract",
        "cards",
        1,
        "the standing call, and declarer's choice (actions 32-63)",
        note="the choice is the decision before the first lead, where the rules have one",
    ),
    Slice("to_act", "numbers", _SEATS, "the seat to act", note="one-hot, or zeros after the deal"),
    Slice("dealer", "numbers", _SEATS, "the dealer", note="one-hot"),
    Slice(
        "declarer",
        "numbers",
        _SEATS,
        "declarer, or the owner of the standing call",
        note="one-hot, or zeros while there is none",
    ),
    Slice(
        "leader",
        "numbers",
        _SEATS,
        "the leader of the present trick",
        note="one-hot, or zeros before the first trick",
    ),
    Slice(
        "trump",
        "numbers",
        N_SUITS,
        "the trump suit: diamonds, hearts, spades, clubs",
        note="one-hot, or zeros while there is none",
    ),
    Slice("phase", "numbers", len(PHASES), f"the phase: {', '.join(PHASES)}", note="one-hot"),
    Slice(
        "carry",
        "numbers",
        1,
        "60-60 deals pending",
        bits=3,
        scale=7,
        note="number of tied deals that raise the score of the next won deal, clipped at 7",
    ),
    Slice("n_laid_away", "numbers", 1, "how many cards declarer laid away", bits=2, scale=2),
    Slice(
        "voids",
        "numbers",
        _SEATS * N_CLASSES,
        "what each seat's hand has been seen to lack: diamonds, hearts, spades, clubs, trumps",
        note="five flags for each seat, set when the seat fails to follow",
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
        note="raw number: the clipped column plus 64",
    ),
)
_HIDDEN_FACTS = (
    Slice("hands", "cards", _SEATS, "the cards that each seat may play, seen or not"),
    Slice("face_down", "cards", _SEATS, "the cards lying face down before each seat"),
    Slice("talon", "cards", 1, "talon cards that nobody has taken"),
    Slice("all_laid_away", "cards", 1, "the cards that declarer laid away"),
)


def _place(facts: tuple[Slice, ...], word: int, feature: int) -> dict[str, Slice]:
    """Place every slice in order. Sets take whole words; numbers in a row share a word."""
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
"""What a seat may know: the slices by name."""


def _ends(layout: dict[str, Slice]) -> tuple[int, int]:
    return (
        max(item.word + max(item.n_words, 1) for item in layout.values()),
        max(item.feature + item.n_features for item in layout.values()),
    )


N_WORDS, N_FEATURES = _ends(LAYOUT)
LAYOUT_ALL: dict[str, Slice] = LAYOUT | _place(_HIDDEN_FACTS, N_WORDS, N_FEATURES)
"""``LAYOUT`` followed by the slices of all hidden cards."""
N_WORDS_ALL, N_FEATURES_ALL = _ends(LAYOUT_ALL)

FINGERPRINT = of_text(repr(LAYOUT_ALL))
"""Fingerprint of the observation: a checkpoint made for another one is refused."""


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

    The result is uint32[..., count] for ``cards``, uint8[..., 32] for ``digits``, and
    int16[..., count] with the true values (offset removed) for ``numbers``.

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
    """Return packed words as flat features.

    Args:
        words: Words of ``observe``, uint32[..., W], or of ``observe_all``, uint32[..., W_ALL].
        dtype: "uint8" gives raw numbers; "float32" scales each feature to 0 .. 1.

    Returns:
        Features [..., F], or [..., F_ALL] with all cards.

    Raises:
        ValueError: the words have another width, or ``dtype`` is another one.
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
