"""The table and the score sheet as text, for people.

The observing seat is at the bottom, and the others follow clockwise from its left. It sees its own
hand, the cards that lie face up, and the backs of all other cards. Without an observing seat all
cards are shown. The text has no colours, so that logs, tests and notebooks can hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sjavs_env.core.arguments import check_size, check_words, integers
from sjavs_env.core.errors import told
from sjavs_env.core.rules.rubber import MOST_CROSSES
from sjavs_env.core.rules.state import State
from sjavs_env.core.tables.codes import NONE
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.views.looker import Cards, Looker, card_text
from sjavs_env.views.score_sheet import result_line, rubber_line, score_sheet
from sjavs_env.views.transcript import Result

WIDTH = 78
_SIDE, _MIDDLE = 28, 22
_BACK = "▒"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is shown around a deal.

    Attributes:
        names: A name for each seat; empty for "seat 0" and so on.
        results: Results of the deals on the score sheet.
        crosses: Crosses won by each column; None unless a rubber has ended.
    """

    names: Sequence[str] = ()
    results: Sequence[Result] = ()
    crosses: Sequence[int] | None = None


def table(state: State, tables: Tables, row: int, seat: int | None, sheet: Sheet) -> str:
    """Return the table of one row as text.

    Args:
        state: The deals.
        tables: The tables of their rule set.
        row: The row to show.
        seat: The observing seat; None shows all cards.
        sheet: What is shown around the deal.
    """
    _check_sheet(tables.rules, sheet)
    looker = Looker(state, tables, row, seat, sheet.names)
    rules, names = looker.rules, looker.names
    parts = [" · ".join(looker.headline()), "", *_seats_and_trick(looker)]
    last = _last_trick(looker)
    parts += ["", last] if last else []
    parts += ["", *score_sheet(rules, sheet.results, looker.bottom, names)]
    if sheet.results and looker.get("over"):
        parts += ["", result_line(rules, sheet.results[-1], names)]
    if sheet.crosses is not None:
        parts.append(rubber_line(rules, sheet.results, sheet.crosses, names))
    return "\n".join(line.rstrip() for line in parts)


def _check_sheet(rules: RuleSet, sheet: object) -> None:
    """Check that a sheet is one, for as many seats and columns as the rule set has."""
    if not isinstance(sheet, Sheet):
        raise ValueError(f"sheet={told(sheet)} must be a Sheet")
    check_words("names", sheet.names, (0, rules.seats))
    _check_results(rules, sheet.results)
    if sheet.crosses is not None:
        integers("crosses", sheet.crosses, (rules.columns,), 0, MOST_CROSSES[rules.rubber])
        check_size("crosses", sheet.crosses, rules.columns)


def _check_results(rules: RuleSet, results: object) -> None:
    """Check that results are those of deals under a rule set."""
    if not isinstance(results, Sequence) or not all(
        isinstance(each, Result) and len(each.gains) == rules.columns for each in results
    ):
        raise ValueError(f"results={told(results)} must be results of deals of {rules.name}")


def _seats_and_trick(looker: Looker) -> list[str]:
    """Return the seats around the table with the trick in the middle."""
    at = looker.places
    lines = []
    if "across" in at:
        lines += [line.center(WIDTH) for line in _block(looker, at["across"], WIDTH)] + [""]
    left = _block(looker, at["left"], _SIDE) if "left" in at else []
    right = _block(looker, at["right"], _SIDE) if "right" in at else []
    middle = _trick(looker, at)
    height = max(len(left), len(right), len(middle))
    columns = ((left, _SIDE, str.ljust), (middle, _MIDDLE, str.center), (right, _SIDE, str.ljust))
    padded = [
        [put(line, width) for line in [*block, *[""] * (height - len(block))]]
        for block, width, put in columns
    ]
    lines += ["".join(line) for line in zip(*padded, strict=True)]
    return [*lines, "", *[line.center(WIDTH) for line in _block(looker, at["bottom"], WIDTH)]]


def _trick(looker: Looker, at: dict[str, int]) -> list[str]:
    """Return the trick, each card before its seat; the leader's is marked."""
    leader, rules = looker.get("leader"), looker.rules

    def card(place: str) -> str:
        if place not in at or leader == NONE or looker.get("over"):
            return ""
        played = looker.in_trick(at[place])
        if played is None:
            return "·"
        return card_text(played, rules.fives) + ("*" if at[place] == leader else "")

    return [card("across"), f"{card('left'):^8}{card('right'):^8}", card("bottom")]


def _block(looker: Looker, seat: int, width: int) -> list[str]:
    """Return what lies before a seat and what is known about it."""
    lines = [", ".join([looker.names[seat], *looker.tags(seat)])]
    for cards in looker.before(seat):
        lines += _cards(looker, cards, width)
    known = looker.known(seat)
    return [*lines, *(known if width == _SIDE or not known else [" · ".join(known)])]


def _cards(looker: Looker, cards: Cards, width: int) -> list[str]:
    """Return cards that lie together, in lines of at most a width."""
    if cards.backs:
        return [f"{cards.title} {_BACK * cards.backs}".strip()]
    fives = looker.rules.fives
    texts = [" ".join(card_text(card, fives) for card in group) for group in cards.groups]
    lines = [""]
    for word in f"{cards.title} {' | '.join(texts)}".split():
        longer = f"{lines[-1]} {word}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= width - 2 else [*lines, word]
    return lines


def _last_trick(looker: Looker) -> str:
    """Return the latest complete trick, empty before there is one."""
    trick, names = looker.last_trick(), looker.names
    if not trick:
        return ""
    texts = [f"{names[seat]} {card_text(card, looker.rules.fives)}" for seat, card in trick]
    return f"Last trick: {', '.join(texts)}; taken by {names[looker.get('leader')]}"
