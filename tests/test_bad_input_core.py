"""Every mistake raises one sentence with the value and the nearest valid one; nothing changes."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

import sjavs_env
from sjavs_env import DealError, IllegalActionError, VectorSjavs, rule_set
from sjavs_env.views.layout import N_WORDS

FOUR = (
    "3:SQCJHKHQHTSKSTDT/SJDJCKC9C7S9S7H7/CQHJC8DKD9D7HAS8/CACTDADQD8H9H8SA",
    "faroese4",
)
THREE = ("2:SJCADAHQH5SA/CJDJCKC5DQSK/CQHJDKD5HAHK|S5SQ", "klorsjavs")
TWO = (
    "1:SQCJHKHQHTSKSTDT;SJDJCKC9;C7S9S7H7/CQHJC8DKD9D7HAS8;CACTDADQ;D8H9H8SA",
    "faroese2",
)


@pytest.mark.parametrize(
    ("preset", "options", "sentence"),
    [
        ("faroese5", {}, "unknown rule set 'faroese5'; the nearest is 'faroese4'"),
        ("Klorsjavs", {}, "unknown rule set 'Klorsjavs'; the nearest is 'klorsjavs'"),
        (4, {}, "unknown rule set 4; known: faroese4, faroese4_wiki,"),
        ("faroese4", {"biding": 1}, "faroese4: no option 'biding'; the nearest is 'bidding'"),
        ("klorsjavs", {"max_deals": 3}, "klorsjavs: no option 'max_deals'; known: exchange, start"),
        ("french8", {"ruff": "free"}, "french8: no option 'ruff'; known: solo, halv, nolo, start"),
        ("faroese4", {"ruff": "fre"}, "faroese4: no ruff='fre'; the nearest is 'free'"),
        ("faroese4", {"tie": 2}, "faroese4: no tie=2; known: carry_by_suit, carry2, double, q"),
        ("faroese4", {"start": 0}, "faroese4: start=0 must be a whole number, 1 to 10000"),
        ("faroese4", {"start": 10_001}, "start=10001 must be a whole number, 1 to 10000"),
        ("faroese4", {"start": "24"}, "faroese4: start='24' must be a whole number, 1 to 10000"),
        ("faroese4", {"max_deals": -1}, "max_deals=-1 must be a whole number, 0 to 10000"),
        ("farvesjavs", {"max_deals": 0}, "max_deals=0 must be a whole number, 1 to 10000"),
        ("french8", {"solo": 1}, "french8: solo=1 must be True or False"),
        (
            "faroese3",  # RULES 3: clubs is not available
            {"all_pass": "clubs"},
            "no all_pass='clubs': three players have no sides; the nearest is 'redeal'",
        ),
    ],
)
def test_a_wrong_rule_set_is_refused_with_the_reason(
    preset: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        rule_set(preset, **options)
    if not options:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            VectorSjavs(preset)


def test_all_faults_of_a_rule_set_are_named_at_once() -> None:
    sentence = (
        "faroese4: no bidding='fre'; the nearest is 'free'; start=0 must be a whole number, "
        "1 to 10000; no option 'rough'; the nearest is 'ruff'"
    )
    with pytest.raises(ValueError, match=re.escape(sentence)):
        rule_set("faroese4", bidding="fre", start=0, rough=1)


@pytest.mark.parametrize(
    ("given", "old", "new", "sentence"),
    [
        (FOUR, "CQ", "CJ", "CJ dealt twice, CQ missing"),
        (FOUR, "C7", "C5", "'C5' in the hand of seat 1 is not a card of faroese4; the nearest is"),
        (FOUR, "C7", "c7", "'c7' in the hand of seat 1 is not a card of faroese4; the nearest is"),
        (FOUR, "C7", "-5", "'-5' in the hand of seat 1 is not a card of faroese4"),
        (FOUR, "C7", "", "the hand of seat 1 must be 8 cards, not 7"),
        (FOUR, "C7", "C", "in the hand of seat 1 is not a card of faroese4"),
        (FOUR, "C7S9", "C7S9S9", "the hand of seat 1 must be 8 cards, not 9"),
        (FOUR, "/CACTDADQD8H9H8SA", "", "has 3 hands; faroese4 has 4"),
        (FOUR, "3:", "", "must begin with its dealer, 0 to 3, and a colon"),
        (FOUR, "3:", "4:", "must begin with its dealer, 0 to 3, and a colon"),
        (FOUR, "3:", "-1:", "must begin with its dealer, 0 to 3, and a colon"),
        (FOUR, "3:", "٣:", "must begin with its dealer, 0 to 3, and a colon"),
        (FOUR, "H8SA", "H8|SA", "faroese4 has no talon"),
        (FOUR, "H8SA", "H8;SA", "seat 3 has 2 groups of cards instead of 1"),
        (THREE, "|S5SQ", "", "klorsjavs has a talon of 2 after '|'"),
        (THREE, "|S5SQ", "|", "the talon must be 2 cards, not 0"),
        (THREE, "|S5SQ", "|S5", "the talon must be 2 cards, not 1"),
        (THREE, "CQ", "C7", "'C7' in the hand of seat 2 is not a card of klorsjavs; the nearest"),
        (THREE, "SQ", "C5", "C5 dealt twice, SQ missing"),
        (TWO, ";C7S9S7H7", "", "seat 0 has 2 groups of cards instead of 3"),
        (TWO, "SJDJCKC9;C7", "SJDJCKC9C7;", "the face-up cards of seat 0 must be 4 cards, not 5"),
    ],
)
def test_a_wrong_deal_line_is_refused_with_the_reason(
    given: tuple[str, str], old: str, new: str, sentence: str
) -> None:
    line, preset = given
    vec = VectorSjavs(preset, batch=2, seed=1)
    before = pickle.dumps(vec)
    wrong = line.replace(old, new, 1)
    with pytest.raises(DealError, match=re.escape(sentence)) as caught:
        vec.reset(deals=[line, wrong], seed=5)
    assert repr(wrong) in str(caught.value)
    assert pickle.dumps(vec) == before
    vec.reset(deals=[line, line])


@pytest.mark.parametrize("preset", sjavs_env.RULE_SETS)
def test_a_deal_of_another_pack_is_refused(preset: str) -> None:
    other = "faroese4" if preset.startswith(("klor", "farve")) else "klorsjavs"
    deal = VectorSjavs(other, seed=1).record(0)
    with pytest.raises(DealError, match=re.escape(f"deal {deal!r}")):
        VectorSjavs(preset).reset(deals=[deal])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"deals": FOUR[0]}, "deals must be a list of deal lines, not one line '3:SQCJ"),
        ({"deals": [FOUR[0]]}, "1 deals were given for 3 rows"),
        ({"deals": [1, 2, 3]}, "a deal is one line of text, not int: 1"),
        ({"deals": [FOUR[0]] * 3, "dealer": 1}, "dealer cannot be given together with deals"),
        ({"dealer": 4}, "dealer=4 must lie between 0 and 3"),
        ({"dealer": [0, 1]}, "dealer has shape (2,), which does not fit (3,)"),
        ({"dealer": 0.5}, "dealer=0.5 must be whole numbers"),
        ({"rows": [3]}, "rows=[3] does not fit a batch of 3"),
        ({"rows": [0, -3]}, "rows=[0, -3] names a row twice"),
        ({"rows": [True]}, "rows=[True] does not fit a batch of 3"),
        ({"rows": True}, "rows=True does not fit a batch of 3"),
        ({"rows": False}, "rows=False does not fit a batch of 3"),
        ({"deals": 5}, "deals=5 must be a list of deal lines"),
        ({"rows": [[0]]}, "rows=[[0]] must be 1-dimensional, not 2-dimensional"),
        ({"rows": 0.5}, "rows=0.5 does not fit a batch of 3"),
        ({"columns": [1, 2, 3]}, "columns has shape (3,), which does not fit (3, 2)"),
        ({"columns": 99999}, "columns=99999 must lie between -32768 and 32767"),
        ({"carry": -1}, "carry=-1 must lie between 0 and 254"),
        ({"carry": 255}, "carry=255 must lie between 0 and 254"),
        ({"seed": -1}, "seed=-1 must be a whole number, 0 or more"),
        ({"seed": "one"}, "seed='one' must be a whole number, 0 or more"),
    ],
)
def test_a_refused_reset_changes_nothing(changes: dict[str, Any], sentence: str) -> None:
    vec = VectorSjavs("faroese4", batch=3, seed=1)
    before = pickle.dumps(vec)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        vec.reset(**changes)
    assert pickle.dumps(vec) == before


@pytest.mark.parametrize("tie", ["none", "declarer_loses"])
def test_a_carry_is_refused_if_the_rules_carry_nothing(tie: str) -> None:
    # RULES 2, 60-60: declarer_loses carries nothing, and neither do the games of RULES 5 to 7.
    rules = rule_set("french8") if tie == "none" else rule_set("faroese4", tie=tie)
    vec = VectorSjavs(rules)
    with pytest.raises(ValueError, match=f"carry=1 must be 0: {rules.name} carries no ties"):
        vec.reset(carry=1)
    vec.reset(carry=0)


@pytest.mark.parametrize("batch", [0, -1, 2.5, "3", None])
def test_a_batch_that_is_none_is_refused(batch: Any) -> None:
    with pytest.raises(
        ValueError, match=f"batch={batch!r} must be a whole number, 1 to 2147483647"
    ):
        VectorSjavs("faroese4", batch=batch)


def test_an_illegal_action_moves_nothing_and_the_message_can_reproduce_it() -> None:
    vec = VectorSjavs("klorsjavs", batch=3, seed=1)
    vec.reset(deals=[THREE[0]] * 3)
    for name in ("-", "spil"):
        vec.step([sjavs_env.action_id(name)] * 3)
    before = pickle.dumps(vec)
    wrong = [sjavs_env.action_id(name) for name in ("-", "C5", "CT")]
    wrong[2] = sjavs_env.action_id("C7")
    with pytest.raises(IllegalActionError) as caught:
        vec.step(wrong)
    assert str(caught.value) == (
        f"illegal action 'C7' (id {wrong[2]}) in row 2, seat 1, phase exchange: legal are DQ SK C5 "
        f"CK DJ CJ -; record '{vec.record(2)}'"
    )
    assert vec.record(2).endswith("|S5SQ - spil")
    assert pickle.dumps(vec) == before


@pytest.mark.parametrize("action", [59, 63, 64, 95, 99, -1, 2**40, -(2**40), 10**30])
def test_an_id_without_an_action_is_illegal(action: int) -> None:
    vec = VectorSjavs("faroese4", batch=2, seed=1)
    before = pickle.dumps(vec)
    legal = int(np.flatnonzero(vec.legal_mask()[0])[0])
    with pytest.raises(IllegalActionError, match=rf"'{action}' \(id {action}\) in row 1, seat"):
        vec.step([legal, action])
    assert pickle.dumps(vec) == before


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ([33], "int64 of shape (1,)"),
        (33, "int64 of shape ()"),
        ([[33, 33]], "int64 of shape (1, 2)"),
        ([33.0, 33.0], "float64 of shape (2,)"),
        ([True, True], "bool of shape (2,)"),
        (["5", "5"], "<U1 of shape (2,)"),
        (None, "object of shape ()"),
    ],
)
def test_actions_of_a_wrong_dtype_or_shape_are_refused(actions: Any, told: str) -> None:
    vec = VectorSjavs("faroese4", batch=2, seed=1)
    with pytest.raises(
        ValueError, match=re.escape(f"actions must be integers of shape (2,), not {told}")
    ):
        vec.step(actions)


def test_a_wrong_seat_or_out_array_is_refused() -> None:
    vec = VectorSjavs("klorsjavs", batch=2, seed=1)
    seats: list[tuple[Any, str]] = [
        (3, "seat=3 must lie between 0 and 2"),
        ([0, -1], "seat=[0, -1] must lie between 0 and 2"),
        ([0, 1, 2], "seat has shape (3,), which does not fit (2,)"),
        (0.0, "seat=0.0 must be whole numbers"),
    ]
    for seat, sentence in seats:
        for observe in (vec.observe, vec.observe_all):
            with pytest.raises(ValueError, match=re.escape(sentence)):
                observe(seat=seat)
    outs: list[tuple[Any, str]] = [
        (
            np.zeros((2, 3), np.uint32),
            "out must be an array of uint32 of shape (2, 29), not uint32 of shape (2, 3)",
        ),
        (np.zeros((2, N_WORDS), np.int32), f"not int32 of shape (2, {N_WORDS})"),
        ([0], "not [0]"),
    ]
    for out, sentence in outs:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            vec.observe(out=out)


def test_rows_outside_the_batch_are_refused() -> None:
    vec = VectorSjavs("klorsjavs", batch=2, seed=1)
    rows: list[tuple[Any, str]] = [
        ([2], "rows=[2] does not fit a batch of 2"),
        ([], "rows=[] selects no row; a batch has 1 or more"),
        ([False, False], "rows=[False, False] selects no row"),
    ]
    for chosen, sentence in rows:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            vec.take(chosen)
    for ask in (vec.record, vec.result):
        with pytest.raises(ValueError, match="row=2 must lie between -2 and 1"):
            ask(2)
    with pytest.raises(ValueError, match="row 1 has no result yet: its deal is not over"):
        vec.result(1)


def test_wrong_action_names_and_words_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown action 'c7'; the nearest is 'C7'"):
        sjavs_env.action_id("c7")
    for action in (-1, 59, 64, "5"):
        with pytest.raises(ValueError, match=f"action {action!r} has no name: ids are 0 to 58"):
            sjavs_env.action_name(action)  # type: ignore[arg-type]
    words = np.zeros((2, N_WORDS + 1), np.uint32)
    with pytest.raises(ValueError, match=f"words have width {N_WORDS + 1}, but observations have"):
        sjavs_env.unpack(words)
    with pytest.raises(ValueError, match="dtype='int8' must be 'uint8' or 'float32'"):
        sjavs_env.unpack(words[:, 1:], "int8")  # type: ignore[call-overload]
