"""The small numbers in the machine's arrays: none, phases, classes, outcomes, bit widths."""

from __future__ import annotations

from sjavs_env.core.tables.cards import SUITS

NONE = -1
"""No seat, no suit, no contract."""

AUCTION, NAME, EXCHANGE, CONFIRM, PLAY, OVER = range(6)
PHASES = ("auction", "name", "exchange", "confirm", "play", "over")
"""Names of the phases by number."""

STEP_BITS = 3
"""Width of the step, below the phase, in ``State.clock``."""

N_SUITS = len(SUITS)
CLUBS = SUITS.index("C")
NO_TRUMP = TRUMP_CLASS = N_SUITS
"""As a context: no trumps. As a class: the trumps; classes 0-3 are the plain suits."""
N_CLASSES = N_SUITS + 1
"""Number of classes and of contexts. Contexts 0-3 are the trump suits, context 4 is no trumps.
As an index, the trump suit ``NONE`` (-1) selects context 4, because it counts from the end."""

PLACE_BITS = 2
"""Width of the place in the trick, below the strength, in ``State.best``."""

CLASS_BITS = 9
"""Width of context and card, below the class of the lead, in ``State.row``."""

VOID_BITS = N_CLASSES
"""Bits for each seat in ``State.voids``, one for each class."""

TRICK_BITS = 5
"""Bits of a number of tricks, at most 16 (``State.tricks``, ``State.fell``)."""

CARD_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
"""Card points by rank letter (RULES 1). A Danish five counts as the ten."""

PACK_POINTS = 120
VOL, ONE_SEAT, NO_TRICK, CONCEDED = range(PACK_POINTS + 1, PACK_POINTS + 5)
N_OUTCOMES = PACK_POINTS + 5
"""Number of outcomes. Outcomes 0-120 are the card points of the declaring side. The others are
decided by tricks or by conceding; a higher one takes precedence."""
