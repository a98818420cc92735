"""The losses: functions of a network's outputs and a minibatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.networks.nets import LATE_UNITS


class Batch(NamedTuple):
    """Encoded decisions for learning; each field has N rows."""

    features: Tensor
    """Features with all cards, float32[N, n_features]."""
    allowed: Tensor
    """Legal slots, bool[N, n_slots]."""
    slot: Tensor
    """Slot of the action to learn from, int64[N]: the policy's own, or its teacher's."""
    old_log_prob: Tensor
    """Log-probability of the policy's own action in the rollout, float32[N]."""
    advantage: Tensor
    """Advantage, normalised over all decisions, float32[N]."""
    returns: Tensor
    """Return in game points, float32[N]."""
    exploration: Tensor
    """Entropy bonus, float32[N]."""
    outcomes: Tensor | None = None
    """Outcome of the branch of each legal card, in game points and card points, each less its mean
    over the legal cards, float32[N, 2, n_cards]. Rows without branches are NaN."""

    def at(self, rows: Tensor) -> Batch:
        """Return the decisions with these numbers."""
        chosen = (each if each is None else each.index_select(0, rows) for each in self)
        return Batch._make(chosen)


def normalised_entropy(log_probs: Tensor, allowed: Tensor) -> Tensor:
    """Return each row's entropy divided by that of a uniform choice, float32[N].

    A row with one legal action has entropy 0.
    """
    entropy = -(log_probs.exp() * log_probs).sum(dim=1)
    return entropy / allowed.sum(dim=1).clamp(min=2).log()


def policy_losses(log_probs: Tensor, part: Batch, clip: float) -> dict[str, Tensor]:
    """Return the clipped policy loss, the entropy terms and estimates of the KL divergence.

    ``exploration`` is the mean entropy bonus, to be subtracted from the loss. ``approx_kl`` is the
    estimator k3 and ``old_approx_kl`` the estimator k1 from Schulman's note on approximating KL
    divergence (2020).
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
    """Return the squared error of card values against the outcomes of branches, summed over rows.

    With squared errors the network learns the mean outcome over the deals that look alike to a
    seat, so it stays uncertain where the outcome is. Card points are an auxiliary target: they tell
    one card from another where the game points are equal, and they have the same causes.

    Args:
        worth: The late network's value of each card, float32[N, 2, n_cards].
        allowed: Legal slots, bool[N, n_slots].
        outcomes: The outcomes, as in ``Batch.outcomes``.
    """
    legal = allowed[:, None, : worth.shape[2]].expand_as(worth)
    error = (centred(worth, legal) - outcomes.where(legal, 0.0)) / worth.new_tensor(LATE_UNITS)[
        :, None
    ]
    return error.square().sum()


def centred(values: Tensor, legal: Tensor) -> Tensor:
    """Return values less the mean of each row's legal values; 0 where not legal, float32[..., n].

    Args:
        values: The values, float32[..., n].
        legal: Which values are legal, bool[..., n].
    """
    number = legal.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = values.where(legal, 0.0).sum(dim=-1, keepdim=True) / number
    return (values - mean).where(legal, 0.0)


def divergence(log_probs: Tensor, others: Tensor) -> Tensor:
    """Return the mean KL divergence of a policy from another.

    Args:
        log_probs: Log-probabilities of the policy, float32[N, n_slots].
        others: Log-probabilities of the other policy, float32[N, n_slots].
    """
    return (log_probs.exp() * (log_probs - others)).sum(dim=1).mean()


def imitation_losses(log_probs: Tensor, part: Batch, smoothing: float) -> dict[str, Tensor]:
    """Return the cross-entropy to a teacher's actions, the entropy, and the rate of agreement.

    Args:
        log_probs: Log-probabilities of the policy, float32[N, n_slots].
        part: The minibatch, with the teacher's actions in ``slot``.
        smoothing: Share of the target that is spread over all legal actions (label smoothing). It
            keeps some exploration for the self-play that follows.
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
    """Return the share of the returns' variance that the values explain.

    It is NaN if the returns have no variance.

    Args:
        values: The critic's values in game points, float32[N].
        returns: The returns in game points, float32[N].
        variance: Computes a variance, for several processes that of all of them.
    """
    whole = float(variance(returns))
    return 1.0 - float(variance(returns - values)) / whole if whole else float("nan")
