"""The networks: from features to log-probabilities (actor) or a value (critic)."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.common.bounds import AtLeastOne, NotNegative, Positive, Width
from agents.networks.devices import built
from agents.networks.features import Encoder, tensors
from agents.networks.stakes import Stakes
from sjavs_env import RuleSet
from sjavs_env.players import Policy
from sjavs_env.players.asked import check_asked

_ROWS = 64
"""Batches are padded to a multiple of this many rows. Without it the size of a batch would change
the last digits of a row's output."""
LATE_UNITS = 4.0, 10.0
"""Game points and card points that are 1 in the outputs of the late network; they keep the outputs
near 1."""
_KEY_SHIFT = np.uint64(40)
_KEY_UNIT = np.float32(2.0**-24)
"""A key gives its highest 24 bits, as many as a float32 can represent exactly."""


@dataclass(frozen=True)
class NetConfig:
    """The size of the networks."""

    hidden: tuple[Width, ...] = (256, 256)
    """Widths of the hidden layers of the actor, and of the critic."""
    late: NotNegative = 0
    """The first trick, counted from 1, in which the actor uses a second network, the late network.
    It learns from branches. 0: the actor has one network for all tricks."""
    late_width: Width = 416
    """Width of the late network's hidden layers."""
    late_blocks: AtLeastOne = 2
    """Number of the late network's residual blocks, after its first layer."""
    temperature: Positive = 0.1
    """Temperature of the late network's policy: one logit stands for this many game points. A
    higher temperature explores cards that are worth less."""


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


class Residual(nn.Module):
    """A network of pre-norm residual blocks (He 2016) whose outputs start near 0.

    Args:
        n_in: Number of inputs.
        width: Width of every hidden layer.
        n_blocks: Number of blocks.
        n_out: Number of outputs.
    """

    def __init__(self, n_in: int, width: int, n_blocks: int, n_out: int) -> None:
        super().__init__()
        self.first = _mlp(n_in, (), width, last_gain=2**0.5)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), *_mlp(width, (), width, last_gain=1.0), nn.ReLU())
            for _ in range(n_blocks)
        )
        self.last = nn.Sequential(nn.LayerNorm(width), *_mlp(width, (), n_out, last_gain=0.01))

    def forward(self, features: Tensor) -> Tensor:
        """Return outputs float32[N, n_out]."""
        hidden = self.first(features).relu()
        for block in self.blocks:
            hidden = hidden + block(hidden)
        outputs: Tensor = self.last(hidden)
        return outputs


class Actor(nn.Module):
    """The policy network: from what a seat may know to one logit per slot."""

    _units: Tensor

    def __init__(self, rules: RuleSet, config: NetConfig) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=False)
        n_in, n_out = self.encode.n_features, self.encode.slots.n_slots
        self.body = _mlp(n_in, config.hidden, n_out, last_gain=0.01)
        self.late: nn.Sequential | None = None
        if config.late:
            stakes = Stakes(rules, self.encode.column)
            n_late = len(LATE_UNITS) * self.encode.slots.n_cards
            self.late = nn.Sequential(
                stakes,
                Residual(n_in + stakes.n_features, config.late_width, config.late_blocks, n_late),
            )
        self._late_from = config.late
        self.temperature = config.temperature
        self.register_buffer("_units", torch.tensor(LATE_UNITS)[:, None], persistent=False)

    def log_probs(self, features: Tensor, allowed: Tensor, late_fixed: bool = False) -> Tensor:
        """Return log-probabilities, float32[N, n_slots].

        Args:
            features: Features, float32[N, n_features or more]. With all cards, only the features
                that a seat may see are read.
            allowed: Legal slots, bool[N, n_slots].
            late_fixed: Whether the late network gets no gradient.
        """
        seen = features[:, : self.encode.n_features]
        if self.late is None:
            return masked_log_softmax(self.body(seen), allowed)
        late = self.is_late(seen)
        parts = (~late).nonzero()[:, 0], late.nonzero()[:, 0]
        early_logits, late_logits = (
            _run(self.body, seen[parts[0]]),
            _run(self._late_logits, seen[parts[1]]),
        )
        if late_fixed:
            late_logits = late_logits.detach()
        logits = torch.cat([early_logits, late_logits])
        logits = torch.empty_like(logits).index_copy(0, torch.cat(parts), logits)
        return masked_log_softmax(logits, allowed)

    def is_late(self, features: Tensor) -> Tensor:
        """Return which decisions the late network makes, bool[N]."""
        if self.late is None:
            return torch.zeros(len(features), dtype=torch.bool, device=features.device)
        late: Tensor = self.encode.trick(features) >= self._late_from
        return late

    def worth(self, features: Tensor) -> Tensor:
        """Return the late network's value of each card, float32[N, 2, n_cards].

        The two values are the game points and the card points of the seat's column at the end of
        the deal. Each is relative: a constant may be added to the values of all cards of a row.
        """
        assert self.late is not None, "there is no late network"
        outputs: Tensor = self.late(features[:, : self.encode.n_features]).float()
        return torch.stack(outputs.chunk(len(LATE_UNITS), dim=1), dim=1) * self._units

    def _late_logits(self, features: Tensor) -> Tensor:
        paid = self.worth(features)[:, 0] / self.temperature
        return nn.functional.pad(paid, (0, self.encode.slots.n_slots - paid.shape[1]))

    def read(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return contexts int64[N], legal slots bool[N, n_slots], features float32[N, n_features].

        Args:
            words: Packed words, int32[N, W].
            legal: Legal actions, int64[N] as bits.
        """
        contexts = self.encode.slots.contexts(words)
        allowed = self.encode.slots.legal(legal, contexts)
        return contexts, allowed, self.encode(words, legal, contexts)

    def forward(self, words: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities and legal slots, both [N, n_slots], and contexts int64[N].

        Args:
            words: Packed words, int32[N, W].
            legal: Legal actions, int64[N] as bits.
        """
        contexts, allowed, features = self.read(words, legal)
        return self.log_probs(features, allowed), allowed, contexts


def _run(net: Callable[[Tensor], Tensor], features: Tensor) -> Tensor:
    """Return a network's outputs; the number of rows does not change a row's output."""
    n = len(features)
    out = net(nn.functional.pad(features, (0, 0, 0, -n % _ROWS)))[:n]
    return out


class Critic(nn.Module):
    """The value network: the value of a deal for the seat to act, with all cards open.

    Args:
        rules: The rule set.
        config: The size of the network.
        scale: Game points that are 1 in the network's output.
    """

    def __init__(self, rules: RuleSet, config: NetConfig, scale: float) -> None:
        super().__init__()
        self.encode = Encoder(rules, all_cards=True)
        self.body = _mlp(self.encode.n_features, config.hidden, 1, last_gain=1.0)
        self.scale = scale

    def forward(self, features: Tensor) -> Tensor:
        """Return the expected payoff in game points, float32[N].

        Args:
            features: Features with all cards, float32[N, n_features].
        """
        value: Tensor = self.body(features)[:, 0].float() * self.scale
        return value


class NetPolicy:
    """A network as a policy.

    Args:
        actor: The network. It is not copied.
        greedy: Whether to play the most probable action. Otherwise an action is sampled.
        bfloat16: Whether to multiply matrices in bfloat16.
    """

    sees_all = False

    def __init__(self, actor: Actor, *, greedy: bool = True, bfloat16: bool = False) -> None:
        self._actor = actor.eval()
        self._greedy = greedy
        self._device = next(actor.parameters()).device
        self._log_probs = built(actor.log_probs, self._device, bfloat16, compiled=False)

    def narrow(self) -> NetPolicy:
        """Return the same policy with matrices multiplied in bfloat16."""
        return NetPolicy(self._actor, greedy=self._greedy, bfloat16=True)

    @torch.no_grad()
    def act(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return a legal action for each row, int64[N].

        Args:
            words: Packed words, uint32[N, W].
            legal: Legal actions, uint64[N] as bits.
            keys: The randomness, uint64[N]. A greedy policy does not use it.
        """
        check_asked(words, legal, keys)
        n = len(words)
        if not n:
            return np.empty(0, np.int64)
        missing = -n % _ROWS
        padded = np.pad(words, ((0, missing), (0, 0))), np.pad(legal, (0, missing))
        seen = (tensor.to(self._device) for tensor in tensors(*padded))
        contexts, allowed, features = self._actor.read(*seen)
        log_probs = self._log_probs(features, allowed)[:n]
        allowed, contexts = allowed[:n], contexts[:n]
        if self._greedy:
            slots = log_probs.argmax(dim=1)
        else:
            uniform = (keys >> _KEY_SHIFT).astype(np.float32) * _KEY_UNIT
            slots = drawn(log_probs, allowed, torch.from_numpy(uniform).to(self._device))
        actions: NDArray[np.int64] = (
            self._actor.encode.slots.actions_of(slots, contexts).cpu().numpy()
        )
        return actions


def in_bfloat16(policy: Policy) -> Policy:
    """Return a policy; a network's matrices are then multiplied in bfloat16."""
    return policy.narrow() if isinstance(policy, NetPolicy) else policy


def rounded(actor: Actor) -> Actor:
    """Return a copy with the weights rounded to half precision.

    An agent plays with these weights, because a shipped checkpoint holds them in half precision.
    """
    copy = deepcopy(actor)
    for weights in copy.parameters():
        weights.data = weights.data.half().float()
    return copy


def drawn(log_probs: Tensor, allowed: Tensor, uniform: Tensor) -> Tensor:
    """Sample a slot for each row, int64[N].

    Args:
        log_probs: Log-probabilities, float32[N, n_slots].
        allowed: Legal slots, bool[N, n_slots].
        uniform: A number for each row from 0 (included) to 1 (excluded), float32[N].
    """
    cumulated = log_probs.exp().cumsum(dim=1)
    passed = (cumulated <= uniform[:, None] * cumulated[:, -1:]).sum(dim=1)
    # Rounding may pass all slots, so the result is at most the last legal slot.
    last = allowed.shape[1] - 1 - allowed.flip(1).int().argmax(dim=1)
    return torch.minimum(passed, last)


def masked_log_softmax(logits: Tensor, allowed: Tensor) -> Tensor:
    """Return log-probabilities over the allowed slots, float32[N, n_slots].

    Elsewhere they are finite but so low that their exponential is exactly 0. The product of the two
    is therefore never NaN.
    """
    floor = torch.finfo(torch.float32).min / 4
    return torch.log_softmax(torch.where(allowed, logits.float(), floor), dim=1)
