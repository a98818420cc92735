"""The score tables of a rule set, ties, rubbers and payoffs."""

from collections.abc import Iterator

import numpy as np

from sjavs_env import RuleSet
from sjavs_env.core.rules.rubber import MOST_CROSSES
from sjavs_env.core.rules.scoring import column_payoffs
from sjavs_env.core.tables.card_tables import card_points, pack_of
from sjavs_env.core.tables.codes import CONCEDED, NO_TRICK, ONE_SEAT, VOL
from sjavs_env.core.tables.ruleset import Contract
from sjavs_env.core.tables.score_tables import contracts_of, gain_of
from sjavs_env.core.tables.scores import Gain, Score
from tests.pages.words import NUMBERS, either, table, variants

TIE = {
    "carry_by_suit": "nobody scores, and whoever wins the next scored deal gets 2 more, 4 more if "
    "that deal is in clubs; ties add up",
    "carry2": "nobody scores, and whoever wins the next scored deal gets 2 more; ties add up",
    "double": "nobody scores, and the next scored deal counts double",
    "quadruple": "nobody scores, and the next scored deal counts fourfold",
    "declarer_loses": "declarers have lost, as with one point less",
}


def all_contracts(rules: RuleSet) -> dict[str, tuple[RuleSet, Contract]]:
    """Return every contract that a page shows, by title, with a rule set that has it."""
    shown = {}
    for contract in contracts_of(rules):
        nobodys = contract not in rules.contracts
        shown["all passed" if nobodys else contract.action or "ordinary"] = (rules, contract)
    for made in variants(rules.name).values():
        for contract in made.contracts:
            if contract.action:
                shown.setdefault(contract.action, (made, contract))
    return shown


def rows_of(rules: RuleSet, contract: Contract) -> Iterator[tuple[str, int]]:
    """Yield the rows of a contract's score table: a title, and an outcome in it."""
    score, total = contract.scores[0], sum(map(card_points, pack_of(rules)))
    alone = contract.alone or not rules.pairs
    if alone or _gains(contract, ONE_SEAT) == _gains(contract, VOL):
        yield "all tricks", ONE_SEAT
    else:
        yield "all tricks, one seat all of them", ONE_SEAT
        yield "all tricks", VOL
    yield from _bands(score, total)
    yield "no trick", NO_TRICK
    if rules.concede:
        yield "given up", CONCEDED


def _bands(score: Score, total: int) -> Iterator[tuple[str, int]]:
    """Yield the rows that card points tell."""
    if len(score.bands) == 1:
        yield "some of the tricks", 1
        return
    top = total
    for least, _ in score.bands:
        if score.tie == top and score.tie != least:
            yield str(score.tie), score.tie
            top -= 1
        yield (f"{least}–{top}" if least < top else str(least)), least
        top = least - 1


def _gains(contract: Contract, outcome: int) -> list[Gain]:
    return [gain_of(score, outcome) for score in contract.scores]


def score_tables(rules: RuleSet) -> str:
    """Return the score table of every contract."""
    parts = [_legend(rules)]
    shown = all_contracts(rules)
    for title, (made, contract) in shown.items():
        option = next((o for o, v in variants(rules.name).items() if v is made), "")
        if len(shown) > 1:
            name = title if title in ("ordinary", "all passed") else f"`{title}`"
            parts.append(f"**{name}**" + (f" (`{option}`)" if option else ""))
        parts.append(score_table(made, contract))
    return "\n\n".join(parts)


def _legend(rules: RuleSet) -> str:
    told = "Card points are those of the declaring side"
    told += ", its talon and laid-away cards included" if rules.exchange else ""
    moved = {
        "first_to_zero_wins": "what a column gains is subtracted from it",
        "first_to_zero_loses": "what a column loses is subtracted from it",
        "account": "what a column gains is added to its account",
    }[rules.rubber]
    return (
        f"{told}; tricks are counted as tricks, whatever lies in them. On the sheet {moved}. "
        "*Paid* is the payoff of declarer's seat."
    )


def score_table(rules: RuleSet, contract: Contract) -> str:
    """Return the score table of one contract; one column where clubs make no difference."""
    one, columns = contract.scores[0] == contract.scores[1], ("simple", "clubs")
    titles, rows = [], []
    for name in ("gains",) if one else columns:
        titles += [name, "paid" if one else f"paid, {name}"]
    for title, outcome in rows_of(rules, contract):
        cells: list[str] = []
        for gain in _gains(contract, outcome)[: 1 if one else 2]:
            cells += [gain_text(rules, contract, gain), signed(paid(rules, gain))]
        rows.append([title, *cells])
    first = "seat 0's side" if contract not in rules.contracts else "declaring side"
    return table([first, *titles], rows)


def gain_text(rules: RuleSet, contract: Contract, gain: Gain) -> str:
    """Return who gains what."""
    if contract not in rules.contracts:
        names = ("seat 0's side", "seat 1's side")
    elif rules.pairs:
        names = ("declarer's pair", "other pair")
    else:
        names = ("declarer", "opponent" if rules.seats == 2 else "each opponent")
    said = [f"{name} {signed(amount)}" for name, amount in zip(names, gain, strict=True) if amount]
    return ", ".join(said) or "nobody"


def paid(rules: RuleSet, gain: Gain) -> float:
    """Return the payoff of declarer's column."""
    columns = np.array([gain[0], *[gain[1]] * (rules.columns - 1)], float)
    return float(column_payoffs(columns)[0])


def signed(amount: float) -> str:
    """Return an amount with its sign."""
    return f"{amount:+.4g}".replace("-", "−") if amount else "0"


def ties(rules: RuleSet) -> str:
    """Return what a deal that nobody wins is worth to the next, "" where there is none."""
    if rules.tie not in TIE:
        return ""
    tie = rules.contracts[0].scores[0].tie
    both = " Two defenders who win get it each." if rules.columns > 2 else ""
    ends = "What is carried ends with the rubber."
    return f"**{tie}–{tie}** (*stanton*): {TIE[rules.tie]}.{both} {ends}"


def rubber(rules: RuleSet) -> str:
    """Return how a rubber begins and ends."""
    crosses, limit = MOST_CROSSES[rules.rubber], rules.max_deals
    if rules.rubber == "account":
        return (
            f"Every account starts at {rules.start}. After {limit} deals the highest wins a cross, "
            "each of several; none if all are equal. A void deal does not count."
        )
    if rules.rubber == "first_to_zero_loses":
        return (
            f"Every column starts at {rules.start}. The first at or below 0 has lost, and every "
            "other wins a cross. Of several, the one that was lowest before the deal loses; of "
            "equal ones, the lowest after one more deal, and so on. Who ends on "
            f"{rules.start} is reported."
        )
    ends = (
        f" After {limit} deals with a score the lowest column wins, several lowest all win, and "
        "if all are equal the rubber is drawn; the double victory applies there too."
        if limit
        else ""
    )
    first = "The first at or below 0 wins a cross"
    if rules.columns > 2:
        first = "When one comes to 0 or below, the lowest wins a cross, two equal ones one each"
    return (
        f"Every column starts at {rules.start}. {first}; {NUMBERS[crosses]}, a double victory, if "
        f"every column that does not win is still at {rules.start} or above.{ends}"
    )


def payoff(rules: RuleSet) -> str:
    """Return what agents are paid."""
    others = (
        "what the other column gains" if rules.columns == 2 else "the mean of the others' gains"
    )
    alone = [f"`{t}`" for t, (made, c) in all_contracts(rules).items() if made.pairs and c.alone]
    share = NUMBERS[rules.seats - 1]
    extra = (
        f" With {either(alone)} declarer alone is paid that, and each of the other {share} loses a "
        f"{'third' if share == 'three' else 'part'} of it."
        if alone
        else ""
    )
    carried = ", a carry included" if rules.carries else ""
    void = " A void deal pays 0." if rules.all_pass != "clubs" else ""
    return (
        f"A deal pays every seat what its column gains{carried}, less {others}.{extra}{void} "
        "A rubber pays at its end alone: the crosses of a column less the mean of the others' "
        "crosses."
    )
