"""The marks of RULES 2 to 4: the Faroese games."""

from tests.pages.mark import Mark

PAIRS = ("faroese4", "faroese4_wiki", "faroese4_1996", "russian6")
FAROESE = (*PAIRS, "faroese3", "faroese2")
WITH_CLUBS = (*PAIRS, "faroese2")

FAROESE_MARKS = (
    Mark(
        "R",
        "beaten only by n+1 or more",
        'A call of "n better" is beaten only by a greater length.',
        FAROESE,
    ),
    Mark(
        "R",
        "is read as the highest so far",
        'After two ruffs, "the one that trumped" is the highest trump in the trick.',
        PAIRS,
        "ruff",
        ("no_undertrump",),
    ),
    Mark(
        "C",
        "else plain cards if any; else anything",
        "A seat that can neither follow nor overtrump plays a plain card; without one, any card.",
        FAROESE,
        "ruff",
        ("overtrump",),
    ),
    Mark(
        "R",
        "if that next deal is in clubs",
        "The suit of the next deal, not of the tied one, decides if a tie is worth 2 or 4.",
        FAROESE,
        "tie",
        ("carry_by_suit",),
    ),
    Mark(
        "C",
        "whichever side it is, each tie adding",
        "Ties add up, one after another.",
        FAROESE,
        "tie",
        ("carry_by_suit",),
    ),
    Mark(
        "C",
        "an all-pass clubs deal counts as clubs",
        "A deal that is played in clubs because all passed counts as a deal in clubs.",
        WITH_CLUBS,
        "tie",
        ("carry_by_suit",),
    ),
    Mark("C", "2 more, cumulative", "Ties add up here too.", FAROESE, "tie", ("carry2",)),
    Mark(
        "C",
        "two ties in a row no more than that",
        "Two ties in a row multiply the next deal by no more than one tie does.",
        FAROESE,
        "tie",
        ("double", "quadruple"),
    ),
    Mark(
        "C",
        "it scores nothing and carries nothing",
        "A tie in a clubs deal that nobody declared scores nothing and carries nothing.",
        WITH_CLUBS,
        "tie",
        ("declarer_loses",),
    ),
    Mark(
        "C",
        "A carry does not outlive its rubber",
        "A carry ends with the rubber.",
        FAROESE,
    ),
    Mark(
        "C", "double victory, 2 crosses", "A double victory is two crosses.", (*FAROESE, "french8")
    ),
    Mark(
        "C",
        "a 60–60 is not one",
        "A tied deal is not a scored deal, so it does not count towards the limit.",
        FAROESE,
        "max_deals",
        (),
    ),
    Mark(
        "C",
        "the lowest column wins",
        "At the limit the lowest column wins.",
        FAROESE,
        "max_deals",
        (),
    ),
    Mark(
        "C",
        "several lowest all win",
        "Several lowest columns all win.",
        FAROESE,
        "max_deals",
        (),
    ),
    Mark(
        "C",
        "all equal = drawn",
        "If all columns are equal at the limit, the rubber is drawn.",
        FAROESE,
        "max_deals",
        (),
    ),
    Mark(
        "C",
        "every column that does not is still at `start`",
        "The double victory applies at the limit too, if every column that does not win is still "
        "at `start`.",
        FAROESE,
        "max_deals",
        (),
    ),
    Mark(
        "C",
        "`faroese4_wiki` | forced",
        "A seat that can beat a call must do so; the source is silent.",
        ("faroese4_wiki",),
        "bidding",
    ),
    Mark(
        "C",
        "`faroese4_1996` | forced | redeal | free | carry_by_suit",
        "The effect of a tie is taken from the other sources.",
        ("faroese4_1996",),
        "tie",
    ),
    Mark(
        "C",
        "`russian6` | forced",
        "A seat that can beat a call must do so; the source does not say that.",
        ("russian6",),
        "bidding",
    ),
    Mark(
        "R",
        "are read as a garbled *betur*",
        'The announced suit, and the overcall of equal length ("then clubs become trumps"), are '
        'read as "better".',
        ("russian6",),
    ),
    Mark(
        "C",
        "5..10. All pass: redeal",
        "If all pass, the same dealer deals again.",
        ("faroese3",),
        "all_pass",
    ),
    Mark(
        "R",
        "after trump is named",
        "The exchange comes after the naming of trumps.",
        ("faroese3",),
    ),
    Mark(
        "C",
        "for one: the first dealt",
        "If declarer lays away one card, he gets the talon card that was dealt first.",
        ("faroese3",),
    ),
    Mark(
        "R",
        "vol is one seat's, so 16 / 24",
        "Declarer's vol scores as a vol won by one seat.",
        ("faroese3",),
    ),
    Mark(
        "C",
        "each of two defenders if they win",
        "If the two defenders score next, each of them gets the carry.",
        ("faroese3",),
    ),
    Mark(
        "C",
        "two defenders tied both win",
        "Two defenders who reach 0 with equal columns both win.",
        ("faroese3",),
    ),
    Mark(
        "C",
        "every column that does not win still at `start`",
        "For a double victory every column that does not win must still be at `start`.",
        ("faroese3",),
    ),
    Mark(
        "R",
        "Vol = 16 tricks, 16 / 24",
        "A vol scores as a vol won by one seat.",
        ("faroese2",),
    ),
    Mark(
        "C",
        "(0.08 %): redeal",
        "If all pass, the same dealer deals again.",
        ("faroese2",),
        "all_pass",
    ),
)
