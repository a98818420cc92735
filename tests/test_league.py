"""The league: the seats of its members, their choices, and the record of the learner's only."""

from typing import Any

import numpy as np
import pytest
import torch

from agents.learning.league import PAST, League, LeagueConfig, Opponents
from agents.learning.rollout import collect
from agents.networks.nets import Actor, NetConfig
from agents.policy import load
from agents.runs.config import ConfigError, from_dict
from sjavs_env import RULE_SETS, VectorSjavs, rule_set
from sjavs_env.players import Policy
from sjavs_env.players.random import lowest_action
from sjavs_env.views.layout import N_WORDS

RULES = rule_set("faroese4")
CONFIG = LeagueConfig(share=0.5, players=("random", "rule-of-thumb"), past_every=2, past=2)


class Highest:
    """A policy that plays the highest legal action, and keeps its inputs."""

    def __init__(self, *, sees_all: bool) -> None:
        self.sees_all = sees_all
        self.seen: list[np.ndarray] = []
        self.keys: list[np.ndarray] = []

    def act(self, words: np.ndarray, legal: np.ndarray, keys: np.ndarray) -> np.ndarray:
        self.seen.append(words)
        self.keys.append(keys)
        return 63 - lowest_action(np.array([reversed_bits(int(bits)) for bits in legal], np.uint64))


def reversed_bits(bits: int) -> int:
    return int(f"{bits:064b}"[::-1], 2)


def lowest(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return lowest_action(legal), np.zeros(len(legal), np.float32)


@pytest.mark.parametrize("sees_all", [False, True])
def test_members_choose_in_their_seats_and_their_choices_are_not_recorded(sees_all: bool) -> None:
    member = Highest(sees_all=sees_all)
    sitting = np.full((8, 4), -1, np.int8)
    sitting[:3, 1::2] = 0
    sitting[3:5, 0::2] = 0
    opponents = Opponents(("highest",), (member,), sitting, np.random.default_rng(0))
    vec = VectorSjavs(RULES, batch=8)
    experience = collect(vec, lowest, 7, opponents)
    assert (sitting[experience.row, experience.seat] == -1).all()
    assert {word.shape[1] > N_WORDS for word in member.seen} == {sees_all}
    keys = np.concatenate(member.keys)
    assert len(set(keys.tolist())) == len(keys)
    for row in range(8):
        played = VectorSjavs(RULES, batch=1)
        record = vec.record(row).split()
        played.reset(deals=[record[0]])
        while not played.over[0]:
            theirs = sitting[row, played.seat[0]] == 0
            legal = int(played.legal[0])
            action = legal.bit_length() - 1 if theirs else (legal & -legal).bit_length() - 1
            played.step(np.array([action]))
        assert played.record(0) == vec.record(row)


def test_without_opponents_every_choice_is_the_learners() -> None:
    vec = VectorSjavs(RULES, batch=16)
    nobody = Opponents((), (), np.full((16, 4), -1, np.int8), np.random.default_rng(0))
    alone, beside = collect(vec, lowest, 7), collect(vec, lowest, 7, nobody)
    for name, value in vars(alone).items():
        np.testing.assert_array_equal(getattr(beside, name), value)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_members_sit_as_teams_at_their_share_of_the_tables(rules: str) -> None:
    game = rule_set(rules)
    league = League(CONFIG, game, load)
    sitting = league.opponents(400, np.random.default_rng(1)).sitting
    assert (sitting[200:] == -1).all()
    assert (sitting[:200] == -1).any(axis=1).all()
    assert (sitting[:200] >= 0).any(axis=1).all()
    members = [set(row[row >= 0].tolist()) for row in sitting[:200]]
    assert all(len(member) == 1 for member in members)
    assert {next(iter(member)) for member in members} == {0, 1, 2, 3}
    for one in range(game.seats):
        for other in range(game.seats):
            if game.column(one) == game.column(other):
                assert (sitting[:, one] == sitting[:, other]).all()
    learner = (sitting[:200] == -1).mean(axis=0)
    np.testing.assert_allclose(learner, 0.5, atol=0.15)


def test_members_are_drawn_by_their_shares() -> None:
    league = League(CONFIG, RULES, load)
    actor = Actor(RULES, NetConfig((8,)))
    for update in range(1, 9):
        if league.due(update):
            league.add(update, actor)
    assert [update for update, _ in league.past] == [6, 8]
    generator = np.random.default_rng(2)
    names = [name for _ in range(200) for name in league.opponents(8, generator).names]
    shares = {name: names.count(name) / len(names) for name in set(names)}
    assert shares == pytest.approx({"random": 0.25, "rule-of-thumb": 0.25, PAST: 0.5}, abs=0.06)


def test_a_past_self_does_not_learn_with_the_learner() -> None:
    league = League(CONFIG, RULES, load)
    actor = Actor(RULES, NetConfig((8,)))
    league.add(2, actor)
    before = league.past[0][1].body[0].weight.clone()
    with torch.no_grad():
        actor.body[0].weight += 1
    assert torch.equal(league.past[0][1].body[0].weight, before)


def test_points_are_those_of_the_learners_seats_by_opponent() -> None:
    sitting = np.array([[-1, 0, -1, 0], [1, -1, 1, -1], [-1, -1, -1, -1], [0, -1, 0, -1]], np.int8)
    payoff = np.array([[2, -2, 2, -2], [4, -4, 4, -4], [8, -8, 8, -8], [1, -1, 1, -1]], np.float32)
    opponents = Opponents(("a", "b"), (), sitting, np.random.default_rng(0))
    assert opponents.points(payoff) == {"a": 0.5, "b": -4.0}


@pytest.mark.parametrize(
    ("config", "plays"),
    [
        ({"share": 0.0}, False),
        ({"share": 0.5}, True),
        ({"share": 0.5, "players": ()}, False),
    ],
)
def test_the_league_plays_if_it_has_tables_and_members(config: dict[str, Any], plays: bool) -> None:
    assert League(LeagueConfig(**config), RULES, load).plays is plays


def test_an_unknown_member_and_an_unfit_share_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown policy 'rule-of-thum'; the nearest is"):
        League(LeagueConfig(share=0.5, players=("rule-of-thum",)), RULES, load)
    with pytest.raises(ConfigError, match=r"league\.share = 1\.5"):
        from_dict({"league": {"share": 1.5}}, "test")


def test_members_are_not_loaded_if_they_have_no_share() -> None:
    def refuse(name: str, rules: object) -> Policy:
        raise AssertionError(name)

    League(LeagueConfig(), RULES, refuse)
