"""The rule sets by name: presets and their options. Citations are sections of RULES.

Games differ only in this data. ``rule_set`` makes a rule set from the name of a preset and the
options that RULES lists for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.core.tables.ruleset import Contract, Option, Phase, RuleSet
from sjavs_env.core.tables.scores import (
    ALL_PASS_CLUBS,
    CONTRACT_SCORES,
    FAROESE_SCORES,
    FRENCH_SCORES,
    KLORSJAVS18_SCORE,
    KLORSJAVS_SCORE,
)

_GENUINE_PERMANENTS = ("CQ", "SQ", "CJ", "SJ", "HJ", "DJ")
_FRENCH_PERMANENTS = ("CQ", "SQ", "HQ", "DQ", "CJ", "SJ", "HJ", "DJ")
_PACK_32 = tuple(suit + rank for suit in "DHSC" for rank in "789TJQKA")
_PACK_20 = tuple(suit + rank for suit in "DHSC" for rank in "TJQKA")
_PACK_18 = tuple(card for card in _PACK_20 if card not in ("HQ", "DQ"))


def _faroese(name: str, source: str, seats: int, options: dict[str, Option]) -> RuleSet:
    """Return a game of RULES 2, 3 or 4."""
    tie = str(options["tie"])
    lost = tie == "declarer_loses"
    simple, clubs = (
        replace(score, tie=None if lost else score.tie)
        for score in FAROESE_SCORES[str(options["score"])]
    )
    shared = RuleSet(
        name=name,
        source=source,
        seats=seats,
        pairs=seats == 4,
        ranks="AKQJT987",
        permanents=_GENUINE_PERMANENTS,
        pack=_PACK_32,
        hand_size=8,
        auction="length",
        trump_choice="longest",
        contracts=(Contract("", (simple, clubs), ("name", "play")),),
        rubber="first_to_zero_wins",
        start=int(options["start"]),
        options=tuple(options.items()),
        bidding=options["bidding"],  # type: ignore[arg-type]
        all_pass=options["all_pass"],  # type: ignore[arg-type]
        ruff=options["ruff"],  # type: ignore[arg-type]
        nobody=replace(ALL_PASS_CLUBS, tie=None if lost else ALL_PASS_CLUBS.tie),
        tie=tie,
        max_deals=int(options["max_deals"]),
    )
    if seats == 3:
        return replace(
            shared,
            contracts=(Contract("", (simple, clubs), ("name", "exchange", "play")),),
            hand_size=10,
            talon_size=2,
            exchange="blind",
            lay_away=(0, 1, 2),
        )
    return replace(shared, piles=4) if seats == 2 else shared


def _klorsjavs(name: str, source: str, seats: int, options: dict[str, Option]) -> RuleSet:
    """Return a game of RULES 5."""
    score = KLORSJAVS_SCORE if seats == 3 else KLORSJAVS18_SCORE
    return RuleSet(
        name=name,
        source=source,
        seats=seats,
        pairs=False,
        ranks="AKQJT",
        permanents=_GENUINE_PERMANENTS,
        pack=_PACK_20 if seats == 3 else _PACK_18,
        hand_size=6 if seats == 3 else 4,
        auction="contract",
        trump_choice="clubs",
        contracts=(Contract("spil", (score, score), ("exchange", "confirm", "play")),),
        rubber="first_to_zero_loses",
        start=int(options["start"]),
        options=tuple(options.items()),
        fives=True,
        talon_size=2,
        bidding="free",
        first_call_ends=True,
        exchange="blind" if options["exchange"] == "blind_2" else "take",
        lay_away=(0, 2),
        concede=True,
    )


def _contracts(name: str, source: str, seats: int, options: dict[str, Option]) -> RuleSet:
    """Return a game of RULES 6. Clubs are trumps, or declarer names a suit."""
    naming: tuple[Phase, ...] = ("name",) if name == "farvesjavs" else ()
    bought = {"spil", "tout"}
    return RuleSet(
        name=name,
        source=source,
        seats=seats,
        pairs=False,
        ranks="AKQJT",
        permanents=_GENUINE_PERMANENTS,
        pack=_PACK_20,
        hand_size=6,
        auction="contract",
        trump_choice="any" if naming else "clubs",
        contracts=tuple(
            Contract(
                action,
                (score, score),
                (*(("exchange",) if action in bought else ()), *naming, "play"),
            )
            for action, score in CONTRACT_SCORES.items()
        ),
        rubber="account",
        start=0,
        options=tuple(options.items()),
        talon_size=2,
        bidding="free",
        exchange="blind" if options["exchange"] == "blind_2" else "take",
        lay_away=(0, 2),
        max_deals=int(options["max_deals"]),
    )


def _french(name: str, source: str, seats: int, options: dict[str, Option]) -> RuleSet:
    """Return the game of RULES 7."""
    chosen = [action for action in ("solo", "halv", "nolo") if options[action]]
    flow: tuple[Phase, ...] = ("confirm", "play") if chosen else ("play",)
    return RuleSet(
        name=name,
        source=source,
        seats=seats,
        pairs=True,
        ranks="ATKQJ987",
        permanents=_FRENCH_PERMANENTS,
        pack=_PACK_32,
        hand_size=8,
        auction="suit",
        trump_choice="call",
        contracts=tuple(
            Contract(
                action,
                (FRENCH_SCORES[action], FRENCH_SCORES[action]),
                ("play",) if action else flow,
                alone=action in ("solo", "nolo"),
                trumps=action != "nolo",
            )
            for action in ("", *chosen)
        ),
        rubber="first_to_zero_wins",
        start=int(options["start"]),
        options=tuple(options.items()),
        bidding="free",
        all_pass="redeal_next",
    )


@dataclass(frozen=True, slots=True)
class Preset:
    """How a named rule set is made: the function that builds it, and the default options."""

    build: Callable[[str, str, int, dict[str, Option]], RuleSet]
    source: str
    seats: int
    defaults: tuple[tuple[str, Option], ...]


CHOICES: dict[str, tuple[str, ...]] = {
    "score": tuple(FAROESE_SCORES),
    "bidding": ("forced", "free"),
    "all_pass": ("redeal", "redeal_next", "clubs"),
    "ruff": ("free", "no_undertrump", "overtrump"),
    "tie": ("carry_by_suit", "carry2", "double", "quadruple", "declarer_loses"),
    "exchange": ("blind_2", "take_2"),
}
"""Allowed values of the options that are words. The other options are numbers or switches."""

LEAST: dict[str, int] = {"start": 1, "max_deals": 0}
"""Smallest value of the options that are numbers. ``max_deals=0`` means no limit."""
MOST = 10_000
"""Largest value of the options that are numbers, because a column has 16 bits."""


def _defaults(**changes: Option) -> tuple[tuple[str, Option], ...]:
    """Return the default options of a Faroese game: those of ``faroese4`` with some changes."""
    options: dict[str, Option] = {
        "score": "faroese4",
        "bidding": "forced",
        "all_pass": "redeal",
        "ruff": "free",
        "tie": "carry_by_suit",
        "start": 24,
        "max_deals": 0,
    }
    return tuple((options | changes).items())


PRESETS: dict[str, Preset] = {
    "faroese4": Preset(_faroese, "RULES 2 (EN)", 4, _defaults()),
    "faroese4_wiki": Preset(
        _faroese,
        "RULES 2 (FO)",
        4,
        _defaults(score="faroese4_wiki", all_pass="clubs", ruff="no_undertrump"),
    ),
    "faroese4_1996": Preset(_faroese, "RULES 2 (EN)", 4, _defaults(score="faroese4_1996")),
    "russian6": Preset(
        _faroese, "RULES 2 (RU)", 4, _defaults(score="russian6", tie="double", max_deals=6)
    ),
    "faroese3": Preset(_faroese, "RULES 3 (FO)", 3, _defaults()),
    "faroese2": Preset(_faroese, "RULES 4 (FO)", 2, _defaults()),
    "klorsjavs": Preset(
        _klorsjavs, "RULES 5 (ES, DA)", 3, (("exchange", "blind_2"), ("start", 60))
    ),
    "klorsjavs18": Preset(_klorsjavs, "RULES 5 (ES)", 4, (("exchange", "blind_2"), ("start", 60))),
    "klorsjavs_contracts": Preset(
        _contracts, "RULES 6 (DA)", 3, (("exchange", "take_2"), ("max_deals", 12))
    ),
    "farvesjavs": Preset(
        _contracts, "RULES 6 (ES)", 3, (("exchange", "take_2"), ("max_deals", 12))
    ),
    "french8": Preset(
        _french,
        "RULES 7 (FR)",
        4,
        (("solo", False), ("halv", False), ("nolo", False), ("start", 24)),
    ),
}
ALIASES = {"flyvesjavs": "klorsjavs18"}
RULE_SETS: tuple[str, ...] = tuple(PRESETS)
"""Names of the presets of RULES."""


def rule_set(name: str | RuleSet, **options: Option) -> RuleSet:
    """Return the rule set of a preset, with some of its options changed.

    Args:
        name: Name of a preset. A ``RuleSet`` is also accepted, and keeps the options not given.
        **options: Options of the preset (RULES 2-7).

    Raises:
        ValueError: the name, an option or a value is unknown; the message suggests the nearest.
    """
    if isinstance(name, RuleSet):
        return rule_set(name.name, **(dict(name.options) | options)) if options else name
    word = as_word(name)
    key = ALIASES.get(word, word)
    if key not in PRESETS:
        raise ValueError(f"unknown rule set {told(name)}{nearest(word, (*PRESETS, *ALIASES))}")
    preset = PRESETS[key]
    values = dict(preset.defaults)
    faults = [
        fault for option, value in options.items() if (fault := _fault(preset, option, value))
    ]
    if faults:
        raise ValueError(f"{key}: {'; '.join(faults)}")
    return preset.build(key, preset.source, preset.seats, values | options)


def _fault(preset: Preset, option: str, value: Option) -> str:
    """Return what is wrong with an option or its value; "" if nothing is."""
    defaults = dict(preset.defaults)
    given = f"{option}={told(value)}"
    if option not in defaults:
        return f"no option {option!r}{nearest(option, defaults)}"
    if option in CHOICES:
        if not isinstance(value, str) or value not in CHOICES[option]:
            return f"no {given}{nearest(value, CHOICES[option])}"
        if value == "clubs" and preset.seats == 3:
            return f"no {given}: three players have no sides; the nearest is 'redeal'"
        return ""
    if isinstance(defaults[option], bool):
        return "" if isinstance(value, bool) else f"{given} must be True or False"
    least = 1 if preset.build is _contracts else LEAST[option]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        return f"{given} must be a whole number, {least} to {MOST}"
    return ""
