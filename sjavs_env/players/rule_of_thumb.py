"""``rule-of-thumb``: a careful hand-written player, the baseline for every agent.

It keeps track of the cards that have been played, the voids that seats have shown, the number of
trumps that declarer announced, and the seats that still play to the trick. With these facts it
values every legal card. It does not use the keys.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.codes import PLAY
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.players.asked import check_asked
from sjavs_env.players.bidding import Bidding
from sjavs_env.players.cardplay import CardPlay
from sjavs_env.players.facts import bits_of
from sjavs_env.players.random import lowest_action
from sjavs_env.players.ranking import Ranking

_ONE = np.uint64(1)


class RuleOfThumb:
    """A player by rules of thumb, with the same code for every rule set."""

    sees_all: bool = False

    def __init__(self, rules: str | RuleSet) -> None:
        self.rules = rules = rule_set(rules)
        ranking = Ranking(rules)
        self._bidding, self._cardplay = Bidding(rules, ranking), CardPlay(rules, ranking)

    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return an action for each row; the keys are not read."""
        check_asked(words, legal, keys)
        action = lowest_action(legal)
        open_rows = np.flatnonzero(legal & legal - _ONE)
        columns = np.ascontiguousarray(words[open_rows].T)
        plays = bits_of(columns, "phase") == 1 << PLAY
        for choose, chosen in ((self._cardplay.choose, plays), (self._bidding.choose, ~plays)):
            if chosen.any():
                rows = open_rows[chosen]
                part = columns if chosen.all() else np.ascontiguousarray(columns[:, chosen])
                action[rows] = choose(part, legal[rows])
        return action
