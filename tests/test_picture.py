"""The table as SVG."""

import random
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs, action_id
from sjavs_env.views.looker import card_text
from sjavs_env.views.picture import HEIGHT, WIDTH
from tests.strategies import decisions, play_names, random_line, random_rules
from tests.test_aec import ACTIONS, DEAL
from tests.test_secrets import exchanged, hidden_from, replayed

every_game = pytest.mark.parametrize("preset", RULE_SETS)
SVG = "{http://www.w3.org/2000/svg}"
ROWS = 2


def dealt(preset, rng):
    rules = random_rules(preset, rng)
    vec = VectorSjavs(rules, batch=ROWS)
    vec.reset(
        deals=[random_line(rules, rng) for _ in range(ROWS)],
        columns=[[rng.randint(-8, 24) for _ in range(rules.columns)] for _ in range(ROWS)],
        carry=[rng.choice((0, 1)) * rules.carries for _ in range(ROWS)],
    )
    return vec


def stages(vec, rng):
    """Yield before every decision, and once more at the end."""
    yield from decisions(vec, np.random.default_rng(rng.randrange(2**32)))
    yield None


def cards_in(text):
    """Return every card that a drawing shows or tells of, and how often it is drawn."""
    root = ElementTree.fromstring(text)
    drawn = [title.text for title in root.iterfind(f".//{SVG}g/{SVG}title")]
    told = re.findall(r"[♦♥♠♣](?:10|[25-9JQKA])", root.findtext(f"{SVG}desc"))
    return drawn, told


def texts(picture):
    return {element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}text")}


def check(picture):
    root = ElementTree.fromstring(picture)
    assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    assert root.findtext(f"{SVG}title").startswith("Sjavs ")
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {"svg", "title", "desc", "defs", "g", "rect", "path", "circle", "use", "text"}
    links = {element.get("href") for element in root.iter(f"{SVG}use")}
    known = {f"#{element.get('id')}" for element in root.iter() if element.get("id")}
    assert links <= known
    for x, y in re.findall(r"translate\((\S+) (\S+)\)", picture):
        assert -1 < float(x) < WIDTH
        assert -1 < float(y) < HEIGHT


@every_game
def test_every_stage_of_a_deal_is_a_drawing_that_needs_nothing_else(preset):
    rng = random.Random(preset)
    vec = dealt(preset, rng)
    for _ in stages(vec, rng):
        check(vec.picture(0))
        check(vec.picture(1, seat=rng.randrange(vec.rules.seats)))


@every_game
def test_no_picture_shows_a_card_that_its_looker_may_not_see(preset):
    rng = random.Random(preset)
    vec = dealt(preset, rng)
    for _ in stages(vec, rng):
        for row in range(ROWS):
            for seat in range(vec.rules.seats):
                secret = {card_text(c, vec.rules.fives) for c in hidden_from(vec, row, seat)}
                drawn, told = cards_in(vec.picture(row, seat))
                assert not secret & {*drawn, *told}, (vec.record(row), seat)


@every_game
def test_two_deals_that_look_the_same_to_a_seat_look_the_same_in_its_picture(preset):
    rng = random.Random(preset)
    vec = dealt(preset, rng)
    seats, compared = vec.rules.seats, 0
    for _ in decisions(vec, np.random.default_rng(1)):
        records = [exchanged(vec, row, seat, rng) for row in range(ROWS) for seat in range(seats)]
        other, possible = replayed(vec, records)
        for number in np.flatnonzero(possible):
            row, seat = divmod(int(number), seats)
            # The result counts a talon that nobody has seen.
            if not vec.over[row]:
                assert vec.picture(row, seat) == other.picture(int(number), seat)
                compared += records[number] != vec.record(row)
    assert compared


@every_game
def test_without_a_seat_every_card_is_drawn_once(preset):
    vec = VectorSjavs(preset, seed=2)
    drawn, _ = cards_in(vec.picture(0))
    pack = [card_text(action_id(code), vec.rules.fives) for code in vec.rules.pack]
    assert sorted(drawn) == sorted(pack)


def test_the_same_record_gives_the_same_bytes():
    pictures = []
    for batch in (1, 3):
        vec = VectorSjavs(batch=batch)
        vec.reset(deals=[DEAL] * batch)
        for name in ACTIONS[:12]:
            vec.step([action_id(name)] * batch)
        pictures += [vec.picture(row) for row in (0, batch - 1, -1)]
    assert len(set(pictures)) == 1


def test_a_picture_in_the_middle_of_a_trick():
    vec = VectorSjavs()
    vec.reset(deals=[DEAL], columns=[(10, -4)])
    play_names(vec, " ".join(ACTIONS[:10]))
    picture = vec.picture(0, seat=0)
    assert texts(picture) >= {
        *("faroese4", "seat 3 dealt", "seat 1 has 5 better", "trumps ♣"),
        *("seat 0", "to act", "declarer", "dealer", "last trick: seat 3"),
        *("said 5", "said 5 better", "said pass", "said pass · tricks 1, points 15"),
        *("score", "10", "−4"),
    }
    assert picture.count('href="#back"') == 7 + 7 + 6
    drawn, _ = cards_in(picture)
    assert drawn[:8] == ["♠Q", "♣J", "♠10", "♥K", "♥Q", "♥10", "♦10", "♦Q"]
    assert drawn[8:] == ["♠K", "♠7", "♠8", "♠A"]


def test_the_end_of_a_deal_is_told_in_the_picture():
    vec = VectorSjavs()
    vec.reset(deals=[DEAL])
    play_names(vec, " ".join(ACTIONS))
    lines = {"seat 1 had 5 better in ♣", "63 card points to 57", "seat 1 and seat 3 +4."}
    assert texts(vec.picture(0)) >= lines


def test_a_pile_shows_its_face_down_card_to_nobody_at_the_table():
    vec = VectorSjavs("faroese2", seed=5)
    assert vec.picture(0, seat=0).count('href="#back"') == 8 + 4 + 4
    assert 'href="#back"' not in vec.picture(0)


def test_a_talon_lies_face_down_until_it_is_taken():
    vec = VectorSjavs("klorsjavs_contracts", seed=1)
    play_names(vec, "spil - -")
    declarer = int(vec.declarer[0])
    assert "talon" in texts(vec.picture(0, declarer))
    play_names(vec, "take")
    assert "talon" not in texts(vec.picture(0, declarer))
