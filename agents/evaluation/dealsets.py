"""Deal sets and keys: all the randomness of evaluation, computed from names and seeds.

A deal set is a stream of deals with a version in its name, such as ``test-v1``. It consists of
blocks. A generator deals each block; its seed is a hash of the set's name, a seed and the block's
number. Therefore no two sets share a stream, any part of a set can be dealt alone, and the first n
deals are the same for every n. Choose on ``validation``, report on ``test``, and never train on
either.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.core.arguments import whole_number
from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.players.random import mixed

VERSIONS = {"train": 1, "validation": 1, "test": 1}
"""The deal sets and their versions. A version increases when the deals of a set change."""

BLOCK = 1000
"""Deals from one generator. To change it means to raise the versions."""

_WORD = 2**64 - 1
_MOST_SEED = 2**128 - 1
_MOST_DEALS = 2**48
_SEAT_BITS = _DECISION_BITS = 8


def versioned(deal_set: str) -> str:
    """Return the full name of a deal set: ``test-v1`` for ``test`` and for ``test-v1``.

    Raises:
        ValueError: there is no such deal set; the sentence names the nearest.
    """
    names = {name: f"{name}-v{version}" for name, version in VERSIONS.items()}
    word = as_word(deal_set)
    if word in names.values():
        return word
    if word not in names:
        raise ValueError(f"unknown deal set {told(deal_set)}{nearest(word, names)}")
    return names[word]


def stream(deal_set: str, seed: int, *purpose: str | int) -> int:
    """Return the seed of a generator for ``VectorSjavs(seed=...)``, from 0 to 2**64 - 1.

    Args:
        deal_set: The deal set.
        seed: Its seed.
        purpose: The purpose of the generator, for example the number of a block.

    Raises:
        ValueError: there is no such deal set, or the seed is negative.
    """
    number = whole_number("seed", seed, 0, _MOST_SEED)
    words = "/".join(map(str, (versioned(deal_set), number, *purpose)))
    return int.from_bytes(sha256(words.encode()).digest()[:8], "little")


def dealt(rules: str | RuleSet, span: range, deal_set: str, seed: int) -> VectorSjavs:
    """Return deals of a deal set before their first decision, with uniformly random dealers.

    Args:
        rules: The rule set.
        span: The numbers of the deals in the set.
        deal_set: The deal set.
        seed: Its seed.

    Raises:
        ValueError: there is no such deal set, or the seed is negative.
    """
    _check_span(span)
    blocks = range(span.start // BLOCK, -(-span.stop // BLOCK))
    first = blocks.start * BLOCK
    deals = VectorSjavs(rules, batch=len(blocks) * BLOCK)
    for block in blocks:
        rows = np.arange(block * BLOCK, (block + 1) * BLOCK) - first
        deals.reset(rows=rows, seed=stream(deal_set, seed, block))
    return deals.take(np.arange(span.start, span.stop) - first)


def _check_span(span: object) -> None:
    in_line = isinstance(span, range) and span.step == 1
    if not in_line or not 0 <= span.start < span.stop <= _MOST_DEALS:  # type: ignore[attr-defined]
        raise ValueError(f"span={told(span)} must be a range of deals, 0 or more, of step 1")


def key(
    seed: int, deal: NDArray[np.intp], seat: NDArray[np.int8], decision: int
) -> NDArray[np.uint64]:
    """Return the keys of decisions, uint64[N]; a policy gets no other randomness.

    A key is the deal, the seat and the decision in one word, through splitmix64's finaliser twice,
    with the seed added (XOR) in between. With one seed no two decisions have the same key.

    Args:
        seed: Seed of the match.
        deal: Number of the deal in its set, intp[N], below 2**48.
        seat: The seat to act, int8[N].
        decision: Number of the decision in the deal, below 256. Forced decisions count.
    """
    words = deal.astype(np.uint64) << np.uint64(_SEAT_BITS + _DECISION_BITS)
    words |= seat.astype(np.uint64) << np.uint64(_DECISION_BITS)
    words |= np.uint64(decision)
    seeded = mixed(np.array([seed & _WORD], np.uint64))
    return mixed(mixed(words) ^ seeded)
