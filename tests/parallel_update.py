"""One update by several processes: `torchrun --nproc-per-node=2 -m tests.parallel_update OUT`.

Each process plays its own deals (their number is in ``DEALS``) and learns from them together with
the others. It then writes its experience, its weights, its log and the answers of the group into a
folder named after its rank.
"""

import json
import sys
from itertools import count
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from agents.learning.branches import Branches
from agents.learning.parallel import ALONE, Group, joined
from agents.learning.ppo import Learner, PPOConfig
from agents.learning.rollout import Experience, collect
from agents.networks.nets import NetConfig
from sjavs_env import VectorSjavs, rule_set
from sjavs_env.players import player
from tests.lessons import taught

RULES = rule_set("faroese4")
DEALS = (64, 24)
SEED = 1
MINIBATCHES = 3
LATE = 7
"""The trick from which the second network plays. That network learns from branches."""


def learner(minibatch: int, seed: int = SEED, group: Group = ALONE) -> Learner:
    config = PPOConfig(epochs=2, minibatch=minibatch, average=0.5)
    net = NetConfig(hidden=(32,), late=LATE, late_width=32)
    return Learner(RULES, net, config, seed, group=group)


def weights(pupil: Learner) -> dict[str, Tensor]:
    nets = {"actor": pupil.actor, "average": pupil.average, "critic": pupil.critic}
    return {f"{net}.{k}": v for net, each in nets.items() for k, v in each.state_dict().items()}


def played(pupil: Learner, rank: int) -> Experience:
    """Play until the number of decisions divides evenly among the minibatches."""
    vec = VectorSjavs(RULES, batch=DEALS[rank])
    generator = np.random.default_rng(rank)
    branches = Branches(LATE, player("rule-of-thumb", RULES), RULES, as_seated=False)
    tries = (
        collect(
            vec,
            lambda words, legal: pupil.sample(words, legal, generator),
            seed=seed,
            branches=branches,
        )
        for seed in count(100 * rank)
    )
    return next(each for each in tries if len(each) % MINIBATCHES == 0)


def asked(group: Group) -> dict[str, object]:
    """Return the answers of a group of two about numbers; the second process has more of them."""
    values = (np.array([1, 2], np.float32), np.array([3, 4, 6, 8], np.float32))[group.rank]
    return {
        "sum": group.sum((group.rank + 1, 0.5)),
        "gather": group.gather(len(values)),
        "mean": group.mean(values),
        "share": group.mean(values > 3),
        "variance": group.variance(values),
        "of one alone": group.mean(values[2:]),
        "of nobody": str(group.mean(values[:0])),
        "from the first": group.from_first(lambda: f"made by {group.rank}"),
        "device": group.placed("cuda"),
    }


def main(out: Path) -> None:
    # With two threads actor and critic learn in parallel, and add their gradients at the same time.
    torch.set_num_threads(2)
    with joined() as group:
        pupil = learner(minibatch=1000, seed=SEED + group.rank, group=group)
        experience = played(pupil, group.rank)
        logged = taught(pupil, experience, np.random.default_rng(group.rank))
        own = out / str(group.rank)
        own.mkdir()
        assert experience.outcomes is not None
        arrays = vars(experience) | experience.outcomes._asdict()
        del arrays["outcomes"]
        np.savez(own / "experience.npz", **arrays)
        save_file(weights(pupil), own / "weights.safetensors")
        (own / "logged.json").write_text(json.dumps(logged))
        (own / "asked.json").write_text(json.dumps(asked(group)))
    # The group must be closed although the learner still refers to it: threads that outlive the
    # interpreter would abort it.
    (own / "ended.json").write_text(json.dumps(group.connections() is None))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
