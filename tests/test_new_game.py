"""A new game needs only a new entry among the presets; everything else works with it."""

from dataclasses import replace

import numpy as np
import pytest

from agents.evaluation.edge import edge
from agents.runs import training
from agents.runs.config import from_dict
from sjavs_env import VectorSjavs, rule_set, sjavs_v0
from sjavs_env.core.tables import rulesets
from sjavs_env.core.tables.ruleset import Contract, Option, RuleSet
from sjavs_env.core.tables.rulesets import Preset
from sjavs_env.core.tables.scores import Score
from sjavs_env.players import player

WIN, HIGH = 70, 100


def half_sjavs(name: str, source: str, seats: int, options: dict[str, Option]) -> RuleSet:
    """Return a game for three: 24 cards (no sevens and eights), seven each, three in the talon."""
    score = Score(
        one_seat=(9, 0),
        vol=(9, 0),
        bands=((HIGH, (3, 0)), (WIN, (1, 0)), (0, (0, 2))),
        no_trick=(0, 5),
    )
    base = rule_set("faroese3")
    return replace(
        base,
        name=name,
        source=source,
        pack=tuple(card for card in base.pack if card[1] not in "78"),
        hand_size=7,
        talon_size=3,
        lay_away=(0, 3),
        contracts=(Contract("", (score, score), ("name", "exchange", "play")),),
        options=tuple(options.items()),
        tie="declarer_loses",
    )


@pytest.fixture(autouse=True)
def _entered(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Preset(half_sjavs, "nowhere", 3, (("start", 24),))
    monkeypatch.setitem(rulesets.PRESETS, "half_sjavs", entry)


def test_the_core_plays_it_from_its_data() -> None:
    vec = VectorSjavs("half_sjavs", batch=512, seed=1)
    policy = player("random", vec.rules)
    step = 0
    while not vec.over.all():
        keys = np.arange(512, dtype=np.uint64) + np.uint64(1000 * step)
        vec.step(policy.act(vec.observe(), vec.legal, keys))
        step += 1
    played = [vec.result(row) for row in range(512) if not vec.result(row).void]
    for result in played:
        assert sum(result.card_points) == 120
        assert sum(result.tricks) == 7
        own = result.card_points[0]
        side = result.gains[result.declarer]
        if result.tricks[result.declarer] not in (0, 7):
            assert side == (3 if own >= HIGH else 1 if own >= WIN else 0)
    assert len(played) > 256


def test_pettingzoo_plays_it() -> None:
    env = sjavs_v0.env("half_sjavs", render_mode="ansi")
    env.reset(seed=3)
    for _ in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
    assert env.unwrapped.result is not None
    assert "half_sjavs" in env.render()


def test_the_rule_of_thumb_beats_random_in_it() -> None:
    rules = rule_set("half_sjavs")
    thumb, chance = player("rule-of-thumb", rules), player("random", rules)
    assert edge(thumb, chance, rules, deals=500, deal_set="validation").low > 0


@pytest.mark.parametrize(
    "rules",
    [
        replace(rule_set("klorsjavs_contracts"), name="other contracts"),
        replace(rule_set("faroese3"), name="suits of three", auction="suit", trump_choice="call"),
    ],
    ids=lambda rules: rules.name,
)
def test_the_rule_of_thumb_bids_in_a_game_without_thresholds_of_its_own(rules: RuleSet) -> None:
    vec, policy = VectorSjavs(rules, batch=256, seed=1), player("rule-of-thumb", rules)
    while not vec.over.all():
        vec.step(policy.act(vec.observe(), vec.legal, np.zeros(256, np.uint64)))
    assert 0 < (vec.declarer >= 0).sum() < 256


def test_the_trainer_learns_from_it() -> None:
    config = {"rules": "half_sjavs", "deals": 64, "batch": 64, "net": {"hidden": [8]}}
    trainer = training.start(from_dict(config, "test"))
    assert np.isfinite(list(trainer.advance().values())).all()
