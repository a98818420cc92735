"""Tables of the cards: classes, strengths, the cards that follow a lead, the duties of a ruff.

Card tables have ``N_ACTIONS`` entries. The entries above the cards are neutral, so that a lane
whose deal is over can play ``NOTHING`` without any effect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.cards import (
    CARD_IDS,
    CARD_NAMES,
    FULL_PACK,
    N_CARDS,
    card_mask,
    rank_of,
    suit_of,
)
from sjavs_env.core.tables.codes import (
    CARD_POINTS,
    CLASS_BITS,
    N_CLASSES,
    NO_TRUMP,
    PLACE_BITS,
    TRUMP_CLASS,
)
from sjavs_env.core.tables.ruleset import RuleSet

_FIRST_TRUMP = 16
N_STRENGTHS = 2 * _FIRST_TRUMP


def pack_of(rules: RuleSet) -> list[int]:
    """Return the ids of the cards in play, lowest first. The shuffle starts from this order."""
    return sorted(CARD_IDS[name] for name in rules.pack)


def card_class(rules: RuleSet, context: int, card: int) -> int:
    """Return the class of a card: its suit, or ``TRUMP_CLASS`` (RULES 1, 7)."""
    if context == NO_TRUMP:
        return suit_of(card)
    is_trump = CARD_NAMES[card] in rules.permanents or suit_of(card) == context
    return TRUMP_CLASS if is_trump else suit_of(card)


def card_strength(rules: RuleSet, context: int, card: int) -> int:
    """Return the strength of a card in its class: from 1 for plain cards, from 16 for trumps."""
    if rank_of(card) not in rules.ranks:
        return 0
    by_rank = len(rules.ranks) - rules.ranks.index(rank_of(card))
    if card_class(rules, context, card) != TRUMP_CLASS:
        return by_rank
    if CARD_NAMES[card] in rules.permanents:
        above = len(rules.permanents) - rules.permanents.index(CARD_NAMES[card])
        return N_STRENGTHS - len(rules.permanents) - 1 + above
    return _FIRST_TRUMP + by_rank - 1


def class_mask(rules: RuleSet, context: int, which: int) -> int:
    """Return the set of the cards in play that belong to a class."""
    cards = pack_of(rules)
    return sum(1 << card for card in cards if card_class(rules, context, card) == which)


def order(rules: RuleSet, context: int, which: int) -> list[int]:
    """Return the cards of a class, highest first."""
    cards = [card for card in pack_of(rules) if card_class(rules, context, card) == which]
    return sorted(cards, key=lambda card: -card_strength(rules, context, card))


def by_card(value: Callable[[int], int], dtype: DTypeLike) -> NDArray[Any]:
    """Return a table by action: a value for each card, 0 for other actions."""
    table = np.zeros(N_ACTIONS, dtype)
    table[:N_CARDS] = [value(card) for card in range(N_CARDS)]
    return table


def card_points(card: int) -> int:
    """Return the card points of a card (RULES 1)."""
    return CARD_POINTS.get(rank_of(card), 0)


def by_lead(value: Callable[[int, int], int], dtype: DTypeLike) -> NDArray[Any]:
    """Return a flat table by context and lead."""
    return np.concatenate(
        [by_card(lambda card, c=context: value(c, card), dtype) for context in range(N_CLASSES)]  # type: ignore[misc]
    )


def follow_table(rules: RuleSet) -> NDArray[Any]:
    """Return the cards that follow each lead, by context. Trumps are one suit (RULES 1)."""
    masks = [[class_mask(rules, c, k) for k in range(N_CLASSES)] for c in range(N_CLASSES)]
    return by_lead(lambda c, card: masks[c][card_class(rules, c, card)], np.uint32)


def strength_row(rules: RuleSet, context: int, card: int) -> int:
    """Return the start of the strengths for a lead in ``strength_table``.

    The bits from ``CLASS_BITS`` on hold the class of the lead.
    """
    return card_class(rules, context, card) << CLASS_BITS | context * N_ACTIONS


def strength_table(rules: RuleSet) -> NDArray[np.uint8]:
    """Return the strength of each card in a trick, by class led and context. 0: it cannot win."""
    table = np.zeros((N_CLASSES, (1 << CLASS_BITS) // N_ACTIONS, N_ACTIONS), np.uint8)
    for context in range(N_CLASSES):
        for led in range(N_CLASSES):
            for card in range(N_CARDS):
                if card_class(rules, context, card) in (led, TRUMP_CLASS):
                    strength = card_strength(rules, context, card)
                    table[led, context, card] = strength << PLACE_BITS
    return table.reshape(-1)


def ruff_tables(rules: RuleSet) -> tuple[NDArray[np.uint32], ...]:
    """Return card sets for a seat that cannot follow, in order of duty (RULES 2, ``ruff``).

    The seat must play from the first set that contains one of its cards. Each table is flat, by
    context and best strength in the trick so far. The sets matter only after a plain lead was
    trumped: if trump is led, a seat with a trump follows, and a seat without one holds only plain
    cards.
    """
    if rules.ruff == "free":
        return ()
    plain_or_higher = np.full((N_CLASSES, N_STRENGTHS), FULL_PACK, np.uint32)
    higher = np.zeros_like(plain_or_higher)
    plain = np.full_like(plain_or_higher, FULL_PACK)
    for context in range(NO_TRUMP):
        trumps = order(rules, context, TRUMP_CLASS)
        plain_mask = card_mask(rules.pack) & ~class_mask(rules, context, TRUMP_CLASS)
        for best in trumps:
            strength = card_strength(rules, context, best)
            above = sum(1 << c for c in trumps if card_strength(rules, context, c) > strength)
            higher[context, strength] = above
            plain[context, strength] = plain_mask
            plain_or_higher[context, strength] = plain_mask | above
    if rules.ruff == "no_undertrump":
        return (plain_or_higher.reshape(-1),)
    return higher.reshape(-1), plain.reshape(-1)
