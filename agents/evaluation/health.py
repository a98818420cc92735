"""Health: how two policies played, by seat. It shows a collapse before the edge does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, VectorSjavs, rule_set, view
from sjavs_env.core.tables.actions import PASS
from sjavs_env.core.tables.auction_tables import possible_calls
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import NONE, PLAY
from sjavs_env.players.facts import Facts
from sjavs_env.players.ranking import Ranking

MEASURES = {
    "call_rate": ("calls", "choices"),
    "declared_rate": ("declared", "plays"),
    "declarer_win_rate": ("won", "declared"),
    "vol_rate": ("vols", "declared"),
    "mean_tricks": ("tricks", "plays"),
    "forced_share": ("forced", "decisions"),
    "partner_overtaken": ("overtaken", "held"),
    "points_thrown": ("thrown", "plays"),
}
"""The health measures of a policy, each one count divided by another.

- ``call_rate``: calls, per decision between a call and a pass.
- ``declared_rate``: seats that declared, per seat in a deal that was played.
- ``declarer_win_rate``: deals that the declarer won, per deal declared.
- ``vol_rate``: deals that the declarer won without a trick for the losers, per deal declared.
- ``mean_tricks``: tricks, per seat in a deal that was played.
- ``forced_share``: decisions with one legal action, per decision.
- ``partner_overtaken``: tricks that a seat took from its own side, per trick that it could have
  taken from its own side or left to it.
- ``points_thrown``: card points that a seat played into tricks of the other side, per seat in a
  deal that was played.

The sides are the declarer's side and the others. In a deal without a declarer they are the pairs.
"""
_POLICIES = 2
_PASS = np.uint64(1 << PASS)
_CARDS = np.uint64(2**N_CARDS - 1)
_ONE = np.uint32(1)


_ranking = lru_cache(maxsize=64)(Ranking)


class Tally:
    """Counts for the health measures over some deals, by policy and seat."""

    def __init__(self, rules: str | RuleSet) -> None:
        self._rules = rules = rule_set(rules)
        self._ranking = _ranking(rules)
        names = sorted({name for pair in MEASURES.values() for name in pair})
        self.counts = {name: np.zeros((_POLICIES, rules.seats), np.int64) for name in names}

    def note(
        self, table: VectorSjavs, actions: NDArray[np.int64], sitting: NDArray[np.int8]
    ) -> None:
        """Count a decision of every row, before the table takes the step.

        Args:
            table: The deals.
            actions: The actions chosen, int64[B].
            sitting: The policy, 0 or 1, at each seat, int8[B, P].
        """
        live = np.flatnonzero(~table.over)
        seat, legal, action = table.seat[live], table.legal[live], actions[live]
        who = sitting[live, seat]
        choice = may_call(legal, table.rules)
        self._add("decisions", who, seat)
        self._add("forced", who, seat, np.bitwise_count(legal) == 1)
        self._add("choices", who, seat, choice)
        self._add("calls", who, seat, choice & (action != PASS))
        words = table.observe()
        play = live[view(words[live], "phase")[:, PLAY] > 0]
        if len(play):
            self._note_card(words[play], table, play, actions[play], sitting)

    def _note_card(
        self,
        words: NDArray[np.uint32],
        table: VectorSjavs,
        rows: NDArray[np.intp],
        actions: NDArray[np.int64],
        sitting: NDArray[np.int8],
    ) -> None:
        """Count how the cards played in some rows change the trick."""
        facts = Facts(self._rules, self._ranking, np.ascontiguousarray(words.T))
        seat = table.seat[rows]
        cards = (table.legal[rows] & _CARDS).astype(np.uint32)
        legal = self._ranking.renumber(cards, facts.context)
        card = self._ranking.renumber(_ONE << actions.astype(np.uint32), facts.context)
        higher = ~((facts.best << _ONE) - _ONE)
        on_trump = facts.best & facts.trumps != 0
        taking = np.where(on_trump, facts.trumps, facts.led_mask) & higher
        taking |= np.where(on_trump, np.uint32(0), facts.trumps)
        held = facts.ally_wins & (legal & taking != 0) & (legal & ~taking != 0)
        takes = (card & taking != 0) | (facts.best == 0)
        who = sitting[rows, seat]
        self._add("held", who, seat, held)
        self._add("overtaken", who, seat, held & takes)
        last = ~np.any([other.to_play for other in facts.seats], axis=0)
        ours = takes | facts.ally_wins
        self._add("thrown", who, seat, last & ~ours, facts.points(card))
        for offset, other in enumerate(facts.seats, start=1):
            sits = (seat + offset) % self._rules.seats
            lost = last & (other.is_ally != ours)
            self._add("thrown", sitting[rows, sits], sits, lost, facts.points(other.card))

    def close(self, table: VectorSjavs, sitting: NDArray[np.int8]) -> None:
        """Count the results of a table. Every deal must be over.

        Args:
            table: The deals.
            sitting: The policy, 0 or 1, at each seat, int8[B, P].
        """
        seats = range(table.rules.seats)
        own = [view(table.observe(seat=seat), "tricks")[:, 0] for seat in seats]
        tricks = np.stack(own, axis=1)
        played = ~is_void(table)
        for each in seats:
            here = np.full(table.batch, each, np.int8)
            self._add("plays", sitting[:, each], here, played)
            self._add("tricks", sitting[:, each], here, played, tricks[:, each])
        rows = np.flatnonzero(table.declarer != NONE)
        seat = table.declarer[rows]
        who = sitting[rows, seat]
        won = table.payoff[rows, seat] > 0
        lost_tricks = np.where(table.payoff[rows] < 0, tricks[rows], 0).sum(axis=1)
        self._add("declared", who, seat)
        self._add("won", who, seat, won)
        self._add("vols", who, seat, won & (lost_tricks == 0))

    def _add(
        self,
        name: str,
        who: NDArray[np.int8],
        seat: NDArray[np.int8],
        where: NDArray[np.bool_] | None = None,
        number: NDArray[np.generic] | None = None,
    ) -> None:
        """Add to a count, for each seat chosen by ``where``, its number, or 1 without numbers."""
        chosen = slice(None) if where is None else where
        weights = None if number is None else number[chosen]
        cell = who[chosen].astype(np.intp) * self._rules.seats + seat[chosen]
        counts = self.counts[name]
        found = np.bincount(cell, weights, minlength=counts.size)
        counts += np.rint(found).astype(np.int64).reshape(counts.shape)

    def rates(self, policy: int) -> dict[str, float | None]:
        """Return the measures of one policy over all seats; None where the divisor is 0."""
        return {name: _share(*(cell.sum() for cell in pair)) for name, pair in self._pairs(policy)}

    def rates_by_seat(self, policy: int) -> dict[str, list[float | None]]:
        """Return the measures of one policy for each seat; None where the divisor is 0."""
        return {
            name: [_share(*cells) for cells in zip(*pair, strict=True)]
            for name, pair in self._pairs(policy)
        }

    def _pairs(self, policy: int) -> Iterator[tuple[str, tuple[NDArray[np.int64], ...]]]:
        """Yield the two counts of each measure, by seat."""
        for name, pair in MEASURES.items():
            yield name, tuple(self.counts[count][policy] for count in pair)


def _share(part: np.int64, whole: np.int64) -> float | None:
    return float(part / whole) if whole else None


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of one or more tallies, in the first of them."""
    first, *others = tallies
    for tally in others:
        for name, counts in tally.counts.items():
            first.counts[name] += counts
    return first


def is_void(table: VectorSjavs) -> NDArray[np.bool_]:
    """Return which deals are void: no declarer and no trumps, bool[B]. Every deal must be over."""
    void: NDArray[np.bool_] = (table.declarer == NONE) & (table.trump == NONE)
    return void


def may_call(legal: NDArray[np.uint64], rules: str | RuleSet) -> NDArray[np.bool_]:
    """Return where a seat may choose between a call and a pass, bool[N].

    Args:
        legal: Legal actions, uint64[N] as bits.
        rules: The rule set.
    """
    rules = rule_set(rules)
    calls = np.uint64(sum(1 << call for call in possible_calls(rules) if call != PASS))
    choice: NDArray[np.bool_] = ((legal & _PASS) > 0) & ((legal & calls) > 0)
    return choice
