"""Sjavs for reinforcement learning: a batched implementation of the rules, and environments."""

from sjavs_env import sjavs_v0
from sjavs_env.core.errors import DealError, IllegalActionError
from sjavs_env.core.rules.notation import action_name
from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.actions import id_of as action_id
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import RULE_SETS, rule_set
from sjavs_env.vector import VectorSjavs
from sjavs_env.views.layout import LAYOUT, unpack, view

__all__ = [
    "LAYOUT",
    "N_ACTIONS",
    "RULE_SETS",
    "DealError",
    "IllegalActionError",
    "RuleSet",
    "VectorSjavs",
    "action_id",
    "action_name",
    "rule_set",
    "sjavs_v0",
    "unpack",
    "view",
]
