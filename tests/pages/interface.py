"""The part of the action space and of the observation that a rule set can use."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sjavs_env import LAYOUT, N_ACTIONS, RuleSet, action_name
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.auction_tables import possible_calls
from sjavs_env.core.tables.card_tables import class_mask, pack_of
from sjavs_env.core.tables.cards import N_CARDS, cards_of
from sjavs_env.core.tables.codes import N_CLASSES, NO_TRUMP, PHASES
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.score_tables import contracts_of
from sjavs_env.views.layout import N_FEATURES, SLOTS, Slice
from sjavs_env.views.observe import SLOT_OF_OFFSET
from tests.pages.cards import trump_suits
from tests.pages.words import table, variants

_BY_SEAT = len(SLOTS)


def phases_of(rules: RuleSet) -> list[str]:
    """Return the phases that can occur, in the order of PHASES."""
    used = {"auction", *(phase for contract in contracts_of(rules) for phase in contract.flow)}
    return [phase for phase in PHASES if phase in used]


def legal_actions(rules: RuleSet) -> dict[str, set[int]]:
    """Return the actions that can be legal in each phase, from the compiled tables."""
    tables = compile_tables(rules)
    cards = set(pack_of(rules))
    taking = {a.TAKE} if rules.exchange == "take" else set()
    every = {
        "auction": _union(tables.calls) & set(possible_calls(rules)),
        "name": _union(tables.nameable),
        "exchange": cards | {a.PASS} | taking,
        "confirm": set(cards_of(tables.confirmable)),
        "play": cards,
    }
    return {phase: every[phase] for phase in phases_of(rules)}


def _union(masks: NDArray[np.uint64]) -> set[int]:
    return set(cards_of(int(np.bitwise_or.reduce(masks))))


def action_table(rules: RuleSet) -> str:
    """Return the actions that can be legal, by phase."""
    legal = legal_actions(rules)
    rows = [(phase, _names(rules, actions)) for phase, actions in legal.items()]
    every = set().union(*legal.values())
    cards = _ids(action for action in every if action < N_CARDS)
    parts = [
        f"{len(every)} of the {N_ACTIONS} ids can be legal: {_ids(every)}. The cards of the pack "
        f"are {cards}.",
        table(["phase", "legal at some time"], rows),
    ]
    added = {
        option: set().union(*legal_actions(made).values()) - every
        for option, made in variants(rules.name).items()
    }
    more = [f"`{option}` adds {_names(rules, new)}" for option, new in added.items() if new]
    return "\n\n".join([*parts, f"{'; '.join(more)}."] if more else parts)


def _names(rules: RuleSet, actions: Iterable[int]) -> str:
    cards = sum(action < N_CARDS for action in actions)
    others = [f"`{action_name(act, rules)}`" for act in sorted(actions) if act >= N_CARDS]
    return " ".join(([f"the {cards} cards"] if cards else []) + others)


def _ids(actions: Iterable[int]) -> str:
    """Return ids as ranges: "0–6, 32"."""
    spans: list[list[int]] = []
    for action in sorted(actions):
        if spans and action == spans[-1][1] + 1:
            spans[-1][1] = action
        else:
            spans.append([action, action])
    return ", ".join(f"{first}–{last}" if first < last else str(first) for first, last in spans)


def settable(rules: RuleSet) -> NDArray[np.bool_]:
    """Return which features can differ from 0, bool[F]."""
    features = np.zeros(N_FEATURES, np.bool_)
    for item in LAYOUT.values():
        part = features[item.feature : item.feature + item.n_features]
        part[:] = _slice(rules, item).reshape(-1)
    return features


def _slice(rules: RuleSet, item: Slice) -> NDArray[np.bool_]:
    """Return which features of a slice can differ from 0."""
    lacking = {
        "face_up": not rules.piles,
        "laid_away": not rules.exchange,
        "n_laid_away": not rules.exchange,
        "carry": not rules.carries,
    }
    if lacking.get(item.name):
        return np.zeros(item.n_features, np.bool_)
    one = _within(rules, item)
    if item.n_features == len(one):
        return one
    seats = np.isin(np.arange(_BY_SEAT), SLOT_OF_OFFSET[rules.seats])
    return seats[:, None] & one


def _within(rules: RuleSet, item: Slice) -> NDArray[np.bool_]:
    """Return which features of one seat, or of a slice without seats, can differ from 0."""
    legal = legal_actions(rules)
    if item.name in ("calls", "contract"):
        said = legal["auction"] - ({a.PASS} if item.name == "contract" else set())
        said |= legal.get("confirm", set()) if item.name == "contract" else set()
        return np.isin(np.arange(N_CARDS, N_ACTIONS), list(said))
    if item.kind != "numbers":
        return np.isin(np.arange(N_CARDS), pack_of(rules))
    if item.name == "phase":
        return np.isin(PHASES, [*phases_of(rules), PHASES[-1]])
    if item.name == "trump":
        return np.isin(np.arange(item.count), trump_suits(rules))
    if item.name == "voids":
        contexts = trump_suits(rules)
        contexts += [NO_TRUMP] if any(not c.trumps for c in rules.contracts) else []
        return np.array([any(class_mask(rules, c, k) for c in contexts) for k in range(N_CLASSES)])
    return np.ones(1, np.bool_)


def observation_table(rules: RuleSet) -> str:
    """Return how much of each slice of the observation can differ from 0."""
    can, rows, empty = settable(rules), [], []
    for item in LAYOUT.values():
        part = can[item.feature : item.feature + item.n_features]
        if not part.any():
            empty.append(f"`{item.name}`")
        last = item.feature + item.n_features - 1
        number = "all" if part.all() else "always 0" if not part.any() else f"{part.sum()}"
        rows.append((f"{item.feature}–{last}", f"`{item.name}`", item.n_features, number))
    missing = [slot for k, slot in enumerate(SLOTS) if k not in SLOT_OF_OFFSET[rules.seats]]
    told = f"{can.sum()} of the {N_FEATURES} features can differ from 0."
    told += f" Always 0: {', '.join(empty)}." if empty else ""
    told += f" The features of a seat {' or '.join(missing)} are always 0." if missing else ""
    titles = ["features", "name", "number", "can differ from 0"]
    parts = [told, table(titles, rows, right="features number")]
    changes = [
        text
        for option, made in variants(rules.name).items()
        if (text := _change(can, option, made))
    ]
    return "\n\n".join([*parts, f"{'; '.join(changes)}."] if changes else parts)


def _change(can: NDArray[np.bool_], option: str, made: RuleSet) -> str:
    """Return which slices use more or fewer features with an option; "" if there are none."""
    other, told = settable(made), []
    for word, part in (("more", other & ~can), ("fewer", can & ~other)):
        names = [
            f"`{item.name}`"
            for item in LAYOUT.values()
            if part[item.feature : item.feature + item.n_features].any()
        ]
        told += [f"{word} in {', '.join(names)}"] if names else []
    return f"`{option}`: {' and '.join(told)}" if told else ""
