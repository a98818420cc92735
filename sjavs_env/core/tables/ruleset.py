"""What a rule set is: frozen data that everything else in the package reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sjavs_env.core.tables.scores import Score

Option = str | int | bool
Phase = Literal["auction", "name", "exchange", "confirm", "play"]


@dataclass(frozen=True, slots=True)
class Contract:
    """What declarer plays: who is with him, with which trumps, by which decisions, for what.

    Attributes:
        action: Name of the action that chooses it, "" for the one that needs no choice.
        scores: Score tables in another suit than clubs, and in clubs.
        flow: Phases that follow the auction (or, for a contract chosen in ``confirm``, the choice).
        alone: Declarer plays against all others, whatever the pairs.
        trumps: False where nothing is trump at all.
    """

    action: str
    scores: tuple[Score, Score]
    flow: tuple[Phase, ...]
    alone: bool = False
    trumps: bool = True


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One form of Sjavs, complete. Make it with ``rule_set``.

    Attributes:
        name: The preset it came from.
        source: Where RULES describes it.
        options: The options of the preset with their values, in order.
        seats: Number of seats, 2 to 4.
        pairs: Opposite seats score together (two columns), else every seat for itself.
        ranks: Rank letters from high to low, as they stand in a suit.
        permanents: Permanent trumps, highest first.
        pack: Codes of the cards in play; the ten's code also stands for the Danish five.
        fives: The tens are printed as fives.
        hand_size: Cards dealt into each hand.
        talon_size: Cards left over.
        piles: Face-up cards of each seat, each lying on a face-down one.
        auction: What a call promises: the longest trump length, a named suit, or a contract.
        bidding: "forced": who can beat the standing call must; "free": may also pass.
        first_call_ends: The first call that is no pass ends the auction.
        all_pass: What follows when all pass: "redeal", "redeal_next", or the game "clubs".
        trump_choice: Who settles trumps: the longest suits named, clubs, the call, or any suit.
        exchange: "" none; "blind" lays away before seeing the talon; "take" takes it up first.
        lay_away: Numbers of cards that may be laid away.
        concede: Declarer may give up before the first lead.
        ruff: Who cannot follow: "free", "no_undertrump" or "overtrump" (RULES 2).
        contracts: The contracts; the first is the ordinary one.
        nobody: Score of the game that follows when all pass with ``all_pass="clubs"``.
        tie: What a deal that nobody wins is worth to the next (RULES 2).
        rubber: How a rubber ends: "first_to_zero_wins", "first_to_zero_loses" or "account".
        start: Where every column starts.
        max_deals: Scored deals after which a rubber ends, 0 for no limit.
    """

    name: str
    source: str
    seats: int
    pairs: bool
    ranks: str
    permanents: tuple[str, ...]
    pack: tuple[str, ...]
    hand_size: int
    auction: Literal["length", "suit", "contract"]
    trump_choice: Literal["longest", "clubs", "call", "any"]
    contracts: tuple[Contract, ...]
    rubber: Literal["first_to_zero_wins", "first_to_zero_loses", "account"]
    start: int
    options: tuple[tuple[str, Option], ...] = ()
    fives: bool = False
    talon_size: int = 0
    piles: int = 0
    bidding: Literal["forced", "free"] = "forced"
    first_call_ends: bool = False
    all_pass: Literal["redeal", "redeal_next", "clubs"] = "redeal"
    exchange: Literal["", "blind", "take"] = ""
    lay_away: tuple[int, ...] = (0,)
    concede: bool = False
    ruff: Literal["free", "no_undertrump", "overtrump"] = "free"
    nobody: Score | None = None
    tie: str = "none"
    max_deals: int = 0

    @property
    def columns(self) -> int:
        """Number of columns on the score sheet."""
        return 2 if self.pairs else self.seats

    @property
    def carries(self) -> bool:
        """Say whether a deal that nobody wins is carried on to the next."""
        return any(score.tie is not None for item in self.contracts for score in item.scores)

    @property
    def n_tricks(self) -> int:
        """Number of tricks in a deal."""
        return self.hand_size + 2 * self.piles

    def column(self, seat: int) -> int:
        """Return the column that a seat scores in."""
        return seat % 2 if self.pairs else seat
