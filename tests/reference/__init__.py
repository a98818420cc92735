"""A naive, independent implementation of the rules. Tests compare the fast core with it."""

from tests.reference.deal import Deal
from tests.reference.games import ALIASES, PRESETS, options_of
from tests.reference.notation import random_deal
from tests.reference.rubber import Rubber
from tests.reference.scoring import Result

__all__ = ["ALIASES", "PRESETS", "Deal", "Result", "Rubber", "options_of", "random_deal"]
