"""Tables of the auction, the naming of trumps and the choice before the lead.

The *claim* of a hand is a number that decides what the hand may call:

- In an auction of lengths it is 2L + 1 if clubs are among the suits of the greatest trump length
  L, else 2L.
- In ``french8`` it is the set of suits that the hand may call.
- In an auction of contracts every hand may call everything, and the claim is 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import CLUBS, N_SUITS, NONE
from sjavs_env.core.tables.ruleset import RuleSet

LEAST_LENGTH = 5
"""The shortest trump length that may be called; in ``french8``, in a suit that may be called."""
_LENGTHS = range(LEAST_LENGTH, 13)
_BETTER = range(LEAST_LENGTH, 10)
N_CLAIMS = 2 * 14


def action_mask(actions: Iterable[int]) -> int:
    """Return the set of some action ids as a 64-bit mask."""
    return sum(1 << action for action in set(actions))


def _value(call: int) -> int:
    """Return the rank of a length call: 2n, or 2n + 1 for "n better"; 0 for a pass."""
    name = a.ACTION_NAMES[call]
    return 0 if call == a.PASS else 2 * int(name.rstrip("+")) + name.endswith("+")


def _length_calls(rules: RuleSet, claim: int, standing: int) -> set[int]:
    """Return the legal calls of a hand in the Faroese auction (RULES 2, 1-4)."""
    length, clubs = divmod(claim, 2)
    if length not in _LENGTHS:
        return {a.PASS}
    beats = 2 * length > _value(standing) | 1
    equals = clubs and 2 * length == _value(standing) and length in _BETTER
    if not beats and not equals:
        return {a.PASS}
    call = a.length_call(length, better=not beats)
    return {call} if rules.bidding == "forced" else {call, a.PASS}


def _suit_calls(claim: int, standing: int) -> set[int]:
    """Return the legal calls of a hand in the French auction (RULES 7)."""
    order = [a.naming_action(suit) for suit in range(N_SUITS)]
    above = order.index(standing) + 1 if standing in order else 0
    return {a.PASS, *(order[suit] for suit in range(above, N_SUITS) if claim >> suit & 1)}


def _contract_calls(rules: RuleSet, standing: int) -> set[int]:
    """Return the contracts above the standing one, and the pass (RULES 5, 6)."""
    order = [a.id_of(contract.action) for contract in rules.contracts]
    above = order.index(standing) + 1 if standing in order else 0
    return {a.PASS, *order[above:]}


def possible_calls(rules: RuleSet) -> list[int]:
    """Return all actions that are possible in the auction of a rule set, the pass first."""
    if rules.auction == "length":
        most = rules.hand_size + rules.piles
        lengths = [n for n in _LENGTHS if n <= most]
        better = [a.length_call(n, better=True) for n in _BETTER if n <= most]
        return [a.PASS, *map(a.length_call, lengths), *better]
    if rules.auction == "suit":
        return [a.PASS, *(a.naming_action(suit) for suit in range(N_SUITS))]
    return [a.PASS, *(a.id_of(contract.action) for contract in rules.contracts)]


def call_table(rules: RuleSet) -> NDArray[np.uint64]:
    """Return the legal calls as a flat table, by claim and standing call."""
    table = np.zeros((N_CLAIMS, a.N_ACTIONS), np.uint64)
    for standing in possible_calls(rules):
        for claim in range(N_CLAIMS):
            if rules.auction == "length":
                calls = _length_calls(rules, claim, standing)
            elif rules.auction == "suit":
                calls = _suit_calls(claim, standing)
            else:
                calls = _contract_calls(rules, standing)
            table[claim, standing] = action_mask(calls)
    return table.reshape(-1)


def nameable_table(rules: RuleSet) -> NDArray[np.uint64]:
    """Return the legal namings by the set of a hand's longest suits (RULES 2, 5; RULES 6)."""
    every = action_mask(a.naming_action(suit) for suit in range(N_SUITS))
    table = np.full(1 << N_SUITS, every, np.uint64)
    if rules.trump_choice == "longest":
        for longest in range(1 << N_SUITS):
            suits = [suit for suit in range(N_SUITS) if longest >> suit & 1]
            named = [CLUBS] if CLUBS in suits else suits
            table[longest] = action_mask(a.naming_action(suit) for suit in named)
    return table


def confirmable(rules: RuleSet) -> int:
    """Return the legal choices before the first lead: play on, concede, or another contract."""
    others = [a.id_of(c.action) for c in rules.contracts[1:]] if rules.auction == "suit" else []
    return action_mask([a.PASS, *others, *([a.CONCEDE] if rules.concede else [])])


def call_contracts(rules: RuleSet, nobody: int) -> NDArray[np.int8]:
    """Return the contract of each action.

    An action that names no contract stands for the first. The pass, if it is still the standing
    call at the end of the auction, stands for the contract ``nobody``.
    """
    table = np.zeros(a.N_ACTIONS, np.int8)
    for index, contract in enumerate(rules.contracts):
        if contract.action:
            table[a.id_of(contract.action)] = index
    table[a.PASS] = nobody
    return table


def call_trumps(rules: RuleSet, nobody: int) -> NDArray[np.int8]:
    """Return the trump suit that each call or naming settles, ``NONE`` if it settles none.

    The contract ``nobody`` is played in clubs.
    """
    fixed = CLUBS if rules.trump_choice == "clubs" else NONE
    table = np.full(a.N_ACTIONS, fixed, np.int8)
    for suit in range(N_SUITS):
        table[a.naming_action(suit)] = suit
    table[a.PASS] = NONE if nobody == NONE else CLUBS
    return table
