"""A deal in which `rule-of-thumb` plays all seats, as text."""

from itertools import count

import numpy as np
from numpy.typing import NDArray

from sjavs_env import RuleSet, VectorSjavs, view
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.codes import PHASES
from sjavs_env.players import player
from sjavs_env.views.looker import action_text
from sjavs_env.views.observe import SLOT_OF_OFFSET
from sjavs_env.views.score_sheet import result_line, score_sheet
from tests.pages.amounts import signed


def example(rules: RuleSet) -> str:
    """Return the deal of the lowest seed that has a declarer."""
    seed, deals, lines = next(
        (seed, *played) for seed in count(1) if (played := _played(rules, seed))[0].declarer[0] >= 0
    )
    names = [f"seat {seat}" for seat in range(rules.seats)]
    result = deals.result(0)
    told = [
        *lines,
        "",
        result_line(rules, result, names),
        f"Payoffs by seat: {' '.join(map(signed, result.payoffs))}",
        "",
        *score_sheet(rules, [result], 0, names),
    ]
    record, text = deals.record(0), "\n".join(told)
    return (
        f"`rule-of-thumb` plays all seats; the seed is {seed}. In notation:\n\n"
        f"```text\n{record}\n```\n\n"
        f"As text, with the number of the seat before each card:\n\n```text\n{text}\n```"
    )


def _played(rules: RuleSet, seed: int) -> tuple[VectorSjavs, list[str]]:
    """Play a deal, and return it with a line for each event."""
    deals, policy = VectorSjavs(rules, seed=seed), player("rule-of-thumb", rules)
    lines, trick, before = [f"{'dealer':9}seat {deals.dealer[0]}"], [], _won(deals)
    while not deals.over[0]:
        seat, words = int(deals.seat[0]), deals.observe()
        phase = PHASES[int(np.argmax(view(words, "phase")[0]))]
        action = int(policy.act(words, deals.legal, np.zeros(1, np.uint64))[0])
        deals.step(np.array([action]))
        said = action_text(action, rules.fives)
        if phase != "play":
            away = "lays away " * (phase == "exchange" and a.is_card(action))
            lines.append(f"{phase:9}seat {seat}: {away}{said}")
            continue
        trick.append(f"{seat} {said}")
        if len(trick) == rules.seats:
            after = _won(deals)
            lines.append(_trick_line(trick, after, after - before))
            trick, before = [], after
    return deals, lines


def _won(deals: VectorSjavs) -> NDArray[np.int16]:
    """Return the tricks and the card points of each seat, int16[2, P]."""
    seen, seats = deals.observe(0), SLOT_OF_OFFSET[deals.rules.seats]
    return np.array([view(seen, name)[0, seats] for name in ("tricks", "points")])


def _trick_line(trick: list[str], won: NDArray[np.int16], new: NDArray[np.int16]) -> str:
    """Return a line with the cards of a trick, its winner and its card points."""
    cards = "".join(f"{card:8}" for card in trick)
    winner = int(new[0].argmax())
    return f"{f'trick {won[0].sum()}':9}{cards}seat {winner} takes {new[1, winner]}"
