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
    """Return the contract without trumps that an option adds, "" if there is none."""
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
        f"{len(rules.pack)} cards. The first {permanent} trumps are permanent: trumps whatever the "
        "trump suit, and never of the suit printed on them.\n\n"
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
        "Trumps are one suit: a trump led asks for a trump, a plain card for a plain card of its "
        "suit; who has none plays on as [below](#play). The highest trump wins the trick, without "
        "one the highest card of the suit led, and the winner leads."
    )


def deal(rules: RuleSet) -> str:
    """Return how the cards are dealt."""
    parts = [f"Each seat gets {rules.hand_size} cards."]
    if rules.piles:
        parts.append(
            f"Before each seat lie {rules.piles} more face down, and {rules.piles} face up on "
            "them. All see the face-up cards, nobody a face-down one. In the auction and in play "
            "the face-up cards count as cards of the hand."
        )
    if rules.talon_size:
        left = NUMBERS[rules.talon_size]
        parts.append(f"The {left} cards left over are the talon, face down.")
    void = {
        "redeal": ", a tied one included; a void one is dealt again by the same dealer",
        "redeal_next": ", a void one included",
        "clubs": "",
    }[rules.all_pass]
    if not rules.carries:
        void = void.replace(", a tied one included", "")
    parts.append(
        "The first dealer is drawn at random. Forehand, the seat after the dealer, speaks first "
        f"and leads first. The next seat deals after every deal{void}."
    )
    return " ".join(parts)
