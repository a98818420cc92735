"""Configuration: defaults, a TOML file with what differs, the command line with what differs again.

The dataclasses are the schema. Those of the parts live beside their consumers.
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

from agents.common.bounds import AtLeastOne, NotNegative, Seed
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
    phase: tuple[PhaseConfig, ...] = (PhaseConfig(),)
    """The phases, in order."""
    deals: AtLeastOne | None = None
    """Budget of the run, where it is not the sum of its phases: the last one becomes longer or
    shorter, and those that the budget does not reach fall away."""
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

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases with all their values, cut to the budget.

        Raises:
            ValueError: a phase has an unknown key, an unfit value, or changes what it may not; all
                of it in one sentence.
        """
        tables = {name: getattr(self, name) for name in TABLES}
        return tuple(cut(complete(self.phase, tables, self.batch), self.deals))

    @property
    def budget(self) -> int:
        """Deals of the whole run."""
        return self.phases[-1].ends


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
    wrong = list(unknown_keys(values, Config, ""))
    if not wrong:
        try:
            # As JSON, where an array is fit for a tuple and nothing else is converted.
            config = _ADAPTER.validate_json(json.dumps(values, default=str), strict=True)
            _check(config)
            return config
        except ValidationError as error:
            wrong = [sentence(each) for each in error.errors()]
        except ValueError as error:
            wrong = [str(error)]
    raise ConfigError(f"{where}: {'; '.join(wrong)}")


def _check(config: Config) -> None:
    """Check what only the named things themselves can tell."""
    rule_set(config.rules, **config.options)
    wrong: dict[str, str] = {}
    for phase in config.phases:
        within = "" if len(config.phases) == 1 else f"phase {phase.number}: "
        for fault in _faults(phase, config.rule_set):
            # A later phase has it from the first one that has it.
            wrong.setdefault(fault, within + fault)
    try:
        torch.device(config.device)
    except RuntimeError:
        known = ("cpu", "cuda", "mps")
        wrong["device"] = f"device {config.device!r}{nearest(config.device, known)}"
    if wrong:
        raise ValueError("; ".join(wrong.values()))


def _faults(phase: Phase, rules: RuleSet) -> Iterator[str]:
    """Yield a sentence for everything in a phase that its lesson or the rules do not allow."""
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
        yield f"net.late = {late} leaves no choice to learn from; {most} is the last"


def to_dict(config: Config) -> dict[str, Any]:
    """Return every value of a configuration, ready for JSON."""
    return to_values(config)


_ADAPTER = TypeAdapter(Config)
