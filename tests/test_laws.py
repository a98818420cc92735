"""Laws that hold for every deal under every rule set."""

import copy
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sjavs_env
from sjavs_env import RULE_SETS, IllegalActionError, RuleSet, VectorSjavs, action_id
from tests.strategies import any_legal, deals_of, decisions, play_out, random_line, rule_sets

SEEDS = st.integers(0, 2**32 - 1)
laws = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


def batch(rules: RuleSet, seed: int, n: int) -> VectorSjavs:
    """Return a batch of random deals and of deals with unusual hands."""
    rng = random.Random(seed)
    kinds = rng.choices(("any", "long", "weak"), k=n)
    columns = [[rng.randint(-20, 60) for _ in range(rules.columns)] for _ in range(n)]
    carry = [rng.choice((0, 1, 2)) * rules.carries for _ in range(n)]
    vec = VectorSjavs(rules, batch=n, seed=seed)
    vec.reset(deals=[random_line(rules, rng, k) for k in kinds], columns=columns, carry=carry)
    return vec


def facts(vec: VectorSjavs) -> list[np.ndarray]:
    """Return all public arrays and words of a batch, row by row."""
    words = [vec.observe()] + [vec.observe_all(seat=seat) for seat in range(vec.rules.seats)]
    shown = [vec.seat, vec.legal, vec.over, vec.payoff, vec.gains, vec.card_points]
    shown += [vec.declarer, vec.trump, vec.dealer, vec.ties]
    records = np.array([vec.record(row) for row in range(vec.batch)])
    return [np.array(item) for item in (*words, *shown, records)]


def assert_same(left: VectorSjavs, right: VectorSjavs, rows: object = slice(None)) -> None:
    for ours, theirs in zip(facts(left), facts(right), strict=True):
        np.testing.assert_array_equal(ours[rows], theirs)  # type: ignore[index]


@laws
@given(rule_sets(), SEEDS)
def test_every_card_is_in_one_place_and_the_seat_to_act_can_act(rules: RuleSet, seed: int) -> None:
    vec = batch(rules, seed, 4)
    pack = sum(1 << action_id(card) for card in rules.pack)
    for _ in decisions(vec, np.random.default_rng(seed)):
        state = vec._state
        talon = [1 << state.talon[place].astype(np.uint32) for place in range(rules.talon_size)]
        left = np.bitwise_or.reduce(talon, axis=0) & ~state.drawn if talon else 0 * state.drawn
        places = [*state.hand, *state.face_down, *state.played, state.laid_away, left]
        assert (
            sum(np.bitwise_count(place).astype(int) for place in places) == len(rules.pack)
        ).all()
        assert (np.bitwise_or.reduce(places) == pack).all()
        alive = ~vec.over
        assert (vec.legal_mask().any(axis=1) == alive).all()
        assert ((vec.seat >= 0) == alive).all()


@laws
@given(rule_sets(), SEEDS)
def test_the_card_points_of_a_deal_add_up_to_those_of_the_pack(rules: RuleSet, seed: int) -> None:
    vec = batch(rules, seed, 8)
    play_out(vec, seed)
    total = sum(POINTS.get(card[1], 0) for card in rules.pack)
    assert total == (114 if rules.name == "klorsjavs18" else 120)  # RULES 1
    for row in range(vec.batch):
        result = vec.result(row)
        played = sum(result.tricks) > 0
        assert sum(result.card_points) == total * played
        assert sum(result.tricks) == rules.n_tricks * played
        alone = result.contract in ("solo", "nolo")
        paid = result.payoffs if alone else result.payoffs[: rules.columns]
        assert sum(paid) == pytest.approx(0, abs=1e-4)  # RULES 8


@laws
@given(rule_sets(), SEEDS)
def test_a_batch_equals_its_rows_played_alone(rules: RuleSet, seed: int) -> None:
    vec = batch(rules, seed, 5)
    alone = [vec.take([row]) for row in range(5)]
    for actions in decisions(vec, np.random.default_rng(seed)):
        for row, single in enumerate(alone):
            if row % 2 and not vec.over[row]:
                single.step_alone(int(actions[row]))
            else:
                single.step([actions[row] if actions[row] >= 0 else 99])
    for row, single in enumerate(alone):
        assert_same(vec, single, [row])


@laws
@given(rule_sets(), SEEDS)
def test_rows_at_different_stages_do_not_disturb_each_other(rules: RuleSet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vec = batch(rules, seed, 6)
    alone = [vec.take([row]) for row in range(6)]
    for turn in range(60):
        if turn % 7 == 6:
            rows = np.flatnonzero(rng.random(6) < 0.3)
            fresh = [random_line(rules, random.Random(f"{seed} {turn} {row}")) for row in rows]
            vec.reset(rows=rows, deals=fresh)
            for row, line in zip(rows, fresh, strict=True):
                alone[row].reset(deals=[line])
        actions = any_legal(vec, rng)
        for row, single in enumerate(alone):
            single.step([actions[row]])
        vec.step(np.where(vec.over, rng.choice([-1, 0, 63, 99, 2**40]), actions))
        if turn % 20 == 19:
            for row, single in enumerate(alone):
                assert_same(vec, single, [row])


@laws
@given(rule_sets(), SEEDS)
def test_a_finished_deal_does_not_change(rules: RuleSet, seed: int) -> None:
    vec = batch(rules, seed, 4)
    play_out(vec, seed)
    before = [item[:3] for item in facts(vec)]
    for again in range(3):
        vec.reset(rows=[3])
        play_out(vec, seed + again)
    for ours, theirs in zip(facts(vec), before, strict=True):
        np.testing.assert_array_equal(ours[:3], theirs)


@laws
@given(rule_sets(), SEEDS)
def test_a_finished_deal_does_not_change_while_most_rows_play_on(rules: RuleSet, seed: int) -> None:
    vec = batch(rules, seed, 4)
    play_out(vec, seed)
    before = [item[:1] for item in facts(vec)]
    vec.reset(rows=[1, 2, 3])
    play_out(vec, seed + 1)
    for ours, theirs in zip(facts(vec), before, strict=True):
        np.testing.assert_array_equal(ours[:1], theirs)


@laws
@given(rule_sets(), SEEDS)
def test_permuted_rows_give_permuted_results(rules: RuleSet, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(6)
    vec = batch(rules, seed, 6)
    other = vec.take(order)
    for actions in decisions(vec, np.random.default_rng(seed)):
        other.step(actions[order])
    assert_same(vec, other, order)


@laws
@given(rule_sets(), SEEDS, st.integers(1, 3))
def test_rotating_the_seats_rotates_the_results(rules: RuleSet, seed: int, by: int) -> None:
    seats, columns = rules.seats, rules.columns
    # A rotation by an odd number of seats exchanges the columns of the pairs.
    vec = batch(rules, seed, 4)
    lines = []
    for row in range(4):
        dealer, rest = vec.record(row).split(":")
        hands, bar, talon = rest.partition("|")
        turned = [hands.split("/")[(seat - by) % seats] for seat in range(seats)]
        lines.append(f"{(int(dealer) + by) % seats}:{'/'.join(turned)}{bar}{talon}")
    other = VectorSjavs(rules, batch=4)
    sheet = np.roll(vec._state.columns.T, by % columns, axis=1)
    other.reset(deals=lines, columns=sheet, carry=vec._state.carry)
    for actions in decisions(vec, np.random.default_rng(seed)):
        assert (np.where(vec.over, -1, (vec.seat + by) % seats) == other.seat).all()
        np.testing.assert_array_equal(vec.legal, other.legal)
        np.testing.assert_array_equal(vec.observe(), other.observe())
        other.step(actions)
    nobodys = (vec.declarer < 0) & ~vec._state.void & (by % 2 == 1)
    points = np.where(nobodys[:, None], vec.card_points[:, ::-1], vec.card_points)
    np.testing.assert_array_equal(points, other.card_points)
    np.testing.assert_array_equal(np.roll(vec.gains, by % columns, axis=1), other.gains)
    np.testing.assert_allclose(np.roll(vec.payoff, by, axis=1), other.payoff)


@laws
@given(rule_sets(), SEEDS, st.booleans())
def test_copies_keep_state_and_stream_and_are_independent(
    rules: RuleSet, seed: int, pickled: bool
) -> None:
    rng = np.random.default_rng(seed)
    vec = VectorSjavs(rules, batch=3, seed=seed)
    for _ in range(int(rng.integers(0, 12))):
        vec.step(any_legal(vec, rng))
    before = facts(vec)
    other = pickle.loads(pickle.dumps(vec)) if pickled else copy.deepcopy(vec)
    branch = vec.take([2, 0, 2])
    assert_same(vec, other)
    assert_same(vec, branch, [2, 0, 2])
    play_out(branch, seed)
    play_out(other, seed)
    for now, then in zip(facts(vec), before, strict=True):
        np.testing.assert_array_equal(now, then)
    for each in (other, vec, branch):
        each.reset()
    assert_same(vec, other)
    assert_same(vec, branch)  # a branch has a copy of the stream of deals
    vec.step(any_legal(vec, rng))


@laws
@given(rule_sets(), SEEDS)
def test_one_illegal_action_moves_nothing(rules: RuleSet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vec = batch(rules, seed, 4)
    for actions in decisions(vec, rng):
        alive = np.flatnonzero(~vec.over)
        row = int(rng.choice(alive))
        wrong = actions.copy()
        wrong[row] = rng.choice(np.flatnonzero(~vec.legal_mask()[row]))
        before = pickle.dumps(vec)
        with pytest.raises(IllegalActionError, match=f"in row {row}, seat {vec.seat[row]}"):
            vec.step(wrong)
        assert pickle.dumps(vec) == before


@laws
@given(rule_sets(), SEEDS)
def test_the_public_arrays_are_live_and_read_only(rules: RuleSet, seed: int) -> None:
    vec = VectorSjavs(rules, batch=2, seed=seed)
    shown = [vec.seat, vec.legal, vec.over, vec.payoff, vec.gains, vec.card_points]
    shown += [vec.declarer, vec.trump, vec.dealer, vec.ties]
    for array in shown:
        assert array.shape[0] == 2
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    seat = vec.seat
    vec.step(any_legal(vec, np.random.default_rng(seed)))
    assert seat is vec.seat


# RULES 1: below the permanent trumps diamonds and hearts have the same ranks, and so have spades
# and clubs. No rule distinguishes the red suits. Only in farvesjavs are clubs like other suits.
EQUAL = [(preset, "DH") for preset in RULE_SETS if preset != "french8"] + [("farvesjavs", "SC")]


def renaming(rules: RuleSet, suits: str) -> dict[str, str]:
    """Return the new name of each card and naming when two suits are exchanged."""
    names = [card for card in rules.pack if card not in rules.permanents] + ["=" + s for s in suits]
    swap = str.maketrans(suits, suits[::-1])
    return {name: name.translate(swap) for name in names if set(name) & set(suits)}


def renamed(line: str, names: dict[str, str]) -> str:
    return re.sub("[CSHD][5-9TJQKA]", lambda code: _as_five(code[0], names), line)


def _as_five(code: str, names: dict[str, str]) -> str:
    ten = code.replace("5", "T")
    return names.get(ten, ten)[0] + code[1]


@laws
@given(st.sampled_from(EQUAL), st.data(), SEEDS)
def test_renaming_equal_suits_gives_equal_scores(
    chosen: tuple[str, str], data: st.DataObject, seed: int
) -> None:
    rules = data.draw(rule_sets(chosen[0]))
    names = renaming(rules, chosen[1])
    new = np.arange(sjavs_env.N_ACTIONS)
    for name, other_name in names.items():
        new[action_id(name)] = action_id(other_name)
    vec, other = batch(rules, seed, 4), VectorSjavs(rules, batch=4)
    other.reset(deals=[renamed(line, names) for line in deals_of(vec)], carry=vec._state.carry)
    for actions in decisions(vec, np.random.default_rng(seed)):
        np.testing.assert_array_equal(vec.legal_mask(), other.legal_mask()[:, new])
        other.step(np.where(vec.over, 0, new[actions]))
    for left, right in ((vec.gains, other.gains), (vec.card_points, other.card_points)):
        np.testing.assert_array_equal(left, right)


@laws
@given(st.permutations("DHSC"), SEEDS)
def test_renaming_suits_gives_equal_scores_in_french8(suits: list[str], seed: int) -> None:
    # RULES 7: each suit has six cards below the permanent trumps. Only the auction ranks suits.
    rules, (trump, left, right, _) = sjavs_env.rule_set("french8"), suits
    names, call = renaming(rules, left + right), action_id("=" + trump)
    vec, other = batch(rules, seed, 8), VectorSjavs(rules, batch=8)
    other.reset(deals=[renamed(line, names) for line in deals_of(vec)])
    new = np.arange(sjavs_env.N_ACTIONS)
    for name, other_name in names.items():
        new[action_id(name)] = action_id(other_name)
    for turn, actions in enumerate(decisions(vec, np.random.default_rng(seed))):
        if turn < rules.seats:  # the first seat that can calls these trumps; the others pass
            may = vec.legal_mask()[:, call] & (vec.declarer < 0)
            actions[:] = np.where(may, call, action_id("-"))
        else:
            np.testing.assert_array_equal(vec.legal_mask(), other.legal_mask()[:, new])
        other.step(np.where(vec.over, 0, new[actions]))
    assert (vec.trump[~vec._state.void] == "DHSC".index(trump)).all()
    np.testing.assert_array_equal(vec.gains, other.gains)
