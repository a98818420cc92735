"""What the rule of thumb knows by heart: how much it minds what, in card points.

The numbers were found by playing: changed at random, kept when the play got better against
``random`` and against the earlier numbers, and then rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sjavs_env.players.cardsets import Real

DECLARER, DECLARERS_ALLY, DEFENDER = range(3)


@dataclass(frozen=True)
class Weights:
    """Weights, one for each role or one for each row.

    Attributes:
        recapture: Part of the tricks that an ally still to play takes back when he can.
        zeal: How surely an opponent who can beat a card does so.
        from_ally: Card points expected from an ally still to play.
        from_opponent: Card points expected from an opponent still to play.
        trump: Keeping any trump.
        top: Keeping the highest trump left, beyond that.
        second: Keeping the second highest.
        third: Keeping the third highest.
        trump_points: Keeping each card point among the trumps.
        boss: Keeping the highest plain card left in a suit that others still hold.
        guarded: Keeping the second highest with a smaller one beside it.
        plain_points: Keeping each card point among the other plain cards.
        last: Keeping the last card of a plain suit, while I have trumps.
        draw: Leading a trump, for each of at most two trumps expected with the opponents.
        lead_last: Leading the last card of a plain suit, while I have trumps.
        lead: Winning the trick myself rather than through an ally.
        vol: Each trick past ``vol_from`` while the opponents have none.
        vol_from: Trick number from which that counts.
        save: Each trick past ``save_from`` while we have none.
        save_from: Trick number from which that counts.
        lines: How far game points replace card points as the deal goes on.
    """

    recapture: Real
    zeal: Real
    from_ally: Real
    from_opponent: Real
    trump: Real
    top: Real
    second: Real
    third: Real
    trump_points: Real
    boss: Real
    guarded: Real
    plain_points: Real
    last: Real
    draw: Real
    lead_last: Real
    lead: Real
    vol: Real
    vol_from: Real
    save: Real
    save_from: Real
    lines: Real

    def of(self, role: NDArray[np.intp]) -> Weights:
        """Return the weights of one role in each row."""
        return Weights(**{item.name: getattr(self, item.name)[role] for item in fields(self)})


def _by_role(declarer: float, ally: float, defender: float) -> Real:
    array = np.array((declarer, ally, defender), np.float32)
    array.setflags(write=False)
    return array


WEIGHTS = Weights(
    recapture=_by_role(0.6, 0.55, 0.75),
    zeal=_by_role(1.15, 1.15, 0.6),
    from_ally=_by_role(5.0, 3.0, 2.0),
    from_opponent=_by_role(4.0, 5.5, 4.0),
    trump=_by_role(6.5, 4.5, 6.5),
    top=_by_role(13.0, 11.0, 18.0),
    second=_by_role(7.0, 8.0, 8.0),
    third=_by_role(4.0, 2.0, 4.5),
    trump_points=_by_role(0.6, -0.1, 0.1),
    boss=_by_role(5.5, 4.5, 0.5),
    guarded=_by_role(1.0, 0.5, 1.0),
    plain_points=_by_role(0.0, 0.05, -0.2),
    last=_by_role(-0.5, 1.0, 0.0),
    draw=_by_role(8.0, 4.5, -0.5),
    lead_last=_by_role(-1.0, 0.5, 3.0),
    lead=_by_role(0.0, 1.0, 0.5),
    vol=_by_role(2.0, 2.0, 3.0),
    vol_from=_by_role(1.0, 1.0, 3.0),
    save=_by_role(2.5, 1.5, 2.5),
    save_from=_by_role(1.5, 0.5, 0.0),
    lines=_by_role(0.15, 0.1, 0.0),
)
