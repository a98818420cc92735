"""Cards, tables and links in the format of the pages."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sjavs_env import RuleSet, rule_set
from sjavs_env.core.tables.cards import SUIT_SYMBOLS, SUITS
from sjavs_env.core.tables.rulesets import CHOICES, PRESETS
from sjavs_env.views.looker import card_text

CHECKOUT = Path(__file__).resolve().parents[2]
RULES_TEXT = (CHECKOUT / "docs/rules.md").read_text(encoding="utf-8")
NUMBERS = ("no", "one", "two", "three", "four")


def cards_text(rules: RuleSet, cards: Iterable[int]) -> str:
    """Return cards as people write them."""
    return " ".join(card_text(int(card), rules.fives) for card in cards)


def suit_text(suit: int | str) -> str:
    """Return the symbol of a suit, by index or letter."""
    return SUIT_SYMBOLS[SUITS.index(suit) if isinstance(suit, str) else suit]


def table(titles: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Return a table. The columns whose titles are in ``right`` are aligned to the right."""
    lines = [f"| {' | '.join(titles)} |"]
    lines.append(f"|{'|'.join('--:' if title in right.split() else '---' for title in titles)}|")
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def either(values: Iterable[object]) -> str:
    """Return values as a choice: "0, 1 or 2"."""
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}" if first else last


def slug(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def paragraphs() -> dict[int, str]:
    """Return the headings of RULES by the number of their section."""
    headings = re.findall(r"^## ((\d+)\. .*)$", RULES_TEXT, flags=re.M)
    return {int(number): heading for heading, number in headings}


def rules_link(paragraph: int) -> str:
    """Return a link to a section of RULES."""
    return f"[RULES {paragraph}](../rules.md#{slug(paragraphs()[paragraph])})"


def sources() -> dict[str, str]:
    """Return the description of each source in RULES, by its code."""
    rows = re.findall(r"^\| ([A-Z]{2}) \| (.*?) \| (.*?) \|$", RULES_TEXT, flags=re.M)
    return {code: f"{source}; {weight}" for code, source, weight in rows}


def source_of(rules: RuleSet) -> tuple[int, list[str]]:
    """Return the section of RULES that describes a rule set, and the codes of its sources."""
    found = re.fullmatch(r"RULES (\d) \((.*)\)", rules.source)
    return int(found[1]), found[2].split(", ")


def values_of(name: str, option: str) -> tuple[object, ...]:
    """Return the values that an option takes in a preset; () if it is a number."""
    if option not in CHOICES:
        switch = isinstance(dict(PRESETS[name].defaults)[option], bool)
        return (False, True) if switch else ()
    return tuple(value for value in CHOICES[option] if _is_value(name, option, value))


def _is_value(name: str, option: str, value: object) -> bool:
    try:
        rule_set(name, **{option: value})
    except ValueError:
        return False
    return True


def variants(name: str) -> dict[str, RuleSet]:
    """Return every rule set with one changed option, by the text ``option=value``."""
    made = {}
    for option, default in PRESETS[name].defaults:
        for value in values_of(name, option):
            if value != default:
                made[f"{option}={value}"] = rule_set(name, **{option: value})
    return made


def page_link(name: str) -> str:
    """Return a link to the page of a preset, from another page."""
    return f"[`{name}`]({name}.md)"
