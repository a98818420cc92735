"""The networks: features in, log-probabilities or a value out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.bounds import AtLeastOne
from agents.features import Encoder, tensors
from sjavs_env import RuleSet

_ROWS = 64
"""Rows are filled up to a multiple of this, so that what else is in a batch changes no digit."""
_KEY_SHIFT = np.uint64(40)
_KEY_UNIT = np.float32(2.0**-24)
"""A key's highest 24 bits are as many as float32 tells apart."""


@dataclass(frozen=True)
class NetConfig:
    """The size of the networks."""

    hidden: tuple[AtLeastOne, ...] = (256, 256)
    """Widths of the hidden layers, of the actor and of the critic."""


def _mlp(n_in: int, hidden: tuple[int, ...], n_out: int, last_gain: float) -> nn.Sequential:
    """Return a ReLU network with orthogonal weights."""
    layers: list[nn.Module] = []
    widths = [n_in, *hidden, n_out]
    for index, (fan_in, fan_out) in enumerate(pairwise(widths)):
        last = index == len(hidden)
        linear = nn.Linear(fan_in, fan_out)
        nn.init.orthogonal_(linear.weight, last_gain if last else 2**0.5)
        nn.init.zeros_(linear.bias)
        layers += [linear] if last else [linear, nn.ReLU()]
    return nn.Sequential(*layers)


class Actor(nn.Module):
    """The policy: what a seat may know in, one logit per slot out."""

    def __init__(self, rules: RuleSet, config: NetConfig) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=False)
        self.body = _mlp(
            self.encode.n_features, config.hidden, self.encode.slots.n_slots, last_gain=0.01
        )

    def log_probs(self, features: Tensor, allowed: Tensor) -> Tensor:
        """Return log-probabilities [N, n_slots] from features and legal slots.

        Features behind those that a seat may see are left alone.
        """
        return masked_log_softmax(self.body(features[:, : self.encode.n_features]), allowed)

    def read(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return contexts [N], legal slots bool[N, n_slots] and features."""
        contexts = self.encode.slots.contexts(words)
        allowed = self.encode.slots.legal(legal, contexts)
        return contexts, allowed, self.encode(words, legal, contexts)

    def forward(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities [N, n_slots], legal slots bool[N, n_slots] and contexts [N]."""
        contexts, allowed, features = self.read(words, legal)
        return self.log_probs(features, allowed), allowed, contexts


class Critic(nn.Module):
    """The value of a deal for the seat to act, with all cards open."""

    def __init__(self, rules: RuleSet, config: NetConfig, scale: float) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=True)
        self.body = _mlp(self.encode.n_features, config.hidden, 1, last_gain=1.0)
        self.scale = scale

    def forward(self, features: Tensor) -> Tensor:
        """Return the expected payoff in game points, float32[N], from features with all cards."""
        value: Tensor = self.body(features)[:, 0].float() * self.scale
        return value


class NetPolicy:
    """A network as a policy.

    Args:
        actor: The network; it is not copied.
        greedy: Whether to play the most probable action, without randomness, or to draw one.
    """

    sees_all = False

    def __init__(self, actor: Actor, *, greedy: bool = True) -> None:
        self._actor = actor.eval()
        self._greedy = greedy
        self._device = next(actor.parameters()).device

    @torch.no_grad()
    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return a legal action for each row, int64[N]."""
        n = len(words)
        missing = -n % _ROWS
        padded = np.pad(words, ((0, missing), (0, 0))), np.pad(legal, (0, missing))
        seen = (tensor.to(self._device) for tensor in tensors(*padded))
        log_probs, allowed, contexts = (part[:n] for part in self._actor(*seen))
        if self._greedy:
            slots = log_probs.argmax(dim=1)
        else:
            uniform = (keys >> _KEY_SHIFT).astype(np.float32) * _KEY_UNIT
            slots = drawn(log_probs, allowed, torch.from_numpy(uniform).to(self._device))
        actions: NDArray[np.int64] = (
            self._actor.encode.slots.actions_of(slots, contexts).cpu().numpy()
        )
        return actions


def drawn(log_probs: Tensor, allowed: Tensor, uniform: Tensor) -> Tensor:
    """Return a slot of each row, drawn by a number from 0 (included) to 1 (excluded), [N]."""
    cumulated = log_probs.exp().cumsum(dim=1)
    passed = (cumulated <= uniform[:, None] * cumulated[:, -1:]).sum(dim=1)
    # Rounding may pass them all.
    last = allowed.shape[1] - 1 - allowed.flip(1).int().argmax(dim=1)
    return torch.minimum(passed, last)


def masked_log_softmax(logits: Tensor, allowed: Tensor) -> Tensor:
    """Return log-probabilities over the allowed slots in float32, and far below them elsewhere.

    The exponential there is exactly 0, and the value finite, so that no product of both is NaN.
    """
    floor = torch.finfo(torch.float32).min / 4
    return torch.log_softmax(torch.where(allowed, logits.float(), floor), dim=1)
