"""Health: how two policies played, in numbers that show a collapse before the edge does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, VectorSjavs, view
from sjavs_env.core.actions import PASS
from sjavs_env.core.auction_tables import possible_calls
from sjavs_env.core.codes import NONE

_POLICIES = 2
_PASS = np.uint64(1 << PASS)


def _counter() -> NDArray[np.int64]:
    return np.zeros(_POLICIES, np.int64)


@dataclass
class Tally:
    """Counts over some deals, each int64[2], by policy."""

    decisions: NDArray[np.int64] = field(default_factory=_counter)
    forced: NDArray[np.int64] = field(default_factory=_counter)
    """Decisions with one legal action."""
    choices: NDArray[np.int64] = field(default_factory=_counter)
    """Decisions between a pass and a call."""
    calls: NDArray[np.int64] = field(default_factory=_counter)
    """Calls where it might have passed."""
    plays: NDArray[np.int64] = field(default_factory=_counter)
    """Seats in deals that were not void."""
    tricks: NDArray[np.int64] = field(default_factory=_counter)
    declared: NDArray[np.int64] = field(default_factory=_counter)
    """Deals with declarer in one of its seats."""
    won: NDArray[np.int64] = field(default_factory=_counter)
    """Those that declarer won."""
    vols: NDArray[np.int64] = field(default_factory=_counter)
    """Those in which the losers had no trick."""

    def note(
        self, table: VectorSjavs, actions: NDArray[np.int64], sitting: NDArray[np.int8]
    ) -> None:
        """Count a decision of every row, before it is carried out.

        Args:
            table: The deals.
            actions: What was decided, int64[B].
            sitting: Which policy sits where, int8[B, P].
        """
        live = np.flatnonzero(~table.over)
        who, legal, action = sitting[live, table.seat[live]], table.legal[live], actions[live]
        calls = _calls(table.rules)
        choice = ((legal & _PASS) > 0) & ((legal & calls) > 0)
        self.decisions += _by_policy(who)
        self.forced += _by_policy(who[np.bitwise_count(legal) == 1])
        self.choices += _by_policy(who[choice])
        self.calls += _by_policy(who[choice & (action != PASS)])

    def close(self, table: VectorSjavs, sitting: NDArray[np.int8]) -> None:
        """Count the results of a table on which every deal is over."""
        seats = range(table.rules.seats)
        own = [view(table.observe(seat=seat), "tricks")[:, 0] for seat in seats]
        tricks = np.stack(own, axis=1)
        played = ~is_void(table)
        self.plays += _by_policy(sitting[played].reshape(-1))
        np.add.at(self.tricks, sitting[played], tricks[played])
        rows = np.flatnonzero(table.declarer != NONE)
        seat = table.declarer[rows]
        won = table.payoff[rows, seat] > 0
        lost_tricks = np.where(table.payoff[rows] < 0, tricks[rows], 0).sum(axis=1)
        vol = won & (lost_tricks == 0)
        self.declared += _by_policy(sitting[rows, seat])
        self.won += _by_policy(sitting[rows, seat][won])
        self.vols += _by_policy(sitting[rows, seat][vol])

    def rates(self, policy: int) -> dict[str, float | None]:
        """Return the measures of one policy; None where there was nothing to measure."""
        measures = {
            "call_rate": (self.calls, self.choices),
            "declared_rate": (self.declared, self.plays),
            "declarer_win_rate": (self.won, self.declared),
            "vol_rate": (self.vols, self.declared),
            "mean_tricks": (self.tricks, self.plays),
            "forced_share": (self.forced, self.decisions),
        }
        return {
            name: float(part[policy] / whole[policy]) if whole[policy] else None
            for name, (part, whole) in measures.items()
        }


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    whole = Tally()
    for tally in tallies:
        for name, counts in vars(tally).items():
            getattr(whole, name).__iadd__(counts)
    return whole


def is_void(table: VectorSjavs) -> NDArray[np.bool_]:
    """Return where nobody declared and nothing was played, bool[B]; every deal must be over."""
    void: NDArray[np.bool_] = (table.declarer == NONE) & (table.trump == NONE)
    return void


def _calls(rules: RuleSet) -> np.uint64:
    """Return all calls of a rule set but the pass, as bits."""
    return np.uint64(sum(1 << call for call in possible_calls(rules) if call != PASS))


def _by_policy(who: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return how often each policy occurs."""
    return np.bincount(who, minlength=_POLICIES)
