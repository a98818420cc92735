"""Make the golden files again: ``.venv/bin/python -m tests.golden.make``.

There is one file for each preset. It holds recorded games, each with its result and a hash of all
masks and words on the way, and the number of decision sequences from a fixed deal, by length
(perft). A changed file means changed rules or a changed frozen format: the changelog must say why.
"""

from hashlib import sha256
from pathlib import Path

import numpy as np

import sjavs_env
from sjavs_env import RULE_SETS, RuleSet, VectorSjavs

FOLDER = Path(__file__).resolve().parent
GAMES = 6
LEAVES = 20_000
"""Perft stops at the length from which there would be more sequences than this."""


def variants(preset: str) -> list[RuleSet]:
    """Return the preset, and a variant of it with changed options."""
    changed: dict[str, str | bool]
    if preset.startswith(("faroese", "russian")):
        changed = {"bidding": "free", "ruff": "overtrump", "tie": "carry2"}
    elif preset == "french8":
        changed = {"solo": True, "halv": True, "nolo": True}
    else:
        other = {"blind_2": "take_2", "take_2": "blind_2"}
        changed = {"exchange": other[str(dict(sjavs_env.rule_set(preset).options)["exchange"])]}
    return [sjavs_env.rule_set(preset), sjavs_env.rule_set(preset, **changed)]


def told(rules: RuleSet) -> str:
    """Return the name and the options of a rule set as text."""
    return f"{rules.name} " + " ".join(f"{name}={value}" for name, value in rules.options)


def chosen(legal: np.ndarray, turn: int) -> np.ndarray:
    """Return a legal action for each row, by a rule that needs no random numbers."""
    counts = legal.sum(axis=1)
    mixed = (turn * 31 + np.arange(len(legal)) + 1) * 2654435761 >> 13
    nth = mixed % np.maximum(counts, 1)
    order = np.cumsum(legal, axis=1) - 1
    return (legal & (order == nth[:, None])).argmax(axis=1)


def games(rules: RuleSet) -> list[str]:
    """Return recorded games, each with a hash of the legal actions and words on the way."""
    vec = VectorSjavs(rules, batch=GAMES, seed=1)
    digests = [sha256() for _ in range(GAMES)]
    turn = 0
    while not vec.over.all():
        words = vec.observe()
        for row in np.flatnonzero(~vec.over):
            digests[row].update(int(vec.legal[row]).to_bytes(8, "little"))
            digests[row].update(words[row].astype("<u4").tobytes())
        vec.step(chosen(vec.legal_mask(), turn))
        turn += 1
    lines = []
    for row, digest in enumerate(digests):
        result = vec.result(row)
        score = f"points {result.card_points} gains {result.gains} ties {result.ties}"
        lines.append(f"{vec.record(row)} # {digest.hexdigest()[:16]} {score}")
    return lines


def perft(rules: RuleSet) -> list[int]:
    """Return the number of decision sequences from a fixed deal, by length from 1."""
    vec = VectorSjavs(rules, seed=2)
    counts = []
    while True:
        legal = vec.legal_mask()
        rows, actions = np.nonzero(legal)
        if not 0 < len(rows) <= LEAVES:
            return counts
        counts.append(len(rows))
        vec = vec.take(rows)
        vec.step(actions)


def content(preset: str) -> str:
    """Return the golden file of a preset."""
    lines = []
    for rules in variants(preset):
        lines += [told(rules), *games(rules)]
        lines.append(f"perft {VectorSjavs(rules, seed=2).record(0)}: {perft(rules)}")
    return "\n".join(lines) + "\n"


def file_of(preset: str) -> Path:
    return FOLDER / f"{preset}.txt"


if __name__ == "__main__":
    for name in RULE_SETS:
        file_of(name).write_text(content(name), encoding="utf-8")
