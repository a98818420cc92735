"""Facts that a seat derives from its observation, by bitmask arithmetic, for a batch of rows.

Rows are on the last axis. Card sets are sets of *places* (``ranking``): of two cards of a class,
the higher card is the higher bit.

``agents/networks/trick_facts.py`` derives related facts for networks. Both take classes and
strengths from ``sjavs_env/core/tables/card_tables.py``. They are two modules because this one works
on numpy card sets whose bits are ordered by rank, and that one on torch tensors in the slots of a
network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.actions import ACTION_IDS, ACTION_NAMES
from sjavs_env.core.tables.cards import N_CARDS
from sjavs_env.core.tables.codes import N_CLASSES, N_SUITS, NO_TRUMP, TRUMP_CLASS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.score_tables import contracts_of
from sjavs_env.players.cardsets import ONE, Cards, Classes, Real, Yes, highest, place_of, size
from sjavs_env.players.ranking import Ranking
from sjavs_env.views.layout import LAYOUT

ME, ACROSS = 0, 2
OTHERS: dict[int, tuple[int, ...]] = {2: (2,), 3: (1, 3), 4: (1, 2, 3)}
"""The slots of the other seats in the order of play, by number of seats."""
_WORD = N_CARDS


def bits_of(words: Cards, name: str) -> Cards:
    """Return all numbers of a slice as one integer, the number of the first slot lowest."""
    item = LAYOUT[name]
    mask = np.uint32((1 << item.count * item.bits) - 1)
    bits: Cards = words[item.word] >> np.uint32(item.shift) & mask
    return bits


def number_of(words: Cards, name: str, slot: int = 0) -> NDArray[np.int32]:
    """Return one number of a slice."""
    item = LAYOUT[name]
    shift, mask = np.uint32(item.shift + slot * item.bits), np.uint32((1 << item.bits) - 1)
    number: NDArray[np.int32] = (words[item.word] >> shift & mask).astype(np.int32)
    return number


def set_of(words: Cards, name: str, slot: int = ME) -> Cards:
    """Return one card set of a slice."""
    row: Cards = words[LAYOUT[name].word + slot]
    return row


_LEAST = np.float32(1e-6)
_NOT_FACE_DOWN = np.float32(2 / 3)
"""Share of the opponent's hidden cards in ``faroese2`` that are in his hand."""


def _contexts() -> NDArray[np.uint8]:
    """Return a table of the context by the flag of the trump suit."""
    table = np.full(1 << N_SUITS, NO_TRUMP, np.uint8)
    table[[1 << suit for suit in range(N_SUITS)]] = range(N_SUITS)
    return table


def _lengths() -> tuple[np.uint32, Real]:
    """Return the flags of all calls that announce a length, and a table of the lengths."""
    lengths: dict[int, int] = {
        action - _WORD: int(name.rstrip("+"))
        for action, name in enumerate(ACTION_NAMES)
        if name.rstrip("+").isdigit()
    }
    table: Any = np.zeros(_WORD, np.float32)
    table[list(lengths)] = list(lengths.values())
    return np.uint32(sum(1 << flag for flag in lengths)), table


_CONTEXT = _contexts()
_LENGTH_CALLS, _LENGTH = _lengths()


@dataclass(slots=True)
class Seat:
    """What is known of another seat, by row.

    Attributes:
        played: Cards that it has played.
        shown: Its cards that lie face up.
        card: Its card in this trick.
        lacks: Classes that it has shown to lack, as flags.
        is_declarer: Whether it owns the contract.
        is_ally: Whether it scores with me.
        to_play: Whether it plays after me in this trick.
        n_cards: Number of the cards in its hand that I do not see.
        trumps: Expected number of trumps among them.
    """

    played: Cards
    shown: Cards
    card: Cards
    lacks: Cards
    is_declarer: Yes
    is_ally: Yes
    to_play: Yes
    n_cards: Real
    trumps: Real

    @property
    def plain(self) -> Real:
        """Expected number of plain cards among the cards that I do not see."""
        plain: Real = np.maximum(self.n_cards - self.trumps, 0)
        return plain


class Facts:
    """What the seat to act can derive during the play."""

    def __init__(self, rules: RuleSet, ranking: Ranking, words: Cards) -> None:
        self._rules, self._ranking, self._words = rules, ranking, words
        self.context = _CONTEXT[bits_of(words, "trump")]
        self.class_masks = np.ascontiguousarray(ranking.class_masks[self.context].T)
        self.trumps = self.class_masks[TRUMP_CLASS]
        self.hand = self.cards("hand")
        self._declarer = bits_of(words, "declarer")
        self.i_declare = self._declarer & ONE != 0
        self._said = set_of(words, "contract")
        self.contract = self._contract()
        self.seats = [self._seat(slot) for slot in OTHERS[rules.seats]]
        self.gone = self.cards("played")
        known = self.gone | self.hand | self.cards("laid_away")
        for seat in self.seats:
            self.gone |= seat.played
            known |= seat.played | seat.shown
        self.unseen = ranking.pack & ~known
        self.trumps_unseen = size(self.unseen & self.trumps)
        self._expect_trumps()
        self.nowhere = np.maximum(
            size(self.unseen & ~self.trumps) - sum(seat.plain for seat in self.seats), 0
        )
        """Expected number of unseen plain cards that are in no hand: in the talon, or face down."""
        self._read_trick()
        self._read_score()

    def cards(self, name: str, slot: int = ME) -> Cards:
        """Return a card set of the words."""
        return self._ranking.renumber(set_of(self._words, name, slot), self.context)

    def points(self, card: Cards) -> Real:
        """Return the card points of single cards; 0 for the empty set."""
        worth: Real = self._ranking.points[self.context, place_of(card)] * (card != 0)
        return worth

    def class_of(self, card: Cards) -> Classes:
        """Return the class of single cards."""
        which: Classes = self._ranking.card_class[self.context, place_of(card)]
        return which

    def _contract(self) -> NDArray[np.intp]:
        """Return the index of the contract among ``contracts_of`` the rules."""
        contracts = contracts_of(self._rules)
        index = np.zeros(self._said.size, np.intp)
        for number, contract in enumerate(contracts):
            if contract.action:
                flag = np.uint32(1 << ACTION_IDS[contract.action] - _WORD)
                index[self._said & flag != 0] = number
        if len(contracts) > len(self._rules.contracts):
            index[self._declarer == 0] = len(contracts) - 1
        return index

    def _seat(self, slot: int) -> Seat:
        """Return the facts about another seat."""
        is_declarer = self._declarer >> np.uint32(slot) & ONE != 0
        played, shown = self.cards("played", slot), self.cards("face_up", slot)
        n_cards = self._rules.n_tricks - size(played) - size(shown)
        if self._rules.piles:
            n_cards *= _NOT_FACE_DOWN
        lacks = bits_of(self._words, "voids") >> np.uint32(slot * N_CLASSES)
        card = self.cards("trick", slot)
        return Seat(
            played=played,
            shown=shown,
            card=card,
            lacks=lacks,
            is_declarer=is_declarer,
            is_ally=self._is_ally(slot, is_declarer),
            to_play=card == 0,
            n_cards=n_cards,
            trumps=np.zeros_like(n_cards),
        )

    def _is_ally(self, slot: int, is_declarer: Yes) -> Yes:
        """Return whether a seat scores with me."""
        against: Yes = ~self.i_declare & ~is_declarer & (self._declarer != 0)
        if not self._rules.pairs:
            return against
        alone = np.array([contract.alone for contract in contracts_of(self._rules)])
        return np.where(alone[self.contract], against, slot == ACROSS)

    def _expect_trumps(self) -> None:
        """Distribute the unseen trumps: to declarer the number he announced, the rest evenly."""
        left = self.trumps_unseen.copy()
        announced = _LENGTH[place_of(self._said & _LENGTH_CALLS)] * (
            self._said & _LENGTH_CALLS != 0
        )
        lacks = [seat.lacks >> np.uint32(TRUMP_CLASS) & ONE != 0 for seat in self.seats]
        for seat, lack in zip(self.seats, lacks, strict=True):
            owed = announced - size(seat.played & self.trumps) - size(seat.shown & self.trumps)
            owed = np.clip(owed, 0, np.minimum(left, seat.n_cards))
            seat.trumps = owed * (seat.is_declarer & ~lack)
            left -= seat.trumps
        hidden = size(self.unseen) - sum(seat.n_cards for seat in self.seats)
        rooms = [
            (seat.n_cards - seat.trumps) * ~(lack | (seat.is_declarer & (announced > 0)))
            for seat, lack in zip(self.seats, lacks, strict=True)
        ]
        everywhere = np.maximum(sum(rooms) + np.maximum(hidden, 0), _LEAST)
        for seat, room in zip(self.seats, rooms, strict=True):
            seat.trumps = seat.trumps + left * room / everywhere

    def _read_trick(self) -> None:
        """Derive the cards of the trick, their points, and the side that is winning."""
        leader = bits_of(self._words, "leader")
        table = self.hand & np.uint32(0)
        lead = table.copy()
        for slot, seat in zip(OTHERS[self._rules.seats], self.seats, strict=True):
            table |= seat.card
            lead = np.where(leader >> np.uint32(slot) & ONE != 0, seat.card, lead)
        self.led = self.class_of(lead)
        self.led_mask = np.take_along_axis(self.class_masks, self.led[None].astype(np.intp), 0)[0]
        ruffs = table & self.trumps
        self.best = highest(np.where(ruffs != 0, ruffs, table & self.led_mask))
        self.ally_wins = np.zeros(lead.size, np.bool_)
        self.on_table = np.zeros(lead.size, np.float32)
        for seat in self.seats:
            self.ally_wins |= seat.is_ally & (seat.card & self.best != 0)
            self.on_table += self.points(seat.card)

    def _read_score(self) -> None:
        """Count the card points and tricks of both sides."""
        words = self._words
        self.trick_number = number_of(words, "trick_number")
        self.our_points, self.our_tricks = number_of(words, "points"), number_of(words, "tricks")
        self.their_points = np.zeros_like(self.our_points)
        self.their_tricks = np.zeros_like(self.our_points)
        self.we_declare = self.i_declare | (self._declarer == 0)
        for slot, seat in zip(OTHERS[self._rules.seats], self.seats, strict=True):
            points, tricks = number_of(words, "points", slot), number_of(words, "tricks", slot)
            self.our_points = self.our_points + points * seat.is_ally
            self.our_tricks = self.our_tricks + tricks * seat.is_ally
            self.their_points = self.their_points + points * ~seat.is_ally
            self.their_tricks = self.their_tricks + tricks * ~seat.is_ally
            self.we_declare = self.we_declare | (seat.is_declarer & seat.is_ally)
            self.we_declare &= ~(seat.is_declarer & ~seat.is_ally)
