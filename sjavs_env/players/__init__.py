"""The built-in players: policies that act from observations alone.

In: packed words, legal actions, keys. Out: an action for each row, many rows at once.
Start with ``rule_of_thumb.py``: it bids by ``bidding.py`` and plays by ``cardplay.py``, from what
``facts.py`` works out.
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
    """Whatever chooses actions, batched.

    Attributes:
        sees_all: It is given the words of ``observe_all``, with all cards, and so does not play
            fair.
    """

    sees_all: bool

    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return an action for each row.

        Args:
            words: What the seat to act may know, uint32[N, W]; 0 in a row that is over.
            legal: The legal actions as bits, uint64[N].
            keys: A hash of seed, deal, seat and decision for each row, uint64[N]: the only
                randomness, so that neither batch size nor order changes a choice.
        """
        ...


PLAYERS: dict[str, Callable[[RuleSet], Policy]] = {"random": Random, "rule-of-thumb": RuleOfThumb}
"""The built-in players by name."""


def player(name: str, rules: str | RuleSet) -> Policy:
    """Return a built-in player for a rule set.

    Raises:
        ValueError: there is no player of this name; the nearest one is named.
    """
    word = as_word(name)
    if word not in PLAYERS:
        raise ValueError(f"unknown player {told(name)}{nearest(word, PLAYERS)}")
    return PLAYERS[word](rule_set(rules))


__all__ = ["PLAYERS", "Policy", "player"]
