"""Score tables as data: what the columns gain by a finished deal (RULES 2-7).

A gain is a pair: the gain of the declaring column, and the gain of each other column. A positive
gain is in favour of the column's owner (RULES 8). All amounts are game points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Gain = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Score:
    """The gains of one contract, by outcome.

    Attributes:
        one_seat: All tricks, all won by one seat of the declaring side.
        vol: All tricks.
        bands: Pairs (lowest card points, gain), from high to low. The last one starts at 0.
        no_trick: The declaring side wins no trick.
        conceded: Declarer gives up before the first lead.
        tie: Card points of a tie, which the next deal carries; None if there is no tie.
    """

    one_seat: Gain
    vol: Gain
    bands: tuple[tuple[int, Gain], ...]
    no_trick: Gain
    conceded: Gain = (0, 0)
    tie: int | None = None


def _faroese(one_seat: int, vol: int, wins: tuple[int, int], losses: tuple[int, int, int]) -> Score:
    """Return a column of the table in RULES 2.

    ``wins`` are the gains from 90 and from 61 card points; ``losses`` those of the others from 31,
    from 0, and against a declaring side without a trick.
    """
    return Score(
        one_seat=(one_seat, 0),
        vol=(vol, 0),
        bands=((90, (wins[0], 0)), (61, (wins[1], 0)), (31, (0, losses[0])), (0, (0, losses[1]))),
        no_trick=(0, losses[2]),
        tie=60,
    )


FAROESE_SCORES: dict[str, tuple[Score, Score]] = {
    "faroese4": (
        _faroese(16, 12, (4, 2), (4, 8, 16)),
        _faroese(24, 16, (8, 4), (8, 16, 16)),
    ),
    "faroese4_1996": (
        _faroese(12, 12, (4, 2), (4, 8, 16)),
        _faroese(16, 16, (8, 4), (8, 16, 24)),
    ),
    "faroese4_wiki": (
        _faroese(16, 12, (4, 2), (4, 4, 4)),
        _faroese(24, 16, (8, 4), (8, 8, 8)),
    ),
    "russian6": (
        _faroese(12, 12, (4, 2), (4, 8, 16)),
        _faroese(16, 16, (8, 4), (8, 16, 16)),
    ),
}
"""The columns of the table in RULES 2: simple trumps, and clubs."""

ALL_PASS_CLUBS = Score(
    one_seat=(4, 0),
    vol=(4, 0),
    bands=((61, (4, 0)), (60, (0, 0)), (0, (0, 4))),
    no_trick=(0, 4),
    tie=60,
)
"""The game without declarer; the "declaring" column is that of seat 0 (RULES 2, FO)."""


def _klorsjavs(wins: int, high: int) -> Score:
    """Return the Klørsjavs table: declarer wins from ``wins`` card points, double from ``high``."""
    return Score(
        one_seat=(0, -16),
        vol=(0, -16),
        bands=((high, (0, -8)), (wins, (0, -4)), (0, (-8, 0))),
        no_trick=(-16, 0),
        conceded=(-8, 0),
    )


KLORSJAVS_SCORE = _klorsjavs(61, 91)
KLORSJAVS18_SCORE = _klorsjavs(58, 86)


def _jetons(each: int, multiplied: bool) -> Score:
    """Return a contract of RULES 6. Each of the two opponents pays or gets ``each`` jetons."""

    def paid(times: int) -> Gain:
        return 2 * times * each, -times * each

    if not multiplied:
        return Score(one_seat=paid(1), vol=paid(1), bands=((0, paid(-1)),), no_trick=paid(-1))
    return Score(
        one_seat=paid(3),
        vol=paid(3),
        bands=((90, paid(2)), (61, paid(1)), (31, paid(-1)), (0, paid(-2))),
        no_trick=paid(-3),
    )


CONTRACT_SCORES: dict[str, Score] = {
    "spil": _jetons(1, multiplied=True),
    "stryger": _jetons(4, multiplied=True),
    "tout": _jetons(10, multiplied=False),
    "stroget-tout": _jetons(15, multiplied=False),
}

_FRENCH = Score(
    one_seat=(8, 0),
    vol=(8, 0),
    bands=((91, (4, 0)), (61, (2, 0)), (31, (-2, 2)), (0, (-4, 4))),
    no_trick=(-8, 8),
)


def _doubled(gain: Gain) -> Gain:
    return 2 * gain[0], 2 * gain[1]


FRENCH_SCORES: dict[str, Score] = {
    "": _FRENCH,
    "solo": replace(
        _FRENCH,
        one_seat=_doubled(_FRENCH.one_seat),
        vol=_doubled(_FRENCH.vol),
        bands=tuple((points, _doubled(gain)) for points, gain in _FRENCH.bands),
        no_trick=_doubled(_FRENCH.no_trick),
    ),
    "halv": Score(
        one_seat=(1, 0), vol=(1, 0), bands=((50, (1, 0)), (0, (-2, 2))), no_trick=(-2, 2)
    ),
    "nolo": Score(one_seat=(-8, 8), vol=(-8, 8), bands=((0, (-8, 8)),), no_trick=(8, 0)),
}
"""The amounts of RULES 7. Clubs score no bonus."""
