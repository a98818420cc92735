"""What a seat has seen: the cards that are out, and the seats that may hold them."""

from tests.reference.cards import PACKS
from tests.reference.deal import Deal

SLOTS = {4: (0, 1, 2, 3), 3: (0, 1, 3), 2: (0, 2)}
"""Slots of an observation, by number of seats; entry k is the seat k places to the left."""
Lacks = set[tuple[int, str]]
"""Pairs of a seat and a class that it has failed to follow in this deal."""


def class_of(deal: Deal, card: str) -> str:
    """Return the class of a card: trump, or its suit."""
    return "trump" if deal._ranking().is_trump(card) else card[0]


def watch(deal: Deal, card: str, lacks: Lacks) -> None:
    """Add the class that the seat to act shows to lack when it plays a card."""
    if deal.trick and class_of(deal, card) != (led := class_of(deal, deal.trick[0][1])):
        assert deal.seat is not None
        lacks.add((deal.seat, led))


def cards_out(deal: Deal) -> set[str]:
    """Return the cards that the seat to act does not see."""
    assert deal.seat is not None
    gone = [card for won in deal.won for taken in won for card in taken]
    gone += [card for _, card in deal.trick]
    up = [card for other in range(deal.seats) for card in deal.face_up(other)]
    laid = deal.laid if deal.seat == deal.declarer else []
    return set(PACKS[deal.game["pack"]]) - {*deal.hand(deal.seat), *gone, *up, *laid}


def in_hand(deal: Deal, other: int, lacks: Lacks) -> set[str]:
    """Return the cards out that a seat may hold, given the classes that it has failed to follow."""
    return {card for card in cards_out(deal) if (other, class_of(deal, card)) not in lacks}
