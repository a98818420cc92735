"""The edge of one policy over another: seatings, intervals, deal sets and keys."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agents.evaluation.dealsets import BLOCK, VERSIONS, dealt, key, stream, versioned
from agents.evaluation.duplicate import deal_values, interval, seatings
from agents.evaluation.edge import edge
from sjavs_env import IllegalActionError, rule_set
from sjavs_env.players import player
from sjavs_env.views.layout import N_WORDS, N_WORDS_ALL

FAROESE = rule_set("faroese4", bidding="free")
SEATINGS = {"faroese4": 2, "french8": 2, "faroese2": 2, "faroese3": 6, "klorsjavs18": 14}

# Frozen: a change of a deal or a key needs a new version of the deal sets.
GOLDEN_DEALS = {
    "train": "1:HTHKS8C7CTHJCJCQ/D7DQDAHAS7C8CKDJ/D9DTH8STSKSASJSQ/D8DKH7H9HQS9C9CA",
    "validation": "3:H8H9C8CKCADJSQCQ/D7D9H7HKSKC9SJCJ/DQDKHAS8STSAC7CT/D8DTDAHTHQS7S9HJ",
    "test": "3:D7D8DAH9HQS7HJSJ/DTH8HTHKS9STC9CA/H7HASAC7C8DJSQCQ/D9DQDKS8SKCTCKCJ",
}
GOLDEN_KEYS = [5802186646602307193, 8912781871839689739, 10100907283192183818]


class Fixed:
    """A policy that plays the lowest, or the highest, legal action."""

    def __init__(self, highest: bool = False, sees_all: bool = False) -> None:
        self.highest = highest
        self.sees_all = sees_all

    def act(self, words, legal, keys):
        assert words.shape == (len(legal), N_WORDS_ALL if self.sees_all else N_WORDS)
        order = np.arange(64, dtype=np.uint64)
        bits = (legal[:, None] >> order & np.uint64(1)).astype(np.int64)
        return 63 - bits[:, ::-1].argmax(1) if self.highest else bits.argmax(1)


class Returning:
    """A policy that returns the same array in every position."""

    sees_all = False

    def __init__(self, make) -> None:
        self.make = make

    def act(self, words, legal, keys):
        return self.make(len(legal))


@pytest.mark.parametrize("name", SEATINGS)
def test_every_seating_with_both_policies_is_played_once(name):
    held = seatings(rule_set(name))
    assert len(held) == len({tuple(seats) for seats in held.tolist()}) == SEATINGS[name]
    assert held.any(1).all()
    assert not held.all(1).any()


def test_pairs_are_seated_together():
    assert seatings(FAROESE).tolist() == [[True, False, True, False], [False, True, False, True]]


@pytest.mark.parametrize("name", SEATINGS)
def test_a_policy_against_itself_scores_exactly_0(name):
    rules = rule_set(name)
    entry = edge(player("random", rules), player("random", rules), rules, deals=300)
    assert (entry.edge, entry.low, entry.high) == (0, 0, 0)
    assert (entry.wins, entry.draws, entry.losses) == (0, 300, 0)
    assert entry.plays == 300 * SEATINGS[name]


@pytest.mark.parametrize("name", SEATINGS)
def test_swapped_policies_exactly_negate(name):
    rules = rule_set(name)
    one = edge(player("random", rules), Fixed(), rules, deals=300, names=("r", "f"))
    other = edge(Fixed(), player("random", rules), rules, deals=300, names=("f", "r"))
    assert one.edge != 0
    assert other == replace(
        one,
        a="f",
        b="r",
        edge=-one.edge,
        low=-one.high,
        high=-one.low,
        wins=one.losses,
        losses=one.wins,
        health={"a": one.health["b"], "b": one.health["a"]},
        health_by_seat={"a": one.health_by_seat["b"], "b": one.health_by_seat["a"]},
    )


@pytest.mark.parametrize("changes", [{"batch": 7}, {"batch": 5000}, {"batch": 60, "processes": 2}])
def test_batch_size_and_processes_change_nothing(changes):
    policies = player("random", FAROESE), Fixed(sees_all=True)
    assert edge(*policies, FAROESE, deals=150, **changes) == edge(*policies, FAROESE, deals=150)


def test_fewer_deals_are_a_prefix_of_more():
    policies = Fixed(), Fixed(highest=True)
    seen = []
    whole = edge(*policies, FAROESE, deals=400, batch=100, progress=seen.append)
    half = edge(*policies, FAROESE, deals=200)
    assert seen == [100] * 4
    assert whole.wins > half.wins > 0
    assert abs(whole.edge * 400 - half.edge * 200) < 16 * 200


def test_the_value_of_a_deal_is_that_worked_out_by_hand():
    # Pairs: A wins 4 as seats 0 and 2, and loses 2 as seats 1 and 3: (4 - 2) / 2.
    pairs = np.array([[[4, -4, 4, -4]], [[2, -2, 2, -2]]], np.float32)
    assert deal_values(pairs, seatings(FAROESE)).tolist() == [1]
    # Three seats: A gets (2, -1, -1) in every seating; alone at 0 it is ahead by 3, alone at 1 or
    # 2 behind by 1.5, and with two seats the opposite.
    three = np.broadcast_to(np.array([2, -1, -1], np.float32), (6, 1, 3))
    assert deal_values(three, seatings(rule_set("faroese3"))).tolist() == [0]
    only_first = three * np.array([1, 0, 0, 0, 0, 0], np.float32)[:, None, None]
    assert deal_values(only_first, seatings(rule_set("faroese3"))).tolist() == [3 / 2 / 6]


def test_the_edge_of_one_deal_is_the_mean_of_two_tables():
    deal = dealt(FAROESE, range(3, 4), "test", 5)
    scores = []
    for first in (0, 1):
        table = deal.take([0])
        while not table.over[0]:
            policy = Fixed(highest=(table.seat[0] + first) % 2 == 1)
            table.step(policy.act(table.observe(), table.legal, None))
        scores.append(table.payoff[0, first])
    whole = edge(Fixed(), Fixed(highest=True), FAROESE, deals=4, seed=5)
    before = edge(Fixed(), Fixed(highest=True), FAROESE, deals=3, seed=5)
    assert whole.edge * 4 - before.edge * 3 == pytest.approx(sum(scores) / 2)


def test_the_interval_agrees_with_scipy_and_covers_the_truth():
    generator = np.random.Generator(np.random.PCG64(1))
    sizes, odds = np.array([-12, -2, 0, 2, 8.0]), np.array([0.05, 0.3, 0.3, 0.3, 0.05])
    samples = generator.choice(sizes, p=odds, size=(400, 500))
    theirs = stats.bootstrap(
        (samples[0],), np.mean, n_resamples=9999, method="percentile", rng=generator
    ).confidence_interval
    assert interval(samples[0]) == pytest.approx(tuple(theirs), abs=0.02)
    intervals = np.array([interval(sample, resamples=1001) for sample in samples])
    covered = (intervals[:, 0] <= sizes @ odds) & (sizes @ odds <= intervals[:, 1])
    assert 0.92 <= covered.mean() <= 0.98


def test_deal_sets_are_stable():
    first = {name: dealt(FAROESE, range(1), name, 0).record(0).strip() for name in VERSIONS}
    assert first == GOLDEN_DEALS


def test_deal_sets_are_disjoint_and_any_part_can_be_dealt_alone():
    rules = rule_set("klorsjavs")
    span = range(BLOCK - 50, BLOCK + 50)
    lines = [dealt(FAROESE, range(2 * BLOCK), name, seed) for name in VERSIONS for seed in (0, 1)]
    records = [deals.record(row) for deals in lines for row in range(2 * BLOCK)]
    assert len(set(records)) == len(records)
    whole, part = dealt(rules, range(2 * BLOCK), "test", 0), dealt(rules, span, "test", 0)
    assert [part.record(i) for i in range(100)] == [whole.record(row) for row in span]


def test_a_deal_set_may_be_named_with_its_version():
    assert versioned("test") == versioned("test-v1") == "test-v1"
    assert stream("test", 3) == stream("test-v1", 3) != stream("test", 4)


def test_keys_are_stable_and_all_different():
    deal, seat = np.repeat(np.arange(500), 4), np.tile(np.arange(4, dtype=np.int8), 500)
    keys = np.concatenate([key(7, deal, seat, decision) for decision in range(40)])
    assert len(np.unique(keys)) == len(keys)
    assert key(7, deal, seat, 0)[:3].tolist() == GOLDEN_KEYS
    assert not np.intersect1d(keys, key(8, deal, seat, 0)).size


def test_every_bit_of_the_keys_is_fair():
    keys = key(0, np.arange(20_000), np.zeros(20_000, np.int8), 0)
    ones = (keys[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 5 * 0.5 / 20_000**0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda n: np.full(n, 31),
            r"policy 'bad' chose the illegal action 'CQ' \(id 31\) for seat",
        ),
        (lambda n: np.full(n, -1), r"policy 'bad' chose the illegal action id -1 for seat"),
        (lambda n: np.full(n, 64), r"policy 'bad' chose the illegal action id 64 for seat"),
        (lambda n: np.zeros(n), r"policy 'bad' returned float64 of shape \(\d+,\)"),
        (lambda n: [[1], [1, 2]] * n, r"policy 'bad' returned object of shape"),
        (lambda n: np.zeros(1, int), r"policy 'bad' returned int64 of shape \(1,\)"),
    ],
)
def test_a_policy_with_an_invalid_answer_is_named(make, words):
    with pytest.raises(IllegalActionError, match=words):
        edge(player("random", FAROESE), Returning(make), FAROESE, deals=50, names=("good", "bad"))


def test_a_policy_that_writes_into_its_inputs_changes_nothing():
    class Scribbling(Fixed):
        def act(self, words, legal, keys):
            actions = super().act(words, legal, keys)
            for array in (words, legal, keys):
                array[:] = 0
            return actions

    assert edge(Scribbling(), Fixed(), FAROESE, deals=50).edge == 0


def test_the_message_about_an_illegal_action_holds_the_record():
    bad = Returning(lambda n: np.full(n, 60))
    with pytest.raises(IllegalActionError, match=r"legal are - 5.*; record '\d:.*'$"):
        edge(bad, bad, FAROESE, deals=50)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"deals": 0}, "deals=0 must be a whole number, "),
        ({"batch": 0}, "batch=0 must be a whole number, "),
        ({"processes": -1}, "processes=-1 must be a whole number, "),
        ({"seed": -1}, "seed=-1 must be a whole number, "),
        ({"deal_set": "tset"}, "unknown deal set 'tset'; the nearest is 'test'"),
    ],
)
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        edge(Fixed(), Fixed(), FAROESE, **arguments)
