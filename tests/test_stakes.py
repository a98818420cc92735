"""Stakes: what the reference works out from the tricks."""

import pytest
import torch

from agents.networks.features import Encoder, tensors
from agents.networks.stakes import Stakes, thresholds
from sjavs_env import rule_set
from tests.reference import PRESETS, Deal
from tests.reference.cards import PACKS, points_of
from tests.test_holdings import played

FAROESE = [31, 60, 61, 90]
SCORES_CHANGE = dict.fromkeys(PRESETS, FAROESE) | {
    "klorsjavs": [61, 91],
    "klorsjavs18": [58, 86],
    "klorsjavs_contracts": [31, 61, 90],
    "farvesjavs": [31, 61, 90],
    "french8": [31, 61, 91],
}
"""RULES 2-7: from how many card points of declarer's on another row counts."""


def told(deal: Deal) -> list[float]:
    """Return the stakes for the seat to act, from the tricks that have been won."""
    won = [[card for taken in tricks for card in taken] for tricks in deal.won]

    def with_declarer(seat: int) -> bool:
        pairs = deal.column_count < deal.seats
        apart = seat - deal.declarer if deal.declarer is not None else 1
        return (apart % 2 if pairs else apart) == 0

    def points(ours: bool) -> int:
        return sum(points_of(won[s]) for s in range(deal.seats) if with_declarer(s) == ours)

    def without_trick(ours: bool) -> bool:
        return not any(deal.won[s] for s in range(deal.seats) if with_declarer(s) == ours)

    own, others, whole = points(True), points(False), points_of(PACKS[deal.game["pack"]])
    left = whole - own - others
    needs = [number - own for number in SCORES_CHANGE[deal.preset]]
    assert deal.seat is not None
    return [
        float(with_declarer(deal.seat)),
        *(2 * part / whole for part in (own, others, left)),
        *(float(without_trick(ours)) for ours in (True, False)),
        *(min(max(need / 30, -1), 2) for need in needs),
        *(min(max(need / max(left, 1), -1), 2) for need in needs),
        *(float(0 < need <= left) for need in needs),
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_stakes_are_what_the_reference_says(preset: str) -> None:
    rules = rule_set(preset)
    encoder = Encoder(rules, all_cards=False)
    stakes = Stakes(rules, encoder.column)
    assert thresholds(rules) == SCORES_CHANGE[rules.name]
    seen = set()
    for deal, _, vec, row in played(preset, 8):
        words, legal = tensors(vec.observe()[[row]], vec.legal[[row]])
        features = encoder(words, legal, encoder.slots.contexts(words))
        found = stakes(features)
        assert torch.equal(found[:, : -stakes.n_features], features)
        assert found[0, -stakes.n_features :].tolist() == pytest.approx(told(deal), abs=1e-5)
        seen.add((told(deal)[0], told(deal)[4], told(deal)[-1]))
    assert len(seen) > 2
