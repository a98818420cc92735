"""The agent in a checkpoint: its network, its fingerprint, its policy."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agents.checkpoints.manifest import Checkpoint, find
from agents.checkpoints.tensors import CheckpointError, fit, read
from agents.networks.nets import Actor, NetConfig, NetPolicy, rounded
from sjavs_env import RuleSet, rule_set

ACTOR = "actor.safetensors"
_NETS = TypeAdapter(NetConfig)


def load_policy(path: Path, rules: str | RuleSet) -> NetPolicy:
    """Return the policy in a checkpoint's folder, or the latest in a run's.

    Raises:
        CheckpointError: as ``find`` and ``restore`` do.
    """
    rules = rule_set(rules)
    checkpoint = find(path, rules)
    actor = Actor(rules, net(checkpoint))
    actor.load_state_dict(fit(checkpoint.folder / ACTOR, actor.state_dict()))
    return NetPolicy(rounded(actor))


def net(checkpoint: Checkpoint) -> NetConfig:
    """Return the size of a checkpoint's networks.

    Raises:
        CheckpointError: its manifest does not say.
    """
    try:
        # Networks may change from phase to phase of a run; those of its config are the first.
        said = checkpoint.manifest.get("net") or checkpoint.manifest["config"]["net"]
        return _NETS.validate_python(said | {"hidden": said["hidden"]})
    except (KeyError, TypeError, ValidationError):
        raise CheckpointError(
            f"checkpoint {checkpoint.folder} does not say how wide its network is"
        ) from None


def fingerprint(checkpoint: Checkpoint) -> str:
    """Return what tells a checkpoint's agent from others: 16 hexadecimal digits.

    It is taken from the weights in half precision, with which it plays and is shipped.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    digest = sha256()
    for name, weights in sorted(read(checkpoint.folder / ACTOR).items()):
        digest.update(name.encode())
        digest.update(weights.half().numpy().tobytes())
    return digest.hexdigest()[:16]


def origin(checkpoint: Checkpoint, name: str) -> dict[str, Any]:
    """Return what a run has to say about the checkpoint that it begins with."""
    manifest = checkpoint.manifest
    before = manifest.get("origin") or {"deals": 0}
    return {
        "name": name,
        "fingerprint": fingerprint(checkpoint),
        "deals": manifest["progress"]["deals"] + before["deals"],
    }
