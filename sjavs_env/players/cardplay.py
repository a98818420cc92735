"""The play of the cards: a value in card points for each legal card.

The worth of the trick is its expected card points, plus a bonus when all tricks or no trick are at
stake. It is multiplied by the probability that our side wins the trick minus the probability that
our side loses it. The worth that the card would have later is subtracted. Arrays have the axes
candidate and row unless their docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sjavs_env.core.tables.codes import CLUBS, PACK_POINTS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.players.cardsets import Cards, Classes, Real, Yes, above, place_of, size, spread
from sjavs_env.players.chances import beats
from sjavs_env.players.facts import Facts
from sjavs_env.players.lines import N_POINTS, margins, misere
from sjavs_env.players.ranking import Ranking
from sjavs_env.players.weights import DECLARER, DECLARERS_ALLY, DEFENDER, WEIGHTS, Weights

_TIE_BREAK = np.float32(0.003)
"""Value of one place of rank between equal cards: lead the higher one, follow with the lower."""
_MOST_DRAWN = 2
"""Most trumps of the opponents that one lead is credited with drawing."""
_NEVER = np.float32(-1e9)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The legal cards.

    Attributes:
        card: One card each, as a set; empty if the row has fewer cards.
        is_trump: Whether it is a trump.
        led: Class of the trick's lead once this card has been played.
        led_mask: Cards of that class.
        wins: Whether it would be winning the trick.
        points: Its card points.
        above: Number of unseen cards of its class above it.
        below: Number of unseen cards of its class below it.
        has_company: Whether I hold another card of its class.
        is_last: Whether it is a plain card, my only one of its class, and I have trumps.
    """

    card: Cards
    is_trump: Yes
    led: Classes
    led_mask: Cards
    wins: Yes
    points: Real
    above: Real
    below: Real
    has_company: Yes
    is_last: Yes


class CardPlay:
    """Chooses the card to play."""

    def __init__(self, rules: RuleSet, ranking: Ranking, weights: Weights = WEIGHTS) -> None:
        self._rules, self._ranking, self._weights = rules, ranking, weights
        self._margins = margins(rules).reshape(-1)
        self._misere = misere(rules)

    def choose(self, words: Cards, legal: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the card to play in each row, as an action.

        Args:
            words: Words with the rows on the last axis, uint32[W, n].
            legal: Legal actions, uint64[n], all of them cards.
        """
        facts = Facts(self._rules, self._ranking, words)
        cards = self._ranking.renumber(legal.astype(np.uint32), facts.context)
        cards = spread(cards)
        value = np.where(cards != 0, self._value(facts, cards), _NEVER)
        best = np.take_along_axis(cards, value.argmax(0)[None], 0)[0]
        chosen: NDArray[np.int64] = self._ranking.actions[facts.context, place_of(best)]
        return chosen

    def _value(self, facts: Facts, cards: Cards) -> Real:
        """Return the value of each card."""
        role = np.where(facts.i_declare, DECLARER, DECLARERS_ALLY)
        weights = self._weights.of(np.where(facts.we_declare, role, DEFENDER))
        options = candidates(facts, cards)
        ours, mine = outlook(facts, options, weights)
        stake = points_expected(facts, options, weights) + trick_worth(facts, weights)
        stake += weights.lines * self._lines(facts, options)
        value = (2 * ours - 1) * stake + weights.lead * mine - kept_worth(options, weights)
        leading = facts.best == 0
        value += leading * lead_worth(facts, options, weights)
        value += np.where(leading, _TIE_BREAK, -_TIE_BREAK) * place_of(cards)
        sign = np.where(self._misere[facts.contract], np.float32(-1), np.float32(1))
        worth: Real = sign * value
        return worth

    def _lines(self, facts: Facts, options: Candidates) -> Real:
        """Return the worth of the score lines that the points on the table take a side across.

        It grows as fewer card points are left to win.
        """
        left = np.maximum(PACK_POINTS - facts.our_points - facts.their_points, 0)
        sure = np.minimum((options.points + facts.on_table).astype(np.intp), left)
        won = np.where(facts.we_declare, facts.our_points, facts.their_points)
        score = (2 * facts.contract + (facts.context == CLUBS)) * N_POINTS + won
        step = self._margins.take(score + sure) - self._margins.take(score)
        worth: Real = step * (1 - left / np.float32(PACK_POINTS))
        return worth


def candidates(facts: Facts, card: Cards) -> Candidates:
    """Return the properties of each legal card."""
    which = facts.class_of(card)
    suit = np.take_along_axis(facts.class_masks, which.astype(np.intp), 0)
    is_trump = card & facts.trumps != 0
    leading = facts.best == 0
    follows = suit == facts.led_mask
    trumped = facts.best & facts.trumps != 0
    higher = card > facts.best
    hidden = suit & facts.unseen
    has_company = suit & facts.hand & ~card != 0
    return Candidates(
        card=card,
        is_trump=is_trump,
        led=np.where(leading, which, facts.led),
        led_mask=np.where(leading, suit, facts.led_mask),
        wins=leading | np.where(trumped, is_trump & higher, is_trump | (follows & higher)),
        points=facts.points(card),
        above=size(hidden & above(card)),
        below=size(hidden & ~above(card)),
        has_company=has_company,
        is_last=~is_trump & ~has_company & (facts.hand & facts.trumps != 0),
    )


def outlook(facts: Facts, options: Candidates, weights: Weights) -> tuple[Real, Real]:
    """Return the probabilities that our side wins the trick, and that I win it.

    The seats still to play are considered in order: an opponent may beat the winning card, an ally
    may win the trick back.
    """
    best = np.where(options.wins, options.card, facts.best)
    ours = (options.wins | facts.ally_wins).astype(np.float32)
    mine = options.wins.astype(np.float32)
    chances = beats(facts, options.led, options.led_mask, best)
    for seat, chance in zip(facts.seats, chances, strict=True):
        chance = chance * seat.to_play
        taken_back = ours + (1 - ours) * chance * weights.recapture
        ours = np.where(seat.is_ally, taken_back, ours * (1 - np.minimum(chance * weights.fear, 1)))
        mine = mine * (1 - chance)
    return ours, mine


def points_expected(facts: Facts, options: Candidates, weights: Weights) -> Real:
    """Return the expected card points of the complete trick."""
    total = options.points + facts.on_table
    for seat in facts.seats:
        expected = np.where(seat.is_ally, weights.from_ally, weights.from_opponent)
        total = total + seat.to_play * expected
    return total


def trick_worth(facts: Facts, weights: Weights) -> Real:
    """Return the bonus for a trick by row: on the way to all tricks, or against winning none."""
    to_vol = np.maximum(facts.trick_number - weights.vol_from, 0) * (facts.their_tricks == 0)
    to_save = np.maximum(facts.trick_number - weights.save_from, 0) * (facts.our_tricks == 0)
    worth: Real = weights.vol * to_vol + weights.save * to_save
    return worth


def lead_worth(facts: Facts, options: Candidates, weights: Weights) -> Real:
    """Return the worth of a lead beyond its trick: it draws trumps, or empties a suit."""
    against = sum(np.where(seat.is_ally, 0, seat.trumps) for seat in facts.seats)
    drawn = weights.draw * np.minimum(against, _MOST_DRAWN)
    return np.where(options.is_trump, drawn, weights.lead_last * options.is_last)


def kept_worth(options: Candidates, weights: Weights) -> Real:
    """Return the later worth of each card if it is kept."""
    rank = options.above
    trump = np.select(
        [rank == place for place in range(3)], [weights.top, weights.second, weights.third], 0
    )
    trump = trump + weights.trump + weights.below * options.below
    trump = trump + weights.trump_points * options.points
    is_boss, is_guarded = (rank == 0) & (options.below > 0), (rank == 1) & options.has_company
    plain = weights.boss * is_boss + weights.guarded * is_guarded
    return np.where(options.is_trump, trump, plain)
