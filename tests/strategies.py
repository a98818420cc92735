"""Random rule sets, deals and play for the tests of the core."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

import sjavs_env
from sjavs_env import RULE_SETS, RuleSet, VectorSjavs

SYMBOLS = {"♣": "C", "♠": "S", "♥": "H", "♦": "D"}
CHOICES: dict[str, tuple[Any, ...]] = {
    "score": ("faroese4", "faroese4_1996", "faroese4_wiki", "russian6"),
    "bidding": ("forced", "free"),
    "all_pass": ("redeal", "redeal_next", "clubs"),
    "ruff": ("free", "no_undertrump", "overtrump"),
    "tie": ("carry_by_suit", "carry2", "double", "quadruple", "declarer_loses"),
    "exchange": ("blind_2", "take_2"),
    "start": (1, 24, 60),
    "max_deals": (1, 6),
    **dict.fromkeys(("solo", "halv", "nolo"), (False, True)),
}
"""Values of every option in RULES 2. ``choices_of`` leaves out those that a preset refuses."""


def choices_of(preset: str) -> dict[str, tuple[Any, ...]]:
    """Return the options of a preset and the values that RULES 2 lets them take."""
    options = {name: CHOICES[name] for name, _ in sjavs_env.rule_set(preset).options}
    if preset == "faroese3":
        options["all_pass"] = ("redeal", "redeal_next")
    if "score" in options:
        options["max_deals"] = (0, 1, 6)
    return options


def random_rules(preset: str, rng: random.Random) -> RuleSet:
    """Return a rule set with random options."""
    options = {name: rng.choice(values) for name, values in choices_of(preset).items()}
    return sjavs_env.rule_set(preset, **options)


@st.composite
def rule_sets(draw: st.DrawFn, preset: str = "") -> RuleSet:
    """Draw a rule set: a preset, unless it is given, and all of its options."""
    preset = preset or draw(st.sampled_from(RULE_SETS))
    options = {name: draw(st.sampled_from(v)) for name, v in choices_of(preset).items()}
    return sjavs_env.rule_set(preset, **options)


def codes(text: str) -> list[str]:
    """Return the codes of cards in the notation of RULES, ``♣Q ♥10``."""
    return [SYMBOLS[word[0]] + word[1:].replace("10", "T") for word in text.split()]


def deal_of(dealer: int, hands: str, talon: str = "") -> str:
    """Return a deal line for hands in the notation of RULES, separated by ``·``."""
    line = f"{dealer}:" + "/".join("".join(codes(hand)) for hand in hands.split("·"))
    return line + "|" + "".join(codes(talon)) if talon else line


def pack_codes(rules: RuleSet) -> list[str]:
    """Return the printed codes of the pack."""
    return [sjavs_env.action_name(sjavs_env.action_id(card), rules) for card in rules.pack]


def line_of(rules: RuleSet, cards: list[str], dealer: int) -> str:
    """Return the deal line that gives the cards to the seats in turn, the last to the talon."""
    left = iter(cards)

    def some(n: int) -> str:
        return "".join(next(left) for _ in range(n))

    sizes = [rules.hand_size] + [rules.piles] * 2 * bool(rules.piles)
    hands = [";".join(some(size) for size in sizes) for _ in range(rules.seats)]
    talon = "|" + some(rules.talon_size) if rules.talon_size else ""
    return f"{dealer}:{'/'.join(hands)}{talon}"


def random_line(rules: RuleSet, rng: random.Random, kind: str = "any") -> str:
    """Return a random deal line.

    In a "long" deal a seat has nearly all trumps of a suit. In a "weak" deal a seat has the low
    cards of a suit, and its partner has other low cards.
    """
    cards = pack_codes(rules)
    rng.shuffle(cards)
    dealer, seat, suit = rng.randrange(rules.seats), rng.randrange(rules.seats), rng.choice("CSHD")
    if kind == "long":
        noise = rng.random()
        cards.sort(key=lambda c: rng.random() > noise and (c in rules.permanents or c[0] == suit))
    elif kind == "weak":
        high = {card: rules.ranks.index(card[1].replace("5", "T")) < 4 for card in cards}
        cards.sort(key=lambda card: (card[0] == suit and card[1] in "789TK", not high[card]))
    return line_of(rules, cards if kind == "any" else _seated(rules, cards, seat), dealer)


def _seated(rules: RuleSet, cards: list[str], seat: int) -> list[str]:
    """Give the last cards to a seat, and the cards before them to its partner."""
    each = rules.hand_size + 2 * rules.piles
    hands = [[cards.pop() for _ in range(each)] for _ in range(rules.seats)]
    order = [0, 2, 1, 3] if rules.pairs else list(range(rules.seats))
    given = sorted(range(rules.seats), key=lambda n: (seat + order[n]) % rules.seats)
    return [card for n in given for card in hands[n]] + cards


def deals_of(vec: VectorSjavs) -> list[str]:
    """Return the deal line of every row."""
    return [vec.record(row).split()[0] for row in range(vec.batch)]


def actions_of(legal: int) -> list[int]:
    """Return the ids in a set of legal actions."""
    return [action for action in range(sjavs_env.N_ACTIONS) if legal >> action & 1]


def any_legal(vec: VectorSjavs, rng: np.random.Generator) -> np.ndarray:
    """Return a random legal action for every row; -1 where the deal is over."""
    mask = vec.legal_mask()
    keys = rng.random(mask.shape) * mask
    return np.where(vec.over, -1, keys.argmax(axis=1))


def decisions(vec: VectorSjavs, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Play all rows to the end at random, and yield the actions before each step."""
    while not vec.over.all():
        actions = any_legal(vec, rng)
        yield actions
        vec.step(actions)


def play_out(vec: VectorSjavs, seed: int) -> None:
    """Play all rows to the end at random."""
    for _ in decisions(vec, np.random.default_rng(seed)):
        pass


def play_names(vec: VectorSjavs, names: str) -> None:
    """Play named actions in a batch of one."""
    for name in names.split():
        vec.step([sjavs_env.action_id(name)])
