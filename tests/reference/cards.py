"""Packs, trumps, the order of the cards, following suit and winning a trick."""

from dataclasses import dataclass

SUITS = "CSHD"
PERMANENT = ("CQ", "SQ", "CJ", "SJ", "HJ", "DJ")  # §1, highest first
FRENCH_PERMANENT = ("CQ", "SQ", "HQ", "DQ", "CJ", "SJ", "HJ", "DJ")  # §7
ORDER = "AKQT9875"  # §1: the ten below king and queen, the Danish five last
FRENCH_ORDER = "ATKQJ987"  # §7, with the queens and jacks that only nolo returns to their suits
POINTS = {"A": 11, "T": 10, "5": 10, "K": 4, "Q": 3, "J": 2}  # §1

PACKS: dict[str, list[str]] = {
    "32": [suit + rank for suit in SUITS for rank in "AKQJT987"],  # §2
    "fives": [suit + rank for suit in SUITS for rank in "AKQJ5"],  # §5
    "tens": [suit + rank for suit in SUITS for rank in "AKQJT"],  # §6
}
PACKS["18"] = [card for card in PACKS["fives"] if card not in ("HQ", "DQ")]  # §5


def points_of(cards: list[str]) -> int:
    return sum(POINTS.get(card[1], 0) for card in cards)


@dataclass(frozen=True)
class Ranking:
    """The trumps and the order of the cards, once the trump suit is known."""

    trump: str | None
    permanents: tuple[str, ...] = PERMANENT
    order: str = ORDER

    def is_trump(self, card: str) -> bool:
        return card in self.permanents or card[0] == self.trump

    def trumps(self, cards: list[str]) -> list[str]:
        return [card for card in cards if self.is_trump(card)]

    def plain(self, cards: list[str]) -> list[str]:
        return [card for card in cards if not self.is_trump(card)]

    def height(self, card: str) -> int:
        """A height that compares trumps with trumps, and plain cards of one suit."""
        if card in self.permanents:
            return 100 - self.permanents.index(card)
        return 50 - self.order.index(card[1])

    def winner(self, trick: list[str]) -> int:
        """§1: the place of the highest trump, or else of the highest card of the suit led."""
        fighting = self.trumps(trick) or [card for card in trick if card[0] == trick[0][0]]
        return trick.index(max(fighting, key=self.height))

    def legal(self, hand: list[str], trick: list[str], ruff: str) -> list[str]:
        """The cards of the hand that may be played to the trick so far."""
        if not trick:
            return list(hand)
        if self.is_trump(trick[0]):  # §1: trump led
            return self.trumps(hand) or list(hand)
        following = [card for card in self.plain(hand) if card[0] == trick[0][0]]
        if following:  # §1: plain suit led
            return following
        ruffs = self.trumps(trick)
        if ruff == "free" or not ruffs:  # §2: the two other modes bind only after a ruff
            return list(hand)
        top = max(self.height(card) for card in ruffs)
        higher = [card for card in self.trumps(hand) if self.height(card) > top]
        if ruff == "no_undertrump":  # §2
            return self.plain(hand) + higher or list(hand)
        return higher or self.plain(hand) or list(hand)  # §2: overtrump


def french_ranking(trump: str) -> Ranking:
    return Ranking(trump, FRENCH_PERMANENT, FRENCH_ORDER)  # §7


NOLO = Ranking(None, (), FRENCH_ORDER)  # §7: no trumps at all
