"""Rubbers between two policies: how many each wins, over the same cards in every seating."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.dealsets import stream
from agents.evaluation.duplicate import deal_values, interval, seatings
from agents.evaluation.health import is_void
from agents.evaluation.playout import Match, in_parts, play_out
from sjavs_env import RuleSet, VectorSjavs, rule_set
from sjavs_env.core.rules import rubber
from sjavs_env.players import Policy

BLOCK = 500
"""Rubbers whose cards come from one generator a deal."""
MOST_DEALS = 1000
"""Deals, void ones too, after which a rubber counts as drawn: it may never end if nobody calls."""
_NAME = "rubbers"


@dataclass(frozen=True, slots=True)
class Rubbers:
    """What rubbers came to.

    Attributes:
        share: Share of them that the first policy won, drawn ones counted half.
        low: Lower end of the 95 % bootstrap interval over rubbers.
        high: Upper end.
        plays: Rubbers that were played: their number times the seatings.
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

    A rubber is played in every seating, with the same first dealer and the same cards deal by deal.
    It is won by the policy whose seats are paid more on average (RULES 8).

    Args:
        a: The first policy; with several processes it must pickle, and so must the second.
        b: The second policy.
        rules: The rule set.
        number: Number of rubbers.
        seed: Seed of the deals and of the keys.
        deal_set: "train", "validation" or "test", or one of them with its version.
        names: What to call the two in complaints.
        processes: Number of processes; they change nothing but the time.
        progress: Called with the number of rubbers just finished.

    Raises:
        ValueError: a number is out of range, or the deal set is unknown.
        IllegalActionError: a policy chose an illegal action; it is named, with the record.
    """
    rules = rule_set(rules)
    match = Match(names, (a, b), rules, deal_set, seed)
    parts = []
    for part in in_parts(partial(_play, match), {_NAME: number}, BLOCK, processes):
        parts.append(part)
        if progress is not None:
            progress(len(part))
    won = np.concatenate(parts)
    low, high = interval(won)
    # Halves are symmetric about 0, as edges are, so that swapped policies mirror the interval.
    share, low, high = (float(value) + 0.5 for value in (won.mean(), low, high))
    return Rubbers(share, low, high, plays=number * len(seatings(rules)))


def _play(match: Match, span: range) -> NDArray[np.float64]:
    """Play some rubbers in every seating: per rubber the share that A won, less a half."""
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
    """Return the seed of the cards of a deal in some rubbers, or of their first dealers."""
    return stream(match.deal_set, match.seed, _NAME, span.start // BLOCK, *deal)


def _play_deal(
    match: Match, span: range, deal: int, desk: VectorSjavs, sheets: rubber.Rubbers
) -> None:
    """Play a deal of every rubber that is not over, and score it."""
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
