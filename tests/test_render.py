"""The table and the score sheet as text."""

import random
import re

import numpy as np
import pytest
from pettingzoo.test import render_test

from sjavs_env import RULE_SETS, VectorSjavs, action_id, rule_set, sjavs_v0, view
from sjavs_env.views.looker import action_text, card_text, sorted_groups
from sjavs_env.views.render import Sheet
from sjavs_env.views.score_sheet import result_line, rubber_line, score_sheet
from sjavs_env.views.transcript import Result
from tests.test_aec import ACTIONS, DEAL, VOID, play, play_names
from tests.test_aec_contract import only_warnings_that_dict_observations_cannot_avoid

every_game = pytest.mark.parametrize("rules", RULE_SETS)
NAMES = ("Anna", "Bárður", "Katrin", "Dánjal")


def scored(*gains, void=False):
    return Result(void, 0, "5", "H", (70, 50), (0, 0, 0, 0), gains, (0, 0, 0, 0), 0)


def bare(lines):
    return [re.sub(r"\s+", "", line) for line in lines]


@every_game
def test_render_test_passes(rules, capsys):
    with only_warnings_that_dict_observations_cannot_avoid():
        render_test(lambda render_mode: sjavs_v0.env(rules, render_mode=render_mode))
        render_test(
            lambda render_mode: sjavs_v0.env(rules, episode="rubber", render_mode=render_mode)
        )
    assert f"Sjavs {rules}" in capsys.readouterr().out


def test_a_table_in_the_middle_of_a_trick():
    env = sjavs_v0.env(render_mode="ansi")
    env.reset(options={"deal": DEAL})
    play_names(env, ACTIONS[:10])
    text = env.render()
    assert text.splitlines() == [
        "Sjavs faroese4 · player_3 dealt · player_1 has 5 better · trumps ♣",
        "",
        "                                   player_2",
        "                                   ▒▒▒▒▒▒▒",
        "                                  said pass",
        "",
        "player_1, declarer                    ·           player_3, dealer",
        "▒▒▒▒▒▒▒                           ·      ♦Q*      ▒▒▒▒▒▒",
        "said 5 better                         ·           said pass",
        "                                                  tricks 1, points 15",
        "",
        "                               player_0, to act",
        "                        ♠Q ♣J | ♠10 | ♥K ♥Q ♥10 | ♦10",
        "                                    said 5",
        "",
        "Last trick: player_0 ♠K, player_1 ♠7, player_2 ♠8, player_3 ♠A; taken by player_3",
        "",
        "  We  │ They",
        "──────┼──────",
        "  24  │  24",
    ]


def test_the_end_of_a_deal_shows_the_result():
    env = sjavs_v0.env(render_mode="ansi")
    env.reset(options={"deal": DEAL})
    play_names(env, ACTIONS)
    assert env.render().splitlines()[-1] == (
        "player_1 had 5 better in ♣: 63 card points to 57. player_1 and player_3 +4."
    )
    env.reset(options={"deal": VOID})
    play_names(env, "----")
    assert env.render().endswith("All passed: nothing is scored.")


def test_a_human_sees_the_end_of_every_deal_of_a_rubber(capsys):
    env = sjavs_v0.env(episode="rubber", render_mode="human")
    env.reset(seed=1)
    play(env, random.Random(1))
    printed = capsys.readouterr().out
    ends = re.findall(r"card points to|All passed", printed)
    assert len(ends) >= len(env.unwrapped.results)
    assert "The rubber is over:" in printed


@every_game
def test_no_table_shows_a_card_that_the_observing_seat_may_not_see(rules):
    rng = random.Random(rules)
    vec = VectorSjavs(rules, batch=8, seed=2)
    fives = vec.rules.fives
    while not vec.over.all():
        words = vec.observe_all(seat=0)
        slots = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}[vec.rules.seats]
        hands, up = view(words, "hands"), view(words, "face_up")
        down, talon = view(words, "face_down"), view(words, "talon")
        for row in range(vec.batch):
            for seat in range(vec.rules.seats):
                others = [slot for other, slot in enumerate(slots) if other != seat]
                hidden = int(talon[row, 0])
                for slot in slots:
                    hidden |= int(down[row, slot])
                for slot in others:
                    hidden |= int(hands[row, slot]) & ~int(up[row, slot])
                shown = set(re.split(r"[\s,;|*]+", vec.table(row, seat)))
                secret = {card_text(card, fives) for card in range(32) if hidden >> card & 1}
                assert not shown & secret, (row, seat)
        legal = [np.flatnonzero(mask).tolist() or [0] for mask in vec.legal_mask()]
        vec.step([rng.choice(choices) for choices in legal])


@every_game
def test_without_a_seat_every_card_is_shown(rules):
    vec = VectorSjavs(rules, batch=1, seed=2)
    shown = set(re.split(r"[\s,;|*]+", vec.table(0)))
    talon = 0 if not vec.rules.talon_size else vec.rules.talon_size
    cards = {card_text(action_id(code), vec.rules.fives) for code in vec.rules.pack}
    assert len(cards & shown) == len(cards) - talon


@every_game
def test_a_table_stays_within_its_width(rules):
    vec, rng = VectorSjavs(rules, batch=1, seed=4), random.Random(4)
    while not vec.over[0]:
        for seat in (None, *range(vec.rules.seats)):
            body = vec.table(0, seat, Sheet(NAMES[: vec.rules.seats])).splitlines()
            assert max(map(len, body)) <= 100
        vec.step([rng.choice(np.flatnonzero(vec.legal_mask()[0]).tolist())])


def test_hands_are_sorted_in_trump_order():
    hand = sum(1 << action_id(code) for code in ("CQ", "H7", "HA", "DJ", "D9", "DA", "C8", "SK"))
    rules = rule_set("faroese4")

    def shown(trump, trumpless=False, game=rules):
        groups = sorted_groups(game, trump, trumpless, hand)
        return [" ".join(map(card_text, group)) for group in groups]

    assert shown("DHSC".index("H")) == ["♣Q ♦J ♥A ♥7", "♣8", "♠K", "♦A ♦9"]
    assert shown(-1) == ["♣Q ♦J", "♣8", "♠K", "♥A ♥7", "♦A ♦9"]
    nolo = rule_set("french8", nolo=True)
    assert shown(-1, trumpless=True, game=nolo) == ["♣Q ♣8", "♠K", "♥A ♥7", "♦A ♦J ♦9"]


def test_cards_and_calls_are_written_as_people_say_them():
    texts = [action_text(action_id(name)) for name in ("ST", "CQ", "-", "12", "6+", "=H", "spil")]
    assert texts == ["♠10", "♣Q", "pass", "12", "6 better", "♥", "spil"]
    assert card_text(action_id("C5"), fives=True) == "♣5"


def test_example_11_on_the_score_sheet_with_a_cross_mark_after_every_four_deals():
    results = [scored(2, 0), scored(0, 4), scored(0, 0), scored(6, 0), scored(8, 0), scored(16, 0)]
    results.insert(2, scored(0, 0, void=True))
    rules = rule_set("faroese4")
    assert bare(score_sheet(rules, results, 0, NAMES)) == [
        "We│They",
        "──────┼──────",
        "24│24",
        "22│",
        "│20",
        "16×",
        "8│",
        "-8│",
    ]
    assert bare(score_sheet(rules, results[:1], 1, NAMES))[2:] == ["24│24", "│22"]


def test_a_sheet_for_three_shows_the_names_and_subtracts_losses():
    sheet = score_sheet(rule_set("klorsjavs"), [scored(0, -4, -4)], 1, NAMES[:3])
    assert bare(sheet)[0] == "Bárður│Katrin│Anna"
    assert bare(sheet)[3] == "56│56│"


def test_result_lines():
    rules = rule_set("faroese4")
    tie = Result(False, 2, "6", "S", (60, 60), (2, 2, 2, 2), (0, 0), (0, 0, 0, 0), 2)
    assert result_line(rules, tie, NAMES) == (
        "Katrin had 6 in ♠: 60 card points to 60. Nobody scores; 2 carried on."
    )
    clubs = Result(False, None, None, "C", (72, 48), (4, 1, 1, 2), (4, 0), (4, -4, 4, -4), 0)
    assert result_line(rules, clubs, NAMES) == (
        "All passed, and clubs were played: 72 card points to 48. Anna and Katrin +4."
    )
    assert rubber_line(rules, [], (2, 0), NAMES) == (
        "The rubber is over: Anna and Katrin 2 crosses, a double victory."
    )
    assert rubber_line(rules, [], (0, 0), NAMES) == "The rubber is over: drawn."


def test_a_player_who_ends_on_60_is_reported():  # RULES 5
    deals = [scored(0, -16, -8), scored(0, -16, -8), scored(0, -16, -8), scored(0, -16, -8)]
    assert rubber_line(rule_set("klorsjavs"), deals, (1, 0, 1), NAMES) == (
        "The rubber is over: Anna 1 cross, Katrin 1 cross. Anna ends on 60."
    )


def test_rendering_without_a_mode_warns():
    env = sjavs_v0.env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode='ansi' or 'human'"):
        assert env.render() is None
