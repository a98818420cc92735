"""Probabilities of the other hands: they agree with the reference and with counts of deals."""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import prod

import numpy as np
import pytest
import torch

from agents.networks.features import Encoder, tensors
from agents.networks.holdings import fitted
from agents.networks.slots import card_slots, suit_orders
from sjavs_env import VectorSjavs, action_name, rule_set
from sjavs_env.players import player
from tests.reference import PRESETS, Deal
from tests.reference.seen import SLOTS, Lacks, cards_out, class_of, in_hand, watch

ROUNDS = 4


class Others:
    """The probabilities of the other seats' cards, as the seat to act sees them."""

    def __init__(self, deal: Deal, lacks: Lacks) -> None:
        self.deal = deal
        self.seats = sorted(set(range(deal.seats)) - {deal.seat})
        out = cards_out(deal)
        may = {seat: out if any(deal.down) else in_hand(deal, seat, lacks) for seat in self.seats}
        size = {seat: len(deal.hands[seat]) + sum(map(bool, deal.down[seat])) for seat in may}
        may["rest"] = out
        size["rest"] = len(out) - sum(size.values())
        held = {where: dict.fromkeys(cards, 1.0) for where, cards in may.items()}
        for _ in range(ROUNDS):
            for where, chances in held.items():
                whole = sum(chances.values())
                held[where] = {
                    card: x * size[where] / whole for card, x in chances.items() if whole
                }
            for card in out:
                whole = sum(chances.get(card, 0.0) for chances in held.values())
                for chances in held.values():
                    if card in chances:
                        chances[card] /= whole
        self.held = {
            seat: {**held[seat], **dict.fromkeys(deal.face_up(seat), 1.0)}
            for seat in may
            if seat != "rest"
        }

    def place(self, seat: int) -> int:
        return SLOTS[self.deal.seats][(seat - self.deal.seat) % self.deal.seats] - 1

    def none(self, seat: int, of: Callable[[str], bool]) -> float:
        """The probability that the seat has none of some cards."""
        return prod(1 - chance for card, chance in self.held[seat].items() if of(card))

    def lacks(self, seat: int, which: str) -> float:
        return self.none(seat, lambda card: class_of(self.deal, card) == which)

    def stands(self, seat: int, card: str) -> float:
        """The probability that a seat yet to play cannot beat the card that wins the trick."""
        own = class_of(self.deal, card)
        led = class_of(self.deal, self.deal.trick[0][1]) if self.deal.trick else own
        height = self.deal._ranking().height

        def above(other: str) -> bool:
            return class_of(self.deal, other) == own and height(other) > height(card)

        unbeaten, cannot_follow = self.none(seat, above), self.lacks(seat, led)
        if own != led:  # a ruff
            return 1 - cannot_follow * (1 - unbeaten)
        if led == "trump":
            return unbeaten
        return unbeaten * (1 - cannot_follow * (1 - self.lacks(seat, "trump")))

    def let_holder_stand(self, seat: int) -> float:
        trick, ranking = [card for _, card in self.deal.trick], self.deal._ranking()
        return self.none(seat, lambda card: ranking.winner([*trick, card]) == len(trick))


def played(preset: str, batch: int) -> Iterator[tuple[Deal, Lacks, VectorSjavs, int]]:
    """Yield positions in the play of the cards, from the reference and from the environment."""
    rules = rule_set(preset)
    vec = VectorSjavs(rules, batch=batch, seed=5)
    deals = [Deal(preset, {}, vec.record(row)) for row in range(vec.batch)]
    lacks: list[Lacks] = [set() for _ in deals]
    policy, generator = player("random", rules), np.random.default_rng(5)
    while not vec.over.all():
        keys = generator.integers(2**64, size=vec.batch, dtype=np.uint64)
        actions = np.where(vec.over, 0, policy.act(vec.observe(), vec.legal, keys))
        for row in np.flatnonzero(~vec.over):
            name = action_name(int(actions[row]), rules)
            if deals[row].phase == "play":
                yield deals[row], lacks[row], vec, row
                watch(deals[row], name, lacks[row])
            deals[row].play(name)
        vec.step(actions)


def read(encoder: Encoder, vec: VectorSjavs, row: int) -> tuple[list[list[float]], list[str], int]:
    """Return the encoder's holdings of a row, seat by seat, split into parts."""
    words, legal = tensors(vec.observe()[[row]], vec.legal[[row]])
    contexts = encoder.slots.contexts(words)
    n, first = encoder.slots.n_cards, encoder.slots.n_cards + encoder.facts.n_features
    features = encoder(words, legal, contexts)[0, first : first + encoder.holdings.n_features]
    widths = [*[n] * 6, 3, *[5] * 3]
    parts = [part.tolist() for part in features.split(widths)]
    context = int(contexts[0])
    slots = card_slots(vec.rules, suit_orders()[context])
    return parts, [action_name(card, vec.rules) if card >= 0 else "" for card in slots], context


@pytest.mark.parametrize("preset", PRESETS)
def test_holdings_agree_with_the_reference(preset: str) -> None:
    encoder = Encoder(rule_set(preset), all_cards=False)
    compared = 0
    for deal, lacks, vec, row in played(preset, 6):
        parts, names, context = read(encoder, vec, row)
        others = Others(deal, lacks)
        suits = ["DHSC"[suit] for suit in suit_orders()[context]]
        winner = deal._ranking().winner
        trick = [card for _, card in deal.trick]
        takes = [card for card in deal.legal if winner([*trick, card]) == len(trick)]
        gone = {seat for seat, _ in deal.trick}
        expected_places = {others.place(seat) for seat in others.seats}
        for seat in others.seats:
            place = others.place(seat)
            chances, stands = (
                {name: x for name, x in zip(names, parts[k + place], strict=True) if x > 1e-5}
                for k in (0, 3)
            )
            assert chances == pytest.approx(
                {card: x for card, x in others.held[seat].items() if x > 1e-5}, abs=1e-4
            )
            standing = {card: 1.0 if seat in gone else others.stands(seat, card) for card in takes}
            assert stands == pytest.approx(
                {card: x for card, x in standing.items() if x > 1e-5}, abs=1e-4
            )
            let = float(bool(trick)) if seat in gone or not trick else others.let_holder_stand(seat)
            assert parts[6][place] == pytest.approx(let, abs=1e-4)
            lacking = [others.lacks(seat, which) for which in (*suits, "trump")]
            assert parts[7 + place] == pytest.approx(lacking, abs=1e-4)
            compared += 1
        for place in {0, 1, 2} - expected_places:
            assert not any(parts[place]), "nobody sits there"
    assert compared


def shares(deal: Deal, lacks: Lacks) -> dict[tuple[int, str], float]:
    """Return the share of all possible deals in which each other seat has each card."""
    out = cards_out(deal)
    seats = sorted(set(range(deal.seats)) - {deal.seat})
    may = [in_hand(deal, seat, lacks) for seat in seats]
    sizes = [len(deal.hands[seat]) for seat in seats]
    found = [
        (one, two, three)
        for one in combinations(sorted(out & may[0]), sizes[0])
        for two in combinations(sorted((out & may[1]) - set(one)), sizes[1])
        if (three := out - {*one, *two}) <= may[2]
    ]
    assert found, "the true deal is among them"
    return {
        (seat, card): sum(card in world[k] for world in found) / len(found)
        for k, seat in enumerate(seats)
        for card in out
    }


def test_probabilities_are_close_to_the_shares_among_all_possible_deals() -> None:
    errors, bare = [], []
    for deal, lacks, _, _ in played("faroese4", 60):
        if not 2 <= len(cards_out(deal)) <= 7 or not lacks:
            continue
        others, exact = Others(deal, lacks), shares(deal, lacks)
        errors += [abs(x - others.held[seat].get(card, 0.0)) for (seat, card), x in exact.items()]
        bare += [abs(x - 1 / 3) for x in exact.values()]
        # The probabilities know for certain what is impossible.
        assert all(x == 0 for (seat, card), x in exact.items() if card not in others.held[seat])
    assert len(errors) > 1000
    assert np.mean(errors) < 0.02 < 0.15 < np.mean(bare)


def test_a_table_with_one_solution_is_solved() -> None:
    # Only the first seat may hold the first card, and it needs the second card as well. Then the
    # second seat has the third card, and the third seat the fourth.
    may_hold = torch.tensor([[[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]])
    chances = fitted(may_hold, torch.ones(1, 4), torch.tensor([[2.0, 1, 1]]))
    solution = torch.tensor([[[1.0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]])
    assert torch.allclose(chances, solution, atol=0.15)
    assert torch.equal(chances[may_hold == 0], torch.zeros(7))
