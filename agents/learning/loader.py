"""The loader: turns arrays of decisions into tensors on the device of the networks."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.learning.losses import centred
from agents.learning.rollout import Experience
from agents.networks import devices
from agents.networks.features import Encoder, tensors

_AT_ONCE = 4096
"""Decisions that a CPU encodes at a time, so that intermediate results stay in its cache."""


class Loader:
    """Moves decisions to a device, and encodes them for the networks.

    Args:
        encode: An encoder with all cards.
        device: The device.
    """

    def __init__(self, encode: Encoder, device: torch.device) -> None:
        self._encode = encode
        self._device = device

    def tensor(self, array: NDArray[np.generic]) -> Tensor:
        """Return an array as a tensor on the device."""
        return devices.moved(torch.from_numpy(array), self._device)

    def tensors(
        self, words: NDArray[np.uint32], legal: NDArray[np.uint64]
    ) -> tuple[Tensor, Tensor]:
        """Return words int32[N, W] and legal actions int64[N] as tensors on the device."""
        seen, options = tensors(words, legal)
        return devices.moved(seen, self._device), devices.moved(options, self._device)

    def features(
        self, experience: Experience, action: NDArray[np.int64]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Encode all decisions.

        Returns:
            Features with all cards, float32[N, n_features]; legal slots, bool[N, n_slots]; and the
            slots of the actions, int64[N].
        """
        words, legal = self.tensors(experience.words, experience.legal)
        slots = self._encode.slots
        contexts = slots.contexts(words)
        slot = slots.slots_of(self.tensor(action), contexts)
        return self._encoded(words, legal, contexts), slots.legal(legal, contexts), slot

    def _encoded(self, words: Tensor, legal: Tensor, contexts: Tensor) -> Tensor:
        """Return features with all cards, float32[N, n_features]."""
        n = len(words)
        features = torch.empty(n, self._encode.n_features, device=self._device)
        at_once = _AT_ONCE if self._device.type == "cpu" else max(n, 1)
        parts = (each.split(at_once) for each in (features, words, legal, contexts))
        for out, *seen in zip(*parts, strict=True):
            out.copy_(self._encode(*seen))
        return features

    def outcomes(self, experience: Experience, allowed: Tensor) -> Tensor | None:
        """Return the outcomes of branches as in ``Batch.outcomes``; None without branches.

        Args:
            experience: The decisions.
            allowed: Their legal slots, bool[N, n_slots].
        """
        if experience.outcomes is None:
            return None
        decision, *branches = experience.outcomes
        words, _ = self.tensors(experience.words[decision], experience.legal[decision])
        slots, rows = self._encode.slots, self.tensor(decision)
        cards = slots.action[slots.contexts(words), : slots.n_cards]
        found = torch.stack([self.tensor(each).gather(1, cards) for each in branches], dim=1)
        shape = len(allowed), len(branches), slots.n_cards
        outcomes = torch.full(shape, torch.nan, device=self._device)
        outcomes[rows] = centred(found, allowed[rows, None, : slots.n_cards].expand_as(found))
        return outcomes
