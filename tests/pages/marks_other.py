"""The marks of RULES 5 to 7: the Danish games and the French guide's."""

from tests.pages.mark import Mark

KLORSJAVS = ("klorsjavs", "klorsjavs18")
CONTRACTS = ("klorsjavs_contracts", "farvesjavs")
FRENCH = ("french8",)

OTHER_MARKS = (
    Mark(
        "C",
        "ours clockwise",
        "The deal passes clockwise; in the source it passes anticlockwise.",
        FRENCH,
    ),
    Mark(
        "C", "All pass: redeal, same dealer", "If all pass, the same dealer deals again.", KLORSJAVS
    ),
    Mark(
        "R",
        '`exchange = "blind_2"`',
        "Declarer lays away two cards or none, before seeing the talon.",
        KLORSJAVS,
        "exchange",
    ),
    Mark(
        "C",
        "the lowest of them afterwards loses, repeated while equal",
        "If several columns come to 0 in the same deal and were equal before it, one more deal "
        "decides among them alone, and another as long as they stay equal.",
        KLORSJAVS,
    ),
    Mark(
        "C",
        "every column but the loser's gets one cross",
        "For payoffs every column but the loser's gets one cross.",
        KLORSJAVS,
    ),
    Mark(
        "R",
        "so: declarer alone against three",
        "The game has four seats, and declarer plays alone against three: only then do four cards "
        "each and a talon of two add up. It is a reconstruction.",
        ("klorsjavs18",),
    ),
    Mark(
        "C",
        "a rubber is `max_deals`, default 12",
        "A rubber is twelve deals, because the account in the source has no end.",
        CONTRACTS,
        "max_deals",
    ),
    Mark(
        "R",
        "a contract higher than the standing one",
        "The auction is one round, and a contract must be higher than the standing one.",
        CONTRACTS,
    ),
    Mark(
        "C",
        "the standing one **[R]**. All pass: redeal",
        "If all pass, the same dealer deals again.",
        CONTRACTS,
    ),
    Mark(
        "R",
        "then lays away 2 (`take_2`",
        "A declarer who buys first takes up the talon, and then lays away two cards.",
        CONTRACTS,
        "exchange",
    ),
    Mark(
        "C",
        "count for declarer in every contract",
        "Talon and laid-away cards count for declarer in every contract, bought or not.",
        CONTRACTS,
    ),
    Mark(
        "C",
        "No multiplier on touts",
        "The amount of a tout is never multiplied.",
        CONTRACTS,
    ),
    Mark(
        "C",
        "after buying or declining the talon",
        "Declarer names trumps after buying or declining the talon.",
        ("farvesjavs",),
    ),
    Mark(
        "C",
        "(♦ < ♥ < ♠ < ♣",
        "The suits rank ♦ < ♥ < ♠ < ♣ in the auction.",
        FRENCH,
    ),
    Mark(
        "C",
        "≤ 30: 4; no trick: 8",
        "The amounts lost with 30 card points or fewer and without a trick are ours: the source "
        'has only "or more in a heavy defeat".',
        FRENCH,
    ),
    Mark(
        "C",
        "and the ordinary game, before the first lead",
        "If any of the three options is on, the winner of the auction chooses between them and the "
        "ordinary game before the first lead.",
        FRENCH,
        "solo halv nolo",
        (True,),
    ),
    Mark(
        "C",
        "wins 1, loses 2, no other rows",
        "`halv` has only two rows: won and lost.",
        FRENCH,
        "halv",
        (True,),
    ),
    Mark(
        "C",
        "aims at no trick, ±8",
        "`nolo` is played without any trumps. All tricks are played, and there is only one amount.",
        FRENCH,
        "nolo",
        (True,),
    ),
    Mark(
        "C",
        "or the partner would be paid to throw it",
        "The sheet keeps its columns, but the payoff of `solo` and `nolo` is one against three.",
        FRENCH,
        "solo nolo",
        (True,),
    ),
    Mark(
        "C",
        "scales the amounts in proportion; we do not",
        "With another `start` the amounts stay as they are.",
        FRENCH,
        "start",
        (),
    ),
)
