"""Every choice [C] and reading [R] of RULES as one sentence, with the presets that it concerns.

The words before a mark in docs/rules.md identify it. A test checks that no mark is missing.
"""

from collections.abc import Iterator

from sjavs_env import RuleSet
from tests.pages.mark import Mark
from tests.pages.marks_faroese import FAROESE_MARKS
from tests.pages.marks_other import OTHER_MARKS

TABLE = (*FAROESE_MARKS, *OTHER_MARKS)


def marks_of(rules: RuleSet) -> list[Mark]:
    """Return the marks that concern a preset, in the order of RULES."""
    return sorted((m for m in TABLE if rules.name in m.presets), key=lambda mark: mark.place)


def marks_of_option(name: str, option: str) -> Iterator[Mark]:
    """Yield the marks of an option in a preset."""
    for mark in TABLE:
        if name in mark.presets and option in mark.option.split():
            yield mark


def default_marks(name: str, option: str) -> str:
    """Return the marks of the default of an option; "" if it has none."""
    return "".join(f"[{m.kind}]" for m in marks_of_option(name, option) if m.values is None)
