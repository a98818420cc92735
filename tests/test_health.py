"""The health figures, which show how policies play."""

import numpy as np
import pytest

from agents.evaluation.edge import edge
from agents.evaluation.health import MEASURES, Tally
from sjavs_env import RULE_SETS, VectorSjavs, action_id, rule_set
from sjavs_env.players import player
from tests.test_evaluate import Fixed

FREE = rule_set("faroese4", bidding="free")


class Calling:
    """A policy that always calls if it can, or never; otherwise it plays the lowest action."""

    sees_all = False

    def __init__(self, calls: bool) -> None:
        self.calls = calls

    def act(self, words, legal, keys):
        auction = (legal >> np.uint64(33)) & np.uint64(2**13 - 1)
        lowest = Fixed().act(words, legal, keys)
        call = 33 + np.bitwise_count((auction & ~auction + np.uint64(1)) - np.uint64(1))
        may_pass = (legal >> np.uint64(action_id("-")) & np.uint64(1)) > 0
        chosen = call if self.calls else action_id("-")
        return np.where(may_pass & (auction > 0), chosen, lowest).astype(np.int64)


def test_a_policy_that_always_calls_differs_from_one_that_never_calls():
    health = edge(Calling(True), Calling(False), FREE, deals=200).health
    assert health["a"]["call_rate"] == 1
    assert health["b"]["call_rate"] == 0
    assert health["a"]["declared_rate"] == 0.5
    assert health["b"]["declared_rate"] == 0
    assert health["b"]["declarer_win_rate"] is None
    assert 0 < health["a"]["declarer_win_rate"] < 1


def test_forced_bidding_leaves_no_choice_to_call():
    forced = rule_set("faroese4")
    health = edge(Calling(True), Calling(False), forced, deals=50).health
    assert health["a"]["call_rate"] is None
    assert health["b"]["call_rate"] is None


@pytest.mark.parametrize("name", ["faroese4", "french8", "faroese2", "faroese3"])
def test_both_share_the_tricks_of_every_deal(name):
    rules = rule_set(name)
    health = edge(player("random", rules), Fixed(), rules, deals=100).health
    tricks = (health["a"]["mean_tricks"] + health["b"]["mean_tricks"]) / 2
    assert tricks == pytest.approx(rules.n_tricks / rules.seats)


def test_a_policy_against_itself_has_equal_health_figures_on_both_sides():
    rules = rule_set("klorsjavs")
    health = edge(player("random", rules), player("random", rules), rules, deals=100).health
    assert health["a"] == health["b"]
    assert 0 < health["a"]["forced_share"] < 1


def test_a_vol_is_counted_if_the_losers_have_no_trick():
    rules = rule_set("faroese4")
    health = edge(player("rule-of-thumb", rules), player("random", rules), rules, 500).health
    assert health["a"]["vol_rate"] > health["b"]["vol_rate"] > 0
    assert health["a"]["declarer_win_rate"] > health["b"]["declarer_win_rate"]


DEAL = "3:CQCJC7C8C9DADKD7/SQHAHKHQH9S7S8S9/CADJDTD9D8SASKST/CKCTSJHJDQHTH8H7"


def test_points_thrown_and_partners_overtaken_are_counted_card_by_card():
    # Diamond ace: seats 1 and 3 throw 11 and 3. Seat 1 takes a club with the queen of spades:
    # seat 2 throws 11. Seat 2 ruffs king and ten of hearts, which seats 1 and 3 throw, and seat 0
    # ruffs over its partner, though it might have discarded.
    # The formatter would put every string of a list on its own line.
    names = "5 - - - =C DA HA DT DQ C7 SQ CA CT HK DJ HT CQ".split()  # noqa: SIM905
    vec, tally = VectorSjavs("faroese4", batch=1), Tally(rule_set("faroese4"))
    vec.reset(deals=[DEAL])
    sitting = np.array([[0, 1, 0, 1]], np.int8)
    for name in names:
        actions = np.array([action_id(name)])
        tally.note(vec, actions, sitting)
        vec.step(actions)
    assert tally.counts["thrown"].tolist() == [[0, 0, 11, 0], [0, 15, 0, 13]]
    assert tally.counts["held"].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
    assert tally.counts["overtaken"].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
    assert tally.counts["decisions"].sum() == len(names)


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_figures_of_all_seats_together_are_those_of_the_policy(name):
    rules = rule_set(name)
    found = edge(player("rule-of-thumb", rules), player("random", rules), rules, deals=40)
    for side in "ab":
        rates, by_seat = found.health[side], found.health_by_seat[side]
        assert set(rates) == set(by_seat) == set(MEASURES)
        for measure in ("mean_tricks", "points_thrown"):
            assert np.mean(by_seat[measure]) == pytest.approx(rates[measure], rel=0.1)
        assert all(len(shares) == rules.seats for shares in by_seat.values())
    assert found.health["a"]["points_thrown"] < found.health["b"]["points_thrown"]
