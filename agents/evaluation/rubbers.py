"""Rubbers between two policies: the share that each wins, with the same cards in every seating."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.dealsets import stream
from agents.evaluation.duplicate import deal_values, interval, seatings
from agents.evaluation.health import is_void
from agents.evaluation.playout import Match, check_called, in_parts, match_of, play_out
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.rules import rubber
from sjavs_env.players import Policy

BLOCK = 500
"""Rubbers in a block. For each deal of a rubber one generator deals the cards of the block."""
MOST_DEALS = 1000
"""Deals, void ones too, after which a rubber counts as drawn. Without this limit a rubber in which
nobody calls would never end."""
_NAME = "rubbers"


@dataclass(frozen=True, slots=True)
class Rubbers:
    """The result of rubbers between two policies.

    Attributes:
        share: Share of rubbers that the first policy won. Drawn rubbers count half.
        low: Lower end of the 95 % bootstrap interval over rubbers.
        high: Upper end of the interval.
        plays: Plays: number of rubbers times number of seatings.
    """

    share: float
    low: float
    high: float
    plays: int


def rubbers(
    a: Policy,
    b: Policy,
    rules: str | RuleSet,
    number: int = 1000,
    seed: int = 0,
    deal_set: str = "test",
    *,
    names: tuple[str, str] = ("a", "b"),
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Rubbers:
    """Measure the share of rubbers that A wins from B.

    Each rubber is played in every seating, with the same first dealer and the same cards in each
    deal. The policy whose seats have the higher mean payoff wins the rubber (RULES 8).

    Args:
        a: The first policy. With several processes both policies must pickle.
        b: The second policy.
        rules: The rule set.
        number: Number of rubbers.
        seed: Seed of the deals and of the keys.
        deal_set: "train", "validation" or "test", or one of them with its version.
        names: Names of the two policies in error sentences.
        processes: Number of processes. It does not change the result.
        progress: Called with the number of rubbers just finished.

    Raises:
        ValueError: a number is out of range, or the deal set is unknown.
        IllegalActionError: a policy chose an illegal action; the sentence names the policy and
            gives the record.
    """
    match = match_of(names, (a, b), rules, deal_set, seed)
    check_called("progress", progress)
    parts = []
    for part in in_parts(partial(_play, match), {_NAME: number}, BLOCK, processes, match):
        parts.append(part)
        if progress is not None:
            progress(len(part))
    won = np.concatenate(parts)
    low, high = interval(won)
    # ``won`` is the share less 0.5. It is symmetric about 0, so swapped policies mirror the
    # interval exactly.
    share, low, high = (float(value) + 0.5 for value in (won.mean(), low, high))
    return Rubbers(share, low, high, plays=number * len(seatings(match.rules)))


def _play(match: Match, span: range) -> NDArray[np.float64]:
    """Play some rubbers in every seating; return the share that A won less 0.5, float64[rubbers].

    Args:
        match: The match.
        span: The numbers of the rubbers.
    """
    rules, held = match.rules, seatings(match.rules)
    first = VectorSjavs(rules, len(span), _cards(match, span)).dealer
    sheets = rubber.begin(rules, np.tile(first, len(held)))
    desk = VectorSjavs(rules, len(held) * len(span))
    for deal in range(MOST_DEALS):
        if sheets.over.all():
            break
        _play_deal(match, span, deal, desk, sheets)
    payoff = sheets.payoff.T.reshape(len(held), 1, len(span), rules.seats)
    won = [np.sign(deal_values(*seating)) for seating in zip(payoff, held[:, None], strict=True)]
    share: NDArray[np.float64] = np.sum(won, axis=0) / (2 * len(held))
    return share


def _cards(match: Match, span: range, *deal: int) -> int:
    """Return the seed of the cards of a deal in a block of rubbers.

    Without a deal, return the seed of their first dealers.
    """
    return stream(match.deal_set, match.seed, _NAME, span.start // BLOCK, *deal)


def _play_deal(
    match: Match, span: range, deal: int, desk: VectorSjavs, sheets: rubber.Rubbers
) -> None:
    """Play and score one deal of every rubber that is not over."""
    held = seatings(match.rules)
    for rows in np.arange(desk.batch).reshape(len(held), -1):
        desk.reset(
            rows=rows,
            dealer=sheets.dealer[rows],
            columns=sheets.columns.T[rows],
            carry=sheets.carry[rows],
            seed=_cards(match, span, deal),
        )
    live = np.flatnonzero(~sheets.over)
    deals = desk.take(live)
    number = (span.start + live % len(span)) * MOST_DEALS + deal
    play_out(match, deals, number, (~held[live // len(span)]).astype(np.int8))
    gains = np.zeros_like(sheets.columns)
    ties, void = np.zeros_like(sheets.carry), np.zeros_like(sheets.over)
    gains[:, live], ties[live], void[live] = deals.gains.T, deals.ties, is_void(deals)
    rubber.score(sheets, gains, ties, void)
