"""The legal calls of a seat, and the trump suits that the owner of a call may name."""

from tests.reference.cards import SUITS, Ranking, french_ranking

CONTRACTS = ("spil", "stryger", "tout", "stroget-tout")  # §6, lowest first
FRENCH_SUITS = "DHSC"  # §7, lowest first


def longest(hand: list[str]) -> tuple[int, list[str]]:
    """§2: L and the suits T."""
    lengths = {suit: len(Ranking(suit).trumps(hand)) for suit in SUITS}
    most = max(lengths.values())
    return most, [suit for suit in SUITS if lengths[suit] == most]


def faroese_call(hand: list[str], standing: str | None) -> str | None:
    """§2, auction 1 and 2: the only call that beats the standing one, if there is one."""
    length, suits = longest(hand)
    if length < 5:
        return None
    if standing is None:
        return str(length)
    number = int(standing.rstrip("+"))
    if length > number:
        return str(length)
    if length == number and "C" in suits and not standing.endswith("+"):
        return f"{length}+"
    return None


def faroese_calls(hand: list[str], standing: str | None, bidding: str) -> list[str]:
    call = faroese_call(hand, standing)
    if call is None:
        return ["-"]  # §2, auction 4
    return [call] if bidding == "forced" else [call, "-"]  # §2, auction 3


def faroese_names(hand: list[str]) -> list[str]:
    _, suits = longest(hand)
    return ["=C"] if "C" in suits else ["=" + suit for suit in suits]  # §2, auction 5


def contract_calls(standing: str | None) -> list[str]:
    """§6: pass, or a contract higher than the standing one."""
    above = 0 if standing is None else CONTRACTS.index(standing) + 1
    return ["-", *CONTRACTS[above:]]


def french_calls(hand: list[str], standing: str | None) -> list[str]:
    """§7: pass, or a suit above the standing one with five trumps or more."""
    above = 0 if standing is None else FRENCH_SUITS.index(standing[1]) + 1
    suits = [s for s in FRENCH_SUITS[above:] if len(french_ranking(s).trumps(hand)) >= 5]
    return ["-", *("=" + suit for suit in suits)]


def calls(family: str, hand: list[str], standing: str | None, bidding: str) -> list[str]:
    """All legal calls of a seat in the auction."""
    if family == "faroese":
        return faroese_calls(hand, standing, bidding)
    if family == "klorsjavs":
        return ["-", "spil"]  # §5
    if family == "contracts":
        return contract_calls(standing)
    return french_calls(hand, standing)
