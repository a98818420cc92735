"""The networks: features in, log-probabilities or a value out."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.bounds import AtLeastOne, NotNegative, Positive
from agents.features import Encoder, tensors
from sjavs_env import RuleSet

_ROWS = 64
"""Rows are filled up to a multiple of this, so that what else is in a batch changes no digit."""
LATE_UNIT = 4.0
"""Game points that are 1 in what the second network puts out, to keep it near 1."""
_KEY_SHIFT = np.uint64(40)
_KEY_UNIT = np.float32(2.0**-24)
"""A key's highest 24 bits are as many as float32 tells apart."""


@dataclass(frozen=True)
class NetConfig:
    """The size of the networks."""

    hidden: tuple[AtLeastOne, ...] = (256, 256)
    """Widths of the hidden layers, of the actor and of the critic."""
    late: NotNegative = 0
    """The trick, counted from 1, from which on the actor has a second network, which learns from
    branches; 0 for one network throughout."""
    late_hidden: tuple[AtLeastOne, ...] = (448, 448)
    """Widths of its hidden layers."""
    temperature: Positive = 0.1
    """Game points that make one logit of it: how much worse a card may be and still be tried."""


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
        n_in, n_out = self.encode.n_features, self.encode.slots.n_slots
        self.body = _mlp(n_in, config.hidden, n_out, last_gain=0.01)
        self.late = _mlp(n_in, config.late_hidden, n_out, last_gain=0.01) if config.late else None
        self._late_from = config.late
        self.temperature = config.temperature

    def log_probs(self, features: Tensor, allowed: Tensor) -> Tensor:
        """Return log-probabilities [N, n_slots] from features and legal slots.

        Features behind those that a seat may see are left alone.
        """
        seen = features[:, : self.encode.n_features]
        if self.late is None:
            return masked_log_softmax(self.body(seen), allowed)
        late = self.encode.trick(seen) >= self._late_from
        parts = (~late).nonzero()[:, 0], late.nonzero()[:, 0]
        early_logits, paid = (
            _run(net, seen[rows]) for net, rows in zip((self.body, self.late), parts, strict=True)
        )
        logits = torch.cat([early_logits, paid * (LATE_UNIT / self.temperature)])
        logits = torch.empty_like(logits).index_copy(0, torch.cat(parts), logits)
        return masked_log_softmax(logits, allowed)

    def read(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return contexts [N], legal slots bool[N, n_slots] and features."""
        contexts = self.encode.slots.contexts(words)
        allowed = self.encode.slots.legal(legal, contexts)
        return contexts, allowed, self.encode(words, legal, contexts)

    def forward(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities [N, n_slots], legal slots bool[N, n_slots] and contexts [N]."""
        contexts, allowed, features = self.read(words, legal)
        return self.log_probs(features, allowed), allowed, contexts


def _run(net: nn.Module, features: Tensor) -> Tensor:
    """Return what a network makes of some rows, whatever their number."""
    n = len(features)
    out: Tensor = net(nn.functional.pad(features, (0, 0, 0, -n % _ROWS)))[:n]
    return out


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


def rounded(actor: Actor) -> Actor:
    """Return a copy with weights of half precision: an agent plays with what it is shipped with."""
    copy = deepcopy(actor)
    for weights in copy.parameters():
        weights.data = weights.data.half().float()
    return copy


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
