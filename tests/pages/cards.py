"""The pack of a rule set: trumps and plain suits in order, card points, the deal."""

from sjavs_env import RuleSet
from sjavs_env.core.tables.card_tables import card_points, order, pack_of
from sjavs_env.core.tables.cards import SUITS, rank_of
from sjavs_env.core.tables.codes import CARD_POINTS, NO_TRUMP, TRUMP_CLASS
from tests.pages.words import NUMBERS, cards_text, suit_text, table, variants

SUIT_ORDER = tuple(SUITS.index(suit) for suit in "CSHD")


def trump_suits(rules: RuleSet) -> list[int]:
    """Return the suits that can be trumps, clubs first."""
    clubs = SUITS.index("C")
    return [clubs] if rules.trump_choice == "clubs" else list(SUIT_ORDER)


def trumpless(rules: RuleSet) -> str:
    """Return the contract without trumps that an option adds; "" if there is none."""
    every = [rules, *variants(rules.name).values()]
    return next((c.action for each in every for c in each.contracts if not c.trumps), "")


def pack(rules: RuleSet) -> str:
    """Return the cards: trumps for each trump suit, plain suits, points."""
    return "\n\n".join([_trumps(rules), _plain(rules), _points(rules), _following(rules)])


def _trumps(rules: RuleSet) -> str:
    rows = []
    for suit in trump_suits(rules):
        trumps = order(rules, suit, TRUMP_CLASS)
        rows.append((suit_text(suit), len(trumps), cards_text(rules, trumps)))
    permanent = len(rules.permanents)
    return (
        f"{len(rules.pack)} cards. The first {permanent} trumps are permanent: they are trumps "
        "whatever the trump suit is, and never belong to the suit printed on them.\n\n"
        + table(["trump suit", "trumps", "highest first"], rows, right="trumps")
    )


def _plain(rules: RuleSet) -> str:
    suits, contract = trump_suits(rules), trumpless(rules)
    titles, rows = ["plain suit", "highest first"], []
    if contract:
        titles.append(f"without trumps (`{contract}`)")
    for suit in SUIT_ORDER:
        others = [trump for trump in suits if trump != suit]
        cards = order(rules, others[0], suit) if others else []
        row = [suit_text(suit), cards_text(rules, cards) or "never plain"]
        without = [cards_text(rules, order(rules, NO_TRUMP, suit))] if contract else []
        rows.append([*row, *without])
    return table(titles, rows)


def _points(rules: RuleSet) -> str:
    cards = pack_of(rules)
    ranks = [rank for rank in CARD_POINTS if any(rank_of(card) == rank for card in cards)]
    ten = "5" if rules.fives else "10"
    names = [ten if rank == "T" else rank for rank in ranks]
    rest = len(set(map(rank_of, cards))) > len(ranks)
    points = [CARD_POINTS[rank] for rank in ranks]
    sums = table(
        ["card points", *names, *(["others"] if rest else []), "in the pack"],
        [["each", *points, *([0] if rest else []), sum(map(card_points, cards))]],
        right=f"{' '.join(names)} others",
    )
    return sums


def _following(rules: RuleSet) -> str:
    return (
        "Trumps are one suit. A trump must be followed with a trump, and a plain card with a plain "
        "card of the same suit. [Play](#play) says what a seat without such a card may play. The "
        "highest trump wins the trick; without a trump, the highest card of the suit led wins. The "
        "winner leads to the next trick."
    )


def deal(rules: RuleSet) -> str:
    """Return how the cards are dealt."""
    parts = [f"Each seat gets {rules.hand_size} cards."]
    if rules.piles:
        parts.append(
            f"Before each seat lie {rules.piles} more cards face down, and {rules.piles} face up "
            "on top of them. Everybody sees the face-up cards; nobody sees the face-down cards. In "
            "the auction and in play the face-up cards count as cards of the hand."
        )
    if rules.talon_size:
        left = NUMBERS[rules.talon_size]
        parts.append(f"The {left} cards left over are the talon. It lies face down.")
    void = {
        "redeal": ", also after a tie. After a void deal the same dealer deals again",
        "redeal_next": ", also after a void deal",
        "clubs": "",
    }[rules.all_pass]
    if not rules.carries:
        void = void.replace(", also after a tie", "")
    parts.append(
        "The first dealer is drawn at random. Forehand, the seat after the dealer, speaks first "
        f"and leads first. After every scored deal the next seat deals{void}."
    )
    return " ".join(parts)
