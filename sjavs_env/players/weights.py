"""The weights of ``rule-of-thumb``, in card points.

They were found by random search: a random change was kept if the player then scored better
against ``random`` and against the earlier weights. The result was rounded.
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
        fear: Factor on the probability that an opponent can beat a card.
        recapture: Factor on the probability that an ally still to play beats an opponent's card.
        from_ally: Card points expected from an ally still to play.
        from_opponent: Card points expected from an opponent still to play.
        trump: Worth of keeping any trump.
        top: Extra worth of keeping the highest trump left.
        second: Extra worth of keeping the second highest trump left.
        third: Extra worth of keeping the third highest trump left.
        below: Extra worth of keeping a trump, for each unseen lower trump.
        trump_points: Extra worth of keeping a trump, for each of its card points.
        boss: Worth of keeping the highest plain card left of a suit that others still hold.
        guarded: Worth of keeping the second highest plain card together with another of its suit.
        draw: Worth of leading a trump, for each trump expected with the opponents, at most two.
        lead_last: Worth of leading my last card of a plain suit while I have trumps.
        lead: Worth of winning the trick myself instead of an ally winning it.
        vol: Bonus for each trick past ``vol_from`` while the opponents have none.
        vol_from: Trick number from which ``vol`` counts.
        save: Bonus for each trick past ``save_from`` while our side has none.
        save_from: Trick number from which ``save`` counts.
        lines: Factor on the score lines that the points on the table take a side across; they
            count more late in the deal.
    """

    fear: Real
    recapture: Real
    from_ally: Real
    from_opponent: Real
    trump: Real
    top: Real
    second: Real
    third: Real
    below: Real
    trump_points: Real
    boss: Real
    guarded: Real
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
    fear=_by_role(1.2, 1.15, 0.6),
    recapture=_by_role(0.4, 0.2, 1.0),
    from_ally=_by_role(4.5, 1.5, 0.5),
    from_opponent=_by_role(1.5, 7.5, 3.0),
    trump=_by_role(8.0, 4.5, 5.0),
    top=_by_role(10.0, 12.0, 20.0),
    second=_by_role(6.0, 7.0, 9.0),
    third=_by_role(4.0, 1.0, 3.0),
    below=_by_role(0.3, 0.3, 0.3),
    trump_points=_by_role(0.6, 0.0, 0.3),
    boss=_by_role(5.0, 4.0, 1.0),
    guarded=_by_role(2.0, 0.5, 1.0),
    draw=_by_role(11.0, 8.0, -1.5),
    lead_last=_by_role(-1.0, 0.5, 4.0),
    lead=_by_role(0.0, 1.0, 0.5),
    vol=_by_role(3.5, 2.0, 3.0),
    vol_from=_by_role(0.5, 2.0, 3.5),
    save=_by_role(3.5, 0.5, 2.5),
    save_from=_by_role(1.0, 0.0, 0.0),
    lines=_by_role(0.2, 0.2, 0.2),
)
