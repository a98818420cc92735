"""The pages themselves, section by section, and their index."""

from collections.abc import Callable

from sjavs_env import RULE_SETS, RuleSet, rule_set
from sjavs_env.core.tables.rulesets import ALIASES
from tests.pages import amounts, cards, course, interface
from tests.pages.example import example
from tests.pages.mark import Mark
from tests.pages.marks import marks_of
from tests.pages.options import option_table
from tests.pages.words import (
    NUMBERS,
    page_link,
    rules_link,
    source_of,
    sources,
    table,
)

NOTE = "<!-- made by `python -m tests.readme` from the rule set's data -->"
LEGEND = (
    "**[C]** marks a choice of this project, because no source gives a value. **[R]** marks a "
    "reading of an unclear sentence. Do not take either for a tradition."
)
ABOUT = (
    "Each preset has a page: cards in order, auction, exchange, score tables, options with their "
    "defaults, choices and readings, actions, observation, and a deal as an example. The pages are "
    "made from the data that the machine plays by. [The rules](../rules.md) are the normative text."
)
SUDUROY = (
    "Suðuroy plays with variations of its own, but no source here lists them. This project offers "
    "options instead of an invented preset."
)
TITLES = {
    "faroese4": "Sjavs of the Faroes for four, the default here",
    "faroese4_wiki": "Sjavs of the Faroes for four, as the Faroese Wikipedia has it",
    "faroese4_1996": "Sjavs of the Faroes for four, with the score table of 1996",
    "russian6": "Sjavs for four in six deals, as a Russian guide has it",
    "faroese3": "Sjavs of the Faroes for three, with a talon",
    "faroese2": "Sjavs of the Faroes for two, with cards face up and face down",
    "klorsjavs": "Klørsjavs, Danish: clubs are trumps, one against two",
    "klorsjavs18": "Klørsjavs with 18 cards: clubs are trumps, one against three",
    "klorsjavs_contracts": "Klørsjavs with contracts: clubs are trumps, one against two",
    "farvesjavs": "Farvesjavs, Danish: contracts, and declarer names trumps",
    "french8": "The game of a French guide: eight permanent trumps, one suit named",
}


def about(rules: RuleSet) -> str:
    """Return what the game is, and the sections of RULES and the sources that describe it."""
    paragraph, codes = source_of(rules)
    # A race to zero is described once, for four players.
    shared = [1] if rules.rubber != "first_to_zero_wins" or paragraph == 2 else [1, 2]
    seats = NUMBERS[rules.seats]
    who = "two pairs" if rules.pairs else "each with a column of the score sheet"
    other = [alias for alias, name in ALIASES.items() if name == rules.name]
    also = f" `{other[0]}` is another name for it." if other else ""
    lines = [
        f"{TITLES[rules.name]}. {seats.capitalize()} seats, {who}; {len(rules.pack)} cards.{also}",
        "",
        f"{rules_link(paragraph)} describes this game. The rules that it shares with other games "
        f"are in {' and '.join(map(rules_link, shared))}. Sources:",
        "",
        *(f"- {code}: {sources()[code]}" for code in codes),
    ]
    return "\n".join(lines)


def mark_list(rules: RuleSet) -> str:
    """Return every choice and reading that concerns a rule set."""
    lines = [
        f"- **[{mark.kind}]** {mark.said}{_belongs(mark, rules)} {rules_link(mark.paragraph)}"
        for mark in marks_of(rules)
    ]
    return "\n".join([LEGEND, "", *lines])


def _belongs(mark: Mark, rules: RuleSet) -> str:
    """Return the option that a mark belongs to; "" if there is none."""
    names, defaults = mark.option.split(), dict(rules.options)
    if mark.values is None:
        told = [f"`{name}={defaults[name]}`" for name in names]
    else:
        told = [f"`{name}={value}`" for name in names for value in mark.values]
        told = told or [f"`{name}`" for name in names]
    return f" ({', '.join(told)})" if told else ""


def payoff(rules: RuleSet) -> str:
    """Return the payoffs, with a link to their section of RULES."""
    return f"{amounts.payoff(rules)} {rules_link(8)}"


def observation(rules: RuleSet) -> str:
    """Return the table of the observation, with a link to the meaning of its slices."""
    whole = "[All slices and their meaning](../environment.md#observation-and-mask)."
    return f"{interface.observation_table(rules)}\n\n{whole}"


def actions(rules: RuleSet) -> str:
    """Return the table of the actions, with a link to all of them."""
    return f"{interface.action_table(rules)}\n\n[All ids](../environment.md#actions)."


SECTIONS: dict[str, Callable[[RuleSet], str]] = {
    "": about,
    "Cards": cards.pack,
    "Deal": cards.deal,
    "Auction": course.auction,
    "Trumps": course.naming,
    "Exchange": course.exchange,
    "Before the first lead": course.last_word,
    "Play": course.play,
    "Score": amounts.score_tables,
    "Ties": amounts.ties,
    "Rubber": amounts.rubber,
    "Payoff": payoff,
    "Options": option_table,
    "Choices and readings": mark_list,
    "Decisions": course.decisions,
    "Actions": actions,
    "Observation": observation,
    "Example": example,
}
"""The sections of a page. A section whose text is empty is left out."""


def page(name: str) -> str:
    """Return the page of a preset."""
    rules = rule_set(name)
    parts = [f"# {name}", NOTE]
    for title, make in SECTIONS.items():
        text = make(rules)
        parts += [f"## {title}"] * bool(title and text) + [text] * bool(text)
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the index of the pages."""
    rows = []
    for name in RULE_SETS:
        rules = rule_set(name)
        kinds = [mark.kind for mark in marks_of(rules)]
        marked = f"{kinds.count('C')} [C], {kinds.count('R')} [R]"
        rows.append(
            (
                page_link(name),
                f"{TITLES[name]}.",
                rules.seats,
                len(rules.pack),
                rules.source,
                marked,
            )
        )
    titles = ["preset", "what it is", "seats", "cards", "from", "marks"]
    aliases = "".join(f" `{alias}` is {page_link(name)}." for alias, name in ALIASES.items())
    parts = ["# The rule sets", NOTE, ABOUT, table(titles, rows, right="seats cards")]
    return "\n\n".join([*parts, f"{LEGEND}{aliases}", f"{SUDUROY} {rules_link(2)}"]) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "docs/rules/README.md": index,
    **{f"docs/rules/{name}.md": (lambda name=name: page(name)) for name in RULE_SETS},
}
"""The function that makes each page."""
