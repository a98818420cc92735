"""Facts: what a card player works out from what he sees, before he thinks.

A small network finds these by itself only slowly: which of its cards would take the trick as it
lies, who takes it now and what is in it, and how many cards are still out that beat each of its
own. All are functions of what the seat may know.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sjavs_env import RuleSet
from sjavs_env.core.card_tables import by_card, card_class, card_points, card_strength
from sjavs_env.core.codes import N_CLASSES, N_SUITS, TRUMP_CLASS

_MOST_POINTS = 44
"""Card points of the dearest trick, four aces."""


class Facts(nn.Module):
    """Works out facts from card sets in slots.

    Args:
        rules: The rule set.
        card: The card in each slot, int64[contexts, slots].
        present: Whether the slot has one, uint8[contexts, slots].
        orders: The suits of each context in the order of their slots; the first is the trump suit,
            but in the last context nothing is trump.
    """

    strength: Tensor
    classes: Tensor
    points: Tensor
    beaten: Tensor
    present: Tensor
    trumpless: Tensor

    def __init__(
        self, rules: RuleSet, card: Tensor, present: Tensor, orders: list[tuple[int, ...]]
    ) -> None:
        super().__init__()
        cards, there = card.numpy(), present.numpy().astype(bool)
        trump = [order[0] for order in orders[:-1]] + [N_SUITS]
        classes = np.zeros(cards.shape, np.uint8)
        strength = np.zeros((len(orders), N_CLASSES + 1, cards.shape[1]), np.uint8)
        for context, order in enumerate(orders):
            # Classes are counted in the order of their slots, trumps last; behind them nothing led.
            numbered = (*order, TRUMP_CLASS)
            for slot in np.flatnonzero(there[context]):
                card_of = rules, trump[context], int(cards[context, slot])
                which = numbered.index(card_class(*card_of))
                classes[context, slot] = which
                fights = slice(N_CLASSES) if which == N_CLASSES - 1 else which
                strength[context, fights, slot] = card_strength(*card_of)
        self._constant("strength", strength)
        self._constant("classes", classes)
        self._constant("points", by_card(card_points, np.uint8)[cards] * there)
        self._constant("present", present.numpy())
        self._constant("trumpless", np.array(trump) == N_SUITS)
        own = np.take_along_axis(strength, classes[:, None], axis=1)[:, 0]
        same = (classes[:, :, None] == classes[:, None, :]) & there[:, :, None] & there[:, None, :]
        higher = same & (own[:, :, None] > own[:, None, :])
        suits = [higher[:-1].any(axis=0), higher[-1]]
        self._constant("beaten", np.stack(suits).astype(np.float32))
        self.n_features = 2 * cards.shape[1] + 3 + N_CLASSES + 1

    def _constant(self, name: str, value: NDArray[np.generic]) -> None:
        self.register_buffer(name, torch.from_numpy(value.copy()), persistent=False)

    def forward(
        self,
        legal: Tensor,
        hand: Tensor,
        trick: Tensor,
        seen: Tensor,
        leader: Tensor,
        contexts: Tensor,
    ) -> Tensor:
        """Return the facts, float32[N, n_features].

        Args:
            legal: Cards that the reader may choose, uint8[N, slots].
            hand: The reader's cards, uint8[N, slots].
            trick: The card of each other seat in the trick, uint8[N, 3, slots].
            seen: Sets of cards that the reader knows not to be out, uint8[N, n, slots].
            leader: Which of the other seats led, uint8[N, 3]; none if the reader leads.
            contexts: Contexts, [N].
        """
        lead = (trick * leader[:, :, None]).amax(dim=1)
        led_class = (lead * self.classes[contexts]).amax(dim=1)
        led = torch.where(lead.amax(dim=1) > 0, led_class.long(), N_CLASSES)
        strength = self.strength[contexts, led]
        by_seat = (trick * strength[:, None, :]).amax(dim=2)
        best = by_seat.amax(dim=1, keepdim=True)
        taking = legal * (strength > best)
        out = (self.present[contexts] - seen.amax(dim=1)).float()
        above = torch.where(
            self.trumpless[contexts][:, None], out @ self.beaten[1], out @ self.beaten[0]
        )
        return torch.cat(
            [
                taking.float(),
                hand / (1 + above),
                ((by_seat == best) & (best > 0)).float(),
                nn.functional.one_hot(led, N_CLASSES + 1)[:, :N_CLASSES].float(),
                (trick.amax(dim=1) * self.points[contexts]).sum(dim=1, keepdim=True) / _MOST_POINTS,
            ],
            dim=1,
        )
