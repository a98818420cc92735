"""Stakes: the distance of a deal from each threshold of card points at which its score changes.

Near the end of a deal the value of a card depends on a few sums of card points more than on the
points of each seat: what declarer's column has, what it still needs for each threshold, and whether
it can still reach it.
"""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor, nn

from sjavs_env import RuleSet
from sjavs_env.core.tables.card_tables import card_points, pack_of
from sjavs_env.views.layout import LAYOUT, SLOTS
from sjavs_env.views.observe import SLOT_OF_OFFSET

_FAR = 30
"""Card points that are 1 in the features of the thresholds."""


def thresholds(rules: RuleSet) -> list[int]:
    """Return the thresholds: declarer's card points at which the score of a contract changes."""
    scores = [score for contract in rules.contracts for score in contract.scores]
    bands = {least for score in scores for least, _ in score.bands if least}
    return sorted(bands | {score.tie for score in scores if score.tie is not None})


class Stakes(nn.Module):
    """Appends the stakes to features.

    Args:
        rules: The rule set.
        column: The index of a number among the features, by its slice of the observation and its
            index in the slice.
    """

    columns: Tensor
    allies: Tensor
    needed: Tensor

    def __init__(self, rules: RuleSet, column: dict[tuple[str, int], int]) -> None:
        super().__init__()
        names = ("points", "tricks", "declarer")
        columns = [[column[name, slot] for slot in range(len(SLOTS))] for name in names]
        allies = torch.zeros(len(SLOTS), len(SLOTS))
        for one, other in product(range(rules.seats), repeat=2):
            slots = (SLOT_OF_OFFSET[rules.seats][seat] for seat in (one, other))
            allies[tuple(slots)] = float(rules.column(one) == rules.column(other))
        needed = torch.tensor(thresholds(rules), dtype=torch.float32)
        for name, value in (
            ("columns", torch.tensor(columns)),
            ("allies", allies),
            ("needed", needed),
        ):
            self.register_buffer(name, value, persistent=False)
        self._scale = LAYOUT["points"].scale
        self._whole = sum(card_points(card) for card in pack_of(rules))
        self.n_features = 6 + 3 * len(needed)

    def forward(self, features: Tensor) -> Tensor:
        """Return the features followed by the stakes, float32[N, n + n_features].

        The stakes, in this order:

        - whether declarer scores with the reader;
        - the card points of declarer's column, of the others, and those still to come, each in
          units of half of the pack's points;
        - whether declarer's column has no trick, and whether the others have none;
        - the card points that declarer's column needs for each threshold, in units of 30, from -1
          to 2;
        - the same in units of the card points still to come, from -1 to 2;
        - whether each threshold is still open: not yet reached, but within reach.

        A partner counts with declarer in every contract.

        Args:
            features: The features of an ``Encoder``, float32[N, n].
        """
        points, tricks, declarer = features[:, self.columns].unbind(1)
        points = (points * self._scale).round()
        column = declarer @ self.allies
        own, own_tricks = (column * points).sum(dim=1), (column * tricks).sum(dim=1)
        others, others_tricks = points.sum(dim=1) - own, tricks.sum(dim=1) - own_tricks
        left = self._whole - own - others
        needs = self.needed - own[:, None]
        between = (needs > 0) & (needs <= left[:, None])
        sums = torch.stack([own, others, left], dim=1) * (2 / self._whole)
        none = torch.stack([own_tricks <= 0, others_tricks <= 0], dim=1)
        return torch.cat(
            [
                features,
                column[:, :1],
                sums,
                none.float(),
                (needs / _FAR).clamp(-1, 2),
                (needs / left.clamp(min=1)[:, None]).clamp(-1, 2),
                between.float(),
            ],
            dim=1,
        )
