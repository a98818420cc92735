"""Secrets: if two deals differ only in cards that a seat cannot see, its words are the same."""

import random
import re

import numpy as np
import pytest

from sjavs_env import RULE_SETS, VectorSjavs, action_id, action_name, view
from tests.strategies import (
    actions_of,
    codes,
    deal_of,
    decisions,
    play_names,
    random_line,
    random_rules,
)

ROWS, COMBINATIONS = 6, 4


def hidden_from(vec: VectorSjavs, row: int, seat: int) -> list[int]:
    """Return the cards that a seat has not seen, worked out by hand (RULES 3 to 6)."""
    state = vec._state
    known = int(state.hand[seat, row])
    for other in range(vec.rules.seats):
        known |= int(state.played[other, row]) | int(state.face_up[other, row])
    if state.declarer[row] == seat:
        known |= int(state.laid_away[row])
    return [card for card in map(action_id, vec.rules.pack) if not known >> card & 1]


def exchanged(vec: VectorSjavs, row: int, seat: int, rng: random.Random) -> str:
    """Return the record of a row after exchanging two cards that a seat has not seen."""
    hidden = hidden_from(vec, row, seat)
    if len(hidden) < 2:
        return vec.record(row)
    left, right = (action_name(card, vec.rules) for card in rng.sample(hidden, 2))
    other = {left: right, right: left}
    return re.sub(f"{left}|{right}", lambda code: other[code[0]], vec.record(row))


def replayed(vec: VectorSjavs, records: list[str]) -> tuple[VectorSjavs, np.ndarray]:
    """Replay records in one batch, and return which of them are possible deals."""
    words = [record.split() for record in records]
    other = VectorSjavs(vec.rules, batch=len(records))
    columns = np.repeat(vec._state.columns.T, vec.rules.seats, axis=0)
    carry = np.repeat(vec._state.carry, vec.rules.seats)
    other.reset(deals=[line[0] for line in words], columns=columns, carry=carry)
    possible = np.ones(len(records), bool)
    for turn in range(1, max(map(len, words))):
        asked = np.array([action_id(line[turn]) if turn < len(line) else 63 for line in words])
        legal = other.legal_mask()
        wrong = ~legal[np.arange(len(records)), asked] & ~other.over
        possible &= ~wrong
        other.step(np.where(wrong, legal.argmax(axis=1), asked))
    return other, possible


def compare(vec: VectorSjavs, rng: random.Random) -> tuple[int, int]:
    """Compare every seat's words with those of a deal that it cannot distinguish; count deals."""
    seats = vec.rules.seats
    records = [exchanged(vec, row, seat, rng) for row in range(ROWS) for seat in range(seats)]
    other, possible = replayed(vec, records)
    ours = np.stack([vec.observe(seat=seat) for seat in range(seats)], axis=1)
    theirs = other.observe(seat=np.tile(np.arange(seats), ROWS))
    for number in np.flatnonzero(possible):
        row, seat = divmod(int(number), seats)
        same = (ours[row, seat] == theirs[number]).all() and vec.seat[row] == other.seat[number]
        assert same, f"seat {seat} tells {vec.record(row)} from {records[number]}"
        if vec.seat[row] == seat:
            assert vec.legal[row] == other.legal[number]
    originals = [vec.record(row) for row in range(ROWS) for _ in range(seats)]
    changed = [left != right for left, right in zip(records, originals, strict=True)]
    return int((possible & changed).sum()), len(records)


@pytest.mark.parametrize("preset", RULE_SETS)
def test_cards_that_a_seat_has_not_seen_may_be_exchanged(preset: str) -> None:
    rng = random.Random(preset)
    changed = tried = 0
    for _ in range(COMBINATIONS):
        rules = random_rules(preset, rng)
        vec = VectorSjavs(rules, batch=ROWS)
        vec.reset(
            deals=[random_line(rules, rng, rng.choice(("any", "weak"))) for _ in range(ROWS)],
            columns=[[rng.randint(1, 24) for _ in range(rules.columns)] for _ in range(ROWS)],
            carry=[rng.choice((0, 1)) * rules.carries for _ in range(ROWS)],
        )
        for _ in decisions(vec, np.random.default_rng(rng.randrange(2**32))):
            counts = compare(vec, rng)
            changed, tried = changed + counts[0], tried + counts[1]
        compare(vec, rng)
    assert changed > tried / 8, (changed, tried)


def seen(vec: VectorSjavs, seat: int, name: str) -> set[str]:
    found = int(view(vec.observe(seat=seat)[0], name)[0])
    return {action_name(card, vec.rules) for card in actions_of(found)}


def anywhere(vec: VectorSjavs, seat: int) -> set[str]:
    """Return every card that a seat's words show in some slice."""
    words = vec.observe(seat=seat)[0]
    names = ("hand", "face_up", "played", "trick", "laid_away")
    sets = np.concatenate([view(words, name) for name in names])
    fell = view(words, "fell")
    told = int(np.bitwise_or.reduce(sets)) | sum(1 << int(card) for card in np.flatnonzero(fell))
    return {action_name(card, vec.rules) for card in actions_of(told)}


THREE = (
    "♥7 ♥8 ♥9 ♥A ♦7 ♦8 ♦10 ♣7 ♣8 ♣9 · ♥K ♥Q ♦J ♦K ♦Q ♣A ♣10 ♠7 ♠8 ♦A · "
    "♣Q ♠Q ♣J ♠J ♥J ♠A ♠K ♠9 ♠10 ♥10"
)


def test_a_blind_declarer_sees_what_he_took_after_his_last_lay_away() -> None:
    # RULES 3: nothing is shown before the last lay-away, and no card that he did not take.
    vec = VectorSjavs("faroese3")
    own = set(codes(THREE.split("·")[2]))
    vec.reset(deals=[deal_of(2, THREE, "♣K ♦9")])
    while vec.trump[0] < 0:
        vec.step([actions_of(int(vec.legal[0]))[-1]])
    assert seen(vec, 2, "hand") == own
    play_names(vec, "HT")
    assert (seen(vec, 2, "hand"), seen(vec, 2, "laid_away")) == (own - {"HT"}, {"HT"})
    assert anywhere(vec, 2) == own
    play_names(vec, "-")
    assert seen(vec, 2, "hand") == own - {"HT"} | {"CK"}
    assert anywhere(vec, 2) == own | {"CK"}
    for seat in (0, 1):
        assert seen(vec, seat, "laid_away") == set()
        assert anywhere(vec, seat) == seen(vec, seat, "hand")
        assert view(vec.observe(seat=seat)[0], "n_laid_away")[0] == 1


def test_laid_away_cards_and_a_declined_talon_stay_secret_to_the_end() -> None:
    # RULES 5: only declarer knows laid-away cards, and nobody knows a declined talon.
    line = deal_of(2, "♠J ♣A ♦A ♥Q ♥5 ♠A · ♣J ♦J ♣K ♣5 ♦Q ♠K · ♣Q ♥J ♦K ♦5 ♥A ♥K", "♠5 ♠Q")
    vec = VectorSjavs("klorsjavs")
    for exchange, secret, known in (("SK DQ", {"SK", "DQ"}, set()), ("-", set(), {"S5", "SQ"})):
        vec.reset(deals=[line])
        play_names(vec, f"- spil {exchange} -")
        while not vec.over[0]:
            vec.step([actions_of(int(vec.legal[0]))[-1]])
            for seat in range(3):
                assert seen(vec, seat, "laid_away") == (secret if seat == 1 else set())
                assert not anywhere(vec, seat) & (known | (secret if seat != 1 else set()))


def test_a_talon_that_is_taken_up_is_seen_by_declarer_alone() -> None:
    # RULES 5, 6: with take_2 declarer first takes up the talon, then lays away any of his cards.
    vec = VectorSjavs("klorsjavs_contracts", seed=1)
    assert dict(vec.rules.options)["exchange"] == "take_2"
    deal = vec.record(0)
    talon = {deal[-4:-2], deal[-2:]}
    play_names(vec, "spil - -")
    declarer = int(vec.declarer[0])
    assert not any(anywhere(vec, seat) & talon for seat in range(3))
    play_names(vec, "take")
    for seat in range(3):
        assert (anywhere(vec, seat) & talon) == (talon if seat == declarer else set())
        assert view(vec.observe(seat=seat)[0], "n_laid_away")[0] == 0


def test_a_face_down_card_is_seen_by_nobody_before_it_is_turned() -> None:
    # RULES 4: it is turned at the end of the trick in which its cover was played.
    vec = VectorSjavs("faroese2", batch=1, seed=5)
    state = vec._state
    for _ in decisions(vec, np.random.default_rng(5)):
        down = int(np.bitwise_or.reduce(state.face_down[:, 0]))
        names = {action_name(card) for card in actions_of(down)}
        up = {action_name(card) for card in actions_of(int(state.face_up[0, 0]))}
        for seat in range(2):
            assert not anywhere(vec, seat) & names
        assert up <= anywhere(vec, 0)
        assert up <= anywhere(vec, 1)
