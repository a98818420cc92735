"""Values on which others rely do not change: fingerprints, and the play of the shipped agent.

A value that changes on purpose is changed here too, and named in the changelog. Golden games are
in `test_golden`.
"""

from hashlib import sha256

import numpy as np
import pytest

from agents.networks import features
from agents.policy import PRETRAINED, fingerprint, load
from sjavs_env import RULE_SETS, VectorSjavs, rule_set
from sjavs_env.core.tables import fingerprints
from sjavs_env.players.random import lowest_action
from sjavs_env.views.layout import FINGERPRINT as OBSERVATION

# Fingerprints of the rules, and of the features that a network reads.
PRESETS = {
    "faroese4": ("20b2c9876b0e5c36", "af94875b6371526f"),
    "faroese4_wiki": ("d9c1a3ebaf24965e", "c535d7ec33bc07fc"),
    "faroese4_1996": ("3fc26b1310e374e3", "af94875b6371526f"),
    "russian6": ("589aabb9124426b7", "af94875b6371526f"),
    "faroese3": ("d1de5f2da700c262", "2da1aaff948cce5c"),
    "faroese2": ("34728893197145ba", "06160906a169406f"),
    "klorsjavs": ("ae553b0a9a6a52a3", "6926b0b50d51b9cf"),
    "klorsjavs18": ("bcc6fc677d1af7b8", "3905217ac3bd56e8"),
    "klorsjavs_contracts": ("1d1427f78da142f6", "17dc00fdf699ca1f"),
    "farvesjavs": ("ad5943d899412fa7", "17dc00fdf699ca1f"),
    "french8": ("7393c09738eac205", "f4f3f18603571474"),
}
WEIGHTS = "ea1e6ea96bd6d17b"
PLAYED = "31f8a1ce92f275a7"
RULE_OF_THUMB = "9c9d883a7df075fd"


def played_by(name: str) -> str:
    """Return a hash of every choice of a policy in 64 deals of self-play."""
    rules = rule_set("faroese4")
    agent, digest = load(name, rules), sha256()
    vec = VectorSjavs(rules, batch=64, seed=7)
    vec.reset(seed=7)
    while not vec.over.all():
        actions = lowest_action(vec.legal)
        rows = np.flatnonzero(np.bitwise_count(vec.legal) > 1)
        if len(rows):
            keys = np.zeros(len(rows), np.uint64)
            actions[rows] = agent.act(vec.observe()[rows], vec.legal[rows], keys)
        digest.update(actions.astype(np.int64).tobytes())
        vec.step(actions)
    digest.update(vec.payoff.tobytes())
    return digest.hexdigest()[:16]


def test_actions_and_observation_have_their_fingerprints():
    assert fingerprints.ACTIONS == "5de0f9ff55b177a2"
    assert OBSERVATION == "09481dcabf0a0112"


@pytest.mark.parametrize("preset", RULE_SETS)
def test_a_preset_has_its_fingerprints(preset):
    rules = rule_set(preset)
    assert (fingerprints.of_rules(rules), features.fingerprint(rules)) == PRESETS[preset]


def test_the_shipped_agent_has_its_weights_and_plays_as_it_did():
    weights = (PRETRAINED / "faroese4" / "actor.safetensors").read_bytes()
    assert sha256(weights).hexdigest()[:16] == WEIGHTS
    assert fingerprint("pretrained:faroese4") == "ef2077613730f010"
    assert played_by("pretrained:faroese4") == PLAYED


def test_rule_of_thumb_plays_as_it_did():
    assert played_by("rule-of-thumb") == RULE_OF_THUMB
