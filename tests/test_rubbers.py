"""The share of rubbers that a policy wins."""

from dataclasses import replace

import numpy as np
import pytest

from agents.evaluation.dealsets import stream
from agents.evaluation.rubbers import BLOCK, Rubbers, rubbers
from sjavs_env import VectorSjavs, rule_set
from sjavs_env.players import player
from tests.test_evaluate import SEATINGS, Fixed

RULES = rule_set("faroese4")


class Silent:
    """A policy that never calls."""

    sees_all = False

    def act(self, words, legal, keys):
        return np.full(len(legal), 32)


@pytest.mark.parametrize("name", SEATINGS)
def test_a_policy_wins_half_the_rubbers_against_itself(name):
    rules = rule_set(name)
    found = rubbers(player("random", rules), player("random", rules), rules, 20)
    assert found == Rubbers(0.5, 0.5, 0.5, plays=20 * SEATINGS[name])


@pytest.mark.parametrize("name", ["faroese4", "klorsjavs"])
def test_swapped_policies_share_the_rubbers(name):
    rules = rule_set(name)
    one = rubbers(player("random", rules), Fixed(), rules, 100)
    other = rubbers(Fixed(), player("random", rules), rules, 100)
    assert one.share != 0.5
    assert one.low <= one.share <= one.high
    assert (other.share, other.low, other.high) == pytest.approx(
        (1 - one.share, 1 - one.high, 1 - one.low), abs=1e-12
    )


def test_processes_change_nothing_and_fewer_rubbers_are_a_prefix_of_more():
    policies = player("random", RULES), Fixed()
    seen = []
    whole = rubbers(*policies, RULES, BLOCK + 10, processes=2, progress=seen.append)
    assert seen == [BLOCK, 10]
    assert whole == rubbers(*policies, RULES, BLOCK + 10)
    first = rubbers(*policies, RULES, BLOCK)
    assert abs(whole.share * (BLOCK + 10) - first.share * BLOCK) <= 10


def test_a_rubber_of_one_deal_goes_to_the_winner_of_the_deal():
    one_deal = {"max_deals": 1, "all_pass": "clubs", "tie": "declarer_loses"}
    rules = rule_set("faroese4_wiki", **one_deal)
    found = rubbers(Fixed(), Fixed(highest=True), rules, 30, seed=4)
    won = []
    for first in (0, 1):
        deals = VectorSjavs(rules, batch=30, seed=stream("test", 4, "rubbers", 0, 0))
        dealer = VectorSjavs(rules, batch=30, seed=stream("test", 4, "rubbers", 0)).dealer
        deals.reset(dealer=dealer, seed=stream("test", 4, "rubbers", 0, 0))
        while not deals.over.all():
            low, high = Fixed(), Fixed(highest=True)
            words = deals.observe()
            actions = np.where(
                deals.seat % 2 == first,
                low.act(words, deals.legal, None),
                high.act(words, deals.legal, None),
            )
            deals.step(actions)
        won.append((np.sign(deals.payoff[:, first]) + 1) / 2)
    assert found.share == pytest.approx(np.mean(won))


def test_a_rubber_in_which_nobody_calls_is_drawn(monkeypatch):
    monkeypatch.setattr("agents.evaluation.rubbers.MOST_DEALS", 10)
    free = rule_set("faroese4", bidding="free")
    found = rubbers(Silent(), Silent(), free, 2)
    assert replace(found, plays=0) == Rubbers(0.5, 0.5, 0.5, plays=0)


def test_a_number_below_1_is_named():
    with pytest.raises(ValueError, match="rubbers=-3 must be a whole number, "):
        rubbers(Fixed(), Fixed(), RULES, -3)
