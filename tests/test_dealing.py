"""Random deals: they never change, they are uniform, and they come from their own stream."""

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs, action_id, action_name
from tests.strategies import deals_of

FOUR = (
    "1:DQH7HAS8C8CKCAHJ/D9DKDAHQSTCTSJCQ/D7D8HTS9SKSADJCJ/DTH8H9HKS7C7C9SQ",
    "3:D9DKS9SAC9CADJSQ/D7H7HTHAC7CKCJCQ/D8DAHQS7STC8CTSJ/DTDQH8H9HKS8SKHJ",
    "1:D8D9H9HTHKC7C9CQ/D7DTDKS9CTCADJSJ/DQDAH7HQHASTSKHJ/H8S7S8SAC8CKCJSQ",
)
TENS = (
    "1:HTSTHJSJSQCQ/DKHQHACKCACJ/DAHKSKSACTDJ|DQDT",
    "2:DTDKHTHASTCT/SACADJSJCJSQ/DQDAHKCKHJCQ|SKHQ",
    "0:HQSACTHJSJCJ/DTDQSTSKDJSQ/DKDAHTHACKCA|HKCQ",
)
GOLDEN: dict[str, tuple[str, ...]] = {
    "faroese4": FOUR,
    "faroese3": (
        "1:D9DQH7HAS8C8CTCKCAHJ/D7D8DKDAHTHQSTSJCJCQ/H8H9HKS9SKSAC7C9DJSQ|DTS7",
        "2:D9DKH7HTS9SAC9CADJSQ/D7D8HAS7STC7CKSJCJCQ/DQDAH8HQHKS8SKC8CTHJ|H9DT",
        "1:D8D9DTH9HTHKC7C9DJCQ/D7DKH7HQS9STCTCAHJSJ/DQDAH8HAS7S8SKSAC8CJ|SQCK",
    ),
    "faroese2": (
        "0:DQH7HAS8C8CKCAHJ;HTCJD8D7;SKS9SADJ/D9DKDAHQSTCTSJCQ;C7H8HKC9;SQH9DTS7",
        "1:D9DKS9SAC9CADJSQ;SJSTD8S7;CTHQC8DA/D7H7HTHAC7CKCJCQ;SKDQH8HJ;HKS8H9DT",
        "0:D8D9H9HTHKC7C9CQ;H7HQHJST;DQHASKDA/D7DTDKS9CTCADJSJ;H8C8CJS7;SAS8SQCK",
    ),
    "klorsjavs": (
        "1:H5S5HJSJSQCQ/DKHQHACKCACJ/DAHKSKSAC5DJ|DQD5",
        "2:D5DKH5HAS5C5/SACADJSJCJSQ/DQDAHKCKHJCQ|SKHQ",
        "0:HQSAC5HJSJCJ/D5DQS5SKDJSQ/DKDAH5HACKCA|HKCQ",
    ),
    "klorsjavs18": (
        "1:DKHKSASQ/D5SKHJCJ/DAHADJCQ/H5S5CASJ|CKC5",
        "0:D5C5CKHJ/HASACACJ/H5HKDJCQ/DKDASJSQ|S5SK",
        "3:H5HASKCK/D5DAS5SA/DJSJCJSQ/DKCAHJCQ|HKC5",
    ),
    "klorsjavs_contracts": TENS,
}
GOLDEN |= dict.fromkeys(("faroese4_wiki", "faroese4_1996", "russian6", "french8"), FOUR)
GOLDEN["farvesjavs"] = TENS


@pytest.mark.parametrize("preset", RULE_SETS)
def test_the_deals_of_a_seed_never_change(preset: str) -> None:
    # A change here breaks every published deal set, so it needs a new version.
    assert tuple(deals_of(VectorSjavs(preset, batch=3, seed=1))) == GOLDEN[preset]


@pytest.mark.parametrize("preset", ["faroese4", "faroese2", "klorsjavs18"])
def test_the_batch_size_changes_no_deal(preset: str) -> None:
    whole = deals_of(VectorSjavs(preset, batch=7, seed=4))
    parts = VectorSjavs(preset, batch=2, seed=4)
    dealt = deals_of(parts)
    for rows in ([0, 1], [1], [], [0], [True, False]):
        parts.reset(rows=rows)
        numbers = np.arange(2)[np.array(rows, dtype=None if rows else int)]
        dealt += [parts.record(row) for row in numbers]
    assert dealt == whole


def test_dealing_in_blocks_changes_no_deal() -> None:
    whole, part = (VectorSjavs("faroese3", batch=n, seed=5) for n in (10_002, 5_001))
    for first in (0, 5_001):
        rows = slice(first, first + 5_001)
        for name in ("hand", "talon", "dealer"):
            ours, theirs = (getattr(vec._state, name) for vec in (part, whole))
            np.testing.assert_array_equal(ours, theirs[..., rows])
        part.reset()


def test_a_seed_restarts_the_stream_and_a_given_dealer_does_not_move_it() -> None:
    vec = VectorSjavs("faroese4", batch=4, seed=9)
    first = deals_of(vec)
    vec.reset()
    second = deals_of(vec)
    assert not set(first) & set(second)
    vec.reset(seed=9, dealer=2)
    assert [line[2:] for line in deals_of(vec)] == [line[2:] for line in first]
    assert (vec.dealer == 2).all()
    vec.reset(dealer=[0, 1, 2, 3])
    assert [line[2:] for line in deals_of(vec)] == [line[2:] for line in second]
    assert vec.dealer.tolist() == [0, 1, 2, 3]
    vec.reset(seed=10)
    assert not {line[2:] for line in deals_of(vec)} & {line[2:] for line in first + second}


def test_a_seed_may_be_any_whole_number_from_0_and_none_takes_fresh_entropy() -> None:
    same = [deals_of(VectorSjavs(seed=seed, batch=2)) for seed in (2**80, 2**80, np.int64(5), 5)]
    assert same[0] == same[1] != same[2] == same[3]
    assert deals_of(VectorSjavs(batch=2)) != deals_of(VectorSjavs(batch=2))


def test_given_deals_take_nothing_from_the_stream() -> None:
    left, right = (VectorSjavs("klorsjavs", batch=3, seed=2) for _ in range(2))
    left.reset(deals=GOLDEN["klorsjavs"])
    left.reset()
    right.reset()
    assert deals_of(left) == deals_of(right)


def test_dealing_and_playing_leave_the_global_generator_alone() -> None:
    state = np.random.get_state()  # noqa: NPY002
    vec = VectorSjavs("faroese4", batch=8, seed=1)
    vec.reset(seed=2)
    while not vec.over.all():
        vec.step(vec.legal_mask().argmax(axis=1))
    for before, after in zip(state, np.random.get_state(), strict=True):  # noqa: NPY002
        assert np.array_equal(before, after)


def slots(vec: VectorSjavs) -> np.ndarray:
    """Return the cards of every deal in slot order: hands, piles, talon, [B, n]."""
    state, rows = vec._state, np.arange(vec.batch)
    masks = [*state.hand, *state.face_down]
    if vec.rules.piles:
        masks = [hand & ~up for hand, up in zip(state.hand, state.face_up, strict=True)]
        masks += [*state.face_up, *state.face_down]
    holder = np.full((vec.batch, 32), -1)
    for number, mask in enumerate(masks):
        holder[(mask[:, None] >> np.arange(32, dtype=np.uint32) & 1).astype(bool)] = number
    for place, card in enumerate(state.talon):
        holder[rows, card] = len(masks) + place
    return holder[:, [action_id(card) for card in vec.rules.pack]]


def deviation(counts: np.ndarray, expected: np.ndarray) -> float:
    """Return chi-square minus its degrees of freedom, divided by its standard deviation."""
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return float((((counts - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom))


@pytest.mark.parametrize("preset", ["faroese4", "faroese3", "faroese2", "klorsjavs18"])
def test_every_card_comes_to_every_place_equally_often(preset: str) -> None:
    n = 100_000
    holder = slots(VectorSjavs(preset, batch=n, seed=6))
    assert (holder >= 0).all()
    cards, places = holder.shape[1], np.unique(holder)
    counts = np.array([(holder == place).sum(axis=0) for place in places]).T
    sizes = np.array([(holder[0] == place).sum() for place in places])
    assert abs(deviation(counts, n * sizes / cards * np.ones((cards, 1)))) < 5
    # Pairs: how often two cards come to the same holder, compared with a uniform shuffle.
    share = (sizes * (sizes - 1)).sum() / (cards * (cards - 1))
    together = [
        (holder[:, a] == holder[:, b]).mean() for a in range(cards) for b in range(a + 1, cards)
    ]
    error = np.sqrt(share * (1 - share) / n)
    assert max(abs(np.array(together) - share)) < 5 * error


@pytest.mark.parametrize("preset", ["faroese4", "faroese3", "faroese2"])
def test_every_seat_deals_equally_often_whatever_the_cards(preset: str) -> None:
    n = 100_000
    vec = VectorSjavs(preset, batch=n, seed=8)
    seats = vec.rules.seats
    counts = np.bincount(vec.dealer, minlength=seats)
    assert max(abs(counts / n - 1 / seats)) < 5 * np.sqrt(1 / seats / n)
    aces = vec._state.hand[0] >> action_id("CA") & 1
    table = np.array([np.bincount(vec.dealer[aces == held], minlength=seats) for held in (0, 1)])
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    assert deviation(table, expected) < 5


def within(found: float, wanted: float, n: int) -> bool:
    """Return whether a share is within five standard errors, and rounding, of another."""
    return abs(found - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / n) + 5e-5


def declared(preset: str, n: int, seed: int) -> VectorSjavs:
    """Return a batch after auction and naming. Of two equally long suits the first is named."""
    vec = VectorSjavs(preset, batch=n, seed=seed)
    for _ in range(vec.rules.seats + 1):
        vec.step(vec.legal_mask().argmax(axis=1))
    return vec


def test_example_17_frequencies_of_lengths_and_clubs() -> None:
    n = 400_000
    vec = declared("faroese4", n, 17)
    assert within(float(vec.over.mean()), 0.0629, n)
    calls = vec._state.standing[~vec.over]
    names = np.array([int(action_name(c).rstrip("+")) for c in range(33, 46)])
    lengths = names[calls - 33]
    for length, share in ((5, 0.6308), (6, 0.3288), (7, 0.0390), (8, 0.00145)):
        assert within(float((lengths == length).mean()), share, len(lengths)), length
    clubs = float((vec.trump[~vec.over] == "DHSC".index("C")).mean())
    assert abs(clubs - 0.327) < 5 * np.sqrt(0.327 * 0.673 / len(lengths)) + 5e-4


@pytest.mark.parametrize(("preset", "share"), [("faroese3", 0.0013), ("faroese2", 0.0008)])
def test_example_17_frequency_of_all_pass_with_fewer_players(preset: str, share: float) -> None:
    n = 400_000
    assert within(float(declared(preset, n, 17).over.mean()), share, n)


def test_given_deals_go_to_the_named_rows_in_order() -> None:
    vec = VectorSjavs("faroese4", batch=3, seed=1)
    lines = deals_of(vec)
    for rows in ([2, 0, 1], [1, 0], [2]):
        sheet = [[row, row] for row in rows]
        vec.reset(rows=rows, deals=lines[: len(rows)], columns=sheet)
        assert [vec.record(row) for row in rows] == lines[: len(rows)]
        assert [vec._state.columns[:, row].tolist() for row in rows] == sheet
