"""Play deals to their end with two policies, in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.common.bounds import MOST
from agents.common.processes import check_sendable, spread
from agents.evaluation.dealsets import key, stream
from agents.evaluation.health import Tally
from sjavs_env import N_ACTIONS, IllegalActionError, RuleSet, VectorSjavs, action_name, rule_set
from sjavs_env.core.arguments import check_words, whole_number
from sjavs_env.core.errors import told
from sjavs_env.core.tables.actions import ACTION_NAMES
from sjavs_env.players import Policy
from sjavs_env.players.random import lowest_action

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Match:
    """Two policies with their names, and the deal set and seed of their deals and keys."""

    names: tuple[str, str]
    policies: tuple[Policy, Policy]
    rules: RuleSet
    deal_set: str
    seed: int


def match_of(
    names: tuple[str, str],
    policies: tuple[Policy, Policy],
    rules: str | RuleSet,
    deal_set: str,
    seed: int,
) -> Match:
    """Return a match, after checking its parts.

    Raises:
        ValueError: the names are not two, a policy is none, or there is no such rule set, deal set
            or seed.
    """
    found = rule_set(rules)
    check_words("names", names, (len(policies),))
    for name, policy in zip(names, policies, strict=True):
        if not callable(getattr(policy, "act", None)) or not hasattr(policy, "sees_all"):
            raise ValueError(f"policy {name!r} has no act or sees_all: {told(policy)}")
    stream(deal_set, seed)
    return Match((names[0], names[1]), policies, found, deal_set, seed)


def check_called(name: str, value: object) -> None:
    """Check that what is to be called can be, if it is given."""
    if value is not None and not callable(value):
        raise ValueError(f"{name}={told(value)} must be a function")


def play_out(
    match: Match,
    deals: VectorSjavs,
    number: NDArray[np.intp],
    sitting: NDArray[np.int8],
    tally: Tally | None = None,
) -> None:
    """Play every deal to its end.

    Args:
        match: The match with policies 0 and 1.
        deals: The deals before their first decision. They are changed in place.
        number: Number of each deal, for the keys, intp[B].
        sitting: The policy, 0 or 1, at each seat, int8[B, P].
        tally: Counts for the health measures; None to count nothing.

    Raises:
        IllegalActionError: a policy chose an illegal action; the sentence names the policy and
            gives the record.
    """
    seed, decision = stream(match.deal_set, match.seed, "keys"), 0
    while not deals.over.all():
        # The policies decide nothing in a forced move, and rows that are over take any action.
        actions = lowest_action(deals.legal)
        asked = np.flatnonzero(np.bitwise_count(deals.legal) > 1)
        keys = key(seed, number[asked], deals.seat[asked], decision)
        turn = sitting[asked, deals.seat[asked]]
        for index, policy in enumerate(match.policies):
            mine = turn == index
            if mine.any():
                rows = asked[mine]
                actions[rows] = _asked(policy, match.names[index], deals, rows, keys[mine])
        if tally is not None:
            tally.note(deals, actions, sitting)
        deals.step(actions)
        decision += 1
    if tally is not None:
        tally.close(deals, sitting)


def in_parts(
    play: Callable[[range], Part], count: dict[str, int], batch: int, processes: int, match: Match
) -> Iterator[Part]:
    """Play many deals or rubbers in parts, and yield the results of the parts in order.

    Args:
        play: Plays the deals or rubbers with the numbers in a range. With several processes it must
            pickle.
        count: One entry: the name for error sentences ("deals"), and how many there are.
        batch: Deals or rubbers in a part.
        processes: Number of processes.
        match: Whose policies play.

    Raises:
        ValueError: a number is out of range, or a policy does not pickle and there are several
            processes.
    """
    for name, value in {**count, "batch": batch, "processes": processes}.items():
        whole_number(name, value, 1, MOST)
    if processes > 1:
        for name, policy in zip(match.names, match.policies, strict=True):
            check_sendable(f"policy {name!r}", policy)
    (total,) = count.values()
    spans = [range(start, min(start + batch, total)) for start in range(0, total, batch)]
    yield from spread(play, spans, processes)


def _asked(
    policy: Policy, name: str, deals: VectorSjavs, rows: NDArray[np.intp], keys: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return the actions that a policy chooses in some rows, after a check that they are legal."""
    words = (deals.observe_all() if policy.sees_all else deals.observe())[rows]
    answer = policy.act(words, deals.legal[rows], keys)
    try:
        actions = np.asarray(answer)
    except (ValueError, TypeError):  # lists of different lengths
        actions = np.asarray(None)
    legal = deals.legal[rows]
    if actions.shape != rows.shape or actions.dtype.kind not in "iu":
        raise IllegalActionError(
            f"policy {name!r} returned {actions.dtype} of shape {actions.shape}; "
            f"it must return integers of shape {rows.shape}"
        )
    inside = np.clip(actions, 0, N_ACTIONS - 1).astype(np.uint64)
    allowed = (inside == actions) & (legal >> inside & np.uint64(1)).astype(np.bool_)
    if not allowed.all():
        worst = int(np.argmin(allowed))
        raise IllegalActionError(_complaint(name, int(actions[worst]), deals, int(rows[worst])))
    return actions.astype(np.int64)


def _complaint(name: str, action: int, deals: VectorSjavs, row: int) -> str:
    """Return the sentence about a policy's illegal action."""
    legal = np.flatnonzero(deals.legal_mask()[row])
    known = action in range(len(ACTION_NAMES))
    named = f"{action_name(action, deals.rules)!r} (id {action})" if known else f"id {action}"
    names = " ".join(action_name(int(i), deals.rules) for i in legal)
    return (
        f"policy {name!r} chose the illegal action {named} for seat {deals.seat[row]}: "
        f"legal are {names}; record {deals.record(row)!r}"
    )
