"""Dealing: random deals from a bit generator, or given ones, laid out by the rule set.

A deal is a permutation of the pack in *slots*. The slots are the hands, seat by seat; then, for
each seat, its face-up cards and its face-down cards, pile by pile; then the talon. Random deals
use only ``random_raw``, with a fixed number of words for each deal. A seed therefore gives the
same deals for every batch size and with every numpy version.
"""

from __future__ import annotations

import numpy as np
from numpy.random import BitGenerator
from numpy.typing import NDArray

from sjavs_env.core.bits import Lanes, count, single, take, wrapped
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables.auction_tables import LEAST_LENGTH
from sjavs_env.core.tables.codes import AUCTION, N_SUITS, STEP_BITS
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set

_BITS = 32
_BLOCK = 4096
"""Deals that are shuffled together; they fit into the cache."""


def words_per_deal(rules: str | RuleSet) -> int:
    """Return the number of 64-bit words that a deal and its dealer take from the generator."""
    return (len(rule_set(rules).pack) + 1) // 2


def shuffle(
    tables: Tables, generator: BitGenerator, n: int
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Return n random permutations of the pack, uint8[cards, n], and dealers, int8[n].

    This is a Fisher-Yates shuffle of all deals at once. Each draw scales 32 random bits to its
    range, so every probability is within 1e-8 of the uniform value.
    """
    each = words_per_deal(tables.rules)
    deal, dealer = np.empty((len(tables.pack), n), np.uint8), np.empty(n, np.int8)
    for first in range(0, n, _BLOCK):
        part = slice(first, min(first + _BLOCK, n))
        size = part.stop - first
        words = generator.random_raw(size * each).astype("<u8", copy=False)
        draws = words.view("<u4").reshape(size, 2 * each)
        dealer[part] = _scaled(draws[:, 0].astype(np.uint64), tables.rules.seats)
        exchange = _shuffled if size > 1 else _shuffled_alone
        deal[:, part] = exchange(tables.pack, draws)
    return deal, dealer


def _shuffled(pack: NDArray[np.uint8], draws: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the pack shuffled by each row of draws, uint8[cards, n]."""
    n, cards = len(draws), len(pack)
    ranges = np.arange(1, cards + 1, dtype=np.uint64)[:, None]
    chosen = _scaled(np.ascontiguousarray(draws.T[:cards], dtype=np.uint64), ranges)
    chosen *= n
    chosen += np.arange(n)
    deal = np.repeat(pack[:, None], n, axis=1)
    flat = deal.reshape(-1)
    for last in range(cards - 1, 0, -1):
        card = take(flat, chosen[last])
        flat[chosen[last]] = deal[last]
        deal[last] = card
    return deal


def _shuffled_alone(pack: NDArray[np.uint8], draws: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the pack shuffled by the only row of draws, computed with plain integers."""
    deal, drawn = pack.tolist(), draws[0].tolist()
    for last in range(len(deal) - 1, 0, -1):
        chosen = drawn[last] * (last + 1) >> _BITS
        deal[last], deal[chosen] = deal[chosen], deal[last]
    return np.array(deal, np.uint8)[:, None]


def _scaled(draw: NDArray[np.uint64], below: int | NDArray[np.uint64]) -> NDArray[np.intp]:
    """Scale 32 random bits to 0 .. below - 1, in place."""
    draw *= below
    draw >>= np.uint64(_BITS)
    return draw.view(np.intp)


def lay_out(state: State, tables: Tables, lanes: Lanes, deal: NDArray[np.uint8]) -> None:
    """Put deals, uint8[cards, n] in slots, into empty rows, ready for the first call.

    ``state.dealer`` must be set already.
    """
    rules, rows = tables.rules, lanes.rows
    bits = single(deal)
    in_hands = rules.seats * rules.hand_size
    hands = bits[:in_hands].reshape(rules.seats, rules.hand_size, -1)
    state.hand[:, rows] = np.bitwise_or.reduce(hands, axis=1)
    slots = iter(range(in_hands, len(deal)))
    for seat in range(rules.seats):
        for pile in range(rules.piles):
            slot = next(slots)
            state.cover[seat, pile][rows] = deal[slot]
            state.face_up[seat][rows] |= bits[slot]
            state.hand[seat][rows] |= bits[slot]
        for pile in range(rules.piles):
            slot = next(slots)
            state.under[seat, pile][rows] = deal[slot]
            state.face_down[seat][rows] |= bits[slot]
    for place in range(rules.talon_size):
        state.talon[place][rows] = deal[next(slots)]
    if rules.auction != "contract":
        _read_hands(state, tables, lanes)
    state.seat[rows] = wrapped(state.dealer[rows] + np.int8(1), rules.seats)
    state.clock[rows] = AUCTION << STEP_BITS


def _read_hands(state: State, tables: Tables, lanes: Lanes) -> None:
    """Store what each hand may call in the auction and name as trumps (RULES 2, 7)."""
    hands = state.hand[:, lanes.rows]
    lengths = [count(hands & tables.trumps[suit]) for suit in range(N_SUITS)]
    most = np.maximum.reduce(lengths)
    longest = np.zeros_like(most)
    callable_suits = np.zeros_like(most)
    for suit, length in enumerate(lengths):
        longest |= (length == most).astype(np.uint8) << suit
        callable_suits |= (length >= LEAST_LENGTH).astype(np.uint8) << suit
    state.longest[:, lanes.rows] = longest
    if tables.rules.auction == "length":
        state.claim[:, lanes.rows] = 2 * most + (longest >> (N_SUITS - 1))
    else:
        state.claim[:, lanes.rows] = callable_suits
