"""The course of a deal: auction, naming, exchange, the choice before the lead, play."""

from collections.abc import Iterator

from sjavs_env import RuleSet
from sjavs_env.core.tables import actions as a
from sjavs_env.core.tables.auction_tables import LEAST_LENGTH, N_CLAIMS, possible_calls
from sjavs_env.core.tables.cards import SUITS, cards_of
from sjavs_env.core.tables.compiled import compile_tables
from sjavs_env.core.tables.score_tables import contracts_of
from sjavs_env.core.tables.scores import ALL_PASS_CLUBS
from sjavs_env.views.score_sheet import call_text
from tests.pages.words import NUMBERS, either, suit_text, table, variants

PERMITTED = {
    "forced": "A seat that can beat the standing call must do so.",
    "free": "A seat that can beat the standing call may also pass.",
}
ALL_PASS = {
    "redeal": "the deal is void, scores nothing, and the same dealer deals again",
    "redeal_next": "the deal is void, scores nothing, and the next dealer deals",
    "clubs": "the deal is played with ♣ as trumps and without a declarer; the side with more than "
    f"half of the card points scores {ALL_PASS_CLUBS.vol[0]}, whatever the margin",
}
RUFF = {
    "free": "A seat that cannot follow may play any card.",
    "no_undertrump": "A seat that cannot follow may play any card, with one exception: if a plain "
    "suit was led and has been trumped, it may not play a trump below the highest trump in the "
    "trick, unless it has nothing else to play. This also binds against the partner's trump. It "
    "obliges nobody to trump.",
    "overtrump": "A seat that cannot follow may play any card, unless a plain suit was led and has "
    "been trumped. Then it must play a higher trump; without one, a plain card; without either, "
    "any card.",
}


def call_name(action: int) -> str:
    """Return a call as people write it, and its name in notation if that differs."""
    name, said = a.name_of(action), call_text(a.name_of(action))
    return f"`{name}`" if name == said else f"{said} `{name}`"


def auction(rules: RuleSet) -> str:
    """Return the possible calls, the order of the calls, and what follows when all pass."""
    about = {"length": _lengths, "suit": _suits, "contract": _contracts}[rules.auction](rules)
    parts = [about, _beats(rules)] if not rules.first_call_ends else [about]
    return "\n\n".join([*parts, f"If all pass, {ALL_PASS[rules.all_pass]}."])


def _lengths(rules: RuleSet) -> str:
    where = "hand, including face-up cards," if rules.piles else "hand"
    return (
        "There is one round, and each seat speaks once. The length of a suit is the number of "
        f"cards in the {where} that are trumps if the suit is trumps. A seat calls the length of "
        f"its longest suit if that is {LEAST_LENGTH} or more. It may not call less, and it does "
        "not name the suit. A greater length beats the standing call. If ♣ is among the longest "
        'suits, an equal length beats it too: the call is then "better" (*betur*). An equal length '
        'does not beat a standing call that is "better" itself. '
        f"{PERMITTED[rules.bidding]} A seat that cannot beat it passes."
    )


def _suits(rules: RuleSet) -> str:
    ranking = " < ".join(suit_text(suit) for suit in SUITS)
    return (
        "There is one round, and each seat speaks once. A call names a suit that ranks above the "
        f"standing suit ({ranking}). The hand must have {LEAST_LENGTH} trumps or more with that "
        f"suit. {PERMITTED[rules.bidding]}"
    )


def _contracts(rules: RuleSet) -> str:
    names = [f"`{contract.action}`" for contract in rules.contracts]
    if rules.first_call_ends:
        return (
            f"Beginning with forehand, each seat offers to play ({names[0]}) or passes. The first "
            "offer ends the auction."
        )
    return (
        "There is one round, and each seat speaks once: it passes, or names a contract that ranks "
        f"above the standing one ({' < '.join(names)}). {PERMITTED[rules.bidding]}"
    )


def _beats(rules: RuleSet) -> str:
    """Return a table of the calls that beat each call, from the compiled table."""
    calls = compile_tables(rules).calls.reshape(N_CLAIMS, a.N_ACTIONS)
    rows, known = [], set(possible_calls(rules))
    for standing in [a.PASS, *sorted(known - {a.PASS}, key=_height)]:
        over = {
            action for legal in calls[:, standing] for action in cards_of(legal) if action in known
        } - {a.PASS}
        said = " ".join(f"`{a.name_of(action)}`" for action in sorted(over, key=_height))
        rows.append((call_name(standing) if standing != a.PASS else "none yet", said or "nothing"))
    return table(["standing call", "what beats it"], rows)


def _height(action: int) -> tuple[int, int]:
    """Return the rank of a call in its auction."""
    name = a.name_of(action)
    if name.rstrip("+").isdigit():
        return int(name.rstrip("+")), name.endswith("+")
    return (SUITS.index(name[1]) if name.startswith("=") else action), 0


def naming(rules: RuleSet) -> str:
    """Return how the trump suit is settled."""
    return {
        "longest": "The owner of the highest call is declarer and names one of his longest suits "
        "as trumps. If ♣ is among them, he must name ♣.",
        "clubs": "♣ is always trumps; nobody names a suit. The owner of the highest call is "
        "declarer.",
        "call": "The suit of the highest call is trumps, and the owner of the call is declarer.",
        "any": "The owner of the highest contract is declarer and names any suit as trumps"
        + (", after the exchange if there is one." if rules.exchange else "."),
    }[rules.trump_choice]


def exchange(rules: RuleSet) -> str:
    """Return how declarer exchanges cards, and which of them the seats see."""
    if not rules.exchange:
        return "There is none."
    buying = [f"`{c.action}`" for c in rules.contracts if "exchange" in c.flow]
    all_may = len(buying) == len(rules.contracts)
    who = "Declarer" if all_may else f"With {either(buying)} declarer"
    numbers = either(rules.lay_away)
    if rules.exchange == "blind":
        how = (
            f"{who} lays away {numbers} cards of the hand before seeing the talon, and then takes "
            "as many talon cards, in the order in which they were dealt. Nobody sees a talon card "
            "that is not taken."
        )
    else:
        how = (
            f"{who} may take up the talon (`take`), and then lays away {rules.lay_away[-1]} of all "
            "the cards held. If the talon is not taken, nobody sees it."
        )
    return (
        f"{how} Until the deal ends, only declarer knows the laid-away cards. The card points of "
        "the talon and of the laid-away cards that lie on the table count for declarer"
        + ("." if all_may else ", in the other contracts too.")
    )


def last_word(rules: RuleSet) -> str:
    """Return the choices of declarer before the first lead; "" if there are none."""
    if rules.concede:
        return (
            "Declarer may give up (`concede`); the [score table](#score) has a row for it. `-` "
            "plays on."
        )
    chosen = {
        c.action: c for v in variants(rules.name).values() for c in v.contracts[1:] if c.action
    }
    if rules.auction != "suit" or not chosen:
        return ""
    lines = [
        "If one of these options is on, declarer chooses between it and the ordinary game (`-`) "
        "once trumps are settled:",
        "",
    ]
    for name, contract in chosen.items():
        alone = "alone against the others" if contract.alone else "with the partner"
        trumps = "" if contract.trumps else ", without trumps"
        lines.append(f"- `{name}`: {alone}{trumps}.")
    return "\n".join(lines)


def sides(rules: RuleSet) -> str:
    """Return which seats play together."""
    if rules.pairs:
        return "Opposite seats are partners: 0 and 2, 1 and 3."
    others = rules.seats - 1
    return "Declarer plays against " + (
        "the other seat." if others == 1 else f"the other {NUMBERS[others]} together."
    )


def play(rules: RuleSet) -> str:
    """Return how the cards are played."""
    parts = [f"{sides(rules)} A deal has {rules.n_tricks} tricks. {RUFF[rules.ruff]}"]
    if rules.piles:
        parts.append(
            "A face-down card whose cover has been played is turned up at the end of that trick, "
            "and is then a face-up card. With two players `ruff` changes nothing: once a lead has "
            "been trumped, nobody plays to that trick any more."
        )
    return " ".join(parts)


def decisions(rules: RuleSet) -> str:
    """Return the order of the decisions in a deal for each contract, also those of options."""
    rows = list(_paths(rules))
    for option, made in variants(rules.name).items():
        ways = [(f"{title} (`{option}`)", way) for title, way in _paths(made)]
        rows += [
            added for added, plain in zip(ways, _paths(made), strict=True) if plain not in rows
        ]
    return table(["contract", "decisions, with their number"], rows)


def _paths(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield each contract with the phases that lead through it."""
    most = {
        "auction": f"auction (at most {rules.seats})",
        "name": "name (1)",
        "exchange": f"exchange (1 to {rules.lay_away[-1] + (rules.exchange == 'take')})",
        "confirm": "confirm (1)",
        "play": f"play ({rules.seats * rules.n_tricks})",
    }
    ordinary = rules.contracts[0].flow
    for contract in contracts_of(rules):
        nobodys = contract not in rules.contracts
        # A contract that is chosen in ``confirm`` has that phase before its own phases.
        chosen = contract is not rules.contracts[0] and "confirm" in ordinary and not nobodys
        flow = ("confirm", *contract.flow) if chosen else contract.flow
        title = f"`{contract.action}`" if contract.action else "ordinary"
        way = " → ".join(most[phase] for phase in ("auction", *flow))
        yield "all passed" if nobodys else title, way
