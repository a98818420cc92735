"""The edge of one policy over another: the same deals in every seating, with an interval.

In a *seating* every score column is taken by A or by B, and both have at least one: 2 seatings of
pairs or two seats, 6 of three seats, 14 of four lone seats. A deal is worth ½ (mean payoff of A's
seats − mean payoff of B's seats), averaged over its seatings. Void deals count, as 0: they are part
of the game. A policy against itself scores exactly 0, and swapped policies exactly the
negative, for a deal has the same keys in every seating.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.common.provenance import versions
from agents.evaluation.dealsets import dealt, versioned
from agents.evaluation.duplicate import deal_values, interval, seatings
from agents.evaluation.health import Tally, total
from agents.evaluation.playout import Match, in_parts, play_out
from agents.evaluation.rubbers import Rubbers
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.tables.fingerprints import of_rules
from sjavs_env.players import Policy

BATCH = 2048
"""Deals that are played side by side, each in every seating."""
FORMAT = 1
"""Of ``results.json``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a match of two policies came to; in game points per deal.

    Attributes:
        a: Name of the first policy.
        b: Name of the second.
        edge: Edge of A over B.
        low: Lower end of the 95 % bootstrap interval over deals.
        high: Upper end.
        plays: Deals that were played: deals times seatings.
        wins: Deals that A won, over all their seatings together.
        draws: Deals that neither won.
        losses: Deals that B won.
        health: How the two played, by "a" and "b", then by measure (``health``).
        health_by_seat: The same for each seat.
        rubbers: What rubbers between them came to, if any were played.
    """

    a: str
    b: str
    edge: float
    low: float
    high: float
    plays: int
    wins: int
    draws: int
    losses: int
    health: dict[str, dict[str, float | None]]
    health_by_seat: dict[str, dict[str, list[float | None]]]
    rubbers: Rubbers | None = None

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class _Part:
    """What some deals of a match came to."""

    values: NDArray[np.float64]
    tally: Tally


def edge(
    a: Policy,
    b: Policy,
    rules: str | RuleSet,
    deals: int = 2000,
    seed: int = 0,
    deal_set: str = "test",
    *,
    names: tuple[str, str] = ("a", "b"),
    batch: int = BATCH,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Entry:
    """Measure the edge of A over B.

    Neither ``batch`` nor ``processes`` changes the result.

    Args:
        a: The first policy; with several processes it must pickle, and so must the second.
        b: The second policy.
        rules: The rule set.
        deals: Number of deals, the first ones of the deal set.
        seed: Seed of the deal set and of the keys.
        deal_set: "train", "validation" or "test", or one of them with its version.
        names: What to call the two in the entry and in complaints.
        batch: Deals played side by side.
        processes: Number of processes.
        progress: Called with the number of deals just finished.

    Raises:
        ValueError: a number is out of range, or the deal set is unknown.
        IllegalActionError: a policy chose an illegal action; it is named, with the record.
    """
    rules = rule_set(rules)
    match = Match(names, (a, b), rules, deal_set, seed)
    parts = []
    for part in in_parts(partial(_play, match), {"deals": deals}, batch, processes):
        parts.append(part)
        if progress is not None:
            progress(len(part.values))
    values = np.concatenate([part.values for part in parts])
    tally = total(part.tally for part in parts)
    low, high = interval(values)
    return Entry(
        *names,
        edge=float(values.mean()),
        low=low,
        high=high,
        plays=deals * len(seatings(rules)),
        wins=int((values > 0).sum()),
        draws=int((values == 0).sum()),
        losses=int((values < 0).sum()),
        health={side: tally.rates(policy) for policy, side in enumerate("ab")},
        health_by_seat={side: tally.rates_by_seat(policy) for policy, side in enumerate("ab")},
    )


def results(
    entries: Sequence[Entry],
    agents: Mapping[str, str],
    rules: str | RuleSet,
    *,
    deals: int,
    seed: int,
    deal_set: str,
) -> dict[str, object]:
    """Return matches on the same deals as the plain value of ``results.json``.

    Args:
        entries: The matches.
        agents: The fingerprint of every agent by name.
        rules: The rule set.
        deals: Number of deals of each match.
        seed: Seed of the deal set.
        deal_set: The deal set.
    """
    rules = rule_set(rules)
    return {
        "format": FORMAT,
        "rules": {"name": rules.name, "options": dict(rules.options)},
        "fingerprint": of_rules(rules),
        "deal_set": versioned(deal_set),
        "seed": seed,
        "deals": deals,
        "entries": [asdict(entry) for entry in entries],
        "agents": [{"name": name, "fingerprint": agents[name]} for name in agents],
        "versions": versions(),
    }


def _play(match: Match, span: range) -> _Part:
    """Play some deals in every seating."""
    held = seatings(match.rules)
    number = np.tile(np.arange(span.start, span.stop), len(held))
    deals = dealt(match.rules, span, match.deal_set, match.seed).take(number - span.start)
    tally = Tally(match.rules)
    play_out(match, deals, number, np.repeat(~held, len(span), axis=0).astype(np.int8), tally)
    payoff = deals.payoff.reshape(len(held), len(span), match.rules.seats)
    return _Part(deal_values(payoff, held), tally)
