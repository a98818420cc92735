"""Positions that show how ``rule-of-thumb`` plays.

Each position is a given deal after some actions; the player chooses the next action.
"""

import numpy as np

from sjavs_env import VectorSjavs, action_id, action_name, rule_set
from sjavs_env.players import player

# Seat 0 declares diamonds with the four highest trumps; seat 2 is its partner.
STRONG = "3:CQSQCJSJDAD9SAHK/D8DQHAHTH9STS9C7/HJDTSKS8H7H8CACT/DJDKD7HQS7CKC9C8"
STRONG_CALLS = "6 - - - =D"
# Seat 1 declares diamonds; seat 3, its partner, has no spade but trumps.
VOID = "3:S8S9STDQHAH9CAHJ/CQSQCJDADKSAH8C7/CKS7SKH7HQD9DTDJ/SJD8D7HTHKCTC9C8"
# The same, but the spade ace is in the hand that plays after declarer.
ACE_BEHIND = "3:S8S9STDQHAH9CAHJ/CQSQCJDADKS7H8C7/CKSASKH7HQD9DTDJ/SJD8D7HTHKCTC9C8"
VOID_CALLS = "- 5 - - =D"


def choice(deal: str, actions: str, rules: str = "faroese4", **options: str | int | bool) -> str:
    """Return the name of the player's action after some actions."""
    vec = VectorSjavs(rule_set(rules, **options), batch=1)
    vec.reset(deals=[deal])
    for name in actions.split():
        vec.step([action_id(name)])
    policy = player("rule-of-thumb", vec.rules)
    [action] = policy.act(vec.observe(), vec.legal, np.zeros(1, np.uint64))
    return action_name(int(action), vec.rules)


def test_declarer_draws_trumps_from_the_top() -> None:
    assert choice(STRONG, STRONG_CALLS) == "CQ"
    assert choice(STRONG, f"{STRONG_CALLS} CQ D8 DT D7") in {"SQ", "CJ", "SJ"}


def test_the_ten_goes_to_a_partner_who_is_certain_to_win() -> None:
    assert choice(STRONG, f"{STRONG_CALLS} CQ D8") == "DT"


def test_a_lost_trump_trick_gets_the_worthless_trump_and_keeps_the_permanent() -> None:
    assert choice(STRONG, f"{STRONG_CALLS} CQ D8 DT") == "D7"


def test_points_are_thrown_to_the_partner_and_his_trick_is_not_ruffed() -> None:
    assert choice(VOID, f"{VOID_CALLS} S8 SA S7") in {"HT", "CT"}


def test_the_opponents_trick_is_ruffed_with_the_lowest_trump() -> None:
    assert choice(ACE_BEHIND, f"{VOID_CALLS} ST S7 SA") == "D7"


def test_the_opponents_trick_gets_the_card_without_points() -> None:
    assert choice(VOID, f"{VOID_CALLS} CA C7 CK") == "C8"


def test_a_long_suit_without_strength_is_not_called_where_passing_is_allowed() -> None:
    weak = "3:DJHTH9H8H7S7C7D7/CQSQCJSJHJHAHKHQ/S8S9STSKSAC8C9CT/CKCAD8D9DTDQDKDA"
    assert choice(weak, "", bidding="free") == "-"
    assert choice(STRONG, "", bidding="free") == "6"


def test_declarer_takes_the_talon_lays_losers_away_and_names_the_longest_suit() -> None:
    deal = "2:CQSQHAHKHQHT/CJSJDADKDQDT/HJDJSASKCACK|STCT"
    assert choice(deal, "spil - -", "farvesjavs") == "take"
    assert choice(deal, "spil - - take", "farvesjavs") in {"ST", "CT"}
    assert choice(deal, "spil - - take ST CT", "farvesjavs") == "=H"


def test_a_hand_without_a_trick_passes_and_one_with_all_of_them_plays() -> None:
    deal = "2:CQSQCJSJHJCA/DJSAHADAC5S5/CKSKHKDKHQDQ|H5D5"
    assert choice(deal, "", "klorsjavs") == "spil"
    assert choice(deal, "- -", "klorsjavs") == "-"
