"""The score sheet and the result of a deal as text, for people (RULES 0)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sjavs_env.core.rules.rubber import new_columns
from sjavs_env.core.tables.cards import SUIT_SYMBOLS, SUITS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.views.transcript import Result

DEALS_TO_A_MARK = 4
"""The sheet gets a small cross on the middle line after every this many deals."""

_MARK = "×"


def side_names(rules: str | RuleSet, seat: int, names: Sequence[str]) -> list[str]:
    """Return a seat's names for the columns: We and They, or the names of the seats."""
    rules = rule_set(rules)
    if rules.columns > 2:
        return list(names)
    return ["We" if column == rules.column(seat) else "They" for column in range(rules.columns)]


def columns_from(rules: str | RuleSet, seat: int) -> list[int]:
    """Return the columns in their order on the sheet, that of a seat first."""
    rules = rule_set(rules)
    first = rules.column(seat)
    return [(first + offset) % rules.columns for offset in range(rules.columns)]


def score_sheet(
    rules: str | RuleSet, results: Sequence[Result], seat: int, names: Sequence[str]
) -> list[str]:
    """Return the score sheet as lines. The observing seat's column comes first.

    Every new total is one line below the last entry, even if that is in another column.
    """
    rules = rule_set(rules)
    titles = side_names(rules, seat, names)
    columns = columns_from(rules, seat)
    width = max(6, *(len(title) + 2 for title in titles))
    totals = np.full(rules.columns, rules.start)
    lines = [
        "│".join(titles[column].center(width) for column in columns),
        "┼".join("─" * width for _ in columns),
        "│".join(str(rules.start).center(width) for _ in columns),
    ]
    deals = 0
    for result in results:
        if result.void:
            continue
        deals += 1
        totals = new_columns(rules, totals, np.array(result.gains))
        if any(result.gains):
            entries = [str(totals[c]) if result.gains[c] else "" for c in columns]
            lines.append("│".join(entry.center(width) for entry in entries))
        if deals % DEALS_TO_A_MARK == 0:
            lines[-1] = lines[-1].replace("│", _MARK)
    return [line.rstrip() for line in lines]


def result_line(rules: str | RuleSet, result: Result, names: Sequence[str]) -> str:
    """Return what a finished deal came to, in one line."""
    rules = rule_set(rules)
    if result.void:
        return "All passed: nothing is scored."
    own, others = result.card_points
    if result.declarer is None:
        told = "All passed, and clubs were played"
    else:
        suit = "no trumps" if result.trump is None else SUIT_SYMBOLS[SUITS.index(result.trump)]
        told = f"{names[result.declarer]} had {call_text(str(result.contract))} in {suit}"
    count = f"{own} card points to {others}" if own or others else "given up"
    return f"{told}: {count}. {_scored(rules, result, names)}"


def _scored(rules: RuleSet, result: Result, names: Sequence[str]) -> str:
    """Return a sentence with the owners and the gain of every column that scores."""
    if not any(result.gains):
        carried = f"; {result.ties} carried on" if result.ties else ""
        return f"Nobody scores{carried}."
    parts = [
        f"{owners_of(rules, column, names)} {gain:+d}".replace("-", "−")
        for column, gain in enumerate(result.gains)
        if gain
    ]
    return ", ".join(parts) + "."


def rubber_line(
    rules: str | RuleSet, results: Sequence[Result], crosses: Sequence[int], names: Sequence[str]
) -> str:
    """Return how a rubber has ended, in one line; who ends where all began is told (RULES 5)."""
    rules = rule_set(rules)
    won = [
        f"{owners_of(rules, column, names)} {number} cross{'es' if number > 1 else ''}"
        for column, number in enumerate(crosses)
        if number
    ]
    double = bool(max(crosses) > 1)
    ended = f"The rubber is over: {', '.join(won) or 'drawn'}{', a double victory' * double}."
    if rules.rubber != "first_to_zero_loses":
        return ended
    totals = np.full(rules.columns, rules.start)
    for result in results:
        totals = new_columns(rules, totals, np.array(result.gains))
    untouched = [names[seat] for seat in range(rules.seats) if totals[seat] == rules.start]
    return " ".join([ended, *(f"{name} ends on {rules.start}." for name in untouched)])


def owners(rules: str | RuleSet, column: int) -> list[int]:
    """Return the seats that score in a column."""
    rules = rule_set(rules)
    return [seat for seat in range(rules.seats) if rules.column(seat) == column]


def owners_of(rules: str | RuleSet, column: int, names: Sequence[str]) -> str:
    """Return the names of the seats that score in a column."""
    return " and ".join(names[seat] for seat in owners(rules, column))


def call_text(name: str) -> str:
    """Return the name of a call as people say it: "pass", "5 better", "♥"."""
    if name.startswith("="):
        return SUIT_SYMBOLS[SUITS.index(name[1])]
    return {"-": "pass"}.get(name, name.replace("+", " better"))
