"""Configuration: defaults, a TOML file with what differs, the command line with what differs again.

The dataclasses are the schema. Those of the parts live beside their consumers.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import torch
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from agents.common.bounds import AtLeastOne, NotNegative, Seed, Share, Weight
from agents.learning.branches import BranchesConfig
from agents.learning.league import LeagueConfig
from agents.learning.ppo import PPOConfig
from agents.networks.nets import NetConfig
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.errors import nearest
from sjavs_env.players import player


class ConfigError(ValueError):
    """A configuration is unreadable or says something unknown; the message is for its author."""


@dataclass(frozen=True)
class ImitationConfig:
    """A warm start: what a built-in player would do where the agent comes to."""

    deals: NotNegative = 0
    """Deals of the budget that are learned from in this way, at its beginning; 0 for none."""
    teacher: str = "rule-of-thumb"
    """The built-in player."""
    smoothing: Share = 0.1
    """Share of the target that is spread over all legal actions, to leave room for discovery."""


@dataclass(frozen=True)
class GuardConfig:
    """Against the collapse into passing, where a seat may choose whether to call."""

    calls: Share = 0.1
    """Share of its chances to call that the policy takes at least; below it the guard is on."""
    entropy: Weight = 0.1
    """Weight of the entropy of these choices while it is on."""


@dataclass(frozen=True)
class EvaluationConfig:
    """How a run is measured."""

    opponents: tuple[str, ...] = ("random", "rule-of-thumb")
    """Policies to measure against."""
    deals: AtLeastOne = 2000
    """Duplicate deals of the test set at the end of the run."""
    every: NotNegative = 25
    """Updates between two measurements on the validation set; 0 for none."""
    validation_deals: AtLeastOne = 400
    """Duplicate deals of each of those."""


@dataclass(frozen=True)
class Config:
    """One training run."""

    rules: str = "faroese4"
    """The rule set by name."""
    options: dict[str, str | int | bool] = field(default_factory=dict)
    """Options of the rule set that differ from its defaults."""
    seed: Seed = 0
    """Seed of weights, deals and choices."""
    initial: str = ""
    """A checkpoint, a run or ``pretrained:NAME`` whose networks the run begins with."""
    critic_first: NotNegative = 0
    """Deals of the budget from which the critic learns alone, as one must that is new beside a
    policy that is not."""
    deals: AtLeastOne = 500_000
    """Budget: deals to learn from. Schedules run over it."""
    batch: AtLeastOne = 2048
    """Deals of one update, of all processes together."""
    threads: AtLeastOne = 2
    """Threads of the network's arithmetic in each process; more than idle cores are slower than
    one."""
    device: str = "cpu"
    """Where the networks live: cpu, or a torch device such as cuda."""
    checkpoint_every: AtLeastOne = 1
    """Updates between two checkpoints."""
    keep: AtLeastOne = 2
    """Checkpoints to keep."""
    net: NetConfig = field(default_factory=NetConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    imitation: ImitationConfig = field(default_factory=ImitationConfig)
    branches: BranchesConfig = field(default_factory=BranchesConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    guard: GuardConfig = field(default_factory=GuardConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    @property
    def rule_set(self) -> RuleSet:
        """The rule set with its options."""
        return rule_set(self.rules, **self.options)

    @property
    def updates(self) -> int:
        """Number of updates that the budget of deals makes."""
        return -(-self.deals // self.batch)


def load(path: Path) -> Config:
    """Return the configuration of a TOML file.

    Raises:
        ConfigError: the file is missing, no TOML, or holds unknown keys or unfit values.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        found = sorted(each.name for each in path.parent.glob("*.toml"))
        raise ConfigError(f"there is no config {path}{nearest(path.name, found)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {path} cannot be read: {error}") from None
    try:
        return from_dict(tomllib.loads(text), str(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"config {path} is no TOML: {error}") from None


def from_dict(values: dict[str, Any], where: str) -> Config:
    """Return the configuration that a nested dictionary describes, checked.

    Raises:
        ConfigError: unknown keys or unfit values, all of them in one sentence.
    """
    wrong = list(_unknown_keys(values, Config, ""))
    if not wrong:
        try:
            # As JSON, where an array is fit for a tuple and nothing else is converted.
            config = _ADAPTER.validate_json(json.dumps(values, default=str), strict=True)
            _check(config)
            return config
        except ValidationError as error:
            wrong = [_sentence(each) for each in error.errors()]
        except ValueError as error:
            wrong = [str(error)]
    raise ConfigError(f"{where}: {'; '.join(wrong)}")


def _check(config: Config) -> None:
    """Check what only the named things themselves can tell."""
    rule_set(config.rules, **config.options)
    for name in (config.imitation.teacher, config.branches.player):
        player(name, config.rule_set)
    late, most = config.net.late, config.rule_set.n_tricks - 1
    if late > most:
        raise ValueError(f"net.late = {late} leaves no choice to learn from; {most} is the last")
    for name in ("alone", "itself"):
        value = getattr(config.branches, name)
        if value and not late:
            raise ValueError(f"branches.{name} = {value} needs net.late, which is 0")
    try:
        torch.device(config.device)
    except RuntimeError:
        known = ("cpu", "cuda", "mps")
        raise ValueError(f"device {config.device!r}{nearest(config.device, known)}") from None


def to_dict(config: Config) -> dict[str, Any]:
    """Return every value of a configuration, ready for JSON."""
    resolved: dict[str, Any] = _ADAPTER.dump_python(config, mode="json")
    return resolved


def _unknown_keys(values: dict[str, Any], schema: type, within: str) -> Iterator[str]:
    """Yield a sentence for every key that the schema does not have."""
    known = get_type_hints(schema)
    for key, value in values.items():
        if key not in known:
            yield f"unknown key {within + key!r}{nearest(key, known)}"
        elif is_dataclass(known[key]) and isinstance(value, dict):
            yield from _unknown_keys(value, known[key], f"{within}{key}.")


def _sentence(error: ErrorDetails) -> str:
    """Return what pydantic found as a sentence with the offending value."""
    key = ".".join(str(part) for part in error["loc"])
    return f"{key} = {error['input']!r}: {error['msg'][:1].lower()}{error['msg'][1:]}"


_ADAPTER = TypeAdapter(Config)
