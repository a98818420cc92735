"""The table and the score sheet as text, for people.

The seat that looks sits at the bottom, and the others clockwise from its left. It sees its own
hand, what lies face up and the backs of all other cards; a looker without a seat sees everything.
Plain characters alone, no colours: the text goes into logs, tests and notebooks as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.card_tables import order
from sjavs_env.core.tables.cards import CARD_IDS, SUIT_SYMBOLS, SUITS
from sjavs_env.core.tables.codes import AUCTION, N_SUITS, NO_TRUMP, NONE, STEP_BITS, TRUMP_CLASS
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.views.score_sheet import call_text, result_line, rubber_line, score_sheet
from sjavs_env.views.transcript import Result

WIDTH = 78
_SIDE, _MIDDLE = 28, 22
_BACK = "▒"
_PLACES = {2: ("", "across"), 3: ("", "left", "right"), 4: ("", "left", "across", "right")}
_SUIT_ORDER = tuple(SUITS.index(suit) for suit in "CSHD")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What stands around a deal.

    Attributes:
        names: A name for each seat; "seat 0" and so on if there are none.
        results: Results of the deals on the score sheet.
        crosses: Crosses won by each column, if a rubber has ended.
    """

    names: Sequence[str] = ()
    results: Sequence[Result] = ()
    crosses: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Looker:
    """Who looks at which row.

    Attributes:
        state: The deals.
        tables: The tables of their rule set.
        row: The row that is shown.
        seat: The seat that looks, or None to see all cards.
        names: A name for each seat.
    """

    state: State
    tables: Tables
    row: int
    seat: int | None
    names: Sequence[str]

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self.tables.rules

    def get(self, name: str, *index: int) -> int:
        """Return one number of the state."""
        return int(getattr(self.state, name)[(*index, self.row)])


def card_text(card: int, fives: bool = False) -> str:
    """Return a card as people write it: ``♠10``, ``♣Q``."""
    name = a.name_of(card, fives)
    return SUIT_SYMBOLS[SUITS.index(name[0])] + ("10" if name[1] == "T" else name[1])


def action_text(action: int, fives: bool = False) -> str:
    """Return an action as people say it: a card, "pass", "5 better", "♥"."""
    if a.is_card(action):
        return card_text(action, fives)
    return call_text(a.name_of(action))


def sorted_groups(rules: str | RuleSet, trump: int, trumpless: bool, mask: int) -> list[list[int]]:
    """Return a card set in the order of a sorted hand: trumps first, then suit by suit.

    While trumps are not known the permanent ones come first.
    """
    rules = rule_set(rules)
    if trump != NONE:
        classes = [order(rules, trump, TRUMP_CLASS)]
        classes += [order(rules, trump, suit) for suit in _SUIT_ORDER if suit != trump]
    elif trumpless:
        classes = [order(rules, NO_TRUMP, suit) for suit in _SUIT_ORDER]
    else:
        classes = [[CARD_IDS[card] for card in rules.permanents]]
        classes += [order(rules, (suit + 1) % N_SUITS, suit) for suit in _SUIT_ORDER]
    groups = [[card for card in cards if mask >> card & 1] for cards in classes]
    return [group for group in groups if group]


def table(state: State, tables: Tables, row: int, seat: int | None, sheet: Sheet) -> str:
    """Return the table of one row as text.

    Args:
        state: The deals.
        tables: The tables of their rule set.
        row: The row to show.
        seat: The seat that looks; None shows all cards.
        sheet: What stands around the deal.
    """
    rules = tables.rules
    names = sheet.names or [f"seat {number}" for number in range(rules.seats)]
    looker = Looker(state, tables, row, seat, names)
    parts = [_headline(looker), "", *_seats_and_trick(looker)]
    last = _last_trick(looker)
    parts += ["", last] if last else []
    parts += ["", *score_sheet(rules, sheet.results, seat or 0, names)]
    if sheet.results and looker.get("over"):
        parts += ["", result_line(rules, sheet.results[-1], names)]
    if sheet.crosses is not None:
        parts.append(rubber_line(rules, sheet.results, sheet.crosses, names))
    return "\n".join(line.rstrip() for line in parts)


def _headline(looker: Looker) -> str:
    """Return what the deal is about, in one line."""
    rules = looker.rules
    trump, declarer = looker.get("trump"), looker.get("declarer")
    parts = [f"Sjavs {rules.name}", f"{looker.names[looker.get('dealer')]} dealt"]
    if declarer != NONE:
        standing = looker.get("choice")
        if standing in (a.NOTHING, a.PASS, a.CONCEDE):
            standing = looker.get("standing")
        parts.append(f"{looker.names[declarer]} has {action_text(standing)}")
    if trump != NONE:
        parts.append(f"trumps {SUIT_SYMBOLS[trump]}")
    elif _is_trumpless(looker):
        parts.append("no trumps")
    if looker.get("carry"):
        parts.append(f"60–60 carried: {looker.get('carry')}")
    return " · ".join(parts)


def _is_trumpless(looker: Looker) -> bool:
    contract = looker.get("contract")
    return contract != NONE and bool(looker.tables.trumpless[contract])


def _seats_and_trick(looker: Looker) -> list[str]:
    """Return the seats around the table with the trick in the middle."""
    seats, bottom = looker.rules.seats, looker.seat or 0
    at = {place: (bottom + offset) % seats for offset, place in enumerate(_PLACES[seats]) if place}
    lines = []
    if "across" in at:
        lines += [line.center(WIDTH) for line in _block(looker, at["across"], WIDTH)] + [""]
    left = _block(looker, at["left"], _SIDE) if "left" in at else []
    right = _block(looker, at["right"], _SIDE) if "right" in at else []
    middle = _trick(looker, at, bottom)
    height = max(len(left), len(right), len(middle))
    columns = ((left, _SIDE, str.ljust), (middle, _MIDDLE, str.center), (right, _SIDE, str.ljust))
    padded = [
        [put(line, width) for line in [*block, *[""] * (height - len(block))]]
        for block, width, put in columns
    ]
    lines += ["".join(line) for line in zip(*padded, strict=True)]
    return [*lines, "", *[line.center(WIDTH) for line in _block(looker, bottom, WIDTH)]]


def _trick(looker: Looker, at: dict[str, int], bottom: int) -> list[str]:
    """Return the trick, each card before its seat; the leader's is marked."""
    leader, rules = looker.get("leader"), looker.rules

    def card(seat: int | None) -> str:
        if seat is None or leader == NONE or looker.get("over"):
            return ""
        played = looker.get("table", (seat - leader) % rules.seats)
        if played == a.NOTHING:
            return "·"
        return card_text(played, rules.fives) + ("*" if seat == leader else "")

    across, left, right = (card(at.get(place)) for place in ("across", "left", "right"))
    return [across, f"{left:^8}{right:^8}", card(bottom)]


def _block(looker: Looker, seat: int, width: int) -> list[str]:
    """Return what lies before a seat and what is known about it."""
    tags = [looker.names[seat]]
    if seat == looker.get("dealer"):
        tags.append("dealer")
    if seat == looker.get("declarer"):
        calling = looker.get("clock") >> STEP_BITS == AUCTION
        tags.append("highest call" if calling else "declarer")
    if seat == looker.get("seat"):
        tags.append("to act")
    lines = [", ".join(tags), *_hand(looker, seat, width)]
    call = looker.get("calls", seat)
    said = [] if call == a.NOTHING else [f"said {action_text(call)}"]
    tricks = int(looker.state.tricks_by_seat(looker.row)[seat, 0])
    won = [f"tricks {tricks}, points {looker.get('points', seat)}"] if tricks else []
    known = [*said, *won]
    return [*lines, *(known if width == _SIDE or not known else [" · ".join(known)])]


def _hand(looker: Looker, seat: int, width: int) -> list[str]:
    """Return the cards before a seat: its hand, what it laid away, its piles."""
    open_to_looker = looker.seat is None or looker.seat == seat
    up = looker.get("face_up", seat) & ~looker.get("played", seat)
    held = looker.get("hand", seat) & ~up
    lines = (
        _cards(looker, held, width) if open_to_looker else [_BACK * held.bit_count()] * bool(held)
    )
    if looker.rules.piles:
        lines += _cards(looker, up, width, "face up")
        down = looker.get("face_down", seat)
        if looker.seat is None:
            lines += _cards(looker, down, width, "face down")
        elif down:
            lines.append(f"face down {_BACK * down.bit_count()}")
    if seat == looker.get("declarer") and looker.get("n_laid_away"):
        away, number = looker.get("laid_away"), looker.get("n_laid_away")
        shown = _cards(looker, away, width, "laid away")
        lines += shown if open_to_looker else [f"laid away {_BACK * number}"]
    return lines


def _cards(looker: Looker, mask: int, width: int, title: str = "") -> list[str]:
    """Return a card set, sorted, in lines of at most a width."""
    groups = sorted_groups(looker.rules, looker.get("trump"), _is_trumpless(looker), mask)
    texts = [" ".join(card_text(card, looker.rules.fives) for card in group) for group in groups]
    words = f"{title} {' | '.join(texts)}".split() if texts else []
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= width - 2 else [*lines, word]
    return lines if words else []


def _last_trick(looker: Looker) -> str:
    """Return the latest complete trick, empty before there is one."""
    if not looker.get("trick"):
        return ""
    seats, state, row = looker.rules.seats, looker.state, looker.row
    in_trick = sum(looker.get("table", place) != a.NOTHING for place in range(seats))
    end = looker.get("moves") - in_trick
    cards = state.history[end - seats : end, row].tolist()
    texts = []
    for card in cards:
        owner = next(s for s in range(seats) if looker.get("played", s) >> card & 1)
        texts.append(f"{looker.names[owner]} {card_text(card, looker.rules.fives)}")
    return f"Last trick: {', '.join(texts)}; taken by {looker.names[looker.get('leader')]}"
