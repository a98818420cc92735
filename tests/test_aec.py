"""The PettingZoo environment: given and random deals, rewards, masks, copies."""

import copy
import pickle
import random

import numpy as np
import pytest

from sjavs_env import (
    RULE_SETS,
    VectorSjavs,
    action_id,
    rule_set,
    sjavs_v0,
    unpack,
)

every_game = pytest.mark.parametrize("rules", RULE_SETS)
every_episode = pytest.mark.parametrize("episode", ["deal", "rubber"])

# Example 8 of the rules.
DEAL = "3:DTHTHQHKSTSKCJSQ/H7S7S9C7C9CKDJSJ/D7D9DKHAS8C8HJCQ/D8DQDAH8H9SACTCA"
CALLS = "5 5+ - - =C"
CARDS = (
    "SK S7 S8 SA DQ DT C7 DK S9 CQ H9 ST HJ CT SQ SJ "
    "HQ H7 HA H8 C8 CA CJ C9 HT DJ D7 D8 CK D9 DA HK"
)
ACTIONS = f"{CALLS} {CARDS}".split()
# Nobody can call: every seat has at most four trumps, whatever the trump suit.
VOID = "3:SQDJDAD8HAH7SAST/CQCJC8C7DKDQHKH9/SJHJDTD9HQH8S8S7/CACKCTC9D7HTSKS9"


def play(env, rng, steps=None):
    """Play random legal actions, to the end or for some steps; return the rewards from `last`."""
    paid = dict.fromkeys(env.unwrapped.possible_agents, 0.0)
    while env.agents and steps != 0:
        steps = None if steps is None else steps - 1
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        mask = observation["action_mask"]
        env.step(None if terminated or truncated else rng.choice(np.flatnonzero(mask).tolist()))
    return paid


def play_names(env, names):
    for name in names:
        env.step(action_id(name))


def test_example_8_of_the_rules_played_through_pettingzoo():
    env = sjavs_v0.env()
    env.reset(options={"deal": DEAL})
    assert env.agent_selection == "player_0"
    play_names(env, ACTIONS)
    result = env.unwrapped.result
    assert (result.void, result.declarer, result.contract, result.trump) == (False, 1, "5+", "C")
    assert (result.card_points, result.tricks, result.gains) == ((63, 57), (2, 3, 2, 1), (0, 4))
    assert result.payoffs == (-4, 4, -4, 4)
    assert env.rewards == {f"player_{seat}": pay for seat, pay in enumerate(result.payoffs)}
    assert env.unwrapped.columns == (24, 20)
    assert env.unwrapped.crosses is None
    assert env.unwrapped.record == " ".join([DEAL, *ACTIONS])


@every_episode
@every_game
def test_the_rewards_from_last_add_up_to_the_payoff(rules, episode):
    env = sjavs_v0.env(rules, episode=episode)
    rng = random.Random(5)
    for seed in range(3):
        env.reset(seed=seed)
        paid = play(env, rng)
        raw = env.unwrapped
        expected = raw.result.payoffs if episode == "deal" else crosses_paid(raw)
        assert list(paid.values()) == pytest.approx(list(expected))
        assert sum(paid.values()) == pytest.approx(0, abs=1e-5)
        if raw.rules.pairs and rules != "french8":
            assert paid["player_0"] == paid["player_2"]


def crosses_paid(raw) -> list[float]:
    """Return the crosses of each seat's column minus the mean of the others (RULES 8)."""
    crosses = raw.crosses
    return [
        crosses[column] - (sum(crosses) - crosses[column]) / (len(crosses) - 1)
        for column in map(raw.rules.column, range(raw.rules.seats))
    ]


@every_episode
@every_game
def test_observations_equal_those_of_the_batch_and_only_the_seat_to_act_has_a_mask(rules, episode):
    env, rng = sjavs_v0.env(rules, episode=episode), random.Random(6)
    vec = VectorSjavs(rules, batch=1)
    env.reset(seed=4)
    vec.reset(seed=4)
    for agent in env.agent_iter():
        alive = not env.terminations[agent]
        if vec.over[0] and alive:
            break  # the next deal of a rubber
        for seat, other in enumerate(env.possible_agents):
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            words = vec.observe(seat=seat)[0]
            np.testing.assert_array_equal(seen["observation"], unpack(words, "float32"))
            turn = alive and other == agent
            legal = vec.legal_mask()[0] if turn else np.zeros(64, bool)
            np.testing.assert_array_equal(seen["action_mask"], legal)
            if other in env.infos:
                np.testing.assert_array_equal(env.infos[other]["action_mask"], legal)
        np.testing.assert_array_equal(env.state(), unpack(vec.observe_all(seat=0)[0], "float32"))
        assert env.state_space.contains(env.state())
        action = rng.choice(np.flatnonzero(legal_of(env, agent)).tolist()) if alive else None
        env.step(action)
        if alive:
            vec.step([action])
    assert vec.over[0]


def legal_of(env, agent):
    return env.observe(agent)["action_mask"]


@every_game
def test_observe_returns_new_arrays_and_changes_nothing(rules):
    env = sjavs_v0.env(rules)
    env.reset(seed=3)
    play(env, random.Random(1), steps=2)
    before = pickle.dumps(env.unwrapped)
    for agent in env.possible_agents:
        one, two = env.observe(agent), env.observe(agent)
        for key, array in one.items():
            assert not np.shares_memory(array, two[key])
            array[:] = 1
        assert not np.shares_memory(env.infos[agent]["action_mask"], two["action_mask"])
    assert not np.shares_memory(env.state(), env.state())
    _, _, _, _, info = env.last()
    assert pickle.dumps(env.unwrapped) == before
    info["action_mask"][:] = 1  # a copy: the environment's mask does not change
    assert env.observe(env.agent_selection)["action_mask"].sum() < 64


def test_observe_works_for_an_agent_that_has_finished():
    env = sjavs_v0.env()
    env.reset(seed=1)
    play(env, random.Random(1))
    assert env.agents == []
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert seen["observation"].any()
        assert not seen["action_mask"].any()


@every_episode
@every_game
def test_copies_and_pickles_continue_identically(rules, episode):
    env = sjavs_v0.env(rules, episode=episode, illegal_action="random_legal")
    env.reset(seed=8)
    play(env, random.Random(2), steps=11)
    ends = []
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env):
        paid = play(twin, random.Random(3))
        twin.reset()
        twin.step(63)  # reserved, so a random legal action is played
        ends.append((paid, twin.unwrapped.record))
    assert ends[0] == ends[1] == ends[2]


def test_environments_share_no_random_state_and_leave_the_global_generators_alone():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 -- it is this one that must not be touched
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    alone, first, second = (sjavs_v0.env(episode="rubber") for _ in range(3))
    alone.reset(seed=1)
    first.reset(seed=1)
    second.reset(seed=2)
    one, two, three = random.Random(1), random.Random(1), random.Random(3)
    for _ in range(150):
        play(alone, one, steps=1)
        play(first, two, steps=1)
        play(second, three, steps=1)
    assert alone.unwrapped.record == first.unwrapped.record != second.unwrapped.record
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002


def test_a_seed_gives_the_same_deals_and_without_one_the_stream_continues():
    env = sjavs_v0.env()
    deals = []
    for seed in (5, None, None, 5, None):
        env.reset(seed=seed)
        deals.append(env.unwrapped.record)
    assert deals[:2] == deals[3:]
    assert len(set(deals)) == 3
    vec = VectorSjavs("faroese4", batch=1)
    vec.reset(seed=5)
    assert vec.record(0) == deals[0]


@every_game
def test_the_next_deal_of_a_rubber_has_the_right_dealer_and_columns(rules):
    env = sjavs_v0.env(rules, episode="rubber")
    for dealer in range(rule_set(rules).seats):
        env.reset(seed=dealer, options={"dealer": dealer})
        raw, rng, deals, expected = env.unwrapped, random.Random(dealer), 0, dealer
        while not any(env.terminations.values()):
            if len(raw.results) == deals and not raw.record.partition(" ")[2]:
                assert raw.record.startswith(f"{expected}:")
            deals = len(raw.results)
            play(env, rng, steps=1)
            if len(raw.results) > deals:
                stays = raw.result.void and raw.rules.all_pass != "redeal_next"
                expected = (expected + (not stays)) % raw.rules.seats
                deals = len(raw.results)
        assert raw.crosses is not None
        gains = [sum(result.gains[c] for result in raw.results) for c in range(raw.rules.columns)]
        sign = -1 if raw.rules.rubber == "first_to_zero_wins" else 1
        assert raw.columns == tuple(raw.rules.start + sign * gain for gain in gains)


def test_given_deals_come_in_order_and_random_deals_follow():
    env = sjavs_v0.env(episode="rubber")
    second = "0" + VOID[1:]
    env.reset(seed=1, options={"deals": [DEAL, second]})
    play_names(env, ACTIONS)
    assert (env.unwrapped.columns, env.agent_selection) == ((24, 20), "player_1")
    assert env.rewards == dict.fromkeys(env.agents, 0.0)
    play_names(env, "----")
    assert env.unwrapped.result.void
    assert env.unwrapped.record.startswith("0:")  # a void deal does not pass the deal on
    assert [result.void for result in env.unwrapped.results] == [False, True]


def test_a_void_deal_ends_an_episode_of_one_deal_and_pays_nothing():
    env = sjavs_v0.env()
    env.reset(options={"deal": VOID})
    play_names(env, "----")
    assert env.unwrapped.result.void
    assert all(env.terminations.values())
    assert env.rewards == dict.fromkeys(env.agents, 0.0)
    assert env.unwrapped.columns == (24, 24)


@every_game
def test_an_episode_has_an_upper_bound(rules):
    env = sjavs_v0.env(rules)
    env.reset(seed=1)
    steps = 0
    while not any(env.terminations.values()):
        play(env, random.Random(steps), steps=1)
        steps += 1
    assert steps <= env.unwrapped.rules.seats * (1 + env.unwrapped.rules.n_tricks) + 5
