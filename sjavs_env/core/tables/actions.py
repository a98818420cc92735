"""The action space, the same for all rule sets: 64 ids, so that a ``uint64`` holds a legal set.

0-31   a card: play it, or lay it away
32     ``-``: pass; stop laying away; decline the talon; play the ordinary contract; play on
33-40  ``5`` .. ``12``: call a length
41-45  ``5+`` .. ``9+``: "n better" (betur)
46-49  ``=C =S =H =D``: name trumps
50     ``take`` the talon
51-54  ``spil stryger tout stroget-tout``
55-57  ``solo halv nolo``
58     ``concede``
59-63  reserved, never legal
"""

from __future__ import annotations

import operator

from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.core.tables.cards import CARD_NAMES, N_CARDS, SUITS

N_ACTIONS = 64

ACTION_NAMES: tuple[str, ...] = (
    *CARD_NAMES,
    "-",
    *(str(length) for length in range(5, 13)),
    *(f"{length}+" for length in range(5, 10)),
    *(f"={suit}" for suit in "CSHD"),
    "take",
    *("spil", "stryger", "tout", "stroget-tout"),
    *("solo", "halv", "nolo"),
    "concede",
)
"""Names by id. The reserved ids 59-63 have no name."""

ACTION_IDS: dict[str, int] = {name: action for action, name in enumerate(ACTION_NAMES)}

PASS = ACTION_IDS["-"]
TAKE = ACTION_IDS["take"]
CONCEDE = ACTION_IDS["concede"]
NOTHING = N_ACTIONS - 1
"""Reserved id for "no action". Every card table is neutral there."""

FIVES: dict[str, str] = {f"{suit}T": f"{suit}5" for suit in SUITS}
"""Codes of the tens in packs that print a five in place of the ten (RULES 1)."""
_TENS = {five: ten for ten, five in FIVES.items()}


def length_call(length: int, better: bool = False) -> int:
    """Return the id of the call "n", or "n better", for a length n.

    Raises:
        KeyError: there is no such call.
    """
    return ACTION_IDS[f"{length}+" if better else str(length)]


def naming_action(suit: int) -> int:
    """Return the id of the action that names a suit, by its index, as trumps."""
    return ACTION_IDS["=" + SUITS[suit]]


def name_of(action: int, fives: bool = False) -> str:
    """Return the name of an action id. With ``fives`` the tens are written as Danish fives.

    Raises:
        ValueError: the id is outside 0..58.
    """
    try:
        number = operator.index(action)
    except TypeError:
        number = NOTHING
    if not 0 <= number < len(ACTION_NAMES):
        raise ValueError(f"action {told(action)} has no name: ids are 0 to {len(ACTION_NAMES) - 1}")
    name = ACTION_NAMES[number]
    return FIVES.get(name, name) if fives else name


def id_of(name: str) -> int:
    """Return the id of an action name. A Danish five has the id of the ten.

    Raises:
        ValueError: no action has this name; the message suggests the nearest one.
    """
    word = as_word(name)
    word = _TENS.get(word, word)
    if word not in ACTION_IDS:
        raise ValueError(f"unknown action {told(name)}{nearest(name, ACTION_IDS)}")
    return ACTION_IDS[word]


def is_card(action: int) -> bool:
    """Return whether an id is a card."""
    return 0 <= action < N_CARDS
