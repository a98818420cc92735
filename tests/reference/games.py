"""The presets: seats, cards and pack of each, and its options."""

from typing import Any

FAROESE_OPTIONS: dict[str, Any] = {  # §2, the row `faroese4`
    "score": "faroese4",
    "bidding": "forced",
    "all_pass": "redeal",
    "ruff": "free",
    "tie": "carry_by_suit",
    "start": 24,
    "max_deals": None,
}
FOUR = {"family": "faroese", "seats": 4, "pairs": True, "cards": 8, "talon": 0, "pack": "32"}
DANISH = {"family": "klorsjavs", "seats": 3, "pairs": False, "cards": 6, "talon": 2}

GAMES: dict[str, dict[str, Any]] = {
    "faroese4": {**FOUR, "options": FAROESE_OPTIONS},  # §2
    "faroese4_wiki": {
        **FOUR,
        "options": {
            **FAROESE_OPTIONS,
            "score": "faroese4_wiki",
            "all_pass": "clubs",
            "ruff": "no_undertrump",
        },
    },
    "faroese4_1996": {**FOUR, "options": {**FAROESE_OPTIONS, "score": "faroese4_1996"}},
    "russian6": {
        **FOUR,
        "options": {**FAROESE_OPTIONS, "score": "russian6", "tie": "double", "max_deals": 6},
    },
    "faroese3": {  # §3
        **FOUR,
        "seats": 3,
        "pairs": False,
        "cards": 10,
        "talon": 2,
        "options": FAROESE_OPTIONS,
    },
    "faroese2": {**FOUR, "seats": 2, "pairs": False, "cards": 16, "options": FAROESE_OPTIONS},  # §4
    "klorsjavs": {**DANISH, "pack": "fives", "options": {"exchange": "blind_2", "start": 60}},  # §5
    "klorsjavs18": {  # §5
        **DANISH,
        "seats": 4,
        "cards": 4,
        "pack": "18",
        "options": {"exchange": "blind_2", "start": 60},
    },
    "klorsjavs_contracts": {  # §6
        **DANISH,
        "family": "contracts",
        "pack": "tens",
        "options": {"exchange": "take_2", "max_deals": 12},
    },
    "farvesjavs": {  # §6
        **DANISH,
        "family": "contracts",
        "pack": "tens",
        "options": {"exchange": "take_2", "max_deals": 12},
    },
    "french8": {  # §7
        **FOUR,
        "family": "french",
        "options": {"solo": False, "halv": False, "nolo": False, "start": 24},
    },
}
PRESETS = tuple(GAMES)
ALIASES = {"flyvesjavs": "klorsjavs18"}  # §5

VALUES: dict[str, tuple[Any, ...]] = {
    "score": ("faroese4", "faroese4_1996", "faroese4_wiki", "russian6"),
    "bidding": ("forced", "free"),
    "all_pass": ("redeal", "redeal_next", "clubs"),
    "ruff": ("free", "no_undertrump", "overtrump"),
    "tie": ("carry_by_suit", "carry2", "double", "quadruple", "declarer_loses"),
    "exchange": ("blind_2", "take_2"),
}


def preset_name(preset: str) -> str:
    name = ALIASES.get(preset, preset)
    if name not in GAMES:
        raise ValueError(f"unknown preset {preset!r}")
    return name


def is_allowed(preset: str, option: str, value: Any) -> bool:
    if option in VALUES:
        if preset == "faroese3" and (option, value) == ("all_pass", "clubs"):
            return False  # §3: no sides
        return value in VALUES[option]
    if option in ("solo", "halv", "nolo"):
        return isinstance(value, bool)
    if option == "max_deals" and value is None:
        return bool(GAMES[preset]["family"] == "faroese")  # §6: a jeton rubber needs its end
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def options_of(preset: str, **overrides: Any) -> dict[str, Any]:
    """Every option of a preset. ValueError for a combination that the rules do not allow."""
    name = preset_name(preset)
    options = dict(GAMES[name]["options"])
    for option, value in overrides.items():
        if option not in options:  # §2, last lines: which options exist where
            raise ValueError(f"{name} has no option {option!r}")
        if not is_allowed(name, option, value):
            raise ValueError(f"{name} does not allow {option}={value!r}")
        options[option] = value
    return options
