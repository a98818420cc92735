"""The score of a deal: game points, carried ties, gains per column, payoffs per seat."""

from dataclasses import dataclass

Row = tuple[int, int]  # simple trumps, clubs

FAROESE_TABLE: dict[str, dict[str, Row]] = {  # §2, score of a deal
    "faroese4": {
        "all by one": (16, 24),
        "all": (12, 16),
        "90": (4, 8),
        "61": (2, 4),
        "31": (4, 8),
        "30": (8, 16),
        "none": (16, 16),
    },
    "faroese4_1996": {
        "all by one": (12, 16),
        "all": (12, 16),
        "90": (4, 8),
        "61": (2, 4),
        "31": (4, 8),
        "30": (8, 16),
        "none": (16, 24),
    },
    "faroese4_wiki": {
        "all by one": (16, 24),
        "all": (12, 16),
        "90": (4, 8),
        "61": (2, 4),
        "31": (4, 8),
        "30": (4, 8),
        "none": (4, 8),
    },
    "russian6": {
        "all by one": (12, 16),
        "all": (12, 16),
        "90": (4, 8),
        "61": (2, 4),
        "31": (4, 8),
        "30": (8, 16),
        "none": (16, 16),
    },
}
WINNING_ROWS = ("all by one", "all", "90", "61")


@dataclass(frozen=True)
class Result:
    void: bool
    declarer: int | None
    contract: str | None
    trump: str | None
    card_points: tuple[int, int]
    tricks: list[int]
    gains: list[int]
    payoffs: list[float]
    carry: int


def faroese_row(points: int, side_tricks: list[int], all_tricks: int) -> str:
    """§2: the row of the table; side_tricks are the tricks of each seat of the declaring side."""
    taken = sum(side_tricks)
    if taken == all_tricks:
        return "all by one" if max(side_tricks) == all_tricks else "all"
    if taken == 0:
        return "none"
    for least in (90, 61, 60, 31):
        if points >= least:
            return str(least)
    return "30"


def faroese_score(table: str, row: str, clubs: bool, tie: str) -> int:
    """§2: the gain of declarer's side; if negative, the gain of the others; 0 for a carried tie."""
    if row == "60":
        if tie != "declarer_loses":
            return 0
        row = "31"
    amount = FAROESE_TABLE[table][row][1 if clubs else 0]
    return amount if row in WINNING_ROWS else -amount


def with_carry(amount: int, tie: str, ties: int, clubs: bool) -> int:
    """§2, 60-60: the amount of a scored deal raised by the ties before it."""
    if amount < 0:
        return -with_carry(-amount, tie, ties, clubs)
    if amount == 0 or ties == 0:
        return amount
    if tie == "carry_by_suit":
        return amount + (4 if clubs else 2) * ties
    if tie == "carry2":
        return amount + 2 * ties
    return amount * {"double": 2, "quadruple": 4, "declarer_loses": 1}[tie]


def race_gains(amount: int, own: int, count: int) -> list[int]:
    """§2, §3: declarer's column gains; if the amount is negative, each other column gains."""
    return [max(amount, 0) if column == own else max(-amount, 0) for column in range(count)]


def klorsjavs_score(
    points: int, taken: int, all_tricks: int, lines: tuple[int, int]
) -> tuple[int, int]:
    """§5: the gains of declarer and of each defender. ``lines``: points to win, to win double."""
    if taken == all_tricks:
        return 0, -16
    if taken == 0:
        return -16, 0
    if points >= lines[1]:
        return 0, -8
    return (0, -4) if points >= lines[0] else (-8, 0)


def one_gains(declarer: int, seats: int, own: int, other: int) -> list[int]:
    return [own if seat == declarer else other for seat in range(seats)]


def contract_price(contract: str, points: int, taken: int, all_tricks: int) -> int:
    """§6: the amount that each opponent pays declarer; if negative, declarer pays each of them."""
    if contract in ("tout", "stroget-tout"):
        price = {"tout": 10, "stroget-tout": 15}[contract]
        return price if taken == all_tricks else -price
    price = {"spil": 1, "stryger": 4}[contract]
    made = points >= 61
    loser_points = 120 - points if made else points
    loser_tricks = all_tricks - taken if made else taken
    if loser_tricks == 0:
        price *= 3
    elif loser_points < 31:
        price *= 2
    return price if made else -price


def french_score(contract: str, points: int, taken: int, all_tricks: int) -> int:
    """§7: the amount that the declaring pair wins; if negative, it loses."""
    if contract == "nolo":
        return 8 if taken == 0 else -8
    if contract == "halv":
        return 1 if points >= 50 else -2
    if taken == all_tricks:
        amount = 8
    elif taken == 0:
        amount = -8
    elif points > 90:
        amount = 4
    elif points > 60:
        amount = 2
    else:
        amount = -2 if points > 30 else -4
    return 2 * amount if contract == "solo" else amount


def french_gains(declarer: int, amount: int) -> list[int]:
    """§7: a win moves the declaring pair's column, a loss moves both."""
    own = declarer % 2
    return [amount if column == own else max(-amount, 0) for column in range(2)]


def against_others(values: list[int]) -> list[float]:
    """§8: each column's value minus the mean of the other columns'."""
    others = len(values) - 1
    return [value - (sum(values) - value) / others for value in values]


def alone_payoffs(declarer: int, gains: list[int]) -> list[float]:
    """§8, a solo or nolo of french8: one against three."""
    x = gains[declarer % 2] - gains[1 - declarer % 2]
    return [float(x) if seat == declarer else -x / 3 for seat in range(4)]
