"""The options of a preset: values, defaults, effects and marks."""

from sjavs_env import RuleSet
from sjavs_env.core.tables.rulesets import LEAST, MOST, PRESETS
from sjavs_env.core.tables.scores import FAROESE_SCORES
from tests.pages.amounts import TIE
from tests.pages.course import ALL_PASS, PERMITTED, RUFF
from tests.pages.marks import marks_of_option
from tests.pages.words import page_link, table, values_of

EXCHANGE = {
    "blind_2": "Declarer lays away before seeing the talon.",
    "take_2": "Declarer may take up the talon, and then lays away from all the cards held.",
}
SWITCHES = {
    "solo": "Declarer may play alone, for the double amount.",
    "halv": "Declarer may play for half of the card points.",
    "nolo": "Declarer may play alone and without trumps, for no trick.",
}
SCORES = {name: f"The score table of {page_link(name)}." for name in FAROESE_SCORES}
NUMBERED = {
    "start": "Start value of every column.",
    "max_deals": "Number of scored deals after which the rubber ends; 0 means no limit.",
}
_SENTENCES = {
    "score": SCORES,
    "bidding": PERMITTED,
    "all_pass": {value: f"If all pass, {said}." for value, said in ALL_PASS.items()},
    "ruff": RUFF,
    "tie": {value: f"After a tie {said}." for value, said in TIE.items()},
    "exchange": EXCHANGE,
}


def said_of(option: str, value: object) -> str:
    """Return the effect of a value of an option."""
    if option in SWITCHES:
        return SWITCHES[option] if value else "There is no such game."
    return _SENTENCES[option][value]


def option_table(rules: RuleSet) -> str:
    """Return every value of every option, with its marks."""
    rows = []
    for option, default in PRESETS[rules.name].defaults:
        values = values_of(rules.name, option)
        for value in values:
            chosen = "default" if value == default else ""
            rows.append(
                (
                    f"`{option}={value}`",
                    chosen,
                    said_of(option, value),
                    _marks(rules, option, value),
                )
            )
        if not values:
            least = max(LEAST[option], 1) if rules.rubber == "account" else LEAST[option]
            said = f"{NUMBERED[option]} A whole number, {least} to {MOST}."
            if least:
                said = said.replace("; 0 means no limit", "")
            rows.append((f"`{option}={default}`", "default", said, _marks(rules, option, default)))
    return table(["option", "", "what it does", "marks"], rows)


def _marks(rules: RuleSet, option: str, value: object) -> str:
    """Return the kinds of the marks that explain a value of an option."""
    default = dict(PRESETS[rules.name].defaults)[option]
    kinds = {
        f"[{mark.kind}]"
        for mark in marks_of_option(rules.name, option)
        if mark.explains(value, default)
    }
    return " ".join(sorted(kinds, reverse=True))
