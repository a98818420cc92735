"""The built-in players."""

from itertools import product

import numpy as np
import pytest

from agents.evaluation.edge import edge
from sjavs_env import RULE_SETS, VectorSjavs, rule_set
from sjavs_env.core.tables.card_tables import order
from sjavs_env.core.tables.codes import N_CLASSES
from sjavs_env.players import PLAYERS, player
from sjavs_env.players.ranking import Ranking
from sjavs_env.views.layout import N_WORDS

FAROESE4 = rule_set("faroese4")


def keys_from(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, n, dtype=np.uint64)


def test_an_unknown_player_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="unknown player 'randon'; the nearest is 'random'"):
        player("randon", FAROESE4)


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("preset", RULE_SETS)
def test_a_player_takes_only_legal_actions_in_every_rule_set(preset: str, name: str) -> None:
    vec = VectorSjavs(preset, batch=256, seed=3)
    policy = player(name, vec.rules)
    step = 0
    while not vec.over.all():
        actions = policy.act(vec.observe(), vec.legal, keys_from(step, 256))
        assert actions.dtype == np.int64
        vec.step(actions)  # raises at the first illegal action
        step += 1


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_returns_no_action_for_no_rows(name: str) -> None:
    none = np.zeros(0, np.uint64)
    chosen = player(name, FAROESE4).act(np.zeros((0, N_WORDS), np.uint32), none, none)
    assert (chosen.shape, chosen.dtype) == ((0,), np.int64)


def test_random_chooses_every_legal_action_equally_often() -> None:
    n, legal = 70_000, 1 << 3 | 1 << 8 | 1 << 20 | 1 << 31 | 1 << 32 | 1 << 50 | 1 << 58
    actions = player("random", FAROESE4).act(
        np.zeros((n, 1), np.uint32), np.full(n, legal, np.uint64), np.arange(n, dtype=np.uint64)
    )
    chosen, times = np.unique(actions, return_counts=True)
    assert chosen.tolist() == [3, 8, 20, 31, 32, 50, 58]
    chi_square = ((times - n / 7) ** 2 / (n / 7)).sum()
    assert chi_square < 22.5  # six degrees of freedom: exceeded once in a thousand


def test_random_reads_the_key_and_not_the_words() -> None:
    policy = player("random", FAROESE4)
    legal, keys = np.full(500, 0xFF, np.uint64), keys_from(1, 500)
    words = np.random.default_rng(2).integers(0, 2**32, (500, 40), dtype=np.uint32)
    first = policy.act(words, legal, keys)
    assert (first == policy.act(words[::-1], legal, keys)).all()
    assert (first[::-1] == policy.act(words, legal, keys[::-1])).all()
    assert (first != policy.act(words, legal, keys_from(3, 500))).any()


def duplicate_edges(name: str, other: str, deals: int) -> np.ndarray:
    """Return the edge of one player over another in each deal, averaged over both seatings."""
    both = [player(each, FAROESE4) for each in (name, other)]
    total = np.zeros(deals)
    for seated_first in (0, 1):
        vec = VectorSjavs("faroese4", batch=deals, seed=11)
        step = 0
        while not vec.over.all():
            words, keys = vec.observe(), keys_from(step, deals)
            actions = [each.act(words, vec.legal, keys) for each in both]
            vec.step(np.where(vec.seat % 2 == seated_first, *actions))
            step += 1
        total += (vec.payoff[:, seated_first] - vec.payoff[:, 1 - seated_first]) / 4
    return total


def test_rule_of_thumb_beats_random_clearly() -> None:
    edges = duplicate_edges("rule-of-thumb", "random", 1000)
    assert edges.mean() - 1.96 * edges.std() / len(edges) ** 0.5 > 2.0


@pytest.mark.parametrize("preset", RULE_SETS)
def test_rule_of_thumb_beats_random_in_every_rule_set(preset: str) -> None:
    rules = rule_set(preset)
    thumb, chance = player("rule-of-thumb", rules), player("random", rules)
    assert edge(thumb, chance, rules, deals=200, deal_set="validation").low > 1.0


def test_rule_of_thumb_scores_nothing_against_itself() -> None:
    assert (duplicate_edges("rule-of-thumb", "rule-of-thumb", 200) == 0).all()


@pytest.mark.parametrize("preset", RULE_SETS)
def test_rule_of_thumb_treats_each_row_alone_and_ignores_the_key(preset: str) -> None:
    vec = VectorSjavs(preset, batch=64, seed=5)
    policy, back = player("rule-of-thumb", vec.rules), np.arange(64)[::-1]
    step = 0
    while not vec.over.all():
        words, keys = vec.observe(), keys_from(step, 64)
        actions = policy.act(words, vec.legal, keys)
        assert (policy.act(words[back], vec.legal[back], keys)[back] == actions).all()
        if step % 7 == 0:
            alone = [
                policy.act(words[[row]], vec.legal[[row]], keys[[0]])[0]
                for row in np.flatnonzero(~vec.over)
            ]
            assert (alone == actions[~vec.over]).all()
        vec.step(actions)
        step += 1


@pytest.mark.parametrize("preset", ["faroese4", "klorsjavs18", "french8"])
def test_the_players_number_the_cards_of_a_class_by_strength(preset: str) -> None:
    rules = rule_set(preset)
    ranking = Ranking(rules)
    for context, which in product(range(N_CLASSES), range(N_CLASSES)):
        cards = np.array(order(rules, context, which), np.uint32)
        places = ranking.renumber(np.uint32(1) << cards, np.full(cards.size, context, np.uint8))
        assert (np.diff(places.astype(np.int64)) < 0).all()
        assert (ranking.actions[context][np.bitwise_count(places - np.uint32(1))] == cards).all()
