"""The deal notation: one line with the dealer, the cards of each seat and the talon."""

import random
from typing import Any

from tests.reference.cards import PACKS
from tests.reference.games import GAMES, options_of, preset_name


def split_cards(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def random_deal(preset: str, opts: dict[str, Any], rng: random.Random, dealer: int) -> str:
    """A uniformly shuffled deal in the deal notation."""
    options_of(preset, **opts)
    game = GAMES[preset_name(preset)]
    pack = list(PACKS[game["pack"]])
    rng.shuffle(pack)
    size = game["cards"]
    hands = [pack[seat * size : (seat + 1) * size] for seat in range(game["seats"])]
    if preset == "faroese2":  # §4: hand; face up; face down
        words = [";".join("".join(h[a:b]) for a, b in ((0, 8), (8, 12), (12, 16))) for h in hands]
    else:
        words = ["".join(hand) for hand in hands]
    line = f"{dealer}:{'/'.join(words)}"
    return line + "|" + "".join(pack[-2:]) if game["talon"] else line


def read_deal(preset: str, line: str) -> tuple[int, list[list[list[str]]], list[str]]:
    """The dealer, the groups of each seat's cards, and the talon. ValueError for a wrong line."""
    game = GAMES[preset]
    dealer, _, rest = line.partition(":")
    seats, _, talon_text = rest.partition("|")
    talon = split_cards(talon_text)
    parts = [[split_cards(part) for part in seat.split(";")] for seat in seats.split("/")]
    shape = [8, 4, 4] if preset == "faroese2" else [game["cards"]]
    every = [card for seat in parts for part in seat for card in part] + talon
    if (
        dealer not in [str(seat) for seat in range(game["seats"])]
        or [[len(part) for part in seat] for seat in parts] != [shape] * game["seats"]
        or sorted(every) != sorted(PACKS[game["pack"]])
    ):
        raise ValueError(f"not a deal of {preset}: {line}")
    return int(dealer), parts, talon
