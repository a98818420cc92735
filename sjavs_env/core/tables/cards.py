"""The 32 cards, their ids and codes, and card sets as 32-bit masks.

    id  0  1  2  3  4  5  6   7 .. 13   14 15 16 17 18 19   20 .. 25   26 27 28 29 30 31
        D7 D8 D9 DT DQ DK DA  H7 .. HA  S7 S8 S9 ST SK SA   C7 .. CA   DJ HJ SJ CJ SQ CQ

Within a suit the ids run from weak to strong. The six permanent trumps of the genuine games come
last, weak to strong (RULES 1). A card set is an integer: bit ``i`` stands for card ``i``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

SUITS = "DHSC"
"""Suit letters by suit index: diamonds 0, hearts 1, spades 2, clubs 3."""

SUIT_SYMBOLS = "♦♥♠♣"
"""Suit symbols by suit index, for people."""

CARD_NAMES: tuple[str, ...] = (
    *(suit + rank for suit in "DH" for rank in "789TQKA"),
    *(suit + rank for suit in "SC" for rank in "789TKA"),
    *("DJ", "HJ", "SJ", "CJ", "SQ", "CQ"),
)
"""Card codes by id: suit letter, then rank letter (T is the ten)."""

N_CARDS = len(CARD_NAMES)
CARD_IDS: dict[str, int] = {name: card for card, name in enumerate(CARD_NAMES)}
FULL_PACK = (1 << N_CARDS) - 1


def card_mask(names: Iterable[str]) -> int:
    """Return the set of the named cards.

    Raises:
        KeyError: a name is not a card code.
    """
    mask = 0
    for name in names:
        mask |= 1 << CARD_IDS[name]
    return mask


def cards_of(mask: int) -> Iterator[int]:
    """Yield the ids in a card set, lowest first."""
    mask = int(mask)
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def suit_of(card: int) -> int:
    """Return the index of the suit printed on a card."""
    return SUITS.index(CARD_NAMES[card][0])


def rank_of(card: int) -> str:
    """Return the rank letter printed on a card."""
    return CARD_NAMES[card][1]
