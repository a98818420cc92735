"""Tables of the order of phases, the declaring side, and the gains of each outcome."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.codes import (
    AUCTION,
    CONCEDED,
    N_OUTCOMES,
    NO_TRICK,
    ONE_SEAT,
    OVER,
    PACK_POINTS,
    PHASES,
    VOL,
)
from sjavs_env.core.tables.ruleset import Contract, RuleSet
from sjavs_env.core.tables.scores import Gain, Score


def contracts_of(rules: RuleSet) -> list[Contract]:
    """Return the contracts by index. The contract without declarer, if there is one, is last."""
    if rules.all_pass != "clubs" or rules.nobody is None:
        return list(rules.contracts)
    return [*rules.contracts, Contract("", (rules.nobody, rules.nobody), ("play",))]


def phase_table(rules: RuleSet) -> NDArray[np.uint8]:
    """Return the phase after each phase, by contract and whether declarer has conceded.

    The last contract stands for ``NONE``: the deal is void, and over.
    """
    table = np.full((len(contracts_of(rules)) + 1, len(PHASES), 2), OVER, np.uint8)
    for index, contract in enumerate(contracts_of(rules)):
        phases = [AUCTION, *(PHASES.index(name) for name in contract.flow), OVER]
        for phase, following in pairwise(phases):
            table[index, phase, 0] = following
        chosen = rules.contracts[0].flow if index < len(rules.contracts) else ()
        if "confirm" in chosen:
            table[index, PHASES.index("confirm"), 0] = PHASES.index("play")
    return table


def declaring_side(rules: RuleSet, contract: Contract, declarer: int) -> set[int]:
    """Return the seats that win or lose with declarer."""
    if contract.alone:
        return {declarer}
    return {s for s in range(rules.seats) if rules.column(s) == rules.column(declarer)}


def side_table(rules: RuleSet) -> NDArray[np.uint8]:
    """Return the declaring side as a set of seats, in a flat table by contract and declarer."""
    return np.array(
        [
            sum(1 << seat for seat in declaring_side(rules, contract, declarer))
            for contract in contracts_of(rules)
            for declarer in range(rules.seats)
        ],
        np.uint8,
    )


def gain_of(score: Score, outcome: int) -> Gain:
    """Return the gain of an outcome: a number of card points, or an outcome decided by tricks."""
    told = {
        VOL: score.vol,
        ONE_SEAT: score.one_seat,
        NO_TRICK: score.no_trick,
        CONCEDED: score.conceded,
    }
    if outcome in told:
        return told[outcome]
    if outcome == score.tie:
        return 0, 0
    return next(gain for least, gain in score.bands if outcome >= least)


def gain_table(rules: RuleSet) -> NDArray[np.int16]:
    """Return the gains int16[2, n] of both sides (declaring, others).

    Axis n runs over contract, clubs and outcome.
    """
    gains = [
        gain_of(score, outcome)
        for contract in contracts_of(rules)
        for score in contract.scores
        for outcome in range(N_OUTCOMES)
    ]
    return np.array(gains, np.int16).T.copy()


def tie_table(rules: RuleSet) -> NDArray[np.bool_]:
    """Return which outcomes are ties that the next deal carries, in the order of the gains."""
    return np.array(
        [
            outcome == score.tie and outcome <= PACK_POINTS
            for contract in contracts_of(rules)
            for score in contract.scores
            for outcome in range(N_OUTCOMES)
        ],
        np.bool_,
    )
