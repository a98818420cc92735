"""The core compared with the naive reference: the same deals, decision by decision."""

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import sjavs_env
from sjavs_env import RULE_SETS, RuleSet, VectorSjavs
from tests.reference import Deal
from tests.strategies import random_line, random_rules

COMBINATIONS, ROWS = 100, 100
BIT = {sjavs_env.action_name(i): 1 << i for i in range(59)}
BIT |= {f"{suit}5": BIT[f"{suit}T"] for suit in "CSHD"}

# Ways to play: what a seat does in the auction and before the first lead, and how the declaring
# side and the others play their cards. Cards come in the order of their ids, high trumps last.
BEFORE = ("any", "any", "never pass", "pass", "last")
CARDS = ("any", "any", "high", "low")

RARE: dict[str, set[str]] = {
    "faroese": {"tie", "carried", "carried to the opponents", "no trick", "all by one", "better"},
    # With two seats `ruff` never binds: nobody has ruffed before the second seat plays.
    "bound": {"bound by no_undertrump", "bound by overtrump"},
    "pairs": {"all shared", "void", "all pass played", "tie when all passed"},
    "faroese3": {"length 10", "laid away 0", "laid away 1", "laid away 2", "void"},
    "faroese2": {"length 10", "length 11", "length 12", "void", "all pass played"},
    "klorsjavs": {"conceded", "no trick", "all by one", "laid away 0", "laid away 2", "void"},
    "contracts": {"no trick", "all by one", "void", "laid away 0", "laid away 2", "taken"}
    | {"spil", "stryger", "tout", "stroget-tout"},
    "french": {"solo", "halv", "nolo", "nolo made", "void", "no trick", "all by one", "all shared"},
}
MET: dict[str, set[str]] = {
    **dict.fromkeys(RULE_SETS[:4], RARE["faroese"] | RARE["bound"] | RARE["pairs"]),
    "faroese3": RARE["faroese"] | RARE["bound"] | RARE["faroese3"],
    "faroese2": RARE["faroese"] | RARE["faroese2"],
    **dict.fromkeys(("klorsjavs", "klorsjavs18"), RARE["klorsjavs"] | {"taken"}),
    **dict.fromkeys(("klorsjavs_contracts", "farvesjavs"), RARE["contracts"]),
    "french8": RARE["french"],
}


def choose(deal: Deal, rng: random.Random, ways: list[str]) -> str:
    """Return a legal action by the strategy of the seat."""
    before, own, other = ways
    legal = deal.legal
    if deal.phase != "play":
        if before == "pass" and "-" in legal and rng.random() < 0.9:
            return "-"
        if before == "never pass" and len(legal) > 1:
            legal = [name for name in legal if name != "-"]
        return max(legal, key=BIT.__getitem__) if before == "last" else rng.choice(legal)
    inside = deal.declarer is not None and (
        deal.seat == deal.declarer or (deal.game["pairs"] and (deal.seat - deal.declarer) % 2 == 0)
    )
    way = own if inside else other
    if way == "any" or rng.random() < 0.05:
        return rng.choice(legal)
    return (max if way == "high" else min)(legal, key=BIT.__getitem__)


def told(deal: Deal, carry: int) -> Iterator[str]:
    """Yield the names of the rare events in a deal."""
    result = deal.result
    assert result is not None
    if result.void:
        yield "void"
    tie = result.carry > carry
    if tie:
        yield "tie when all passed" if result.declarer is None else "tie"
    if carry and any(result.gains):
        column = None if result.declarer is None else result.declarer % len(result.gains)
        yield "carried" if column is None or result.gains[column] else "carried to the opponents"
    if result.declarer is None:
        if not result.void:
            yield "all pass played"
        return
    yield from contract_told(deal)
    played = sum(result.tricks)
    side = deal._side()
    own = [result.tricks[seat] for seat in side]
    if played == 0:
        yield "conceded"
    elif sum(own) == played:
        yield "all by one" if max(own) == played else "all shared"
    elif sum(own) == 0:
        yield "nolo made" if result.contract == "nolo" else "no trick"


def contract_told(deal: Deal) -> Iterator[str]:
    assert deal.contract is not None
    yield deal.contract
    yield f"length {deal.contract}"
    yield f"laid away {len(deal.laid)}"
    if deal.contract.endswith("+"):
        yield "better"
    if deal.took_up:
        yield "taken"


def bound(deal: Deal) -> Iterator[str]:
    """Yield a name if the ruff option restricts the seat to act, which cannot follow."""
    ruff = deal.opts.get("ruff", "free")
    if ruff == "free" or not deal.trick or deal.seat is None:
        return
    ranking, lead, card = deal._ranking(), deal.trick[0][1], deal.legal[0]
    trump = ranking.is_trump(card)
    follows = trump == ranking.is_trump(lead) and (trump or card[0] == lead[0])
    if not follows and len(deal.legal) < len(deal.hand(deal.seat)):
        yield f"bound by {ruff}"


def reference_deals(rules: RuleSet, vec: VectorSjavs, rng: random.Random) -> list[Deal]:
    """Give the rows random deals, columns and carries, and return the deals of the reference."""
    options = dict(rules.options)
    carries = rules.tie not in ("none", "declarer_loses")
    kinds = rng.choices(("any", "long", "weak"), (7, 2, 1), k=ROWS)
    lines = [random_line(rules, rng, kind) for kind in kinds]
    columns = [[rng.randint(-30, 60) for _ in range(rules.columns)] for _ in range(ROWS)]
    carry = [rng.choice((0, 0, 1, 2, 3)) * carries for _ in range(ROWS)]
    vec.reset(deals=lines, columns=columns, carry=carry)
    if rules.name.startswith(("faroese", "russian")):
        options["max_deals"] = options["max_deals"] or None
    return [Deal(rules.name, options, *given) for given in zip(lines, columns, carry, strict=True)]


def compare_decision(vec: VectorSjavs, deals: list[Deal]) -> None:
    seats = [-1 if deal.seat is None else deal.seat for deal in deals]
    legal = [sum(map(BIT.__getitem__, deal.legal)) for deal in deals]
    same = (vec.seat == seats) & (vec.legal == np.array(legal, np.uint64))
    same &= vec.over == [deal.over for deal in deals]
    if not same.all():
        row = int(np.argmin(same))
        found = [name for name, bit in BIT.items() if int(vec.legal[row]) & bit]
        raise AssertionError(
            f"{deals[row].opts} {vec.record(row)}: seat {vec.seat[row]} {found}, but the "
            f"reference has seat {deals[row].seat} {deals[row].legal}"
        )


def compare_result(vec: VectorSjavs, row: int, deal: Deal) -> None:
    ours, theirs = vec.result(row), deal.result
    assert theirs is not None
    names = ("void", "declarer", "contract", "trump", "card_points")
    for name in names:
        assert getattr(ours, name) == getattr(theirs, name), (name, vec.record(row))
    found = [ours.tricks, ours.gains, ours.ties, vec.ties[row]]
    wanted = [tuple(theirs.tricks), tuple(theirs.gains), theirs.carry, theirs.carry]
    assert found == wanted, (deal.opts, deal.carry, vec.record(row))
    assert ours.payoffs == pytest.approx(theirs.payoffs, abs=1e-5)
    arrays = [vec.card_points[row], vec.gains[row], vec.payoff[row]]
    for array, words in zip(arrays, (ours.card_points, ours.gains, ours.payoffs), strict=True):
        assert array.tolist() == list(words)
    assert vec.declarer[row] == (-1 if ours.declarer is None else ours.declarer)
    assert vec.trump[row] == (-1 if ours.trump is None else "DHSC".index(ours.trump))


def play_beside(rules: RuleSet, rng: random.Random) -> Counter[str]:
    """Play a batch in both implementations, compare everything, and count the rare events."""
    vec = VectorSjavs(rules, batch=ROWS)
    deals = reference_deals(rules, vec, rng)
    ways = [[rng.choice(BEFORE), rng.choice(CARDS), rng.choice(CARDS)] for _ in deals]
    met: Counter[str] = Counter()
    compare_decision(vec, deals)
    while not vec.over.all():
        actions = [99] * ROWS
        for row, deal in enumerate(deals):
            if not deal.over:
                name = choose(deal, rng, ways[row])
                deal.play(name)
                met.update(bound(deal))
                actions[row] = BIT[name].bit_length() - 1
        vec.step(actions)
        compare_decision(vec, deals)
    for row, deal in enumerate(deals):
        compare_result(vec, row, deal)
        met.update(told(deal, deal.carry))
    return met


@pytest.mark.parametrize("preset", RULE_SETS)
def test_ten_thousand_deals_agree_with_the_reference(preset: str) -> None:
    rng = random.Random(preset)
    met: Counter[str] = Counter()
    for _ in range(COMBINATIONS):
        met += play_beside(random_rules(preset, rng), rng)
    missed = {name for name in MET[preset] if not met[name]}
    assert not missed, met


@pytest.mark.long
@pytest.mark.parametrize("preset", RULE_SETS)
def test_a_hundred_thousand_other_deals_agree_with_the_reference(preset: str) -> None:
    rng = random.Random(f"{preset}, longer")
    for _ in range(10 * COMBINATIONS):
        play_beside(random_rules(preset, rng), rng)
