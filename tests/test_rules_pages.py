"""The pages of docs/rules agree with the machine, and hold every mark of RULES."""

import re

import numpy as np
import pytest

from sjavs_env import LAYOUT, RULE_SETS, VectorSjavs, rule_set, unpack
from sjavs_env.core.tables.codes import N_OUTCOMES, PHASES
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.rulesets import PRESETS
from tests.pages.amounts import TIE, all_contracts, gain_text, rows_of
from tests.pages.interface import legal_actions, settable
from tests.pages.marks import TABLE, marks_of
from tests.pages.page import PAGES, SECTIONS
from tests.pages.words import CHECKOUT, RULES_TEXT, values_of

DEALS = 300
SUITS = "DHSC"
OWN = ("declarer", "declarer's pair", "seat 0's side")
# Every option that adds a contract, so that the deals use all score tables.
ALL_CONTRACTS = {"french8": {"solo": True, "halv": True, "nolo": True}}


def read(name):
    return (CHECKOUT / f"docs/rules/{name}.md").read_text(encoding="utf-8")


def section(name, title):
    return read(name).partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def score_tables(name):
    """Return the rows of the score tables by contract: outcome, (gains, paid) for each column."""
    found, title = {}, "ordinary"
    for line in section(name, "Score").splitlines():
        if line.startswith("**"):
            title = line.split("**")[1].strip("`")
        elif line.startswith("| ") and not line.startswith(("| declaring", "| seat 0")):
            outcome, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            found.setdefault(title, {})[outcome] = cells
    return found


def random_play(deals, rng, see=lambda: None):
    while not deals.over.all():
        see()
        legal = deals.legal_mask()
        deals.step((legal * rng.random(legal.shape)).argmax(axis=1))
    see()


def outcome_row(rows, rules, result, alone):
    """Return the title of a result's row, derived from its card points and tricks."""
    owner = result.declarer or 0
    side = {s for s in range(rules.seats) if rules.column(s) == rules.column(owner)}
    side = {owner} if alone else side
    tricks = [result.tricks[seat] for seat in side]
    if rules.concede and not sum(result.tricks):
        return "given up"
    if sum(tricks) == rules.n_tricks:
        single = "all tricks, one seat all of them"
        return single if single in rows and max(tricks) == rules.n_tricks else "all tricks"
    if sum(tricks) == 0:
        return "no trick"
    for title in rows:
        ends = re.fullmatch(r"(\d+)(?:–(\d+))?", title)
        if ends and int(ends[1]) <= result.card_points[0] <= int(ends[2] or ends[1]):
            return title
    return "some of the tricks"


def amounts(cell):
    """Return the gain of the declaring column and of each other column."""
    found = dict(re.findall(r"([^,]*?) ([+−]\d+)(?:, )?", cell))
    own = [value for name, value in found.items() if name in OWN]
    others = [value for name, value in found.items() if name not in OWN]
    return tuple(int(values[0].replace("−", "-")) if values else 0 for values in (own, others))


def test_there_is_a_page_for_every_rule_set_and_nothing_else():
    made = {f"docs/rules/{path.name}" for path in (CHECKOUT / "docs/rules").iterdir()}
    assert made == set(PAGES) == {f"docs/rules/{name}.md" for name in ("README", *RULE_SETS)}


@pytest.mark.parametrize("document", PAGES)
def test_every_page_is_up_to_date(document):
    written = (CHECKOUT / document).read_text(encoding="utf-8")
    assert written == PAGES[document](), "run `python -m tests.readme`"


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_section_that_applies_is_there_with_something_in_it(name):
    for title, make in SECTIONS.items():
        if title and make(rule_set(name)):
            assert section(name, title).strip()


def test_the_index_leads_to_every_page_and_names_suduroy():
    index = read("README")
    assert all(f"({name}.md)" in index for name in RULE_SETS)
    assert "Suðuroy" in index
    assert "flyvesjavs" in index


def test_every_mark_of_the_rules_has_its_sentence():
    # The line that explains the two marks is not a mark itself.
    begin = RULES_TEXT.index("\n## 0.")
    marked = {m.start() for m in re.finditer(r"\*\*\[[RC]", RULES_TEXT) if m.start() > begin}
    places = [mark.place for mark in TABLE]
    assert len(places) == len(set(places))
    assert {RULES_TEXT[place:][:60] for place in marked - set(places)} == set()
    assert set(places) == marked


@pytest.mark.parametrize("mark", TABLE, ids=lambda mark: mark.anchor)
def test_the_words_before_a_mark_identify_it(mark):
    assert RULES_TEXT.count(f"{mark.anchor} **[{mark.kind}") == 1
    assert set(mark.presets) <= set(RULE_SETS)
    for name in mark.presets:
        assert f"- **[{mark.kind}]** {mark.said}" in section(name, "Choices and readings")
        for option in mark.option.split():
            assert option in dict(PRESETS[name].defaults)


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_mark_of_a_section_about_one_preset_is_on_its_page(name):
    """No mark may be missing from a section of RULES that describes only one preset."""
    number = {"faroese3": 3, "faroese2": 4, "klorsjavs18": 5, "farvesjavs": 6, "french8": 7}
    if name in number:
        shown = {mark.place for mark in marks_of(rule_set(name))}
        assert {m.place for m in TABLE if m.paragraph == number[name]} <= shown


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_option_and_value_is_on_the_page_with_its_default(name):
    table = section(name, "Options")
    for option, default in PRESETS[name].defaults:
        assert f"| `{option}={default}` | default |" in table
        assert all(f"| `{option}={value}` |" in table for value in values_of(name, option))


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_score_tables_are_what_the_compiled_tables_pay(name):
    tables = score_tables(name)
    shown = all_contracts(rule_set(name))
    assert set(tables) == set(shown) if len(shown) > 1 else len(tables) == 1
    for title, (rules, contract) in shown.items():
        rows = tables[title] if len(shown) > 1 else next(iter(tables.values()))
        compiled = compile_tables(rules).gains.reshape(2, -1, 2, N_OUTCOMES)
        index = [c.action for c in rules.contracts].index(contract.action)
        index = compile_tables(rules).nobody if title == "all passed" else index
        for outcome_title, outcome in rows_of(rules, contract):
            cells = rows[outcome_title][::2]
            for clubs, cell in enumerate(cells):
                gain = tuple(compiled[:, index, clubs, outcome].tolist())
                assert cell == gain_text(rules, contract, gain)
                assert amounts(cell) == gain


@pytest.mark.parametrize("name", RULE_SETS)
def test_random_deals_are_paid_as_the_page_says(name):
    deals = VectorSjavs(rule_set(name, **ALL_CONTRACTS.get(name, {})), batch=DEALS, seed=3)
    rules, tables = deals.rules, score_tables(name)
    random_play(deals, np.random.default_rng(3))
    for row in range(DEALS):
        result = deals.result(row)
        if result.void:
            continue
        title = "all passed" if result.declarer is None else str(result.contract)
        rows = tables.get(title) or tables["ordinary"]
        outcome = outcome_row(rows, rules, result, title in ("solo", "nolo"))
        clubs = result.trump == "C" and len(rows[outcome]) > 2
        gains, paid = rows[outcome][2 * clubs : 2 * clubs + 2]
        own, others = amounts(gains)
        seat = result.declarer or 0
        column = rules.column(seat)
        assert [own if c == column else others for c in range(rules.columns)] == [*result.gains]
        assert float(paid.replace("−", "-")) == result.payoffs[seat]


@pytest.mark.parametrize("tie", TIE)
def test_a_tie_is_worth_what_the_pages_say(tie):
    """RULES 2, 60-60: the page gives the amounts that a carry adds to the next deal."""
    rules, played = rule_set("faroese4", tie=tie), []
    for carry in (0, 1) if rules.carries else (0,):
        deals = VectorSjavs(rules, batch=DEALS, seed=5)
        deals.reset(seed=5, carry=carry)
        random_play(deals, np.random.default_rng(5))
        played.append(deals)
    if not rules.carries:
        assert TIE[tie].startswith("declarer's side loses")
        return
    plain, carried = (deals.gains.max(axis=1) for deals in played)
    scored, clubs = plain > 0, played[0].trump == SUITS.index("C")
    added = [int(number) for number in re.findall(r"(\d) more", TIE[tie])]
    times = {"double": 2, "quadruple": 4}.get(tie, 1)
    more = np.where(clubs, added[-1], added[0]) if added else 0
    assert (carried[scored] == (plain * times + more)[scored]).all()


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_page_lists_the_actions_and_features_that_occur(name):
    rules = rule_set(name)
    deals = VectorSjavs(rules, batch=DEALS, seed=7)
    deals.reset(seed=7, carry=np.arange(DEALS) % 2 * rules.carries)
    said = legal_actions(rules)
    legal = {phase: set() for phase in PHASES}
    can, seen = settable(rules), np.zeros(settable(rules).size, np.bool_)

    def see():
        phases = unpack(deals.observe(0))[:, LAYOUT["phase"].feature :][:, : len(PHASES)]
        for phase in set(phases.argmax(axis=1).tolist()):
            mask = deals.legal_mask()[phases.argmax(axis=1) == phase]
            legal[PHASES[phase]].update(np.flatnonzero(mask.any(axis=0)).tolist())
        for seat in range(rules.seats):
            np.logical_or(seen, unpack(deals.observe(seat)).any(axis=0), out=seen)

    random_play(deals, np.random.default_rng(7), see)
    for phase, actions in said.items():
        assert legal[phase] <= actions
        # Long trump suits are too rare for this sample.
        assert phase == "auction" or legal[phase] == actions
    assert not (seen & ~can).any()
    for item in LAYOUT.values():
        part = slice(item.feature, item.feature + item.n_features)
        if item.name not in ("calls", "contract"):
            assert seen[part].tolist() == can[part].tolist(), item.name


@pytest.mark.parametrize("name", RULE_SETS)
def test_no_deal_has_more_decisions_than_the_page_says(name):
    rules = rule_set(name)
    most = [
        sum(int(n) for n in re.findall(r"\((?:at most |1 to )?(\d+)\)", line))
        for line in section(name, "Decisions").splitlines()
        if "→" in line
    ]
    deals = VectorSjavs(rules, batch=DEALS, seed=9)
    random_play(deals, np.random.default_rng(9))
    made = [len(deals.record(row).split()) - 1 for row in range(DEALS)]
    assert max(made) <= max(most) <= compile_tables(rules).max_decisions
