"""The PettingZoo environment: what it refuses, and the three ways to handle an illegal action."""

import pickle
import random
import re

import pytest

from sjavs_env import DealError, IllegalActionError, action_id, sjavs_v0
from tests.test_aec import ACTIONS, DEAL, VOID, every_episode, every_game, play, play_names


def test_a_deal_line_is_refused_at_reset_if_its_dealer_can_never_be_next():
    env = sjavs_v0.env(episode="rubber")
    env.reset(seed=1)
    before = env.unwrapped.record
    with pytest.raises(DealError, match=re.escape("it is seat 0's turn to deal")):
        env.reset(options={"deals": [DEAL, "2" + VOID[1:]]})
    assert env.unwrapped.record == before


def test_a_deal_line_is_refused_if_its_dealer_is_not_next_and_nothing_moves():
    env = sjavs_v0.env(episode="rubber")
    env.reset(options={"deals": [DEAL, VOID]})  # seat 3 would deal again only after a void deal
    play_names(env, ACTIONS[:-1])
    before = env.unwrapped.record
    with pytest.raises(DealError, match=re.escape("it is seat 0's turn to deal")):
        env.step(action_id(ACTIONS[-1]))
    assert (env.unwrapped.record, env.unwrapped.results) == (before, [])
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": DEAL, "dealer": 1}, "deal and dealer may not be given together"),
        ({"deals": [DEAL]}, "episode='rubber'"),
        ({"deal": "3:CQ"}, "has 1 hands; faroese4 has 4"),
        ({"dealer": 4}, "must lie between 0 and 3"),
    ],
)
def test_bad_reset_options_are_refused_and_nothing_changes(options, message):
    env = sjavs_v0.env()
    env.reset(seed=1)
    before = env.unwrapped.record
    with pytest.raises(ValueError, match=re.escape(message)):
        env.reset(seed=2, options=options)
    assert env.unwrapped.record == before


def test_an_unknown_reset_option_is_ignored_with_a_warning_that_names_the_nearest():
    env = sjavs_v0.env()
    with pytest.warns(UserWarning, match="'dealr' is ignored; the nearest is 'deal"):
        env.reset(seed=1, options={"dealr": 2})
    assert env.agents


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "faroes4"}, "the nearest is 'faroese4'"),
        ({"episode": "rubbers"}, "episode='rubbers' is unknown; the nearest is 'rubber'"),
        ({"illegal_action": "rais"}, "the nearest is 'raise'"),
        ({"render_mode": "rgb_array"}, "render_mode='rgb_array' is unknown"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        sjavs_v0.env(**arguments)


@pytest.mark.parametrize("action", [action_id("CQ"), 63, 64, -1, 10**6, 10**30])
def test_an_illegal_action_raises_and_nothing_moves(action):
    env = sjavs_v0.env()
    env.reset(options={"deal": DEAL})
    before = pickle.dumps(env.unwrapped.__dict__["_episode"])
    with pytest.raises(IllegalActionError, match=r"legal are 5; record '3:"):
        env.step(action)
    assert pickle.dumps(env.unwrapped.__dict__["_episode"]) == before
    assert env.agent_selection == "player_0"
    env.step(action_id("5"))


@pytest.mark.parametrize("action", [None, 1.5, "5"])
def test_an_action_that_is_not_an_integer_is_a_type_error(action):
    env = sjavs_v0.env(illegal_action="terminate")
    env.reset(seed=1)
    with pytest.raises(TypeError, match=f"action {action!r} of player_. is not an integer"):
        env.step(action)


@every_episode
@every_game
def test_an_illegal_action_can_end_the_episode_at_its_agents_cost(rules, episode):
    env = sjavs_v0.env(rules, episode=episode, illegal_action="terminate")
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(63)
    paid = play(env, random.Random(1))
    assert env.agents == []
    assert paid[loser] == min(paid.values()) < 0
    assert sum(paid.values()) == pytest.approx(0)
    assert env.unwrapped.illegal_actions == 1
    assert env.unwrapped.result is None


def test_a_forfeit_pays_the_others_the_most_that_a_deal_can_pay():
    env = sjavs_v0.env(illegal_action="terminate")
    env.reset(options={"dealer": 3})
    env.step(0)
    assert list(env.rewards.values()) == [-24, 24, -24, 24]
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_an_illegal_action_can_be_replaced_by_a_random_legal_one():
    env = sjavs_v0.env(illegal_action="random_legal")
    records = []
    for _ in range(2):
        env.reset(seed=9)
        while not any(env.terminations.values()):
            env.step(63)
        records.append(env.unwrapped.record)
    assert records[0] == records[1]
    assert env.unwrapped.illegal_actions == len(records[0].split()) - 1
