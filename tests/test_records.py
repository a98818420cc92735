"""Notation: everything that can be written can be read back."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sjavs_env
from sjavs_env import N_ACTIONS, RULE_SETS, RuleSet, VectorSjavs, action_id, action_name
from sjavs_env.core.rules.notation import parse_record
from tests.strategies import actions_of, deals_of, decisions, pack_codes, random_line, rule_sets

FROZEN = (
    "D7 D8 D9 DT DQ DK DA H7 H8 H9 HT HQ HK HA S7 S8 S9 ST SK SA C7 C8 C9 CT CK CA "
    "DJ HJ SJ CJ SQ CQ - 5 6 7 8 9 10 11 12 5+ 6+ 7+ 8+ 9+ =C =S =H =D take "
    "spil stryger tout stroget-tout solo halv nolo concede"
)
NAMES = FROZEN.split()


def test_the_ids_of_the_actions_are_frozen() -> None:
    assert N_ACTIONS == 64
    assert [action_name(action) for action in range(len(NAMES))] == NAMES
    assert [action_id(name) for name in NAMES] == list(range(59))


@pytest.mark.parametrize("preset", RULE_SETS)
def test_names_and_ids_are_read_back(preset: str) -> None:
    rules = sjavs_env.rule_set(preset)
    names = [action_name(action, rules) for action in range(len(NAMES))]
    assert [action_id(name) for name in names] == list(range(len(NAMES)))
    assert len(set(names)) == len(names)
    fives = [name for name in names if name in ("D5", "H5", "S5", "C5")]
    assert len(fives) == 4 * (preset in ("klorsjavs", "klorsjavs18"))  # RULES 1, Danish packs
    for suit in "DHSC":
        assert action_id(f"{suit}5") == action_id(f"{suit}T")


def replay(
    rules: RuleSet, records: list[str], columns: np.ndarray, carry: np.ndarray
) -> VectorSjavs:
    """Replay the records of a batch."""
    read = [parse_record(record) for record in records]
    vec = VectorSjavs(rules, batch=len(records))
    vec.reset(deals=[deal for deal, _ in read], columns=columns, carry=carry)
    for turn in range(max(len(actions) for _, actions in read)):
        vec.step([actions[turn] if turn < len(actions) else 99 for _, actions in read])
    return vec


@settings(deadline=None, max_examples=60, derandomize=True)
@given(rule_sets(), st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_a_record_replayed_gives_the_same_state(rules: RuleSet, seed: int, length: int) -> None:
    rng = random.Random(seed)
    vec = VectorSjavs(rules, batch=4)
    columns = np.array([[rng.randint(-9, 60) for _ in range(rules.columns)] for _ in range(4)])
    carry = np.array([rng.choice((0, 1, 2)) * rules.carries for _ in range(4)])
    kinds = ("any", "long", "weak", "any")
    vec.reset(deals=[random_line(rules, rng, k) for k in kinds], columns=columns, carry=carry)
    for turn, _ in enumerate(decisions(vec, np.random.default_rng(seed))):
        if turn == length:
            break
    records = [vec.record(row) for row in range(4)]
    over = vec.over.copy()
    for row in range(4):  # the rows have different lengths, so each is replayed alone
        again = replay(rules, [records[row]], columns[[row]], carry[[row]])
        assert again.record(0) == records[row]
        for name in ("seat", "legal", "over", "payoff", "gains", "card_points", "trump", "ties"):
            np.testing.assert_array_equal(getattr(again, name)[0], getattr(vec, name)[row])
        for seat in range(rules.seats):
            np.testing.assert_array_equal(
                again.observe_all(seat=seat)[0], vec.observe_all(seat=seat)[row]
            )
        if over[row]:
            assert again.result(0) == vec.result(row)


@pytest.mark.parametrize("preset", RULE_SETS)
def test_a_deal_line_is_read_back_at_every_stage(preset: str) -> None:
    rules = sjavs_env.rule_set(preset)
    vec = VectorSjavs(rules, batch=20, seed=3)
    lines = deals_of(vec)
    other = VectorSjavs(rules, batch=20)
    other.reset(deals=lines)
    assert deals_of(other) == lines
    for actions in decisions(vec, np.random.default_rng(3)):
        assert deals_of(vec) == lines
        np.testing.assert_array_equal(vec.observe_all(), other.observe_all())
        other.step(actions)
    assert deals_of(vec) == lines


@pytest.mark.parametrize("preset", RULE_SETS)
def test_the_order_of_a_hand_is_irrelevant_and_that_of_piles_and_talon_matters(preset: str) -> None:
    vec = VectorSjavs(preset, seed=7)
    deal = deals_of(vec)[0]
    hand = deal[2:].split("/")[0].split(";")[0]
    cards = [hand[i : i + 2] for i in range(0, len(hand), 2)]
    vec.reset(deals=[deal.replace(hand, "".join(cards[::-1]))])
    assert deals_of(vec) == [deal]
    if vec.rules.talon_size:
        turned = deal[:-4] + deal[-2:] + deal[-4:-2]
        vec.reset(deals=[turned])
        assert deals_of(vec) == [turned]
    assert vec.legal[0]


@pytest.mark.parametrize("preset", RULE_SETS)
def test_the_cards_of_a_deal_are_those_of_the_pack(preset: str) -> None:
    vec = VectorSjavs(preset, batch=5, seed=1)
    for line in deals_of(vec):
        text = line[2:].translate(str.maketrans("", "", "/;|"))
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        assert sorted(cards) == sorted(pack_codes(vec.rules))


@pytest.mark.parametrize("preset", RULE_SETS)
def test_the_record_of_a_finished_deal_ends_with_its_last_action(preset: str) -> None:
    vec = VectorSjavs(preset, seed=11)
    names: list[str] = []
    while not vec.over[0]:
        action = actions_of(int(vec.legal[0]))[-1]
        names.append(action_name(action, vec.rules))
        vec.step([action])
        assert vec.record(0).split()[1:] == names
