"""The worked examples of the rules, played by the naive reference."""

import random

import pytest

from tests.reference import Deal, Result, Rubber, options_of, random_deal
from tests.reference.auction import faroese_call, faroese_names, longest
from tests.reference.cards import PACKS, Ranking, points_of
from tests.reference.scoring import (
    against_others,
    contract_price,
    faroese_row,
    faroese_score,
    klorsjavs_score,
    race_gains,
    with_carry,
)


def codes(text: str) -> list[str]:
    letters = {"♣": "C", "♠": "S", "♥": "H", "♦": "D"}
    return [letters[word[0]] + word[1:].replace("10", "T") for word in text.split()]


def deal_line(dealer: int, hands: str, talon: str = "") -> str:
    line = f"{dealer}:" + "/".join("".join(codes(hand)) for hand in hands.split("·"))
    return line + "|" + "".join(codes(talon)) if talon else line


def play_tricks(deal: Deal, tricks: list[tuple[str, int]]) -> None:
    for text, winner in tricks:
        for card in codes(text):
            deal.play(card)
        if not deal.over:
            assert deal.seat == winner


def scored(gains: list[int], carry: int = 0) -> Result:
    return Result(False, 0, "5", "H", (0, 0), [], gains, against_others(gains), carry)


def test_examples_1_and_2_calls() -> None:
    one = codes("♣Q ♥J ♥A ♥K ♥9 ♠7 ♦10 ♦8")
    assert [len(Ranking(suit).trumps(one)) for suit in "HDSC"] == [5, 4, 3, 2]
    assert faroese_call(one, None) == "5"
    two = codes("♠Q ♣J ♦J ♣A ♣10 ♥A ♥8 ♠9")
    assert longest(two) == (5, ["C", "H"])
    assert [faroese_call(two, n) for n in (None, "5", "5+", "6")] == ["5", "5+", None, None]
    assert faroese_names(two) == ["=C"]


def test_example_3_auction() -> None:
    line = deal_line(
        3,
        "♦J ♥A ♥K ♥10 ♥9 ♠7 ♦9 ♣8 · ♠J ♥J ♠A ♠K ♠10 ♠9 ♦8 ♥7 · "
        "♣Q ♠Q ♣J ♣A ♣K ♣10 ♥8 ♦7 · ♣7 ♣9 ♠8 ♥Q ♦10 ♦Q ♦K ♦A",
    )
    deal = Deal("faroese4", options_of("faroese4"), line)
    for call in ("5", "6", "6+", "-", "=C"):
        assert deal.legal == [call]
        deal.play(call)
    assert (deal.declarer, deal.trump, deal.contract, deal.seat) == (2, "C", "6+", 0)
    free = Deal("faroese4", options_of("faroese4", bidding="free"), line)
    assert free.legal == ["-", "5"]


@pytest.mark.parametrize(
    ("trump", "trick", "hand", "ruff", "legal"),
    [
        ("H", "♣A", "♣Q ♣J ♠A ♥7", "free", "♣Q ♣J ♠A ♥7"),  # example 4
        ("H", "♣A", "♣Q ♣9 ♥A", "free", "♣9"),
        ("H", "♦J", "♣Q ♥7 ♦A ♦K", "free", "♣Q ♥7"),  # example 5
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "free", "♠9 ♠7 ♣J ♥A"),  # example 6
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "no_undertrump", "♣J ♥A"),
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "overtrump", "♣J"),
        ("S", "♦A ♠10", "♠9 ♠7", "free", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♠7", "no_undertrump", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♠7", "overtrump", "♠9 ♠7"),
        ("S", "♦A ♠10 ♣J", "♥J ♠Q ♥9", "no_undertrump", "♠Q ♥9"),
        ("S", "♠10 ♣J", "♠9 ♠7 ♥A", "no_undertrump", "♠9 ♠7"),
        ("S", "♠10 ♣J", "♠9 ♠7 ♥A", "overtrump", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♥A", "overtrump", "♥A"),
    ],
)
def test_examples_4_to_6_legal(trump: str, trick: str, hand: str, ruff: str, legal: str) -> None:
    cards = Ranking(trump).legal(codes(hand), codes(trick), ruff)
    assert sorted(cards) == sorted(codes(legal))


def test_example_7_tricks() -> None:
    for trump, text, winner in (("C", "♦10 ♦Q ♦9 ♠A", 1), ("H", "♠A ♥A ♦J ♠7", 2)):
        assert Ranking(trump).winner(codes(text)) == winner
        assert points_of(codes(text)) == 24


def test_example_8_whole_deal() -> None:
    line = deal_line(
        3,
        "♠Q ♣J ♥K ♥Q ♥10 ♠K ♠10 ♦10 · ♠J ♦J ♣K ♣9 ♣7 ♠9 ♠7 ♥7 · "
        "♣Q ♥J ♣8 ♦K ♦9 ♦7 ♥A ♠8 · ♣A ♣10 ♦A ♦Q ♦8 ♥9 ♥8 ♠A",
    )
    deal = Deal("faroese4", options_of("faroese4"), line, [24, 24], 0)
    for call in ("5", "5+", "-", "-", "=C"):
        deal.play(call)
    tricks = [("♠K ♠7 ♠8 ♠A", 3), ("♦Q ♦10 ♣7 ♦K", 1), ("♠9 ♣Q ♥9 ♠10", 2), ("♥J ♣10 ♠Q ♠J", 0)]
    tricks += [("♥Q ♥7 ♥A ♥8", 2), ("♣8 ♣A ♣J ♣9", 0), ("♥10 ♦J ♦7 ♦8", 1), ("♣K ♦9 ♦A ♥K", 1)]
    play_tricks(deal, tricks)
    assert deal.result == Result(
        False, 1, "5+", "C", (63, 57), [2, 3, 2, 1], [0, 4], [-4.0, 4.0, -4.0, 4.0], 0
    )
    assert [deal.points_taken(seat) for seat in range(4)] == [30, 48, 27, 15]


@pytest.mark.parametrize(("carry", "gain"), [(0, 4), (1, 8)])
def test_example_9_all_pass(carry: int, gain: int) -> None:
    line = deal_line(
        3,
        "♠Q ♦J ♦A ♦8 ♥A ♥7 ♠A ♠10 · ♣Q ♣J ♣8 ♣7 ♦K ♦Q ♥K ♥9 · "
        "♠J ♥J ♦10 ♦9 ♥Q ♥8 ♠8 ♠7 · ♣A ♣K ♣10 ♣9 ♦7 ♥10 ♠K ♠9",
    )
    deal = Deal("faroese4_wiki", options_of("faroese4_wiki"), line, carry=carry)
    for _ in range(4):
        deal.play("-")
    tricks = [("♥7 ♥9 ♥8 ♥10", 3), ("♣K ♠Q ♣J ♠J", 0), ("♦J ♣7 ♥J ♣9", 2), ("♠7 ♠K ♠A ♦Q", 0)]
    tricks += [("♦A ♦K ♦10 ♦7", 0), ("♦8 ♣8 ♦9 ♣A", 3), ("♠9 ♠10 ♥K ♠8", 0), ("♥A ♣Q ♥Q ♣10", 1)]
    play_tricks(deal, tricks)
    assert deal.result == Result(
        False, None, None, "C", (72, 48), [4, 1, 1, 2], [gain, 0], [gain, -gain, gain, -gain], 0
    )


@pytest.mark.parametrize(
    ("table", "points", "tricks", "simple", "clubs"),
    [
        ("faroese4", 120, [4, 3], 4, 8),
        ("faroese4", 120, [4, 4], 12, 16),
        ("faroese4", 120, [0, 8], 16, 24),
        ("faroese4", 59, [2, 2], -4, -8),
        ("faroese4", 30, [1, 0], -8, -16),
        ("faroese4", 0, [0, 0], -16, -16),
        ("faroese4_1996", 0, [0, 0], -16, -24),
        ("faroese4_wiki", 30, [1, 1], -4, -8),
        ("faroese4", 60, [2, 2], 0, 0),
    ],
)
def test_example_10_scores(
    table: str, points: int, tricks: list[int], simple: int, clubs: int
) -> None:
    row = faroese_row(points, tricks, 8)
    assert faroese_score(table, row, False, "carry_by_suit") == simple
    assert faroese_score(table, row, True, "carry_by_suit") == clubs


@pytest.mark.parametrize(
    ("preset", "totals"),
    [("faroese4", [22, 20, 16, 8, -8]), ("faroese4_wiki", [22, 20, 16, 12, -4])],
)
def test_example_11_rubber(preset: str, totals: list[int]) -> None:
    rubber = Rubber(preset, options_of(preset), 3)
    deals = [(0, "H", 70), (1, "C", 75), (0, "H", 60), (0, "S", 92), (1, "H", 28), (0, "C", 120)]
    seen = []
    for declarer, trump, points in deals:
        tricks = [4, 4] if points == 120 else [2, 2]
        amount = faroese_score(preset, faroese_row(points, tricks, 8), trump == "C", "carry2")
        amount = with_carry(amount, "carry_by_suit", rubber.carry, trump == "C")
        gains = race_gains(amount, declarer, 2)
        rubber.record(scored(gains, carry=0 if amount else rubber.carry + 1))
        if amount:
            seen.append(rubber.columns[0 if gains[0] else 1])
    assert seen == totals
    assert (rubber.crosses, rubber.payoffs, rubber.dealer) == ([1, 0], [1, -1, 1, -1], 1)


def test_example_12_exchange() -> None:
    hands = "♥7 ♥8 ♥9 ♥A ♦7 ♦8 ♦10 ♣7 ♣8 ♣9·♥K ♥Q ♦J ♦K ♦Q ♣A ♣10 ♠7 ♠8 ♦A"
    line = deal_line(2, f"{hands}·♣Q ♠Q ♣J ♠J ♥J ♠A ♠K ♠9 ♠10 ♥10", "♣K ♦9")
    deal = Deal("faroese3", options_of("faroese3"), line)
    while deal.phase == "auction":
        deal.play(deal.legal[-1])
    for name in ("=S", "HT", "-"):
        deal.play(name)
    assert deal.declarer == 2
    assert "CK" in deal.hand(2)
    assert not {"D9", "HT"} & set(deal.hand(2))
    while not deal.over:
        deal.play(deal.legal[0])
    assert deal.result is not None
    assert deal.result.card_points[0] == deal.points_taken(2) + 10
    for points, amount in ((62, 2), (58, -4)):
        assert faroese_score("faroese4", faroese_row(points, [5], 10), False, "double") == amount
    assert race_gains(-4, 2, 3) == [4, 4, 0]


def test_example_13_klorsjavs() -> None:
    line = deal_line(2, "♠J ♣A ♦A ♥Q ♥5 ♠A · ♣J ♦J ♣K ♣5 ♦Q ♠K · ♣Q ♥J ♦K ♦5 ♥A ♥K", talon="♠5 ♠Q")
    deal = Deal("klorsjavs", options_of("klorsjavs"), line)
    for name in ("-", "spil", "SK", "DQ", "-"):
        deal.play(name)
    tricks = [("♥Q ♠5 ♥A", 2), ("♦K ♦A ♣J", 1), ("♣5 ♥J ♠J", 0)]
    play_tricks(deal, [*tricks, ("♠A ♣K ♦5", 1), ("♦J ♣Q ♣A", 2), ("♥K ♥5 ♠Q", 1)])
    assert deal.points_taken(1) == 59
    assert deal.result is not None
    assert (deal.result.card_points, deal.result.gains) == ((66, 54), [-4, 0, -4])
    assert deal.result.payoffs == [-2, 4, -2]


def test_examples_14_and_15_danish_scores() -> None:
    lost, single, double = (-8, 0), (0, -4), (0, -8)
    found = [klorsjavs_score(points, 2, 4, (58, 86)) for points in (57, 58, 85, 86)]
    assert found == [lost, single, single, double]
    made = [("spil", 92, 5), ("stryger", 92, 5), ("stryger", 120, 6), ("tout", 120, 6)]
    assert [contract_price(*deal, 6) for deal in made] == [2, 8, 12, 10]
    failed = [("spil", 60, 3), ("spil", 30, 1), ("spil", 8, 0), ("tout", 110, 5)]
    assert [contract_price(*deal, 6) for deal in failed] == [-1, -2, -3, -10]


def test_example_16_farvesjavs_order() -> None:
    ranking = Ranking("H")
    trumps = sorted(ranking.trumps(PACKS["tens"]), key=ranking.height, reverse=True)
    assert trumps == codes("♣Q ♠Q ♣J ♠J ♥J ♦J ♥A ♥K ♥Q ♥10")
    diamonds = [card for card in ranking.plain(PACKS["tens"]) if card[0] == "D"]
    assert sorted(diamonds, key=ranking.height, reverse=True) == codes("♦A ♦K ♦Q ♦10")


def test_example_17_frequencies() -> None:
    rng = random.Random(17)
    opts = options_of("faroese4")
    hands = [Deal("faroese4", opts, random_deal("faroese4", opts, rng, 3)) for _ in range(3000)]
    best = [max(longest(deal.hand(seat))[0] for seat in range(4)) for deal in hands]
    assert 0.045 < sum(length < 5 for length in best) / 3000 < 0.081
    assert 0.27 < sum(length == 6 for length in best) / 3000 < 0.35
