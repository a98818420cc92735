"""The course of a deal: auction, naming, exchange, the last word, play."""

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
    "forced": "Who can beat the standing call must.",
    "free": "Who can beat the standing call may pass all the same.",
}
ALL_PASS = {
    "redeal": "the deal is void, scores nothing, and the same dealer deals again",
    "redeal_next": "the deal is void, scores nothing, and the next dealer deals",
    "clubs": "the deal is played with ♣ as trumps, and nobody owns the contract; the side with "
    f"more than half of the card points scores {ALL_PASS_CLUBS.vol[0]}, whatever the margin",
}
RUFF = {
    "free": "Who cannot follow plays any card.",
    "no_undertrump": "Who cannot follow plays any card, but no trump below the highest in the "
    "trick where a plain suit was led and has been trumped, unless nothing else can be played. "
    "This binds against the partner's trump too, and obliges nobody to trump.",
    "overtrump": "Who cannot follow plays any card, but where a plain suit was led and has been "
    "trumped a higher trump; without one a plain card; without one any card.",
}


def call_name(action: int) -> str:
    """Return a call as people write it, and its name in notation where that differs."""
    name, said = a.name_of(action), call_text(a.name_of(action))
    return f"`{name}`" if name == said else f"{said} `{name}`"


def auction(rules: RuleSet) -> str:
    """Return who may say what, what beats what, and what follows when all pass."""
    about = {"length": _lengths, "suit": _suits, "contract": _contracts}[rules.auction](rules)
    parts = [about, _beats(rules)] if not rules.first_call_ends else [about]
    return "\n\n".join([*parts, f"If all pass, {ALL_PASS[rules.all_pass]}."])


def _lengths(rules: RuleSet) -> str:
    where = "hand, face-up ones included," if rules.piles else "hand"
    return (
        "One round, and each seat speaks once. The length of a suit is the number of cards of the "
        f"{where} that would be trumps with it. A seat says the length of its longest suit, no "
        f"less and not which, from {LEAST_LENGTH}. A longer one beats the standing call. With ♣ "
        'among the longest suits an equal one beats it too, and is called "better" (*betur*), '
        "unless the standing call is a better one itself. "
        f"{PERMITTED[rules.bidding]} Who cannot passes."
    )


def _suits(rules: RuleSet) -> str:
    ranking = " < ".join(suit_text(suit) for suit in SUITS)
    return (
        f"One round, and each seat speaks once. A call names a suit of which the hand has "
        f"{LEAST_LENGTH} trumps or more and which ranks above the standing suit ({ranking}). "
        f"{PERMITTED[rules.bidding]}"
    )


def _contracts(rules: RuleSet) -> str:
    names = [f"`{contract.action}`" for contract in rules.contracts]
    if rules.first_call_ends:
        return f"From forehand each seat plays ({names[0]}) or passes; the first to play ends it."
    return (
        f"One round, and each seat speaks once: it names a contract, {' < '.join(names)}, that "
        f"ranks above the standing one, or passes. {PERMITTED[rules.bidding]}"
    )


def _beats(rules: RuleSet) -> str:
    """Return what can be said over each call, from the compiled table."""
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
    """Return where a call stands among the others of its auction."""
    name = a.name_of(action)
    if name.rstrip("+").isdigit():
        return int(name.rstrip("+")), name.endswith("+")
    return (SUITS.index(name[1]) if name.startswith("=") else action), 0


def naming(rules: RuleSet) -> str:
    """Return who settles the trump suit."""
    return {
        "longest": "The owner of the highest call is declarer and names a longest suit as trumps: "
        "♣ if it is among them.",
        "clubs": "Trumps are ♣ always, and nobody names them. The owner of the highest call is "
        "declarer.",
        "call": "The suit of the highest call is trumps, and its owner declarer.",
        "any": "The owner of the highest contract is declarer and names any suit as trumps"
        + (", after the exchange where there is one." if rules.exchange else "."),
    }[rules.trump_choice]


def exchange(rules: RuleSet) -> str:
    """Return how declarer exchanges cards, and who sees what of it."""
    if not rules.exchange:
        return "There is none."
    buying = [f"`{c.action}`" for c in rules.contracts if "exchange" in c.flow]
    all_may = len(buying) == len(rules.contracts)
    who = "Declarer" if all_may else f"With {either(buying)} declarer"
    numbers = either(rules.lay_away)
    if rules.exchange == "blind":
        how = (
            f"{who} lays away {numbers} cards of the hand before seeing the talon, and then takes "
            "as many talon cards instead, in the order in which they were dealt. A talon card that "
            "is not taken is seen by nobody."
        )
    else:
        how = (
            f"{who} may take up the talon (`take`), and then lays away {rules.lay_away[-1]} of all "
            "the cards held; or leaves it, and then nobody sees it."
        )
    return (
        f"{how} Laid-away cards are known to declarer alone until the deal ends. What lies on the "
        "table at the end counts as declarer's card points"
        + ("." if all_may else ", in the other contracts too.")
    )


def last_word(rules: RuleSet) -> str:
    """Return what declarer may do before the first lead."""
    if rules.concede:
        return (
            "Declarer may give up (`concede`), and then loses what the table has for it; `-` plays."
        )
    chosen = {
        c.action: c for v in variants(rules.name).values() for c in v.contracts[1:] if c.action
    }
    if rules.auction != "suit" or not chosen:
        return ""
    lines = [
        "With options on, declarer chooses between them and the ordinary game (`-`), once trumps "
        "are settled:",
        "",
    ]
    for name, contract in chosen.items():
        alone = "alone against the others" if contract.alone else "with the partner"
        trumps = "" if contract.trumps else ", and nothing is trump"
        lines.append(f"- `{name}`: {alone}{trumps}.")
    return "\n".join(lines)


def sides(rules: RuleSet) -> str:
    """Return who plays with whom."""
    if rules.pairs:
        return "Opposite seats are partners: 0 and 2, 1 and 3."
    others = rules.seats - 1
    return "Declarer plays against " + (
        "the other seat." if others == 1 else f"the other {NUMBERS[others]} together."
    )


def play(rules: RuleSet) -> str:
    """Return how the cards are played."""
    parts = [f"{sides(rules)} {rules.n_tricks} tricks. {RUFF[rules.ruff]}"]
    if rules.piles:
        parts.append(
            "A face-down card whose cover has been played is turned at the end of that trick, and "
            "is then a face-up card. With two players `ruff` changes nothing, for nobody plays "
            "after a lead has been trumped."
        )
    return " ".join(parts)


def decisions(rules: RuleSet) -> str:
    """Return the order of the decisions in a deal, for each contract; then what options add."""
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
        # What is chosen before the lead is chosen there in every contract.
        chosen = contract is not rules.contracts[0] and "confirm" in ordinary and not nobodys
        flow = ("confirm", *contract.flow) if chosen else contract.flow
        title = f"`{contract.action}`" if contract.action else "ordinary"
        way = " → ".join(most[phase] for phase in ("auction", *flow))
        yield "all passed" if nobodys else title, way
