"""Features: equal suits have equal features, and derived facts agree with the reference."""

from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
import torch

from agents.networks.features import Encoder, tensors
from agents.networks.slots import card_slots, suit_orders
from sjavs_env import VectorSjavs, action_id, action_name, rule_set
from sjavs_env.core.tables.cards import CARD_NAMES
from sjavs_env.core.tables.codes import CLUBS
from sjavs_env.players import player
from tests.reference import PRESETS, Deal
from tests.reference.cards import points_of
from tests.reference.seen import SLOTS, Lacks, cards_out, in_hand, watch

RULES = rule_set("faroese4")
ALIKE = "DH"
"""Suits that are equal if clubs are trumps: they have the same ranks and tie in the auction."""


def renamed(record: str, names: tuple[str, ...]) -> str:
    """Return a record with the plain suits renamed."""
    new = {
        card: names[ALIKE.index(card[0])] + card[1]
        for card in CARD_NAMES
        if card[0] in ALIKE and card not in RULES.permanents
    }
    deal, *actions = record.split()
    dealer, hands = deal.split(":")
    cards = [map("".join, zip(hand[::2], hand[1::2], strict=True)) for hand in hands.split("/")]
    dealt = ["".join(new.get(card, card) for card in hand) for hand in cards]
    return " ".join([f"{dealer}:{'/'.join(dealt)}", *(new.get(name, name) for name in actions)])


def replayed(record: str) -> VectorSjavs:
    """Return the deal after the last action of a record."""
    deal, *actions = record.split()
    vec = VectorSjavs(RULES, batch=1)
    vec.reset(deals=[deal])
    for name in actions:
        vec.step(np.array([action_id(name)]))
    return vec


def in_clubs(seed: int) -> list[str]:
    """Return records of deals in clubs, each up to some decision."""
    vec = VectorSjavs(RULES, batch=64, seed=seed)
    rule_of_thumb = player("rule-of-thumb", RULES)
    records = []
    while not vec.over.all():
        live = np.flatnonzero(~vec.over & (vec.trump == CLUBS))
        records += [vec.record(int(row)) for row in live[:2]]
        keys = np.zeros(vec.batch, np.uint64)
        vec.step(np.where(vec.over, 0, rule_of_thumb.act(vec.observe(), vec.legal, keys)))
    return records


def read(encoder: Encoder, vec: VectorSjavs) -> tuple[torch.Tensor, torch.Tensor, int]:
    words, legal = tensors(vec.observe(), vec.legal.copy())
    contexts = encoder.slots.contexts(words)
    return encoder(words, legal, contexts), encoder.slots.legal(legal, contexts), int(contexts[0])


def test_renaming_equal_suits_changes_no_feature_and_no_slot() -> None:
    encoder = Encoder(RULES, all_cards=False)
    found = set()
    for record in in_clubs(1):
        features, allowed, _ = read(encoder, replayed(record))
        for names in permutations(ALIKE):
            other = read(encoder, replayed(renamed(record, names)))
            assert torch.equal(other[0], features), (record, names)
            assert torch.equal(other[1], allowed), (record, names)
            found.add(other[2])
    assert found == {2 * CLUBS, 2 * CLUBS + 1}, "both orders occur"


def test_every_context_has_every_suit_once_and_its_trumps_first() -> None:
    orders = suit_orders()
    assert len(set(orders[:-1])) == len(orders[:-1]) == 8
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    assert [order[0] for order in orders[:-1]] == [0, 0, 1, 1, 2, 2, 3, 3]


class Told(NamedTuple):
    """The facts of the reference about a position, by card or by other seat, left first."""

    taking: set[str]
    above: dict[str, float]
    lasting: dict[str, float]
    threats: list[float]
    holder: list[int]
    points: int


def told(deal: Deal, lacks: Lacks) -> Told:
    """Compute the facts card by card for the seat to act."""
    seat, ranking = deal.seat, deal._ranking()
    hand, trick = deal.hand(seat), [card for _, card in deal.trick]
    out = cards_out(deal)

    def beats(card: str, other: str) -> bool:
        alike = ranking.is_trump(card) == ranking.is_trump(other)
        same = alike and (ranking.is_trump(card) or card[0] == other[0])
        return same and ranking.height(card) > ranking.height(other)

    holder = [0, 0, 0]
    if trick:
        away = (deal.trick[ranking.winner(trick)][0] - seat) % deal.seats
        holder[SLOTS[deal.seats][away] - 1] = 1
    wins = {card for card in deal.legal if trick and ranking.winner([*trick, card]) == len(trick)}
    above = {card: 1 / (1 + sum(beats(other, card) for other in out)) for card in hand}

    def takes(cards: list[str], card: str) -> bool:
        return ranking.winner([*cards, card]) == len(cards)

    coming = {
        other: in_hand(deal, other, lacks) | set(deal.face_up(other))
        for other in set(range(deal.seats)) - {seat, *(other for other, _ in deal.trick)}
    }
    anyone = set().union(*coming.values())
    lasting = {
        card: 1 / (1 + sum(takes([*trick, card], other) for other in anyone))
        for card in (wins if trick else deal.legal)
    }
    threats = [0.0, 0.0, 0.0]
    for other, cards in coming.items() if trick else ():
        n = sum(takes(trick, card) for card in cards)
        threats[SLOTS[deal.seats][(other - seat) % deal.seats] - 1] = n / (1 + n)
    return Told(wins, above, lasting, threats, holder, points_of(trick))


@pytest.mark.parametrize("preset", PRESETS)
def test_facts_agree_with_the_reference(preset: str) -> None:
    rules = rule_set(preset)
    encoder = Encoder(rules, all_cards=False)
    vec = VectorSjavs(rules, batch=8, seed=3)
    deals = [Deal(preset, {}, vec.record(row)) for row in range(vec.batch)]
    lacks: list[Lacks] = [set() for _ in deals]
    policy, generator = player("random", rules), np.random.default_rng(3)
    compared = 0
    while not vec.over.all():
        words, legal = tensors(vec.observe(), vec.legal.copy())
        contexts = encoder.slots.contexts(words)
        facts = encoder(words, legal, contexts)[
            :, : encoder.slots.n_cards + encoder.facts.n_features
        ]
        keys = generator.integers(2**64, size=vec.batch, dtype=np.uint64)
        actions = np.where(vec.over, 0, policy.act(vec.observe(), vec.legal, keys))
        for row in np.flatnonzero(~vec.over):
            if deals[row].phase == "play":
                slots = card_slots(rules, suit_orders()[contexts[row]])
                names = [action_name(card, rules) if card >= 0 else "" for card in slots]
                check(facts[row].tolist(), names, told(deals[row], lacks[row]))
                watch(deals[row], action_name(int(actions[row]), rules), lacks[row])
                compared += 1
            deals[row].play(action_name(int(actions[row]), rules))
        vec.step(actions)
    assert compared


def check(facts: list[float], names: list[str], expected: Told) -> None:
    """Compare the facts of a row with those of the reference."""
    n = len(names)
    taking, above, lasting = (
        {name: fact for name, fact in zip(names, facts[n * k : n * (k + 1)], strict=True) if fact}
        for k in range(3)
    )
    threats, holder, points = facts[3 * n : 3 * n + 3], facts[3 * n + 3 : 3 * n + 6], facts[-1]
    assert set(taking) == expected.taking
    assert above == pytest.approx(expected.above)
    assert lasting == pytest.approx(expected.lasting)
    assert threats == pytest.approx(expected.threats)
    assert holder == expected.holder
    assert points == pytest.approx(expected.points / 44)
