"""The worked examples of RULES 9, played by the core.

Example 11 is in `test_rubber`, example 17 in `test_dealing`.
"""

import pytest

import sjavs_env
from sjavs_env import VectorSjavs, action_id, action_name
from sjavs_env.core.tables.codes import NO_TRICK, ONE_SEAT, VOL
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.score_tables import gain_of
from tests.strategies import actions_of, codes, deal_of, play_names

THREE = (
    "♦J ♥A ♥K ♥10 ♥9 ♠7 ♦9 ♣8 · ♠J ♥J ♠A ♠K ♠10 ♠9 ♦8 ♥7 · "
    "♣Q ♠Q ♣J ♣A ♣K ♣10 ♥8 ♦7 · ♣7 ♣9 ♠8 ♥Q ♦10 ♦Q ♦K ♦A"
)
EIGHT = (
    "♠Q ♣J ♥K ♥Q ♥10 ♠K ♠10 ♦10 · ♠J ♦J ♣K ♣9 ♣7 ♠9 ♠7 ♥7 · "
    "♣Q ♥J ♣8 ♦K ♦9 ♦7 ♥A ♠8 · ♣A ♣10 ♦A ♦Q ♦8 ♥9 ♥8 ♠A"
)
EIGHT_TRICKS = (
    ("♠K ♠7 ♠8 ♠A", 3, 15),
    ("♦Q ♦10 ♣7 ♦K", 1, 17),
    ("♠9 ♣Q ♥9 ♠10", 2, 13),
    ("♥J ♣10 ♠Q ♠J", 0, 17),
    ("♥Q ♥7 ♥A ♥8", 2, 14),
    ("♣8 ♣A ♣J ♣9", 0, 13),
    ("♥10 ♦J ♦7 ♦8", 1, 12),
    ("♣K ♦9 ♦A ♥K", 1, 19),
)
NINE = (
    "♠Q ♦J ♦A ♦8 ♥A ♥7 ♠A ♠10 · ♣Q ♣J ♣8 ♣7 ♦K ♦Q ♥K ♥9 · "
    "♠J ♥J ♦10 ♦9 ♥Q ♥8 ♠8 ♠7 · ♣A ♣K ♣10 ♣9 ♦7 ♥10 ♠K ♠9"
)
NINE_TRICKS = (
    ("♥7 ♥9 ♥8 ♥10", 3),
    ("♣K ♠Q ♣J ♠J", 0),
    ("♦J ♣7 ♥J ♣9", 2),
    ("♠7 ♠K ♠A ♦Q", 0),
    ("♦A ♦K ♦10 ♦7", 0),
    ("♦8 ♣8 ♦9 ♣A", 3),
    ("♠9 ♠10 ♥K ♠8", 0),
    ("♥A ♣Q ♥Q ♣10", 1),
)


def one(preset: str, line: str, **options: str) -> VectorSjavs:
    vec = VectorSjavs(sjavs_env.rule_set(preset, **options))
    vec.reset(deals=[line])
    return vec


def legal(vec: VectorSjavs) -> list[str]:
    return sorted(action_name(action, vec.rules) for action in actions_of(int(vec.legal[0])))


def with_hands(*hands: str, dealer: int = 3) -> str:
    """Return a deal of 32 cards that begins with these hands; the other seats get the rest."""
    given, known = [codes(hand) for hand in hands], codes(" ".join(hands))
    left = [card for card in sjavs_env.rule_set("faroese4").pack if card not in known]
    rest = [left[i : i + 8] for i in range(0, len(left), 8)]
    return f"{dealer}:" + "/".join("".join(hand) for hand in given + rest)


def play_tricks(vec: VectorSjavs, tricks: tuple[tuple[str, int], ...]) -> None:
    for text, winner in tricks:
        play_names(vec, " ".join(codes(text)))
        assert vec.over[0] or vec.seat[0] == winner, text


def test_example_1_a_hand_opens_with_its_longest_length() -> None:
    vec = one("faroese4", with_hands("♣Q ♥J ♥A ♥K ♥9 ♠7 ♦10 ♦8"))
    assert (vec.seat[0], legal(vec)) == (0, ["5"])


@pytest.mark.parametrize(
    ("before", "said", "calls"),
    [
        ((), "", ["5"]),  # an opening call is never "better"
        (("♦7 ♦8 ♦9 ♦10 ♥J ♠7 ♠8 ♥7",), "5", ["5+"]),
        (("♦7 ♦8 ♦9 ♦10 ♠J ♠7 ♥7 ♥9", "♣K ♣9 ♣8 ♥J ♣Q ♠8 ♠10 ♠K"), "5 5+", ["-"]),
        (("♦7 ♦8 ♦9 ♦10 ♥J ♣Q ♠8 ♥7",), "6", ["-"]),
    ],
)
def test_example_2_an_equal_length_in_clubs_is_better(
    before: tuple[str, ...], said: str, calls: list[str]
) -> None:
    vec = one("faroese4", with_hands(*before, "♠Q ♣J ♦J ♣A ♣10 ♥A ♥8 ♠9"))
    play_names(vec, said)
    assert legal(vec) == calls


def test_example_2_trumps_must_be_clubs() -> None:
    others = ("♣Q ♦7 ♦8 ♦9 ♥7 ♥9 ♠7 ♠8", "♠J ♦10 ♦Q ♦K ♥10 ♠10 ♣7 ♣8")
    vec = one("faroese4", with_hands("♠Q ♣J ♦J ♣A ♣10 ♥A ♥8 ♠9", *others))
    play_names(vec, "5 - - -")
    assert (vec.seat[0], legal(vec)) == (0, ["=C"])


def test_example_3_an_auction() -> None:
    vec = one("faroese4", deal_of(3, THREE))
    for call in ("5", "6", "6+", "-", "=C"):
        assert legal(vec) == [call]
        play_names(vec, call)
    assert (vec.declarer[0], vec.trump[0], vec.seat[0]) == (2, "DHSC".index("C"), 0)
    free = one("faroese4", deal_of(3, THREE), bidding="free")
    assert legal(free) == ["-", "5"]


@pytest.mark.parametrize(
    ("trump", "trick", "hand", "ruff", "cards"),
    [
        ("H", "♣A", "♣Q ♣J ♠A ♥7", "free", "♣Q ♣J ♠A ♥7"),  # 4
        ("H", "♣A", "♣Q ♣9 ♥A", "free", "♣9"),
        ("H", "♦J", "♣Q ♥7 ♦A ♦K", "free", "♣Q ♥7"),  # 5
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "free", "♠9 ♠7 ♣J ♥A"),  # 6
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "no_undertrump", "♣J ♥A"),
        ("S", "♦A ♠10", "♠9 ♠7 ♣J ♥A", "overtrump", "♣J"),
        ("S", "♦A ♠10", "♠9 ♠7", "free", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♠7", "no_undertrump", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♠7", "overtrump", "♠9 ♠7"),
        ("S", "♦A ♠10 ♣J", "♥J ♠Q ♥9", "no_undertrump", "♠Q ♥9"),
        ("S", "♠10 ♣J", "♠9 ♠7 ♥A", "no_undertrump", "♠9 ♠7"),
        ("S", "♠10 ♣J", "♠9 ♠7 ♥A", "overtrump", "♠9 ♠7"),
        ("S", "♦A ♠10", "♠9 ♥A", "overtrump", "♥A"),  # RULES 2, the fallback
    ],
)
def test_examples_4_to_6_what_may_be_played(
    trump: str, trick: str, hand: str, ruff: str, cards: str
) -> None:
    # The state is set by hand, because no deal leads to such short hands at this point.
    vec = VectorSjavs(sjavs_env.rule_set("faroese4", ruff=ruff), seed=1)
    state, led = vec._state, codes(trick)
    while vec.trump[0] < 0:
        if vec.over[0]:
            vec.reset()
        vec.step([actions_of(int(vec.legal[0]))[0]])
    state.trump[0] = "DHSC".index(trump)
    for place, card in enumerate(led):
        seat = int(vec.seat[0])
        state.hand[seat, 0] = 1 << action_id(card)
        state.hand[(seat + 1) % 4, 0] = sum(1 << action_id(c) for c in codes(hand))
        state.legal[0] = 1 << action_id(card)
        vec.step([action_id(card)])
        assert place + 1 < 4
    assert legal(vec) == sorted(codes(cards))


def test_example_7_who_wins_a_trick() -> None:
    for trump, text, winner in (("C", "♦10 ♦Q ♦9 ♠A", 1), ("H", "♠A ♥A ♦J ♠7", 2)):
        vec = VectorSjavs("faroese4", seed=1)
        while vec.trump[0] < 0:
            if vec.over[0]:
                vec.reset()
            vec.step([actions_of(int(vec.legal[0]))[0]])
        vec._state.trump[0] = "DHSC".index(trump)
        lead = int(vec.seat[0])
        for card in codes(text):
            bit = 1 << action_id(card)
            vec._state.legal[0], vec._state.hand[vec.seat[0], 0] = bit, bit
            vec.step([action_id(card)])
        assert vec.seat[0] == (lead + winner) % 4
        assert vec._state.points[vec.seat[0], 0] == 24


def test_example_8_a_whole_deal() -> None:
    vec = one("faroese4", deal_of(3, EIGHT))
    play_names(vec, "5 5+ - - =C")
    assert vec.seat[0] == 0
    play_tricks(vec, tuple((cards, winner) for cards, winner, _ in EIGHT_TRICKS))
    result = vec.result(0)
    assert (result.declarer, result.contract, result.trump) == (1, "5+", "C")
    assert (result.card_points, result.tricks) == ((63, 57), (2, 3, 2, 1))
    assert (result.gains, result.payoffs) == ((0, 4), (-4, 4, -4, 4))
    assert (result.void, result.ties) == (False, 0)


@pytest.mark.parametrize(("carry", "gain"), [(0, 4), (1, 8), (2, 12)])
def test_example_9_all_pass_is_played_in_clubs(carry: int, gain: int) -> None:
    # RULES 2, 60-60: an all-pass clubs deal counts as clubs, 4 for each tie.
    vec = one("faroese4_wiki", deal_of(3, NINE))
    vec.reset(deals=[deal_of(3, NINE)], carry=carry)
    play_names(vec, "- - - -")
    assert (vec.declarer[0], vec.trump[0], vec.seat[0]) == (-1, "DHSC".index("C"), 0)
    play_tricks(vec, NINE_TRICKS)
    result = vec.result(0)
    assert (result.declarer, result.contract, result.trump) == (None, None, "C")
    assert (result.card_points, result.gains, result.ties) == ((72, 48), (gain, 0), 0)


@pytest.mark.parametrize(
    ("preset", "outcome", "simple", "clubs"),
    [
        ("faroese4", 120, (4, 0), (8, 0)),  # 120 points in seven tricks are no vol
        ("faroese4", VOL, (12, 0), (16, 0)),
        ("faroese4", ONE_SEAT, (16, 0), (24, 0)),
        ("faroese4", 90, (4, 0), (8, 0)),
        ("faroese4", 89, (2, 0), (4, 0)),
        ("faroese4", 61, (2, 0), (4, 0)),
        ("faroese4", 60, (0, 0), (0, 0)),
        ("faroese4", 59, (0, 4), (0, 8)),
        ("faroese4", 31, (0, 4), (0, 8)),
        ("faroese4", 30, (0, 8), (0, 16)),
        ("faroese4", NO_TRICK, (0, 16), (0, 16)),
        ("faroese4_1996", NO_TRICK, (0, 16), (0, 24)),
        ("faroese4_1996", ONE_SEAT, (12, 0), (16, 0)),
        ("faroese4_wiki", 30, (0, 4), (0, 8)),
        ("faroese4_wiki", NO_TRICK, (0, 4), (0, 8)),
        ("russian6", ONE_SEAT, (12, 0), (16, 0)),
        ("klorsjavs18", 57, (-8, 0), (-8, 0)),  # example 14
        ("klorsjavs18", 58, (0, -4), (0, -4)),
        ("klorsjavs18", 85, (0, -4), (0, -4)),
        ("klorsjavs18", 86, (0, -8), (0, -8)),
        ("klorsjavs", 60, (-8, 0), (-8, 0)),  # RULES 5
        ("klorsjavs", 61, (0, -4), (0, -4)),
        ("klorsjavs", 91, (0, -8), (0, -8)),
    ],
)
def test_examples_10_and_14_what_a_deal_scores(
    preset: str, outcome: int, simple: tuple[int, int], clubs: tuple[int, int]
) -> None:
    scores = sjavs_env.rule_set(preset).contracts[0].scores
    assert [gain_of(score, outcome) for score in scores] == [simple, clubs]


@pytest.mark.parametrize(
    ("contract", "outcome", "paid"),
    [
        ("spil", 120 - 28, 2),
        ("stryger", 120 - 28, 8),
        ("stryger", VOL, 12),
        ("tout", ONE_SEAT, 10),
        ("spil", 60, -1),
        ("spil", 30, -2),
        ("spil", NO_TRICK, -3),
        ("tout", 110, -10),
        ("stroget-tout", VOL, 15),
        ("stroget-tout", NO_TRICK, -15),
    ],
)
def test_example_15_what_a_contract_pays(contract: str, outcome: int, paid: int) -> None:
    for preset in ("klorsjavs_contracts", "farvesjavs"):
        contracts = {item.action: item for item in sjavs_env.rule_set(preset).contracts}
        for score in contracts[contract].scores:
            assert gain_of(score, outcome) == (2 * paid, -paid)


def test_example_12_what_lies_on_the_table_counts_for_declarer() -> None:
    hands = "♥7 ♥8 ♥9 ♥A ♦7 ♦8 ♦10 ♣7 ♣8 ♣9·♥K ♥Q ♦J ♦K ♦Q ♣A ♣10 ♠7 ♠8 ♦A"
    line = deal_of(2, f"{hands}·♣Q ♠Q ♣J ♠J ♥J ♠A ♠K ♠9 ♠10 ♥10", "♣K ♦9")
    vec = one("faroese3", line)
    while vec.trump[0] < 0:
        vec.step([actions_of(int(vec.legal[0]))[-1]])
    play_names(vec, "HT -")
    hand = int(vec._state.hand[2, 0])
    assert hand >> action_id("CK") & 1
    assert not hand >> action_id("D9") & 1
    while not vec.over[0]:
        vec.step([actions_of(int(vec.legal[0]))[0]])
    won = int(vec._state.points[2, 0])
    assert vec.card_points[0].tolist() == [won + 10, 110 - won]


def test_example_13_klorsjavs() -> None:
    line = deal_of(2, "♠J ♣A ♦A ♥Q ♥5 ♠A · ♣J ♦J ♣K ♣5 ♦Q ♠K · ♣Q ♥J ♦K ♦5 ♥A ♥K", talon="♠5 ♠Q")
    vec = one("klorsjavs", line)
    play_names(vec, "- spil SK DQ -")
    tricks = [("♥Q ♠5 ♥A", 2), ("♦K ♦A ♣J", 1), ("♣5 ♥J ♠J", 0), ("♠A ♣K ♦5", 1)]
    play_tricks(vec, (*tricks, ("♦J ♣Q ♣A", 2), ("♥K ♥5 ♠Q", 1)))
    result = vec.result(0)
    assert (result.card_points, result.tricks) == ((66, 54), (1, 3, 2))
    assert (result.gains, result.payoffs) == ((-4, 0, -4), (-2, 4, -2))


def test_example_16_the_order_of_the_cards_in_farvesjavs() -> None:
    rules = sjavs_env.rule_set("farvesjavs")
    tables = compile_tables(rules)
    hearts = 1

    def ranked(lead: str) -> list[str]:
        row = int(tables.row[hearts * sjavs_env.N_ACTIONS + action_id(lead)])
        strength = {card: int(tables.strength[row + action_id(card)]) for card in rules.pack}
        fighting = [card for card in rules.pack if strength[card]]
        return sorted(fighting, key=strength.__getitem__, reverse=True)

    trumps = codes("♣Q ♠Q ♣J ♠J ♥J ♦J ♥A ♥K ♥Q ♥10")
    assert ranked("HA") == trumps
    assert ranked("DA") == trumps + codes("♦A ♦K ♦Q ♦10")
