"""The type of a rule set: frozen data that everything else in the package reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sjavs_env.core.tables.scores import Score

Option = str | int | bool
Phase = Literal["auction", "name", "exchange", "confirm", "play"]


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: its score tables, its phases, its trumps, and whether declarer is alone.

    Attributes:
        action: Name of the action that chooses it; "" if it needs no choice.
        scores: Two score tables: for trumps in another suit than clubs, and for clubs.
        flow: Phases after the auction. For a contract chosen in ``confirm``: after that choice.
        alone: Whether declarer plays against all others, even in a game of pairs.
        trumps: Whether the contract has trumps.
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
        pairs: Whether opposite seats score together in two columns. Otherwise each seat has its
            own column.
        ranks: Rank letters of a suit, from high to low.
        permanents: Permanent trumps, highest first.
        pack: Codes of the cards in play. The code of a ten also stands for a Danish five.
        fives: Whether the tens are printed as fives.
        hand_size: Number of cards dealt into each hand.
        talon_size: Number of cards in the talon.
        piles: Number of face-up cards of each seat. Each lies on a face-down card.
        auction: What a call names: a trump length, a suit, or a contract.
        bidding: "forced": a seat that can beat the standing call must call. "free": it may pass.
        first_call_ends: Whether the first call that is not a pass ends the auction.
        all_pass: What follows when all pass: "redeal", "redeal_next", or "clubs" (a game with
            clubs as trumps and no declarer).
        trump_choice: How trumps are chosen. "longest": declarer names one of his longest suits,
            clubs if they are among them. "any": declarer names any suit. "call": the call names
            the suit. "clubs": always clubs.
        exchange: "": none. "blind": lay away before seeing the talon. "take": take it up first.
        lay_away: The numbers of cards that may be laid away.
        concede: Whether declarer may give up before the first lead.
        ruff: Duty of a seat that cannot follow: "free", "no_undertrump" or "overtrump" (RULES 2).
        contracts: The contracts; the first is the ordinary one.
        nobody: Score table of the game without declarer that ``all_pass="clubs"`` gives.
        tie: How a tie changes the score of the next deal (RULES 2).
        rubber: How a rubber ends: "first_to_zero_wins", "first_to_zero_loses" or "account".
        start: Start value of every column, in game points.
        max_deals: Number of scored deals after which a rubber ends; 0 for no limit.
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
        """Whether a tied deal is carried to the next."""
        return any(score.tie is not None for item in self.contracts for score in item.scores)

    @property
    def n_tricks(self) -> int:
        """Number of tricks in a deal."""
        return self.hand_size + 2 * self.piles

    def column(self, seat: int) -> int:
        """Return the index of a seat's column."""
        return seat % 2 if self.pairs else seat
