"""The agent in a checkpoint: its network size, its fingerprint, its policy."""

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
    """Load the policy from a checkpoint's folder, or from the latest checkpoint of a run.

    Raises:
        CheckpointError: there is no checkpoint, it is damaged, or it is of other rules, actions,
            observations or features.
    """
    rules = rule_set(rules)
    checkpoint = find(path, rules)
    actor = Actor(rules, net(checkpoint))
    actor.load_state_dict(fit(checkpoint.folder / ACTOR, actor.state_dict()))
    return NetPolicy(rounded(actor))


def net(checkpoint: Checkpoint) -> NetConfig:
    """Return the size of a checkpoint's networks.

    Raises:
        CheckpointError: the manifest does not give the size.
    """
    try:
        # Networks may change from phase to phase of a run; those of its config are the first.
        said = checkpoint.manifest.get("net") or checkpoint.manifest["config"]["net"]
        return _NETS.validate_python(said | {"hidden": said["hidden"]})
    except (KeyError, TypeError, ValidationError):
        raise CheckpointError(
            f"checkpoint {checkpoint.folder}: its manifest does not give the size of the networks"
        ) from None


def fingerprint(checkpoint: Checkpoint) -> str:
    """Return the fingerprint of a checkpoint's agent: 16 hexadecimal digits.

    It is a hash of the weights in half precision, because the agent plays with these and is
    shipped with them.

    Raises:
        CheckpointError: the actor's file is missing or damaged.
    """
    digest = sha256()
    for name, weights in sorted(read(checkpoint.folder / ACTOR).items()):
        digest.update(name.encode())
        digest.update(weights.half().numpy().tobytes())
    return digest.hexdigest()[:16]


def origin(checkpoint: Checkpoint, name: str) -> dict[str, Any]:
    """Return the record that a run keeps of its initial checkpoint: name, fingerprint, deals.

    The deals include those of the runs before, from which that checkpoint was itself started.

    Raises:
        CheckpointError: the manifest does not say how many deals, or the weights are damaged.
    """
    before = checkpoint.manifest.get("origin")
    seen = [checkpoint.manifest["progress"], *([before] if before else [])]
    deals = [part.get("deals") if isinstance(part, dict) else None for part in seen]
    if not all(isinstance(number, int) for number in deals):
        raise CheckpointError(f"checkpoint {checkpoint.folder} does not say how many deals it saw")
    return {"name": name, "fingerprint": fingerprint(checkpoint), "deals": sum(deals)}
