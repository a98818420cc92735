"""Deals and records as one line of text (docs/environment.md).

A deal is ``<dealer>:<seat0>/<seat1>/...[|<talon, in dealt order>]``. Each seat lists its card
codes without spaces, in any order; in ``faroese2`` it lists ``<hand>;<face up>;<face down>``, the
last two in pile order. A record is the deal followed by the names of the actions.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.errors import DealError, nearest, told
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.cards import CARD_NAMES, card_mask, cards_of
from sjavs_env.core.tables.codes import NONE
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set


def action_name(action: int, rules: str | RuleSet | None = None) -> str:
    """Return the name of an action id, as it is written under a rule set.

    ``rules`` matters for the tens alone, which Klørsjavs prints as fives (``C5``).

    Raises:
        ValueError: the id has no name.
    """
    return a.name_of(action, rules is not None and rule_set(rules).fives)


def parse_deal(line: str, tables: Tables) -> tuple[int, NDArray[np.uint8]]:
    """Return the dealer, and the cards uint8[cards] in slot order (``dealing``).

    Raises:
        DealError: the line is malformed or does not fit this rule set; one sentence says why.
    """
    rules = tables.rules
    if not isinstance(line, str):
        raise DealError(f"a deal is one line of text, not {type(line).__name__}: {told(line)}")
    dealer, colon, rest = line.strip().partition(":")
    if not colon or dealer not in map(str, range(rules.seats)):
        raise DealError(
            f"deal {told(line)} must begin with its dealer, 0 to {rules.seats - 1}, and a colon"
        )
    seats, bar, talon = rest.partition("|")
    parts = seats.split("/")
    if len(parts) != rules.seats:
        raise DealError(f"deal {told(line)} has {len(parts)} hands; {rules.name} has {rules.seats}")
    if bool(bar) != bool(rules.talon_size):
        wants = f"a talon of {rules.talon_size} after '|'" if rules.talon_size else "no talon"
        raise DealError(f"deal {told(line)}: {rules.name} has {wants}")
    slots = _hands(line, parts, rules)
    if bar:
        slots += _cards(line, "the talon", talon, rules.talon_size, rules)
    _check_pack(line, slots, tables)
    return int(dealer), np.array(slots, np.uint8)


def _hands(line: str, parts: list[str], rules: RuleSet) -> list[int]:
    """Return the cards of all seats in slot order: all hands, then the piles of each seat."""
    hands: list[int] = []
    piles: list[int] = []
    sizes = [rules.hand_size] + [rules.piles] * 2 * bool(rules.piles)
    names = ["the hand", "the face-up cards", "the face-down cards"]
    for seat, part in enumerate(parts):
        groups = part.split(";")
        if len(groups) != len(sizes):
            raise DealError(
                f"deal {told(line)}: seat {seat} has {len(groups)} groups of cards instead of "
                f"{len(sizes)}"
            )
        found = [
            _cards(line, f"{name} of seat {seat}", group, size, rules)
            for name, group, size in zip(names, groups, sizes, strict=False)
        ]
        hands += found[0]
        piles += [card for group in found[1:] for card in group]
    return hands + piles


def _cards(line: str, where: str, text: str, size: int, rules: RuleSet) -> list[int]:
    """Return the cards of one group of codes, after checking each code and the number."""
    codes = [text[i : i + 2] for i in range(0, len(text), 2)]
    cards = []
    for code in codes:
        try:
            card = a.id_of(code)
        except ValueError:
            card = NONE
        strange = code in a.FIVES.values() and not rules.fives
        if strange or not a.is_card(card) or CARD_NAMES[card] not in rules.pack:
            known = [a.name_of(a.id_of(name), rules.fives) for name in rules.pack]
            raise DealError(
                f"deal {told(line)}: {code!r} in {where} is not a card of {rules.name}"
                f"{nearest(code, known)}"
            )
        cards.append(card)
    if len(cards) != size:
        raise DealError(f"deal {told(line)}: {where} must be {size} cards, not {len(cards)}")
    return cards


def _check_pack(line: str, slots: list[int], tables: Tables) -> None:
    """Check that the slots hold every card of the pack once."""
    fives = tables.rules.fives
    twice = [a.name_of(card, fives) for card in sorted(set(slots)) if slots.count(card) > 1]
    missing = [a.name_of(int(c), fives) for c in tables.pack if int(c) not in slots]
    if twice:
        raise DealError(
            f"deal {told(line)}: {' '.join(twice)} dealt twice, {' '.join(missing)} missing"
        )


def format_deal(state: State, tables: Tables, row: int) -> str:
    """Return the deal line of a row. It shows the cards as they were dealt."""
    rules = tables.rules
    hands = []
    for seat in range(rules.seats):
        groups = [_codes(cards_of(_dealt(state, seat, row)), rules)]
        if rules.piles:
            groups += [_codes(pile[seat, :, row], rules) for pile in (state.cover, state.under)]
        hands.append(";".join(groups))
    talon = "|" + _codes(state.talon[:, row], rules) if rules.talon_size else ""
    return f"{state.dealer[row]}:{'/'.join(hands)}{talon}"


def _dealt(state: State, seat: int, row: int) -> int:
    """Return the card set that was dealt into a seat's hand."""
    mask = int(state.hand[seat, row] | state.played[seat, row])
    if seat == state.declarer[row]:
        mask = (mask | int(state.laid_away[row])) & ~int(state.drawn[row])
    piles = (*state.cover[seat, :, row], *state.under[seat, :, row])
    return mask & ~card_mask(CARD_NAMES[card] for card in piles)


def _codes(cards: Iterable[int], rules: RuleSet) -> str:
    """Return the codes of cards without spaces, in the order given."""
    return "".join(a.name_of(int(card), rules.fives) for card in cards)


def record(state: State, tables: Tables, row: int) -> str:
    """Return the deal of a row and its actions so far as one line, enough to replay it."""
    made = state.history[: state.moves[row], row]
    names = [a.name_of(int(action), tables.rules.fives) for action in made]
    return " ".join([format_deal(state, tables, row), *names])


def parse_record(line: str) -> tuple[str, list[int]]:
    """Return the deal line and the action ids of a record.

    Raises:
        DealError: the line is empty.
        ValueError: an action has no such name.
    """
    if not isinstance(line, str):
        raise DealError(f"a record is one line of text, not {told(line)}")
    words = line.split()
    if not words:
        raise DealError("the line is empty; a record starts with its deal")
    return words[0], [a.id_of(word) for word in words[1:]]
