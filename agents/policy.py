"""Load policies by name; every script takes these names.

| name | policy |
|---|---|
| ``random``, ``rule-of-thumb`` ... | a built-in player |
| a folder | its checkpoint, or the latest checkpoint of a run |
| ``pretrained:NAME`` | a checkpoint that the kit ships |
| ``module:callable`` | the policy that the callable returns for a rule set |
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType

from agents.checkpoints import agent, manifest
from agents.checkpoints.tensors import CheckpointError
from agents.evaluation.dealsets import key
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.errors import nearest, told
from sjavs_env.core.tables.fingerprints import of_text
from sjavs_env.players import PLAYERS, Policy, player

PRETRAINED = Path(__file__).parent / "pretrained"
"""The folder of the shipped checkpoints; each has its own folder in it."""

PREFIX = "pretrained:"
"""Stands before the name of a shipped agent."""
_PARTS = ("act", "sees_all")

__all__ = ["PREFIX", "PRETRAINED", "Policy", "fingerprint", "folder", "key", "load", "shipped"]


def load(name: str, rules: str | RuleSet) -> Policy:
    """Load the policy with a name, for a rule set.

    Raises:
        ValueError: there is no such policy, or it is not for these rules. The sentence names the
            nearest policy.
    """
    rules = rule_set(rules)
    if _checked(name) in PLAYERS:
        return player(name, rules)
    found = folder(name)
    if found is not None:
        return agent.load_policy(found, rules)
    module = _module(name)
    word = name.partition(":")[2]
    make = getattr(module, word, None)
    if not callable(make):
        known = [each for each, value in vars(module).items() if callable(value)]
        raise ValueError(
            f"policy {name!r}: {module.__name__} has no callable {word!r}{nearest(word, known)}"
        )
    policy = _made(name, make, rules)
    for part in _PARTS:
        if not hasattr(policy, part) or (part == "act" and not callable(policy.act)):
            kind = type(policy).__name__
            raise ValueError(f"policy {name!r}: {word} returned a {kind}, which has no {part!r}")
    return policy


def _made(name: str, make: Callable[[RuleSet], Policy], rules: RuleSet) -> Policy:
    """Return what a callable makes for a rule set."""
    try:
        return make(rules)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # a fault within the callable is its author's
        raise ValueError(f"policy {name!r} cannot be made of a rule set: {error}") from None


def _checked(name: object) -> str:
    """Return a policy's name, after checking that it is text."""
    if not isinstance(name, str):
        raise ValueError(f"a policy is named by text, not by {told(name)}")
    return name


def fingerprint(name: str) -> str:
    """Return the fingerprint of a policy: 16 hexadecimal digits.

    It tells apart two policies with the same name. It is a hash of a checkpoint's weights, of a
    module's source, or of a built-in player's name. The name is enough for a built-in player,
    because a player whose play changes gets a new name.

    Raises:
        ValueError: there is no such policy.
    """
    if _checked(name) in PLAYERS:
        return of_text(name)
    found = folder(name)
    if found is not None:
        return agent.fingerprint(manifest.find(found))
    source = _module(name).__file__
    return sha256(Path(source).read_bytes()).hexdigest()[:16] if source else of_text(name)


def folder(name: str) -> Path | None:
    """Return the folder of the checkpoint or run with this name, None if the name is no folder.

    Raises:
        ValueError: no shipped agent has this name.
    """
    if _checked(name).startswith(PREFIX):
        shipped, rest = _shipped(), name.removeprefix(PREFIX)
        if rest not in shipped:
            there = f"known: {', '.join(shipped)}" if shipped else "none is shipped yet"
            raise ValueError(f"there is no pretrained agent {told(rest)}; {there}")
        return PRETRAINED / rest
    return Path(name) if os.sep in name or (name and _exists(name)) else None


def _exists(name: str) -> bool:
    """Say whether there is a file or folder of a name, which may be too long or odd for one."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def shipped(rules: str | RuleSet) -> str | None:
    """Return the name of a shipped agent for a rule set, None if there is none."""
    rules = rule_set(rules)
    for name in _shipped():
        with suppress(CheckpointError):
            manifest.find(PRETRAINED / name, rules)
            return PREFIX + name
    return None


def _shipped() -> list[str]:
    return sorted(manifest.parent.name for manifest in PRETRAINED.glob("*/manifest.json"))


def _module(name: str) -> ModuleType:
    """Import the module of a ``module:callable``."""
    module, colon, _ = name.partition(":")
    if colon and all(part.isidentifier() for part in module.split(".")):
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):
                raise ValueError(
                    f"policy {name!r}: {module} needs the module {error.name!r}, "
                    "which is not installed"
                ) from error
    known = (*PLAYERS, *(PREFIX + each for each in _shipped()))
    raise ValueError(
        f"unknown policy {told(name)}{nearest(name, known)}; "
        "a policy can also be a checkpoint folder or module:callable"
    )
