"""The result of a finished deal."""

from __future__ import annotations

from dataclasses import dataclass

from sjavs_env.core.rules.state import State
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.cards import SUITS
from sjavs_env.core.tables.codes import NONE


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a finished deal.

    Attributes:
        void: Whether the deal is void: nobody declared, and no card was played.
        declarer: Seat of declarer, or None.
        contract: "6", "5+", "=H", "spil", "solo" and so on; None if the deal is void, or if all
            passed and clubs were played.
        trump: "C", "S", "H", "D" or None.
        card_points: Card points of the declaring side, including the talon, and of the others. If
            all passed and clubs were played: of seat 0's side and of seat 1's side. (0, 0) if the
            deal is void or was conceded.
        tricks: Number of tricks of each seat.
        gains: Gain of each column in game points, carry included. A positive gain is in favour of
            the column's owner.
        payoffs: Payoff of each seat in game points (RULES 8).
        ties: Number of tied (60-60) deals that the next deal carries.
    """

    void: bool
    declarer: int | None
    contract: str | None
    trump: str | None
    card_points: tuple[int, int]
    tricks: tuple[int, ...]
    gains: tuple[int, ...]
    payoffs: tuple[float, ...]
    ties: int


def result_of(state: State, row: int) -> Result:
    """Return the result of a row.

    Raises:
        ValueError: the deal of the row is not over.
    """
    if not state.over[row]:
        raise ValueError(f"row {row} has no result yet: its deal is not over")
    declarer, trump = int(state.declarer[row]), int(state.trump[row])
    own, others = state.card_points[:, row].tolist()
    return Result(
        void=bool(state.void[row]),
        declarer=None if declarer == NONE else declarer,
        contract=None if declarer == NONE else _contract(state, row),
        trump=None if trump == NONE else SUITS[trump],
        card_points=(own, others),
        tricks=tuple(state.tricks_by_seat(row)[:, 0].tolist()),
        gains=tuple(state.gains[:, row].tolist()),
        payoffs=tuple(state.payoff[:, row].tolist()),
        ties=int(state.ties[row]),
    )


def _contract(state: State, row: int) -> str:
    """Return the name of the contract: declarer's last choice, or else the highest call."""
    choice = int(state.choice[row])
    chosen = choice not in (a.NOTHING, a.PASS, a.CONCEDE)
    return a.name_of(choice if chosen else int(state.standing[row]))
