"""The decisions before the first lead: calls, trumps, the exchange, contracts.

All of them use one estimate, the *strength* of a hand with a suit as trumps: the share of all
tricks that the hand should win by itself. The thresholds come from self-play: above them declaring
was better than passing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import (
    AUCTION,
    CLUBS,
    CONFIRM,
    EXCHANGE,
    N_SUITS,
    NAME,
    TRUMP_CLASS,
)
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.players.cardsets import Cards, Real, Yes, above, place_of, size, spread
from sjavs_env.players.facts import bits_of, set_of
from sjavs_env.players.random import lowest_action
from sjavs_env.players.ranking import Ranking

Actions = NDArray[np.int64]
Legal = NDArray[np.uint64]

_TRUMP_TRICKS = np.array((1.0, 0.85, 0.7, 0.55, 0.45, 0.4, 0.35, 0.3) + (0.25,) * 24, np.float32)
"""Expected tricks of a trump, by the number of higher trumps in other hands."""
_PLAIN_TRICKS = np.array((0.7, 0.3) + (0.0,) * 30, np.float32)
"""Expected tricks of a plain card, by the number of higher cards of its suit in other hands."""

_TO_CALL = {"length": {4: 0.27, 3: 0.42, 2: 0.36}, "suit": {4: 0.35}}
"""Threshold of the strength for a call, by kind of auction and number of seats."""
_TO_PLAY = {
    "klorsjavs": {"spil": 0.56},
    "klorsjavs18": {"spil": 0.72},
    "klorsjavs_contracts": {"spil": 0.41, "stryger": 0.64, "tout": 0.99, "stroget-tout": 0.93},
    "farvesjavs": {"spil": 0.35, "stryger": 0.6, "tout": 0.99, "stroget-tout": 0.88},
}
"""Threshold of the strength for a contract, by preset."""
_TO_SPEAK = 0.6
"""Threshold for every call in a game that has no threshold above."""
_TO_SOLO = 0.95
"""Threshold from which declarer plays alone."""
_TO_LAY_AWAY = 0.0
_LOSER, _SHORTER, _TRUMP = np.float32(3), np.float32(2), np.float32(30)
"""Weights of laying a card away, in card points: the card wins no trick, each card of its suit in
the hand, the card is a trump."""
_NEVER = np.float32(-1e9)
_PASS = np.uint64(1 << a.PASS)
_SOLO = a.id_of("solo")
_NAMINGS = np.array([a.naming_action(suit) for suit in range(N_SUITS)], np.int64)
_SUIT_OF_FLAG = np.zeros(1 << N_SUITS, np.uint8)
_SUIT_OF_FLAG[[1 << suit for suit in range(N_SUITS)]] = range(N_SUITS)


def strengths(ranking: Ranking, hand: Cards) -> Real:
    """Return the strength of each hand with each suit as trumps, float32[suits, n]."""
    result = []
    for suit in range(N_SUITS):
        context = np.full(hand.shape, suit, np.uint8)
        cards = spread(ranking.renumber(hand, context))
        result.append(_tricks(ranking, suit, cards).sum(0))
    strength: Real = np.divide(result, np.maximum(size(hand), 1), dtype=np.float32)
    return strength


def _tricks(ranking: Ranking, suit: int, cards: Cards) -> Real:
    """Return the expected tricks of each card of a hand, by card and row."""
    hand = np.bitwise_or.reduce(cards, axis=0)
    which = ranking.card_class[suit][place_of(cards)]
    cards_of_class = ranking.class_masks[suit][which]
    higher = np.bitwise_count(cards_of_class & above(cards) & ~hand)
    beside = np.bitwise_count(cards_of_class & hand) - np.uint8(1)
    plain = _PLAIN_TRICKS[higher] * (beside >= higher)
    tricks: Real = np.where(which == TRUMP_CLASS, _TRUMP_TRICKS[higher], plain) * (cards != 0)
    return tricks


def lengths(ranking: Ranking, hand: Cards) -> Real:
    """Return the number of trumps of each hand with each suit as trumps, float32[suits, n]."""
    rows = [
        size(ranking.renumber(hand, np.full(hand.shape, suit, np.uint8)) & mask)
        for suit, mask in enumerate(ranking.class_masks[:N_SUITS, TRUMP_CLASS])
    ]
    return np.array(rows, np.float32)


def _allows(legal: Legal, action: int) -> Yes:
    allows: Yes = legal >> np.uint64(action) & np.uint64(1) != 0
    return allows


def _namings(legal: Legal) -> Yes:
    """Return which suits may be named, bool[suits, n]."""
    return np.array([_allows(legal, a.naming_action(suit)) for suit in range(N_SUITS)])


class Bidding:
    """Chooses every action except the cards to play."""

    def __init__(self, rules: RuleSet, ranking: Ranking) -> None:
        self._rules, self._ranking = rules, ranking
        self._choices: dict[int, Callable[[Cards, Legal], Actions]] = {
            AUCTION: self._call,
            NAME: self._name,
            EXCHANGE: self._exchange,
            CONFIRM: self._confirm,
        }

    def choose(self, words: Cards, legal: Legal) -> Actions:
        """Return the action in each row. The words have the rows last, uint32[W, n]."""
        phase = bits_of(words, "phase")
        action = np.zeros(legal.size, np.int64)
        for number, choice in self._choices.items():
            rows = np.flatnonzero(phase == 1 << number)
            if rows.size:
                action[rows] = choice(words[:, rows], legal[rows])
        return action

    def _call(self, words: Cards, legal: Legal) -> Actions:
        hand = set_of(words, "hand")
        strength = strengths(self._ranking, hand)
        if self._rules.auction == "contract":
            return self._call_contract(strength, legal)
        if self._rules.auction == "suit":
            strength = np.where(_namings(legal), strength, 0)
            call = _NAMINGS[strength.argmax(0)]
        else:
            strength = self._of_longest(hand, strength)
            call = lowest_action(legal & ~_PASS)
        enough = strength.max(0) >= _TO_CALL[self._rules.auction].get(self._rules.seats, _TO_SPEAK)
        return np.where(enough & (legal != _PASS), call, a.PASS)

    def _of_longest(self, hand: Cards, strength: Real) -> Real:
        """Return the strengths with the suits that may be named, 0 for the others (RULES 2)."""
        length = lengths(self._ranking, hand)
        longest = length == length.max(0)
        longest[:CLUBS] &= ~longest[CLUBS]
        named: Real = strength * longest
        return named

    def _call_contract(self, strength: Real, legal: Legal) -> Actions:
        """Return the highest contract for which the hand is strong enough, else the pass."""
        best = strength[CLUBS] if self._rules.trump_choice == "clubs" else strength.max(0)
        call = np.full(legal.size, a.PASS, np.int64)
        to_play = _TO_PLAY.get(self._rules.name, {})
        for contract in self._rules.contracts:
            action = a.id_of(contract.action)
            fits = _allows(legal, action) & (best >= to_play.get(contract.action, _TO_SPEAK))
            call[fits] = action
        return call

    def _name(self, words: Cards, legal: Legal) -> Actions:
        """Name the longest suit that may be named; of equally long suits the strongest."""
        hand = set_of(words, "hand")
        merit = lengths(self._ranking, hand) + strengths(self._ranking, hand)
        named: Actions = _NAMINGS[np.where(_namings(legal), merit, -1).argmax(0)]
        return named

    def _exchange(self, words: Cards, legal: Legal) -> Actions:
        """Take up the talon if that is allowed. Otherwise lay away the best card, or stop."""
        hand = set_of(words, "hand")
        context = np.full(hand.shape, CLUBS, np.uint8)
        if self._rules.trump_choice != "clubs":
            named = bits_of(words, "trump")
            own = (lengths(self._ranking, hand) + strengths(self._ranking, hand)).argmax(0)
            context = np.where(named == 0, own, _SUIT_OF_FLAG[named]).astype(np.uint8)
        cards = spread(hand)
        worth = np.where(cards != 0, self._away(cards, context), _NEVER)
        best = place_of(np.take_along_axis(cards, worth.argmax(0)[None], 0)[0]).astype(np.int64)
        worth.sort(0)
        second = worth[-2] if min(self._rules.lay_away[1:]) > 1 else worth[-1]
        stops = _allows(legal, a.PASS) & (second < _TO_LAY_AWAY)
        return np.where(_allows(legal, a.TAKE), a.TAKE, np.where(stops, a.PASS, best))

    def _away(self, cards: Cards, context: NDArray[np.uint8]) -> Real:
        """Return the worth of laying away each card of a hand, in card points.

        It counts card points that would be lost in play, a shorter suit, and the tricks given up.
        """
        worth = np.zeros(cards.shape, np.float32)
        for suit in range(N_SUITS):
            rows = np.flatnonzero(context == suit)
            if rows.size:
                worth[:, rows] = _worth_away(self._ranking, suit, cards[:, rows])
        return worth

    def _confirm(self, words: Cards, legal: Legal) -> Actions:
        """Play on; or play alone if that is allowed and the hand should win all tricks."""
        named = bits_of(words, "trump")
        strength = strengths(self._ranking, set_of(words, "hand"))
        own = np.take_along_axis(strength, _SUIT_OF_FLAG[named][None].astype(np.intp), 0)[0]
        alone = _allows(legal, _SOLO) & (own >= _TO_SOLO)
        return np.where(alone, _SOLO, a.PASS)


def _worth_away(ranking: Ranking, suit: int, cards: Cards) -> Real:
    """Return the worth of laying away each card with a suit as trumps."""
    hand = np.bitwise_or.reduce(cards, axis=0)
    place = place_of(cards)
    which = ranking.card_class[suit][place]
    left = np.bitwise_count(ranking.class_masks[suit][which] & hand)
    lost = 1 - _tricks(ranking, suit, cards)
    worth: Real = lost * (_LOSER + ranking.points[suit][place]) - _SHORTER * left
    worth -= _TRUMP * (which == TRUMP_CLASS)
    return worth
