"""The losses of learning, each a function of log-probabilities and a minibatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.networks.nets import LATE_UNITS


class Batch(NamedTuple):
    """Decisions as the networks learn from them; each field has N rows."""

    features: Tensor
    """With all cards."""
    allowed: Tensor
    """Legal slots."""
    slot: Tensor
    """The choice to learn from: the policy's own, or its teacher's."""
    old_log_prob: Tensor
    advantage: Tensor
    """Normalised over all decisions."""
    returns: Tensor
    """In game points."""
    exploration: Tensor
    """Weight of the entropy."""
    outcomes: Tensor | None = None
    """What branches came to in each legal card's slot, in game points and card points, each less
    their mean, [N, 2, n_cards]; NaN in rows without."""

    def at(self, rows: Tensor) -> Batch:
        """Return some of the decisions, by their numbers."""
        chosen = (each if each is None else each.index_select(0, rows) for each in self)
        return Batch._make(chosen)


def normalised_entropy(log_probs: Tensor, allowed: Tensor) -> Tensor:
    """Return each row's entropy as a share of that of a uniform choice, float32[N].

    A row with one legal action has entropy 0.
    """
    entropy = -(log_probs.exp() * log_probs).sum(dim=1)
    return entropy / allowed.sum(dim=1).clamp(min=2).log()


def policy_losses(log_probs: Tensor, part: Batch, clip: float) -> dict[str, Tensor]:
    """Return the clipped policy loss, entropy and the estimates of the policy's movement.

    ``approx_kl`` is the estimator k3 and ``old_approx_kl`` k1 of Schulman's note on
    approximating KL divergence (2020).
    """
    log_ratio = log_probs.gather(1, part.slot[:, None])[:, 0] - part.old_log_prob
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    with torch.no_grad():
        moved = {
            "approx_kl": (ratio - 1 - log_ratio).mean(),
            "old_approx_kl": -log_ratio.mean(),
            "clipfrac": ((ratio - 1).abs() > clip).float().mean(),
        }
    gain = torch.minimum(ratio * part.advantage, clipped * part.advantage)
    entropy = normalised_entropy(log_probs, part.allowed)
    return {
        "policy_loss": -gain.mean(),
        "exploration": (part.exploration * entropy).mean(),
        "entropy": entropy.detach().mean(),
        **moved,
    }


def branch_loss(worth: Tensor, allowed: Tensor, outcomes: Tensor) -> Tensor:
    """Return how far a network is from what branches came to, summed over decisions.

    Squared errors make it come to means where single deals differ, and leave nothing certain that
    is not. Card points are a second lesson: they tell one card from another where the score does
    not, and from the same cause.

    Args:
        worth: What the network makes of each card, float32[N, 2, n_cards].
        allowed: Legal slots.
        outcomes: What branches came to, as a minibatch has it.
    """
    legal = allowed[:, None, : worth.shape[2]].expand_as(worth)
    error = (centred(worth, legal) - outcomes.where(legal, 0.0)) / worth.new_tensor(LATE_UNITS)[
        :, None
    ]
    return error.square().sum()


def centred(values: Tensor, legal: Tensor) -> Tensor:
    """Return values less the mean of each row's legal ones, 0 for the others; float32[..., n]."""
    number = legal.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = values.where(legal, 0.0).sum(dim=-1, keepdim=True) / number
    return (values - mean).where(legal, 0.0)


def divergence(log_probs: Tensor, others: Tensor) -> Tensor:
    """Return the mean KL divergence of a policy from another, from log-probabilities."""
    return (log_probs.exp() * (log_probs - others)).sum(dim=1).mean()


def imitation_losses(log_probs: Tensor, part: Batch, smoothing: float) -> dict[str, Tensor]:
    """Return the cross-entropy to a teacher's choices, and how often the policy agrees.

    ``smoothing`` is the share of the target that is spread over all legal actions, so that the
    policy stays open to what it will find out by itself.
    """
    told = log_probs.gather(1, part.slot[:, None])[:, 0]
    legal = log_probs.masked_fill(~part.allowed, 0.0).sum(dim=1) / part.allowed.sum(dim=1)
    with torch.no_grad():
        agreement = (log_probs.argmax(dim=1) == part.slot).float().mean()
    return {
        "policy_loss": -((1 - smoothing) * told + smoothing * legal).mean(),
        "entropy": normalised_entropy(log_probs, part.allowed).mean().detach(),
        "agreement": agreement,
    }


def explained_variance(
    values: NDArray[np.float32],
    returns: NDArray[np.float32],
    variance: Callable[[NDArray[np.float32]], float] = np.var,
) -> float:
    """Return the share of the returns' variance that the values explain, NaN if there is none."""
    whole = float(variance(returns))
    return 1.0 - float(variance(returns - values)) / whole if whole else float("nan")
