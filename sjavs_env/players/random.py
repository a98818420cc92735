"""``random``: it plays every legal action with equal probability. Only the key decides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.arguments import check_array
from sjavs_env.core.tables.actions import NOTHING
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set

_ONE = np.uint64(1)
_HALF = np.uint64(32)
_SPLITMIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_LAST_SHIFT = np.uint64(31)


class Random:
    """A uniformly random player, the anchor of every rating."""

    sees_all: bool = False

    def __init__(self, rules: str | RuleSet) -> None:
        self.rules = rule_set(rules)

    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return one legal action for each row; the words are not read."""
        (rows,) = check_array("legal", legal, np.uint64, (None,))
        check_array("keys", keys, np.uint64, (rows,))
        number = np.bitwise_count(legal).astype(np.uint64)
        return nth_action(legal, (mixed(keys) >> _HALF) * number >> _HALF)


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a bijective hash of 64-bit words (the finaliser of splitmix64)."""
    bits = words + _INCREMENT
    for shift, factor in _SPLITMIX:
        bits = (bits ^ bits >> np.uint64(shift)) * np.uint64(factor)
    mixture: NDArray[np.uint64] = bits ^ bits >> _LAST_SHIFT
    return mixture


def nth_action(legal: NDArray[np.uint64], index: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the legal action number ``index``, counted from 0; ``NOTHING`` if there is none."""
    rest = legal.copy()
    for passed in range(int(index.max(initial=0))):
        rest &= rest - (index > passed)
    return lowest_action(rest)


def lowest_action(legal: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the lowest legal action; ``NOTHING`` if there is none."""
    below = np.bitwise_count((legal & ~legal + _ONE) - _ONE)
    return np.minimum(below, NOTHING).astype(np.int64)
