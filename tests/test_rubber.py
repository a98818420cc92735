"""Rubbers: the worked example, and thousands of random ones compared with the naive reference."""

import random

import numpy as np
import pytest

from sjavs_env import RULE_SETS, rule_set, sjavs_v0
from sjavs_env.core.rules.rubber import begin, score
from tests.reference import Result, Rubber, options_of
from tests.reference.games import VALUES, is_allowed
from tests.reference.scoring import (
    against_others,
    contract_price,
    faroese_row,
    faroese_score,
    french_gains,
    french_score,
    klorsjavs_score,
    one_gains,
    race_gains,
    with_carry,
)


def play(rules, deals, dealer=3):
    """Play one rubber from the gains of its deals, and return the sheet after each."""
    rubber = begin(rules, dealer % rules.seats)
    sheets = []
    for gains in deals:
        ties = rubber.carry + 1 if not any(gains) else 0
        score(rubber, np.array(gains)[:, None], np.broadcast_to(ties, 1), np.zeros(1, bool))
        sheets.append(tuple(rubber.columns[:, 0].tolist()))
    return rubber, sheets


def test_example_11_of_the_rules():
    # The gains of each deal by the table of faroese4; the fourth includes a carry of 2.
    faroese = [(2, 0), (0, 4), (0, 0), (4 + 2, 0), (8, 0), (16, 0)]
    rubber, sheets = play(rule_set("faroese4"), faroese)
    assert sheets == [(22, 24), (22, 20), (22, 20), (16, 20), (8, 20), (-8, 20)]
    assert rubber.over[0]
    assert rubber.crosses[:, 0].tolist() == [1, 0]
    assert rubber.payoff[:, 0].tolist() == [1, -1, 1, -1]
    wiki = [(2, 0), (0, 4), (0, 0), (4 + 2, 0), (4, 0), (16, 0)]
    assert play(rule_set("faroese4_wiki"), wiki)[1][3:] == [(16, 20), (12, 20), (-4, 20)]


def test_a_side_that_has_scored_nothing_loses_two_crosses():
    rubber, _ = play(rule_set("faroese4"), [(16, 0), (8, 0)])
    assert rubber.crosses[:, 0].tolist() == [2, 0]


def test_a_void_deal_changes_at_most_the_dealer():
    for options, dealer in (({}, 3), ({"all_pass": "redeal_next"}, 0)):
        rubber = begin(rule_set("faroese4", **options), 3)
        rubber.carry[:] = 2
        score(rubber, np.zeros((2, 1), int), np.array([2]), np.array([True]))
        assert (rubber.dealer[0], rubber.carry[0], rubber.scored[0]) == (dealer, 2, 0)
        assert rubber.columns[:, 0].tolist() == [24, 24]


def test_of_two_columns_at_zero_in_klorsjavs_the_lower_one_before_loses_and_equals_play_on():
    rules = rule_set("klorsjavs", start=16)
    rubber, _ = play(rules, [(0, -8, -4), (0, -8, -16)])
    assert (rubber.crosses[:, 0].tolist(), rubber.over[0]) == ([1, 0, 1], True)
    rubber, _ = play(rules, [(0, -16, -16), (-16, 0, 0), (0, -8, -8)])
    assert not rubber.over[0]
    assert rubber.tied[:, 0].tolist() == [False, True, True]
    score(rubber, np.array([[0], [0], [-8]]), np.zeros(1, int), np.zeros(1, bool))
    assert (rubber.crosses[:, 0].tolist(), rubber.over[0]) == ([1, 1, 0], True)
    assert rubber.payoff[:, 0].tolist() == [0.5, 0.5, -1]


def test_a_column_back_on_its_start_is_reported():
    rubber, _ = play(rule_set("klorsjavs", start=8), [(0, -8, -4)])
    assert rubber.untouched[:, 0].tolist() == [True, False, False]


def random_options(preset: str, rng: random.Random) -> dict:
    """Return a random value for every option of a preset."""
    options = {}
    for name, default in options_of(preset).items():
        if name in VALUES:
            values = [value for value in VALUES[name] if is_allowed(preset, name, value)]
        elif isinstance(default, bool):
            values = [False, True]
        elif name == "max_deals":
            values = [value for value in (None, 1, 2, 6) if is_allowed(preset, name, value)]
        else:
            values = [1, 8, 24, 60]
        options[name] = rng.choice(values)
    return options


def random_gains(rubber: Rubber, rng: random.Random) -> tuple[list[int], int]:
    """Return the gains and the carry of a plausible deal, computed by the reference."""
    count, declarer = len(rubber.columns), rng.randrange(rubber.seats)
    points, tricks = rng.choice([20, 45, 57, 58, 60, 70, 88, 95]), rng.choice([0, 3, 3, 3, 3, 6])
    if rubber.family == "klorsjavs":
        own, others = klorsjavs_score(points, tricks, 6, (61, 91))
        return one_gains(declarer, count, own, others), 0
    if rubber.family == "contracts":
        contract = rng.choice(["spil", "stryger", "tout", "stroget-tout"])
        price = contract_price(contract, points, tricks, 6)
        return one_gains(declarer, count, 2 * price, -price), 0
    if rubber.family == "french":
        contract = rng.choice(["=H", "solo", "halv", "nolo"])
        return french_gains(declarer, french_score(contract, points, tricks, 6)), 0
    tie, clubs = rubber.opts["tie"], rng.random() < 0.4
    row = faroese_row(points, [tricks], 6)
    amount = faroese_score(rubber.opts["score"], row, clubs, tie)
    worth = with_carry(amount, tie, rubber.carry, clubs)
    return race_gains(worth, declarer % count, count), 0 if amount else rubber.carry + 1


@pytest.mark.parametrize("preset", RULE_SETS)
def test_random_rubbers_agree_with_the_reference(preset):
    rng = random.Random(preset)
    for _ in range(25):
        agree(preset, random_options(preset, rng), rng, batch=20)


def agree(preset: str, options: dict, rng: random.Random, batch: int) -> None:
    """Play some rubbers in one batch to their ends, each with its own deals."""
    dealers = [rng.randrange(rule_set(preset).seats) for _ in range(batch)]
    references = [Rubber(preset, options, dealer) for dealer in dealers]
    rules = rule_set(preset, **{k: 0 if v is None else v for k, v in options.items()})
    ours = begin(rules, dealers)
    for _ in range(60):
        gains = np.zeros((rules.columns, batch), int)
        ties, void = np.zeros(batch, int), np.zeros(batch, bool)
        for row, reference in enumerate(references):
            void[row] = rng.random() < 0.1
            drawn = random_gains(reference, rng)
            gains[:, row], ties[row] = (
                ([0] * rules.columns, reference.carry) if void[row] else drawn
            )
            if not reference.over:
                reference.record(result(gains[:, row].tolist(), int(ties[row]), bool(void[row])))
        score(ours, gains, ties, void)
        for row, reference in enumerate(references):
            compare(ours, row, reference)


def result(gains: list[int], carry: int, void: bool) -> Result:
    return Result(void, 0, "5", "H", (0, 0), [], gains, against_others(gains), carry)


def compare(ours, row: int, reference: Rubber) -> None:
    """Compare one row with its reference."""
    assert ours.columns[:, row].tolist() == reference.columns
    assert ours.carry[row] == reference.carry
    assert ours.dealer[row] == reference.dealer
    assert ours.over[row] == reference.over
    assert ours.crosses[:, row].tolist() == (reference.crosses or [0] * len(reference.columns))
    expected = reference.payoffs or [0] * reference.seats
    assert ours.payoff[:, row].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("preset", RULE_SETS)
def test_rubbers_played_through_pettingzoo_agree_with_the_reference(preset):
    rng = random.Random(preset)
    for seed in range(3):
        options = random_options(preset, rng)
        rules = rule_set(preset, **{k: 0 if v is None else v for k, v in options.items()})
        env = sjavs_v0.raw_env(rules, episode="rubber")
        dealer = rng.randrange(rules.seats)
        env.reset(seed=seed, options={"dealer": dealer})
        reference, known = Rubber(preset, options, dealer), 0
        while not reference.over and known < 40:
            env.step(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]).tolist()))
            if len(env.results) == known:
                continue
            known += 1
            last = env.result
            reference.record(result(list(last.gains), last.ties, last.void))
            assert list(env.columns) == reference.columns
            ended = any(env.terminations.values())
            assert ended == reference.over
            if not ended:
                assert env.record.startswith(f"{reference.dealer}:")
        if reference.over:
            assert list(env.crosses) == reference.crosses
            assert list(env.rewards.values()) == pytest.approx(reference.payoffs)
