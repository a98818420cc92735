"""Configuration: defaults, changed by a TOML file, changed again by the command line.

The dataclasses are the schema. The dataclass of a table is in the module that uses the table.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError

from agents.common.bounds import AtLeastOne, NotNegative, Seed, Threads
from agents.learning.branches import ITSELF, BranchesConfig
from agents.learning.league import LeagueConfig
from agents.learning.lessons import LESSONS
from agents.learning.phases import GuardConfig, ImitationConfig, Phase
from agents.learning.ppo import PPOConfig
from agents.networks.nets import NetConfig
from agents.runs.plan import TABLES, PhaseConfig, complete, cut
from agents.runs.schema import ConfigError, sentence, to_values, unknown_keys
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.errors import nearest
from sjavs_env.players import PLAYERS


@dataclass(frozen=True)
class EvaluationConfig:
    """The evaluation of a run."""

    opponents: tuple[str, ...] = ("random", "rule-of-thumb")
    """Policies to evaluate against."""
    deals: AtLeastOne = 2000
    """Duplicate deals of the test set for the evaluation at the end of the run."""
    every: NotNegative = 25
    """Updates between two evaluations on the validation set; 0: none."""
    validation_deals: AtLeastOne = 400
    """Duplicate deals of each evaluation on the validation set."""


@dataclass(frozen=True)
class Config:
    """One training run."""

    rules: str = "faroese4"
    """Name of the rule set."""
    options: dict[str, str | int | bool] = field(default_factory=dict)
    """Options of the rule set that differ from its defaults."""
    seed: Seed = 0
    """Seed of weights, deals and sampled actions."""
    initial: str = ""
    """Checkpoint, run or ``pretrained:NAME`` with the initial networks; empty: new networks."""
    phase: tuple[PhaseConfig, ...] = (PhaseConfig(),)
    """The phases, in order."""
    deals: AtLeastOne | None = None
    """Budget of the run, if it is not the sum of its phases. The last phase becomes longer or
    shorter; phases that begin beyond the budget are dropped."""
    batch: AtLeastOne = 2048
    """Deals of one update, over all processes."""
    threads: Threads = 2
    """Threads of the networks in each process. More threads than idle cores are slower than one
    thread."""
    device: str = "cpu"
    """Device of the networks: cpu, or a torch device such as cuda."""
    checkpoint_every: AtLeastOne = 1
    """Updates between two checkpoints."""
    keep: AtLeastOne = 2
    """Number of checkpoints to keep, the latest ones."""
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

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases with all their values, cut to the budget.

        Raises:
            ValueError: a phase has an unknown key, an invalid value, or a change that is not
                allowed; one sentence names all of them.
        """
        tables = {name: getattr(self, name) for name in TABLES}
        return tuple(cut(complete(self.phase, tables, self.batch), self.deals))

    @property
    def budget(self) -> int:
        """Deals of the whole run."""
        return self.phases[-1].ends


def load(path: Path) -> Config:
    """Return the configuration in a TOML file.

    Raises:
        ConfigError: the file is missing, is not TOML, or has unknown keys or invalid values.
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
        raise ConfigError(f"config {path} is not TOML: {error}") from None


def from_dict(values: dict[str, Any], where: str) -> Config:
    """Return the configuration in a nested dictionary, after a check.

    Args:
        values: The dictionary.
        where: Its origin, for error sentences.

    Raises:
        ConfigError: there are unknown keys or invalid values; one sentence names all of them.
    """
    wrong = list(unknown_keys(values, Config, ""))
    if not wrong:
        try:
            # Through JSON: there strict validation takes an array for a tuple, and converts nothing
            # else.
            config = _ADAPTER.validate_json(json.dumps(values, default=str), strict=True)
            _check(config)
            return config
        except ValidationError as error:
            wrong = [sentence(each) for each in error.errors()]
        except ValueError as error:
            wrong = [str(error)]
    raise ConfigError(f"{where}: {'; '.join(wrong)}")


def _check(config: Config) -> None:
    """Check values that the schema cannot check: names, options, the device.

    Raises:
        ValueError: a value is invalid; one sentence names all of them.
    """
    rule_set(config.rules, **config.options)
    wrong: dict[str, str] = {}
    for phase in config.phases:
        within = "" if len(config.phases) == 1 else f"phase {phase.number}: "
        for fault in _faults(phase, config.rule_set):
            # Later phases inherit the fault, so only the first phase with it is named.
            wrong.setdefault(fault, within + fault)
    try:
        torch.device(config.device)
    except RuntimeError:
        known = ("cpu", "cuda", "mps")
        wrong["device"] = f"device {config.device!r}{nearest(config.device, known)}"
    if wrong:
        raise ValueError("; ".join(wrong.values()))


def _faults(phase: Phase, rules: RuleSet) -> Iterator[str]:
    """Yield a sentence for each value of a phase that its lesson or the rules do not allow."""
    if phase.lesson not in LESSONS:
        yield f"unknown lesson {phase.lesson!r}{nearest(phase.lesson, LESSONS)}"
    elif LESSONS[phase.lesson].needs_late and not phase.net.late:
        yield f"lesson {phase.lesson!r} needs net.late, which is 0"
    for name, named in (
        (phase.imitation.teacher, PLAYERS),
        (phase.branches.player, (*PLAYERS, ITSELF)),
    ):
        if name not in named:
            yield f"unknown player {name!r}{nearest(name, named)}"
    late, most = phase.net.late, rules.n_tricks - 1
    if late > most:
        yield f"net.late = {late} leaves no decision to learn from; the largest value is {most}"


def to_dict(config: Config) -> dict[str, Any]:
    """Return all values of a configuration in a form for JSON."""
    return to_values(config)


_ADAPTER = TypeAdapter(Config)
