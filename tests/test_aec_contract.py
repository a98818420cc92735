"""The PettingZoo environment passes PettingZoo's own tests, for every rule set and episode kind.

Warnings are errors, except two that no environment with dict observations can avoid.
"""

import warnings
from contextlib import contextmanager

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    performance_benchmark,
    seed_test,
)
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from sjavs_env import RULE_SETS, sjavs_v0

UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
)
INVENTED = "reset option 'options' is ignored"
"""``api_test`` passes an unknown option, and the environment warns about it."""

every_game = pytest.mark.parametrize("rules", RULE_SETS)
every_episode = pytest.mark.parametrize("episode", ["deal", "rubber"])


@contextmanager
def only_warnings_that_dict_observations_cannot_avoid():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in (*UNAVOIDABLE, INVENTED):
            warnings.filterwarnings("ignore", message)
        yield


@every_episode
@every_game
def test_api_test_passes(rules, episode, capsys):
    with only_warnings_that_dict_observations_cannot_avoid():
        api_test(sjavs_v0.env(rules, episode=episode), num_cycles=60)
        api_test(sjavs_v0.raw_env(rules, episode=episode), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


@every_episode
@every_game
def test_seed_test_passes(rules, episode):
    with only_warnings_that_dict_observations_cannot_avoid():
        seed_test(lambda: sjavs_v0.env(rules, episode=episode), num_cycles=60)


@every_episode
@every_game
def test_the_turn_based_parallel_form_passes_parallel_api_test(rules, episode):
    with only_warnings_that_dict_observations_cannot_avoid():
        env = turn_based_aec_to_parallel(sjavs_v0.env(rules, episode=episode))
        parallel_api_test(env, num_cycles=150)
        parallel_api_test(sjavs_v0.parallel_env(rules=rules, episode=episode), num_cycles=60)


def test_performance_benchmark_runs(capsys, monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr("time.time", lambda: 0.2 * next(clock))  # it takes 5 s else
    with only_warnings_that_dict_observations_cannot_avoid():
        performance_benchmark(sjavs_v0.env())
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("space", ["observation_space", "action_space"])
def test_a_space_is_the_same_object_at_every_call(space):
    env = sjavs_v0.env()
    spaces = [getattr(env, space)(agent) for agent in env.possible_agents]
    assert all(
        one is getattr(env, space)(agent)
        for one, agent in zip(spaces, env.possible_agents, strict=True)
    )
    assert len(set(map(id, spaces))) == len(spaces)  # each can be seeded on its own


def test_terminations_are_plain_bools_and_rewards_plain_floats():
    env = sjavs_v0.env()
    env.reset(seed=1)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        env.step(None if terminated else np.int64(np.flatnonzero(info["action_mask"])[0]))
        assert agent in env.possible_agents


def test_the_order_of_calls_is_enforced():
    env = sjavs_v0.env()
    with pytest.raises(AttributeError, match="before reset"):
        env.agents  # noqa: B018
    raw = sjavs_v0.raw_env()
    for call in (lambda: raw.step(0), lambda: raw.observe("player_0"), raw.state, raw.render):
        with pytest.raises(RuntimeError, match="call reset"):
            call()


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has no registry yet")
def test_the_registry_makes_it():
    env = pettingzoo.make("aec", sjavs_v0.ENVIRONMENT_ID, rules="klorsjavs")
    assert env.unwrapped.rules.name == "klorsjavs"
    assert str(env) == "sjavs_v0"
