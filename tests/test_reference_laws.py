"""Laws that the naive reference obeys, in random play and at the end of rubbers."""

import random
from typing import Any

import pytest

from tests.reference import ALIASES, PRESETS, Deal, Result, Rubber, options_of, random_deal
from tests.reference.games import GAMES, VALUES, is_allowed
from tests.reference.scoring import french_score, with_carry
from tests.test_reference import deal_line, scored

TOTALS = {"32": 120, "fives": 120, "tens": 120, "18": 114}


def random_options(preset: str, rng: random.Random) -> dict[str, Any]:
    options = {}
    for option, default in options_of(preset).items():
        choices = VALUES.get(option, (False, True) if isinstance(default, bool) else (3, 24, None))
        options[option] = rng.choice([v for v in choices if is_allowed(preset, option, v)])
    return options_of(preset, **options)


def play_out(deal: Deal, rng: random.Random) -> Result:
    while not deal.over:
        assert deal.legal == sorted(set(deal.legal))
        assert deal.seat is not None
        deal.play(rng.choice(deal.legal))
    assert (deal.legal, deal.seat, deal.phase) == ([], None, "over")
    assert deal.result is not None
    return deal.result


def test_french_scores() -> None:
    rows = [(120, 8), (91, 5), (90, 5), (61, 4), (60, 4), (31, 2), (30, 2), (0, 0)]
    assert [french_score("=H", *row, 8) for row in rows] == [8, 4, 2, 2, -2, -2, -4, -8]
    assert [french_score("solo", *row, 8) for row in rows[:5]] == [16, 8, 4, 4, -4]
    assert [french_score("halv", points, 4, 8) for points in (50, 49)] == [1, -2]
    assert [french_score("nolo", 0, taken, 8) for taken in (0, 1)] == [8, -8]


@pytest.mark.parametrize("preset", [*PRESETS, *ALIASES])
def test_random_deals_obey_the_laws(preset: str) -> None:
    rng = random.Random(preset)
    game = GAMES[ALIASES.get(preset, preset)]
    count = 2 if game["pairs"] else game["seats"]
    for _ in range(60):
        opts = random_options(preset, rng)
        carry = rng.choice([0, 0, 1, 2]) if game["family"] == "faroese" else 0
        line = random_deal(preset, opts, rng, rng.randrange(game["seats"]))
        deal = Deal(preset, opts, line, [24] * count, carry)
        with pytest.raises(ValueError, match="not legal"):
            deal.play("XX")
        result = play_out(deal, rng)
        played = sum(result.tricks) > 0
        assert sum(result.tricks) == (game["cards"] if played else 0)
        assert sum(result.card_points) == (TOTALS[game["pack"]] if played else 0)
        assert not (result.void and (played or any(result.gains)))
        alone = result.contract in ("solo", "nolo")
        assert sum(result.payoffs[: game["seats"] if alone else count]) == pytest.approx(0)
        assert len(result.gains) == count


def test_faroese2_turns_cards_after_the_trick() -> None:
    rng = random.Random(4)
    opts = options_of("faroese2")
    for _ in range(20):
        deal = Deal("faroese2", opts, random_deal("faroese2", opts, rng, 0))
        up, down = [list(row) for row in deal.up], [list(row) for row in deal.down]
        while not deal.over:
            name, seat = rng.choice(deal.legal), deal.seat
            assert seat is not None
            deal.play(name)
            if name in up[seat]:
                up[seat][up[seat].index(name)] = ""
            if not deal.trick:
                for side in range(2):
                    for slot in range(4):
                        if not up[side][slot]:
                            up[side][slot], down[side][slot] = down[side][slot], ""
            assert [deal.face_up(side) for side in range(2)] == [[c for c in r if c] for r in up]


def test_french_nolo_has_no_trumps() -> None:
    hands = "♣Q ♠Q ♥Q ♦Q ♣J ♠J ♥J ♦J · ♣A ♣10 ♣K ♣9 ♣8 ♣7 ♦A ♦7 · ♠A ♠10 ♠K ♠9 ♠8 ♠7 ♦10 ♦8"
    line = deal_line(3, f"{hands} · ♥A ♥10 ♥K ♥9 ♥8 ♥7 ♦K ♦9")
    deal = Deal("french8", options_of("french8", nolo=True), line)
    assert deal.legal == ["-", "=C", "=D", "=H", "=S"]
    for name in ("=S", "-", "-", "-"):
        deal.play(name)
    assert deal.legal == ["-", "nolo"]
    deal.play("nolo")
    deal.play("DQ")
    assert (deal.trump, deal.legal) == (None, ["D7", "DA"])
    for name in ("D7", "D8", "D9"):
        deal.play(name)
    assert (deal.seat, deal.tricks_taken(0)) == (0, 1)
    result = play_out(deal, random.Random(1))
    assert (result.contract, result.gains, result.trump) == ("nolo", [-8, 8], None)
    assert result.payoffs == pytest.approx([-16, 16 / 3, 16 / 3, 16 / 3])


@pytest.mark.parametrize("preset", PRESETS)
def test_rubbers_end(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(4):
        opts = random_options(preset, rng)
        rubber = Rubber(preset, opts, rng.randrange(GAMES[preset]["seats"]))
        while not rubber.over:
            line = random_deal(preset, opts, rng, rubber.dealer)
            rubber.record(play_out(Deal(preset, opts, line, rubber.columns, rubber.carry), rng))
        assert rubber.crosses is not None
        assert rubber.payoffs is not None
        assert sum(rubber.payoffs[: len(rubber.columns)]) == pytest.approx(0)


def test_klorsjavs_ties_need_more_deals() -> None:
    rubber = Rubber("klorsjavs18", options_of("klorsjavs18", start=16), 0)
    rubber.record(scored([0, -16, -16, -16]))
    assert not rubber.over
    rubber.record(scored([-16, -4, 0, -4]))  # seat 0 is at 0 too, but is no longer among the tied
    assert (rubber.over, rubber.tied) == (False, [1, 3])
    rubber.record(scored([0, 0, 0, -8]))
    assert rubber.crosses == [1, 1, 1, 0]
    apart = Rubber("klorsjavs", options_of("klorsjavs"), 0)
    for gains in ([-16, -16, 0], [-16, -16, 0], [-16, 0, -8], [0, 0, -8], [-16, -44, 0]):
        apart.record(scored(gains))
    assert apart.columns == [-4, -16, 44]
    assert apart.crosses == [0, 1, 1]  # seat 0 stood on 12 before, seat 1 on 28


def test_ends_by_max_deals_and_double_victory() -> None:
    drawn = Rubber("faroese4", options_of("faroese4", max_deals=2), 0)
    drawn.record(scored([0, 4]))
    drawn.record(scored([0, 0], carry=1))
    drawn.record(scored([4, 0]))
    assert drawn.crosses == [0, 0]
    double = Rubber("faroese3", options_of("faroese3", start=8), 0)
    double.record(scored([8, 8, 0]))
    assert (double.crosses, double.payoffs) == ([2, 2, 0], [1, 1, -2])


@pytest.mark.parametrize(
    ("tie", "simple", "clubs"),
    [("carry_by_suit", 8, 12), ("carry2", 8, 8), ("double", 8, 8), ("quadruple", 16, 16)],
)
def test_two_pending_ties(tie: str, simple: int, clubs: int) -> None:
    assert [with_carry(4, tie, 2, suit) for suit in (False, True)] == [simple, clubs]
    assert with_carry(-4, tie, 2, True) == -clubs


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("faroese3", {"all_pass": "clubs"}),
        ("klorsjavs", {"max_deals": 3}),
        ("french8", {"ruff": "free"}),
        ("faroese4", {"bidding": "never"}),
        ("faroese4", {"start": 0}),
        ("sjavs9", {}),
    ],
)
def test_options_not_allowed(preset: str, overrides: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unknown|no option|not allow"):
        options_of(preset, **overrides)
