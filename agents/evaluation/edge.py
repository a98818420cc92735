"""The edge of one policy over another: the same deals in every seating, with an interval.

In a *seating* A or B takes every score column, and both take at least one. There are 2 seatings for
pairs or two seats, 6 for three seats, 14 for four lone seats. The value of a deal is ½ (mean payoff
of A's seats − mean payoff of B's seats), averaged over its seatings. Void deals count as 0, because
they are part of the game. A deal has the same keys in every seating. Therefore a policy against
itself scores exactly 0, and swapped policies score exactly the negative edge.
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
from agents.evaluation.playout import Match, check_called, in_parts, match_of, play_out
from agents.evaluation.rubbers import Rubbers
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.arguments import whole_number
from sjavs_env.core.errors import told
from sjavs_env.core.tables.fingerprints import of_rules
from sjavs_env.players import Policy

BATCH = 2048
"""Deals that are played in one batch, each in every seating."""
FORMAT = 1
"""The format of ``results.json``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of a match of two policies, in game points per deal.

    Attributes:
        a: Name of the first policy.
        b: Name of the second policy.
        edge: Edge of A over B.
        low: Lower end of the 95 % bootstrap interval over deals.
        high: Upper end of the interval.
        plays: Plays: number of deals times number of seatings.
        wins: Deals that A won, summed over all their seatings.
        draws: Deals that neither won.
        losses: Deals that B won.
        health: Health measures, by "a" and "b", then by measure (``health``).
        health_by_seat: The same, with a list over the seats.
        rubbers: The result of rubbers between them, if they played any.
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
        """Half the width of the interval, in game points per deal."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class _Part:
    """The result of a part of a match's deals."""

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
        a: The first policy. With several processes both policies must pickle.
        b: The second policy.
        rules: The rule set.
        deals: Number of deals, from the start of the deal set.
        seed: Seed of the deal set and of the keys.
        deal_set: "train", "validation" or "test", or one of them with its version.
        names: Names of the two policies in the entry and in error sentences.
        batch: Deals played in one batch.
        processes: Number of processes.
        progress: Called with the number of deals just finished.

    Raises:
        ValueError: a number is out of range, or the deal set is unknown.
        IllegalActionError: a policy chose an illegal action; the sentence names the policy and
            gives the record.
    """
    match = match_of(names, (a, b), rules, deal_set, seed)
    check_called("progress", progress)
    parts = []
    for part in in_parts(partial(_play, match), {"deals": deals}, batch, processes, match):
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
        plays=deals * len(seatings(match.rules)),
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
    """Return the content of ``results.json`` for matches on the same deals.

    Args:
        entries: The results of the matches.
        agents: The fingerprint of every agent by name.
        rules: The rule set.
        deals: Number of deals of each match.
        seed: Seed of the deal set.
        deal_set: The deal set.

    Raises:
        ValueError: something is of another kind, or out of range.
    """
    rules = rule_set(rules)
    _check_entries(entries)
    if not isinstance(agents, Mapping):
        raise ValueError(f"agents={told(agents)} must be fingerprints by name")
    whole_number("deals", deals, 1)
    whole_number("seed", seed, 0)
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


def _check_entries(entries: object) -> None:
    if not isinstance(entries, Sequence) or not all(isinstance(each, Entry) for each in entries):
        raise ValueError(f"entries must be a list of what edge returns, not {told(entries)}")


def _play(match: Match, span: range) -> _Part:
    """Play some deals of a match in every seating.

    Args:
        match: The match.
        span: The numbers of the deals in the deal set.
    """
    held = seatings(match.rules)
    number = np.tile(np.arange(span.start, span.stop), len(held))
    deals = dealt(match.rules, span, match.deal_set, match.seed).take(number - span.start)
    tally = Tally(match.rules)
    play_out(match, deals, number, np.repeat(~held, len(span), axis=0).astype(np.int8), tally)
    payoff = deals.payoff.reshape(len(held), len(span), match.rules.seats)
    return _Part(deal_values(payoff, held), tally)
