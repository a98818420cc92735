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
    "carry_by_suit": "nobody scores, and the winner of the next scored deal gets 2 more, or 4 more "
    "if that deal is in clubs; ties add up",
    "carry2": "nobody scores, and the winner of the next scored deal gets 2 more; ties add up",
    "double": "nobody scores, and the next scored deal counts double",
    "quadruple": "nobody scores, and the next scored deal counts fourfold",
    "declarer_loses": "declarer's side loses, as with one card point less",
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
    """Yield the rows of a contract's score table: the title, and one outcome that it covers."""
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
    """Yield the rows that card points decide."""
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
    told += ", including talon and laid-away cards" if rules.exchange else ""
    moved = {
        "first_to_zero_wins": "a gain is subtracted from the column",
        "first_to_zero_loses": "a loss is subtracted from the column",
        "account": "a gain is added to the column",
    }[rules.rubber]
    return (
        f"{told}. The rows about tricks count tricks, not card points. On the sheet {moved}. "
        "*Paid* is the payoff of declarer's seat."
    )


def score_table(rules: RuleSet, contract: Contract) -> str:
    """Return the score table of one contract, with one column if clubs make no difference."""
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
    """Return the owners of the columns that gain, each with its gain."""
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
    """Return how a tied deal changes the next one; "" if the rules have no ties."""
    if rules.tie not in TIE:
        return ""
    tie = rules.contracts[0].scores[0].tie
    both = " If two defenders win, each of them gets it." if rules.columns > 2 else ""
    ends = "A carry ends with the rubber."
    return f"**{tie}–{tie}** (*stanton*): {TIE[rules.tie]}.{both} {ends}"


def rubber(rules: RuleSet) -> str:
    """Return how a rubber begins and ends."""
    crosses, limit = MOST_CROSSES[rules.rubber], rules.max_deals
    if rules.rubber == "account":
        return (
            f"Every column starts at {rules.start}. After {limit} deals the highest column wins a "
            "cross. Several highest columns win one each; if all are equal, nobody wins. A void "
            "deal does not count."
        )
    if rules.rubber == "first_to_zero_loses":
        return (
            f"Every column starts at {rules.start}. The first column at or below 0 has lost, and "
            "every other column wins a cross. If a deal brings several columns to 0 or below, the "
            "one that was lowest before the deal loses. If those were equal, the lowest of them "
            f"after one more deal loses, and so on. A player who ends on {rules.start} is reported."
        )
    ends = (
        f" After {limit} deals with a score the lowest column wins. Several lowest columns all "
        "win. If all are equal, the rubber is drawn. The double victory applies here too."
        if limit
        else ""
    )
    first = "The first column at or below 0 wins a cross."
    if rules.columns > 2:
        first = (
            "When a column is at or below 0, the lowest column wins a cross. Two equal lowest "
            "columns win one each."
        )
    return (
        f"Every column starts at {rules.start}. {first} It is a double victory, which counts "
        f"{NUMBERS[crosses]} crosses, if every column that does not win is still at {rules.start} "
        f"or above.{ends}"
    )


def payoff(rules: RuleSet) -> str:
    """Return what agents are paid."""
    others = (
        "the gain of the other column"
        if rules.columns == 2
        else "the mean gain of the other columns"
    )
    alone = [f"`{t}`" for t, (made, c) in all_contracts(rules).items() if made.pairs and c.alone]
    share = NUMBERS[rules.seats - 1]
    extra = (
        f" With {either(alone)} only declarer is paid that amount, and each of the other {share} "
        f"loses a {'third' if share == 'three' else 'part'} of it."
        if alone
        else ""
    )
    carried = ", carry included," if rules.carries else ""
    void = " A void deal pays 0." if rules.all_pass != "clubs" else ""
    return (
        f"A deal pays every seat the gain of its column{carried} minus {others}.{extra}{void} "
        "A rubber pays only at its end: the crosses of the seat's column minus the mean of the "
        "other columns' crosses."
    )
