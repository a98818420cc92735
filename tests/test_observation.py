"""Observations: the layout, its facts in a worked example, and its limits."""

import numpy as np
import pytest

import sjavs_env
from sjavs_env import LAYOUT, RULE_SETS, VectorSjavs, action_id, unpack, view
from sjavs_env.core.bits import blocks
from sjavs_env.core.rules.state import State, visibility
from sjavs_env.views.layout import LAYOUT_ALL, N_FEATURES, N_FEATURES_ALL, N_WORDS, N_WORDS_ALL
from sjavs_env.views.observe import View
from tests.strategies import codes, deal_of, decisions, play_names, play_out
from tests.test_examples import EIGHT, EIGHT_TRICKS

DIAMONDS, HEARTS, SPADES, CLUBS, TRUMPS = range(5)


def cards(text: str) -> int:
    return sum(1 << action_id(card) for card in codes(text))


def seen(vec: VectorSjavs, name: str, seat: int | None = None) -> list[int]:
    """Return a fact of row 0 as one seat sees it."""
    found: list[int] = view(vec.observe(seat=seat)[0], name).tolist()
    return found


def features_of(words: np.ndarray, dtype: str) -> np.ndarray:
    """Return flat features made from the named views, one fact after the other."""
    parts = []
    for name, item in (LAYOUT if words.shape[-1] == N_WORDS else LAYOUT_ALL).items():
        values = view(words, name)
        if item.kind == "cards":
            bits = values[..., None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
            part = bits.reshape(*words.shape[:-1], -1)
        else:
            part = values + item.offset
        parts.append(part / item.scale if dtype == "float32" else part)
    return np.concatenate(parts, axis=-1).astype(dtype)


@pytest.mark.parametrize("preset", RULE_SETS)
def test_features_are_the_named_views_side_by_side(preset: str) -> None:
    vec = VectorSjavs(preset, batch=16, seed=1)
    rng = np.random.default_rng(1)
    for number, _ in enumerate(decisions(vec, rng)):
        if number % 3:
            continue
        for words in (vec.observe(), vec.observe(seat=0), vec.observe_all(seat=1)):
            raw, scaled = unpack(words), unpack(words, "float32")
            assert (raw.dtype, scaled.dtype) == (np.uint8, np.float32)
            np.testing.assert_array_equal(raw, features_of(words, "uint8"))
            np.testing.assert_allclose(scaled, features_of(words, "float32"), rtol=1e-6)
            assert scaled.min() >= 0
            assert scaled.max() <= 1
        np.testing.assert_array_equal(words[:, :N_WORDS], vec.observe(seat=1))


@pytest.mark.parametrize("preset", RULE_SETS)
def test_every_rule_set_has_the_same_shapes(preset: str) -> None:
    vec = VectorSjavs(preset, batch=2, seed=1)
    assert vec.observe().shape == (2, N_WORDS)
    assert vec.observe_all().shape == (2, N_WORDS_ALL)
    assert unpack(vec.observe()).shape == (2, N_FEATURES)
    assert unpack(vec.observe_all()).shape == (2, N_FEATURES_ALL)
    out = np.full((2, N_WORDS), 7, np.uint32)
    assert vec.observe(out=out) is out
    np.testing.assert_array_equal(out, vec.observe())


@pytest.mark.parametrize("preset", RULE_SETS)
def test_one_row_alone_has_the_same_features(preset: str) -> None:
    vec = VectorSjavs(preset, batch=3, seed=2)
    for _ in decisions(vec, np.random.default_rng(3)):
        for seat in range(vec.rules.seats):
            whole = unpack(vec.observe(seat=seat), "float32")
            for row in range(3):
                np.testing.assert_array_equal(vec.features(row, seat), whole[row])


def test_every_bit_of_a_word_belongs_to_one_fact() -> None:
    taken = np.zeros((N_WORDS_ALL, 32), int)
    for item in LAYOUT_ALL.values():
        if item.kind == "numbers":
            taken[item.word, item.shift : item.shift + item.count * item.bits] += 1
        else:
            taken[item.word : item.word + item.n_words] += 1
    assert taken.max() == 1


def test_example_8_as_the_seats_see_it() -> None:
    vec = VectorSjavs("faroese4")
    vec.reset(deals=[deal_of(3, EIGHT)], columns=[24, -5], carry=2)
    play_names(vec, "5 5+ - - =C " + " ".join(codes("♠K ♠7 ♠8 ♠A ♦Q ♦10 ♣7")))
    assert vec.seat[0] == 2
    me = {name: seen(vec, name) for name in LAYOUT}  # seat 2: left 3, across 0, right 1
    assert me["hand"] == [cards("♣Q ♥J ♣8 ♦K ♦9 ♦7 ♥A")]
    assert me["played"] == [cards(text) for text in ("♠8", "♠A ♦Q", "♠K ♦10", "♠7 ♣7")]
    assert me["trick"] == [cards(text) for text in ("", "♦Q", "♦10", "♣7")]
    first, second = codes("♠K ♠7 ♠8 ♠A"), codes("♦Q ♦10 ♣7")
    fell = [0] * 32
    for number, trick in ((1, first), (2, second)):
        for card in trick:
            fell[action_id(card)] = number
    assert me["fell"] == fell
    said = {name: 1 << (action_id(name) - 32) for name in ("-", "5", "5+")}
    assert me["calls"] == [said["-"], said["-"], said["5"], said["5+"]]
    assert me["contract"] == [said["5+"]]
    flags = {"to_act": 0, "dealer": 1, "declarer": 3, "leader": 1, "trump": CLUBS, "phase": 4}
    for name, place in flags.items():
        assert np.flatnonzero(me[name]).tolist() == [place], name
    assert (me["carry"], me["columns"]) == ([2], [24, -5, 24, -5])
    assert (me["trick_number"], me["tricks"]) == ([1], [0, 1, 0, 0])
    assert me["points"] == [0, 15, 0, 0]
    voids = np.array(me["voids"]).reshape(4, 5)
    assert np.argwhere(voids).tolist() == [[3, DIAMONDS]]  # seat 1 ruffed diamonds
    assert me["laid_away"] == me["n_laid_away"] == [0]
    assert me["face_up"] == [0] * 4


def test_example_8_after_its_end() -> None:
    vec = VectorSjavs("faroese4")
    vec.reset(deals=[deal_of(3, EIGHT)])
    play_names(vec, "5 5+ - - =C")
    for text, _, _ in EIGHT_TRICKS:
        play_names(vec, " ".join(codes(text)))
    assert not vec.observe().any()  # no seat is to act
    for seat in range(4):
        turned = [(seat + slot) % 4 for slot in range(4)]
        assert seen(vec, "points", seat) == [(30, 48, 27, 15)[each] for each in turned]
        assert seen(vec, "tricks", seat) == [(2, 3, 2, 1)[each] for each in turned]
        assert seen(vec, "phase", seat) == [0, 0, 0, 0, 0, 1]
        assert seen(vec, "to_act", seat) == [0] * 4
        assert seen(vec, "hand", seat) == [0]
        assert seen(vec, "trick_number", seat) == [8]
    shown = np.array(seen(vec, "voids", 0)).reshape(4, 5)
    assert np.argwhere(shown).tolist() == voids_of_eight()


def voids_of_eight() -> list[list[int]]:
    """Return the seat and the class of every failure to follow in example 8, worked out by hand."""
    trumps = cards("♣Q ♠Q ♣J ♠J ♥J ♦J ♣A ♣K ♣10 ♣9 ♣8 ♣7")
    shown, leader = set(), 0
    for text, winner, _ in EIGHT_TRICKS:
        played = text.split()
        classes = [TRUMPS if cards(c) & trumps else "♦♥♠♣".index(c[0]) for c in played]
        for place, each in enumerate(classes):
            if each != classes[0]:
                shown.add(((leader + place) % 4, classes[0]))
        leader = winner
    return sorted([seat, which] for seat, which in shown)


@pytest.mark.parametrize("preset", RULE_SETS)
def test_observing_changes_nothing_and_works_at_any_time(preset: str) -> None:
    vec = VectorSjavs(preset, batch=8, seed=3)
    twin = VectorSjavs(preset, batch=8, seed=3)
    for actions in decisions(vec, np.random.default_rng(4)):
        for seat in range(vec.rules.seats):
            vec.observe(seat=seat)
            vec.observe_all(seat=seat)
        own = vec.observe()
        np.testing.assert_array_equal(own[vec.over], 0)
        np.testing.assert_array_equal(own, twin.observe())
        given = np.where(vec.over, 0, vec.seat)
        np.testing.assert_array_equal(own[~vec.over], vec.observe(seat=given)[~vec.over])
        twin.step(actions)
    play_out(twin, 4)
    for seat in range(vec.rules.seats):
        last = vec.observe(seat=seat)
        assert view(last, "phase")[:, -1].all()
        np.testing.assert_array_equal(last, twin.observe(seat=seat))


def test_seats_are_relative_and_nobody_sits_across_in_a_game_for_three() -> None:
    for preset, slots in (("faroese2", (0, 2)), ("faroese3", (0, 1, 3)), ("faroese4", range(4))):
        vec = VectorSjavs(preset, batch=1, seed=1)
        for dealer in range(vec.rules.seats):
            vec.reset(dealer=dealer)
            for seat in range(vec.rules.seats):
                where = list(slots)[(dealer - seat) % vec.rules.seats]
                assert np.flatnonzero(seen(vec, "dealer", seat)).tolist() == [where]


def test_columns_and_carry_are_clipped_to_their_bits() -> None:
    vec = VectorSjavs("faroese4", batch=1, seed=1)
    for given, shown in ((-64, -64), (-900, -64), (191, 191), (900, 191)):
        vec.reset(columns=[given, 24], carry=200)
        assert seen(vec, "columns", 0) == [shown, 24] * 2
        assert seen(vec, "carry", 0) == [7]
        assert unpack(vec.observe(), "float32").max() <= 1


def test_a_view_returns_no_field_of_another_visibility() -> None:
    vec = VectorSjavs("faroese3", batch=1, seed=1)
    everything = next(blocks(1, 1))
    look = View(vec._state, vec._tables, everything, vec.seat)
    ways = {"public": look.public, "seat": look.mine, "declarer": look.as_declarer}
    ways |= {"hidden": lambda name: look._field(name, "hidden")}
    kinds = {name: visibility(name) for name in State.__slots__}
    assert set(kinds.values()) == {"public", "seat", "declarer", "hidden"}
    for name, kind in kinds.items():
        for asked, way in ways.items():
            if asked != kind:
                with pytest.raises(PermissionError, match=f"{name} is {kind}, not {asked}"):
                    way(name)
        if kind != "public":
            with pytest.raises(PermissionError):
                look.each(name)
    assert {name for name, kind in kinds.items() if kind != "public"} == {
        *("legal", "hand", "claim", "longest"),
        *("face_down", "under", "talon", "drawn", "laid_away"),
    }
    assert not hasattr(sjavs_env, "OpenView")
