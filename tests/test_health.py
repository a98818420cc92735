"""The numbers that show how policies played."""

import numpy as np
import pytest

from agents.evaluate import edge
from sjavs_env import action_id, rule_set
from sjavs_env.players import player
from tests.test_evaluate import Fixed

FREE = rule_set("faroese4", bidding="free")


class Calling:
    """Call whenever a call is legal, or never; else take the lowest action."""

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


def test_who_always_calls_and_who_never_does_are_told_apart():
    health = edge(Calling(True), Calling(False), FREE, deals=200).health
    assert health["a"]["call_rate"] == 1
    assert health["b"]["call_rate"] == 0
    assert health["a"]["declared_rate"] == 0.5
    assert health["b"]["declared_rate"] == 0
    assert health["b"]["declarer_win_rate"] is None
    assert 0 < health["a"]["declarer_win_rate"] < 1


def test_nobody_chooses_where_calls_are_forced():
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


def test_a_policy_against_itself_has_the_same_health_on_both_sides():
    rules = rule_set("klorsjavs")
    health = edge(player("random", rules), player("random", rules), rules, deals=100).health
    assert health["a"] == health["b"]
    assert 0 < health["a"]["forced_share"] < 1


def test_a_vol_is_counted_where_the_losers_have_no_trick():
    rules = rule_set("faroese4")
    health = edge(player("rule-of-thumb", rules), player("random", rules), rules, 500).health
    assert health["a"]["vol_rate"] > health["b"]["vol_rate"] > 0
    assert health["a"]["declarer_win_rate"] > health["b"]["declarer_win_rate"]
