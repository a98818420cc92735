"""The small numbers that the machine's arrays hold: nothing, phases, classes, outcomes."""

from __future__ import annotations

from sjavs_env.core.tables.cards import SUITS

NONE = -1
"""No seat, no suit, no contract."""

AUCTION, NAME, EXCHANGE, CONFIRM, PLAY, OVER = range(6)
PHASES = ("auction", "name", "exchange", "confirm", "play", "over")
"""Names of the phases by number."""

STEP_BITS = 3
"""A phase stands above this many bits of the step within it (``State.clock``)."""

N_SUITS = len(SUITS)
CLUBS = SUITS.index("C")
NO_TRUMP = TRUMP_CLASS = N_SUITS
"""Context without trumps, and the class of the trumps; classes 0-3 are the plain suits."""
N_CLASSES = N_SUITS + 1
"""Contexts 0-3 are the trump suits and 4 none; a trump of ``NONE`` wraps to the last one."""

PLACE_BITS = 2
"""A card's strength in its trick stands above this many bits of the place that played it."""

CLASS_BITS = 9
"""The class of a lead stands above this many bits of context and card (``State.row``)."""

VOID_BITS = N_CLASSES
"""Bits of each seat among the shown voids, one for each class (``State.voids``)."""

TRICK_BITS = 5
"""Bits of a number of tricks, up to 16 (``State.tricks``, ``State.fell``)."""

CARD_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
"""Card points by rank letter (RULES 1); a Danish five is written as the ten."""

PACK_POINTS = 120
VOL, ONE_SEAT, NO_TRICK, CONCEDED = range(PACK_POINTS + 1, PACK_POINTS + 5)
N_OUTCOMES = PACK_POINTS + 5
"""Outcomes of a deal: 0-120 are the declaring side's card points, then those told by tricks,
in order of precedence."""
