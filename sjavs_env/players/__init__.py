"""The built-in players: policies that see only observations.

In: packed words, legal actions and keys of a batch. Out: an action for each row.
Start with ``rule_of_thumb.py``: it bids with ``bidding.py`` and plays with ``cardplay.py``. Both
use the facts that ``facts.py`` derives from an observation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.players.random import Random
from sjavs_env.players.rule_of_thumb import RuleOfThumb


class Policy(Protocol):
    """A batched policy: it chooses one action for each row.

    Attributes:
        sees_all: Whether ``act`` gets the words of ``observe_all``, with all cards. Such a policy
            does not play fair.
    """

    sees_all: bool

    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return an action for each row.

        Args:
            words: Observation of the seat to act, uint32[N, W]; 0 in a row that is over.
            legal: The legal actions as bits, uint64[N].
            keys: A hash of seed, deal, seat and decision for each row, uint64[N]. It is the only
                source of randomness, so batch size and order of the rows change no choice.
        """
        ...


PLAYERS: dict[str, Callable[[RuleSet], Policy]] = {"random": Random, "rule-of-thumb": RuleOfThumb}
"""The built-in players by name."""


def player(name: str, rules: str | RuleSet) -> Policy:
    """Return a built-in player for a rule set.

    Raises:
        ValueError: there is no player of this name; the message suggests the nearest one.
    """
    word = as_word(name)
    if word not in PLAYERS:
        raise ValueError(f"unknown player {told(name)}{nearest(word, PLAYERS)}")
    return PLAYERS[word](rule_set(rules))


__all__ = ["PLAYERS", "Policy", "player"]
