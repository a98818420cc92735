"""Holdings: the probability that each other seat holds each card, and that it takes the trick.

The cards played tell more than which cards are unseen. A seat that failed to follow holds no card
of that class, so the other seats hold them. A seat with two cards left holds few of nine unseen
cards. The probabilities treat all deals as equally likely that agree with each seat's number of
cards and with the voids shown. The network learns what calls and discards tell beyond that.

Iterative proportional fitting finds the probabilities (Deming and Stephan 1940; Sinkhorn 1967). It
takes a table of seats by cards with zeros for the voids, and scales its rows and its columns in
turn to their known sums. The result is close to the shares of the deals, but not equal to them.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.networks.trick_facts import NOTHING, OTHERS, Facts, Taking
from sjavs_env.core.tables.codes import N_CLASSES

_ROUNDS = 4
"""Iterations of the fitting."""
_ABOUT_NONE = 1e-6
_TRUMPS = N_CLASSES - 1
"""The class of the trumps, in the order of the slots."""


class Holdings(nn.Module):
    """Computes features from the probabilities of the other seats' cards.

    Args:
        facts: The module with the tables of classes and strengths.
        slot: The slot of each card, -1 for none; int64[contexts, 32].
        n_slots: Number of slots.
    """

    classes: Tensor
    sums: Tensor

    def __init__(self, facts: Facts, slot: NDArray[np.int64], n_slots: int) -> None:
        super().__init__()
        n_contexts = len(slot)
        context, card = np.nonzero(slot >= 0)
        place = context, slot[context, card]
        # The tables of ``facts`` number the cards from 1.
        found = facts.classes.numpy()[context, 1 + card]
        classes = np.full((n_contexts, n_slots), -1)
        strength = np.zeros_like(classes)
        classes[place] = found
        strength[place] = facts.strength.numpy()[context, found, 1 + card]
        above = (classes[:, :, None] == classes[:, None, :]) & (classes >= 0)[:, :, None]
        above &= strength[:, :, None] > strength[:, None, :]
        parts = np.concatenate([classes[:, :, None] == np.arange(N_CLASSES), above], axis=2)
        # In every context with trumps a slot holds the same rank or no card, so one table serves
        # them all. The last context is the one without trumps.
        both = np.stack([parts[:-1].any(axis=0), parts[-1]]).astype(np.float32)
        own = np.stack([classes[:-1].max(axis=0), classes[-1]]).clip(min=0)
        self.register_buffer("sums", torch.from_numpy(both), persistent=False)
        self.register_buffer("classes", torch.from_numpy(own), persistent=False)
        self._no_trumps = n_contexts - 1
        self.n_features = 2 * OTHERS * n_slots + OTHERS + OTHERS * N_CLASSES

    def forward(
        self,
        found: Taking,
        cards: Tensor,
        chances: Tensor,
        later: Tensor,
        contexts: Tensor,
    ) -> Tensor:
        """Return the probabilities and the features derived from them, float32[N, n_features].

        For each other seat, in this order:

        - the probability that it holds each card;
        - for each legal card that would take the trick as it lies, the probability that the seat
          does not beat it;
        - the probability that the seat does not beat the trick's holder;
        - the probability that it holds no card of each class.

        The probabilities of a seat's cards are treated as independent of each other.

        Args:
            found: The state of the trick.
            cards: The legal cards that would take the trick (for its leader: all legal cards), and
                the cards that would take it from its holder, float32[N, 2, n_slots].
            chances: The probability that each other seat holds each card, float32[N, 3, n_slots].
            later: Which other seats have yet to play to the trick, bool[N, 3].
            contexts: Contexts, int64[N].
        """
        candidates, beaters = cards.unbind(1)
        lacked = torch.log1p(-chances.clamp(max=1 - _ABOUT_NONE))
        no_trumps = contexts == self._no_trumps
        lacked_by = torch.where(
            no_trumps[:, None, None], lacked @ self.sums[1], lacked @ self.sums[0]
        )
        lacking, none_above = lacked_by.exp().split([N_CLASSES, chances.shape[2]], dim=2)
        own = self.classes[no_trumps.long()]
        led = torch.where((found.led == NOTHING)[:, None], own, found.led[:, None])
        cannot_follow = lacking.gather(2, led[:, None].expand_as(none_above))
        no_trump = torch.where((led == _TRUMPS)[:, None], 1.0, lacking[:, :, _TRUMPS:])
        follows = none_above * (1 - cannot_follow * (1 - no_trump))
        ruffs = 1 - cannot_follow * (1 - none_above)
        stands = torch.where((own == led)[:, None], follows, ruffs)
        holds = (lacked * beaters[:, None]).sum(dim=2).exp() * (found.led != NOTHING)[:, None]
        return torch.cat(
            [
                chances.flatten(1),
                (candidates[:, None] * torch.where(later[:, :, None], stands, 1.0)).flatten(1),
                torch.where(later, holds, (found.led != NOTHING)[:, None].float()),
                lacking.flatten(1),
            ],
            dim=1,
        )


def fitted(may_hold: Tensor, out: Tensor, sizes: Tensor) -> Tensor:
    """Return the probability that each other seat holds each unseen card, float32[N, 3, n_slots].

    Args:
        may_hold: The unseen cards that each other seat may hold, float32[N, 3, n_slots].
        out: The cards that the reader does not see, float32[N, n_slots].
        sizes: Number of unseen cards that each other seat holds, float32[N, 3]. The rest of the
            unseen cards lie in the talon, were laid away, or lie face down before the reader.
    """
    elsewhere = (out.sum(dim=1) - sizes.sum(dim=1)).clamp(min=0)
    sizes = torch.cat([sizes, elsewhere[:, None]], dim=1)
    held = torch.cat([may_hold, out[:, None]], dim=1)
    for _ in range(_ROUNDS):
        held = held * (sizes / held.sum(dim=2).clamp(min=_ABOUT_NONE))[:, :, None]
        held = held * (out / held.sum(dim=1).clamp(min=_ABOUT_NONE))[:, None]
    return held[:, :OTHERS]
