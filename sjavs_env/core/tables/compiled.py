"""The lookup tables of the machine, compiled once from a rule set by plain, naive code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables import auction_tables, card_tables, score_tables
from sjavs_env.core.tables.codes import N_CLASSES, NONE, TRUMP_CLASS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set


@dataclass(frozen=True, eq=False)
class Tables:
    """Compiled tables of one rule set; every array is read-only.

    Attributes:
        rules: The rule set.
        pack: Ids of the cards in play, in dealing order.
        points: Card points, by action.
        trumps: Set of the trumps, by context.
        follow: Set of the cards that follow, by context and lead.
        row: Start of the strengths in ``strength``, by context and lead.
        strength: Strength in the trick, above ``PLACE_BITS`` bits left free for the place in the
            trick; by ``row`` and card.
        ruff: Card sets for a seat that cannot follow, in order: it must play from the first set
            that contains one of its cards. By context and best strength in the trick.
        calls: Legal auction actions, by claim of the hand and standing call.
        nameable: Legal namings of trumps, by the set of the hand's longest suits.
        confirmable: Legal choices before the first lead.
        call_contract: Contract of an action; for the pass it is ``nobody``.
        call_trump: Trump suit that an action settles.
        next_phase: Next phase, by contract (the last is ``NONE``), phase, and whether declarer
            has conceded.
        declaring: Seats of the declaring side as a set, by contract and declarer.
        gains: Gains of the declaring and of the other columns, by contract, clubs and outcome.
        ties: Whether an outcome is a tie that the next deal carries, in the same order.
        nobody: Index of the contract without declarer, ``NONE`` if the rules have none.
        alone: Whether declarer plays alone in a game of pairs, by contract.
        trumpless: Whether the contract has no trumps, by contract.
        max_decisions: Upper bound on the number of decisions in a deal.
    """

    rules: RuleSet
    pack: NDArray[np.uint8]
    points: NDArray[np.uint8]
    trumps: NDArray[np.uint32]
    follow: NDArray[np.uint32]
    row: NDArray[np.uint16]
    strength: NDArray[np.uint8]
    ruff: tuple[NDArray[np.uint32], ...]
    calls: NDArray[np.uint64]
    nameable: NDArray[np.uint64]
    confirmable: int
    call_contract: NDArray[np.int8]
    call_trump: NDArray[np.int8]
    next_phase: NDArray[np.uint8]
    declaring: NDArray[np.uint8]
    gains: NDArray[np.int16]
    ties: NDArray[np.bool_]
    nobody: int
    alone: NDArray[np.bool_]
    trumpless: NDArray[np.bool_]
    max_decisions: int


def compile_tables(rules: str | RuleSet) -> Tables:
    """Return the tables of a rule set, compiled on the first call."""
    return _compiled(rule_set(rules))


@lru_cache(maxsize=64)
def _compiled(rules: RuleSet) -> Tables:
    """Return the tables of a rule set."""
    contracts = score_tables.contracts_of(rules)
    nobody = len(rules.contracts) if len(contracts) > len(rules.contracts) else NONE
    tables = Tables(
        rules=rules,
        pack=np.array(card_tables.pack_of(rules), np.uint8),
        points=card_tables.by_card(card_tables.card_points, np.uint8),
        trumps=np.array(
            [card_tables.class_mask(rules, c, TRUMP_CLASS) for c in range(N_CLASSES)], np.uint32
        ),
        follow=card_tables.follow_table(rules),
        row=card_tables.by_lead(
            lambda context, card: card_tables.strength_row(rules, context, card), np.uint16
        ),
        strength=card_tables.strength_table(rules),
        ruff=card_tables.ruff_tables(rules),
        calls=auction_tables.call_table(rules),
        nameable=auction_tables.nameable_table(rules),
        confirmable=auction_tables.confirmable(rules),
        call_contract=auction_tables.call_contracts(rules, nobody),
        call_trump=auction_tables.call_trumps(rules, nobody),
        next_phase=score_tables.phase_table(rules),
        declaring=score_tables.side_table(rules),
        gains=score_tables.gain_table(rules),
        ties=score_tables.tie_table(rules),
        nobody=nobody,
        alone=np.array([contract.alone for contract in contracts]),
        trumpless=np.array([not contract.trumps for contract in contracts]),
        max_decisions=_most_decisions(rules),
    )
    for value in vars(tables).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return tables


def _most_decisions(rules: RuleSet) -> int:
    """Return an upper bound on the decisions in a deal: calls, exchange, cards, and three more.

    The three are naming trumps, taking up the talon, and the choice before the first lead.
    """
    return rules.seats * (1 + rules.n_tricks) + rules.lay_away[-1] + 3
