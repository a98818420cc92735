"""Short fingerprints of rules and actions: they show which checkpoints and results fit."""

from __future__ import annotations

from hashlib import sha256

from sjavs_env.core.tables.actions import ACTION_NAMES
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set


def of_text(text: str) -> str:
    """Return the fingerprint of a text: 16 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()[:16]


def of_rules(rules: str | RuleSet) -> str:
    """Return the fingerprint of a rule set: all its fields, including name and options."""
    return of_text(repr(rule_set(rules)))


ACTIONS = of_text(" ".join(ACTION_NAMES))
"""Fingerprint of the action space."""
