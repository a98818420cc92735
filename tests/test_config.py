"""Configurations: what a file may hold, and the error sentences about wrong values."""

from math import inf, nan
from pathlib import Path

import pytest

from agents.runs.config import Config, ConfigError, from_dict, load, to_dict

CONFIGS = sorted((Path(__file__).parent.parent / "configs").glob("*.toml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_shipped_config_loads(path: Path) -> None:
    assert load(path).rule_set.name


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_is_read_back_from_its_checkpoint(path: Path) -> None:
    config = load(path)
    assert from_dict(to_dict(config), "again") == config


def test_a_file_changes_only_the_values_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('rules = "russian6"\n[ppo]\nepochs = 7\n[net]\nhidden = [8, 8]\n')
    config = load(path)
    assert (config.rules, config.ppo.epochs, config.net.hidden) == ("russian6", 7, (8, 8))
    assert config.ppo.clip == Config().ppo.clip


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"seeed": 1}, "mine: unknown key 'seeed'; the nearest is 'seed'"),
        ({"ppo": {"epoch": 1}}, "mine: unknown key 'ppo.epoch'; the nearest is 'epochs'"),
        ({"deals": 0}, "mine: deals = 0: input should be greater than or equal to 1"),
        ({"deals": "many"}, "mine: deals = 'many': input should be a valid integer"),
        ({"ppo": {"clip": "a"}}, "mine: ppo.clip = 'a': input should be a valid number"),
        ({"ppo": 3}, "mine: ppo = 3:"),
        ({"ppo": {"minibatch": 0}}, "mine: ppo.minibatch = 0: input should be greater than"),
        ({"ppo": {"lam": 1.5}}, "mine: ppo.lam = 1.5: input should be less than or equal to 1"),
        ({"ppo": {"learning_rate": nan}}, "mine: ppo.learning_rate = nan: input should be a fin"),
        ({"ppo": {"clip": inf}}, "mine: ppo.clip = inf: input should be a finite number"),
        ({"net": {"hidden": [8, 0]}}, "mine: net.hidden.1 = 0: input should be greater than"),
        ({"seed": 2**63}, "mine: seed = 9223372036854775808: input should be less than"),
        ({"rules": "faroes4"}, "mine: unknown rule set 'faroes4'; the nearest is 'faroese4'"),
        (
            {"options": {"biding": "free"}},
            "mine: faroese4: no option 'biding'; the nearest is 'bidding'",
        ),
        (
            {"imitation": {"teacher": "rule"}},
            "mine: unknown player 'rule'; the nearest is 'rule-of",
        ),
        ({"device": "gpu"}, "mine: device 'gpu'"),
        (
            {"net": {"late": 8}},
            "mine: net.late = 8 leaves no decision to learn from; the largest value is 7",
        ),
        ({"phase": []}, "mine: phase = [] has no phase; a run needs one"),
        (
            {"phase": [{}, {"lesson": "imitaton"}]},
            "mine: phase 2: unknown lesson 'imitaton'; the nearest is 'imitation'",
        ),
        (
            {"phase": [{"lesson": "late-tricks"}]},
            "mine: lesson 'late-tricks' needs net.late, which is 0",
        ),
        ({"phase": [{"dels": 1}]}, "mine: phase 1: unknown key 'dels'; the nearest is 'deals'"),
        ({"phase": [{"deals": 0}]}, "mine: phase 1: deals = 0: input should be greater than"),
        (
            {"phase": [{}, {"league": {"shar": 1}}]},
            "mine: phase 2: unknown key 'league.shar'; the nearest is 'share'",
        ),
        (
            {"phase": [{}, {"league": {"share": 1.5}}]},
            "mine: phase 2: league.share = 1.5: input should be less than or equal to 1",
        ),
        (
            {"phase": [{}, {"ppo": {"epochs": 9}}]},
            "mine: phase 2: ppo can change at a restart only; add restart = true",
        ),
        (
            {"phase": [{}, {"restart": True, "net": {"hidden": [8]}}]},
            "mine: phase 2: net can only gain a late network; it was",
        ),
        (
            {"net": {"late": 4}, "phase": [{}, {"restart": True, "net": {"late": 5}}]},
            "mine: phase 2: net can only gain a late network; it was",
        ),
        (
            {"branches": {"player": "rule-of-thum"}},
            "mine: unknown player 'rule-of-thum'; the nearest is 'rule-of-thumb'",
        ),
    ],
)
def test_a_mistake_is_one_sentence(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_dict(values, "mine")
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ConfigError, match=r"'seeed'.*'ppo.epoch'"):
        from_dict({"seeed": 1, "ppo": {"epoch": 1}}, "mine")


def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "quick.toml").touch()
    with pytest.raises(ConfigError, match=r"there is no config .*quik.toml; the nearest is 'quick"):
        load(tmp_path / "quik.toml")


def test_a_file_that_is_not_toml_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("deals = = 3")
    with pytest.raises(ConfigError, match=r"mine.toml is not TOML: .*line 1"):
        load(path)
