"""What may be seen of one row, in the words and the order in which people read it.

The text of ``render`` and the drawing of ``picture`` are made from this. A looker with a seat sees
its own hand, what lies face up and the backs of all other cards; a looker without a seat sees
everything. Cards are handed out here only as far as the looker may see them.
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
from sjavs_env.views.score_sheet import call_text

_PLACES = {
    2: ("bottom", "across"),
    3: ("bottom", "left", "right"),
    4: ("bottom", "left", "across", "right"),
}
"""Where the seats sit, from the bottom clockwise, by number of seats."""

_SUIT_ORDER = tuple(SUITS.index(suit) for suit in "CSHD")


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards that lie together.

    Attributes:
        title: What they are, "" for a hand.
        groups: Those that the looker sees, sorted, trumps first and then suit by suit.
        backs: The number of those that it does not see.
    """

    title: str
    groups: list[list[int]]
    backs: int = 0


@dataclass(frozen=True, slots=True)
class Pile:
    """A face-up card on a face-down one, or what is left of them (RULES 4).

    Attributes:
        up: The card that lies face up, or None.
        down: The face-down card if the looker sees it, or None.
        covered: There is a face-down card.
    """

    up: int | None
    down: int | None
    covered: bool


@dataclass(frozen=True, slots=True)
class Looker:
    """Who looks at which row.

    Attributes:
        state: The deals.
        tables: The tables of their rule set.
        row: The row that is shown.
        seat: The seat that looks, or None to see all cards.
        names: A name for each seat; "seat 0" and so on if there are none.
    """

    state: State
    tables: Tables
    row: int
    seat: int | None = None
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Name the seats by their numbers."""
        if not self.names:
            names = tuple(f"seat {number}" for number in range(self.rules.seats))
            object.__setattr__(self, "names", names)

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self.tables.rules

    @property
    def bottom(self) -> int:
        """The seat at the bottom of the table: the one that looks, or seat 0."""
        return self.seat or 0

    @property
    def places(self) -> dict[str, int]:
        """The seat at each place, from the bottom clockwise: left, across, right."""
        seats = self.rules.seats
        turned = enumerate(_PLACES[seats], self.bottom)
        return {place: number % seats for number, place in turned}

    def get(self, name: str, *index: int) -> int:
        """Return one number of the state."""
        return int(getattr(self.state, name)[(*index, self.row)])

    def sees_hand(self, seat: int) -> bool:
        """Say whether the looker sees the hand of a seat."""
        return self.seat is None or self.seat == seat

    def headline(self) -> list[str]:
        """Return what the deal is about, part by part."""
        trump, declarer = self.get("trump"), self.get("declarer")
        parts = [f"Sjavs {self.rules.name}", f"{self.names[self.get('dealer')]} dealt"]
        if declarer != NONE:
            standing = self.get("choice")
            if standing in (a.NOTHING, a.PASS, a.CONCEDE):
                standing = self.get("standing")
            parts.append(f"{self.names[declarer]} has {action_text(standing)}")
        if trump != NONE:
            parts.append(f"trumps {SUIT_SYMBOLS[trump]}")
        elif self._is_trumpless():
            parts.append("no trumps")
        if self.get("carry"):
            parts.append(f"60–60 carried: {self.get('carry')}")
        return parts

    def tags(self, seat: int) -> list[str]:
        """Return what a seat is at the moment: dealer, declarer, to act."""
        tags = []
        if seat == self.get("dealer"):
            tags.append("dealer")
        if seat == self.get("declarer"):
            calling = self.get("clock") >> STEP_BITS == AUCTION
            tags.append("highest call" if calling else "declarer")
        if seat == self.get("seat"):
            tags.append("to act")
        return tags

    def known(self, seat: int) -> list[str]:
        """Return what a seat has said and won."""
        call = self.get("calls", seat)
        said = [] if call == a.NOTHING else [f"said {action_text(call)}"]
        tricks = int(self.state.tricks_by_seat(self.row)[seat, 0])
        won = [f"tricks {tricks}, points {self.get('points', seat)}"] if tricks else []
        return [*said, *won]

    def hand(self, seat: int) -> Cards:
        """Return the hand of a seat, without what lies face up before it."""
        held = self.get("hand", seat) & ~self.get("face_up", seat)
        return self._cards("", held, self.sees_hand(seat))

    def piles(self, seat: int) -> list[Pile]:
        """Return the piles of a seat as they were dealt, those that are gone left out."""
        lying = self.get("face_up", seat) & ~self.get("played", seat)
        down = self.get("face_down", seat)
        piles = []
        for number in range(self.rules.piles):
            cover, under = self.get("cover", seat, number), self.get("under", seat, number)
            up = next((card for card in (cover, under) if lying >> card & 1), None)
            covered = bool(down >> under & 1)
            shown = under if covered and self.seat is None else None
            if covered or up is not None:
                piles.append(Pile(up, shown, covered))
        return piles

    def laid_away(self, seat: int) -> Cards:
        """Return what a seat laid away."""
        mine = seat == self.get("declarer") and self.get("n_laid_away")
        mask = self.get("laid_away") if mine else 0
        return self._cards("laid away", mask, self.sees_hand(seat))

    def before(self, seat: int) -> list[Cards]:
        """Return all cards that lie before a seat: its hand, what it laid away, its piles."""
        piles = self.piles(seat)
        up = sum(1 << pile.up for pile in piles if pile.up is not None)
        down = sum(1 << pile.down for pile in piles if pile.down is not None)
        hidden = sum(pile.covered and pile.down is None for pile in piles)
        lying = [
            self.hand(seat),
            self._cards("face up", up),
            Cards("face down", self._sorted(down), hidden),
            self.laid_away(seat),
        ]
        return [cards for cards in lying if cards.groups or cards.backs]

    def talon(self) -> Cards:
        """Return the talon cards that nobody has taken."""
        drawn, left = self.get("drawn"), 0
        for place in range(self.rules.talon_size):
            left |= 1 << self.get("talon", place)
        return self._cards("talon", left & ~drawn, self.seat is None)

    def in_trick(self, seat: int) -> int | None:
        """Return the card of a seat in the present trick, or None."""
        leader = self.get("leader")
        if leader == NONE or self.get("over"):
            return None
        played = self.get("table", (seat - leader) % self.rules.seats)
        return None if played == a.NOTHING else played

    def last_trick(self) -> list[tuple[int, int]]:
        """Return the latest complete trick, a seat and its card each, empty before there is one."""
        if not self.get("trick"):
            return []
        seats = self.rules.seats
        in_trick = sum(self.get("table", place) != a.NOTHING for place in range(seats))
        end = self.get("moves") - in_trick
        cards = self.state.history[end - seats : end, self.row].tolist()
        return [
            (next(s for s in range(seats) if self.get("played", s) >> card & 1), card)
            for card in cards
        ]

    def _is_trumpless(self) -> bool:
        contract = self.get("contract")
        return contract != NONE and bool(self.tables.trumpless[contract])

    def _cards(self, title: str, mask: int, seen: bool = True) -> Cards:
        return Cards(title, self._sorted(mask)) if seen else Cards(title, [], mask.bit_count())

    def _sorted(self, mask: int) -> list[list[int]]:
        return sorted_groups(self.rules, self.get("trump"), self._is_trumpless(), mask)


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
