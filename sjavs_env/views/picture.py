"""The table as a drawing: one self-contained SVG, for documents and notebooks.

It shows what the text of ``render`` shows, from the same ``Looker``. Everything is drawn here, on
a background of its own: no font, image or script is loaded, and the same row gives the same bytes.
"""

from __future__ import annotations

from textwrap import wrap
from xml.etree.ElementTree import Element, SubElement, tostring

from sjavs_env.core.rules.state import State
from sjavs_env.core.tables.cards import SUIT_SYMBOLS, suit_of
from sjavs_env.core.tables.codes import NONE
from sjavs_env.core.tables.compiled import Tables
from sjavs_env.views.looker import Cards, Looker, card_text
from sjavs_env.views.score_sheet import columns_from, owners, owners_of, result_line
from sjavs_env.views.transcript import result_of

WIDTH, HEIGHT = 900, 620

_CARD_WIDTH, _CARD_HEIGHT = 54, 76
_SHAPE = {"width": _CARD_WIDTH, "height": _CARD_HEIGHT, "rx": 6}
_STEP = 47
"""From one card of a hand to the next, where there is room."""
_PILE_STEP, _PILE_RISE = 66, 38
_SMALL = 0.64
"""The scale of cards in the corners."""

_BLOCKS = {
    "bottom": (450, 478, 478),
    "left": (160, 240, 284),
    "across": (450, 14, 478),
    "right": (740, 240, 284),
}
"""Of each place: the middle and the top of what lies before the seat, and its width."""
_BLOCK_HEIGHT = 128
_SLOTS = {"bottom": (450, 362), "left": (372, 310), "across": (450, 258), "right": (528, 310)}
"""The middle of each place's card in the trick."""
_SLOTS_OF_TWO = {"bottom": (486, 317), "across": (414, 305)}
_PILES = {"bottom": 396, "across": 188}
"""The top of each place's face-up cards."""
_CORNERS = {"game": (14, 14), "score": (696, 14), "last": (14, 478), "away": (696, 478)}
_CORNER_WIDTH, _MARGIN = 190, 12

_FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_EDGE, _FELT, _SHADE = "#123a28", "#1e6645", "#0c2a1c"
_TEXT, _QUIET, _ACTS = "#ffffff", "#cfe6d9", "#ffd54f"
_PAPER, _TURNED, _OUTLINE, _BACK, _LATTICE = "#fffef8", "#b9c4cc", "#5b6670", "#33507a", "#a9c1e4"
_RED, _BLACK = "#c3202f", "#17191c"
_INKS = (_RED, _RED, _BLACK, _BLACK)
_SIGNS = (
    "M0-10Q3-4 7.5 0 3 4 0 10-3 4-7.5 0-3-4 0-10Z",
    "M0 9.5C-4 5-10 1-10-4-10-7.5-7.5-9.5-5-9.5-3-9.5-1-8 0-5.5 1-8 3-9.5 5-9.5 7.5-9.5 10-7.5 "
    "10-4 10 1 4 5 0 9.5Z",
    "M0-10C4-5 9-2 9 3 9 6 7 7.5 4.8 7.5 3 7.5 1.5 6.8.9 5.5 1.1 7.5 1.8 9 3 10H-3C-1.8 9-1.1 "
    "7.5-.9 5.5-1.5 6.8-3 7.5-4.8 7.5-7 7.5-9 6-9 3-9-2-4-5 0-10Z",
    "M2.8-2.6A4.3 4.3 0 1 0-2.8-2.6Q-1.6-1.4-1.3-.5-2-1.7-4.8-1.7A4.3 4.3 0 1 0-.9 4.8Q-1.1 "
    "8-3 10H3Q1.1 8 .9 4.8A4.3 4.3 0 1 0 4.8-1.7Q2-1.7 1.3-.5 1.6-1.4 2.8-2.6Z",
)
"""The sign of each suit, 20 high around its middle."""


def picture(state: State, tables: Tables, row: int, seat: int | None) -> str:
    """Return the table of one row as SVG.

    Args:
        state: The deals.
        tables: The tables of their rule set.
        row: The row to show.
        seat: The seat that looks; None shows all cards.
    """
    looker = Looker(state, tables, row, seat)
    root = _canvas(looker)
    for place, at in looker.places.items():
        _block(root, looker, place, at)
    if looker.get("over"):
        _result(root, looker)
    else:
        _trick(root, looker)
    _game(root, looker)
    _score(root, looker)
    _last_trick(root, looker)
    _away(root, looker)
    for element in root.iter():
        element.tail = "\n"
    return tostring(root, encoding="unicode")


def _canvas(looker: Looker) -> Element:
    """Return the empty table with the sign of the trumps, and in words what is drawn on it."""
    root = Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
    size = {"width": str(WIDTH), "height": str(HEIGHT), "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    root.attrib.update(size, **{"font-family": _FONT, "text-anchor": "middle"})
    _add(root, "title").text = " · ".join(looker.headline())
    _add(root, "desc").text = _description(looker)
    defs = _add(root, "defs")
    for suit, sign in enumerate(_SIGNS):
        _add(defs, "path", id=f"suit-{suit}", d=sign)
    back = _add(defs, "g", id="back", stroke=_LATTICE, fill="none")
    _add(back, "rect", **_SHAPE, fill=_BACK, stroke=_OUTLINE)
    _add(back, "rect", x=5, y=5, width=_CARD_WIDTH - 10, height=_CARD_HEIGHT - 10, rx=3)
    _add(back, "path", d="M27 22 38 38 27 54 16 38Z")
    _add(root, "rect", width=WIDTH, height=HEIGHT, rx=22, fill=_EDGE)
    _add(root, "rect", x=6, y=6, width=WIDTH - 12, height=HEIGHT - 12, rx=17, fill=_FELT)
    trump = looker.get("trump")
    if trump != NONE:
        _sign(_add(root, "g", opacity=0.3), trump, WIDTH / 2, HEIGHT / 2, 8.5, _SHADE)
    return root


def _description(looker: Looker) -> str:
    """Return in words what lies on the table."""
    told = []
    for seat in looker.places.values():
        parts = [
            f"{cards.title} {_in_words(looker, cards)}".strip() for cards in looker.before(seat)
        ]
        played = looker.in_trick(seat)
        if played is not None:
            parts.append(f"played {card_text(played, looker.rules.fives)}")
        who = ", ".join([looker.names[seat], *looker.tags(seat)])
        told.append(f"{who}: {'; '.join([*parts, *looker.known(seat)])}.")
    rules = looker.rules
    totals = [
        f"{owners_of(rules, column, looker.names)} {looker.get('columns', column)}"
        for column in columns_from(rules, looker.bottom)
    ]
    return " ".join([*told, f"Score before the deal: {', '.join(totals)}."])


def _in_words(looker: Looker, cards: Cards) -> str:
    seen = [card_text(card, looker.rules.fives) for group in cards.groups for card in group]
    return " ".join(seen) or f"{cards.backs} unseen"


def _block(root: Element, looker: Looker, place: str, seat: int) -> None:
    """Draw a seat: who it is, its cards, what it has said and won."""
    middle, top, width = _BLOCKS[place]
    tags = looker.tags(seat)
    block = _panel(root, middle - width / 2, top, width, _BLOCK_HEIGHT, "to act" in tags)
    left, right = middle - width / 2 + _MARGIN, middle + width / 2 - _MARGIN
    _write(block, looker.names[seat], left, top + 19, 13, bold=True, anchor="start")
    _write(block, ", ".join(tags), right, top + 19, 12, _QUIET, anchor="end")
    _spread(block, looker, looker.hand(seat), middle, top + 27, width - 2 * _MARGIN)
    _write(block, " · ".join(looker.known(seat)), middle, top + 120, 12, _QUIET)
    piles = looker.piles(seat)
    left = middle - (_CARD_WIDTH + (len(piles) - 1) * _PILE_STEP) / 2
    for number, pile in enumerate(piles):
        x, y = left + number * _PILE_STEP, _PILES[place]
        if pile.covered:
            _card(block, looker, pile.down, x, y - _PILE_RISE, paper=_TURNED)
        if pile.up is not None:
            _card(block, looker, pile.up, x, y)


def _spread(
    parent: Element,
    looker: Looker,
    cards: Cards,
    middle: float,
    top: float,
    width: float,
    scale: float = 1,
) -> None:
    """Draw cards side by side, one over the other where there are many."""
    lying = [*(card for group in cards.groups for card in group), *[None] * cards.backs]
    wide = _CARD_WIDTH * scale
    step = min(_STEP * scale, (width - wide) / max(len(lying) - 1, 1))
    left = middle - (wide + (len(lying) - 1) * step) / 2
    for number, card in enumerate(lying):
        _card(parent, looker, card, left + number * step, top, scale)


def _trick(root: Element, looker: Looker) -> None:
    """Draw the trick, each card before its seat, numbered in the order of play."""
    leader, places = looker.get("leader"), looker.places
    if leader == NONE:
        return
    slots = _SLOTS_OF_TWO if len(places) == 2 else _SLOTS
    half_width, half_height = _CARD_WIDTH / 2, _CARD_HEIGHT / 2
    for place, seat in places.items():
        x, y = slots[place]
        left, top = x - half_width, y - half_height
        card = looker.in_trick(seat)
        if card is None:
            _slot(root, left, top, _ACTS if seat == looker.get("seat") else _QUIET)
            continue
        _card(root, looker, card, left, top)
        turn = (seat - leader) % looker.rules.seats + 1
        _add(root, "circle", cx=x + half_width - 3, cy=top + 3, r=9, fill=_SHADE, stroke=_QUIET)
        _write(root, str(turn), x + half_width - 3, top + 7, 11, bold=True)


def _slot(root: Element, x: float, y: float, colour: str) -> None:
    """Draw the place of a card that is yet to be played."""
    line = {"fill": "none", "stroke": colour, "stroke_dasharray": "5 4"}
    _add(root, "rect", x=x, y=y, **_SHAPE, **line)


def _result(root: Element, looker: Looker) -> None:
    """Write what a finished deal came to."""
    told = result_line(looker.rules, result_of(looker.state, looker.row), looker.names)
    first, _, rest = told.partition(": ")
    lines = [line for part in (first, *rest.split(". ")) for line in wrap(part, 34)]
    top = HEIGHT / 2 - 11 * len(lines)
    panel = _panel(root, 316, top - 12, 268, 22 * len(lines) + 24)
    for number, line in enumerate(lines):
        _write(panel, line, WIDTH / 2, top + 16 + 22 * number, 14)


def _game(root: Element, looker: Looker) -> None:
    """Write what is played: the rules, the dealer, the contract, the trumps."""
    lines = [looker.rules.name, *looker.headline()[1:]]
    corner = _corner(root, "game", 16 + 22 * len(lines))
    x, y = _CORNERS["game"]
    for number, line in enumerate(lines):
        _write(corner, line, x + _MARGIN, y + 24 + 22 * number, 13, bold=not number, anchor="start")


def _score(root: Element, looker: Looker) -> None:
    """Write the columns as they were before the deal, that of the looker first."""
    rules, (left, top) = looker.rules, _CORNERS["score"]
    columns = columns_from(rules, looker.bottom)
    lines = len(owners(rules, columns[0]))
    corner = _corner(root, "score", 70 + 15 * lines)
    _heading(corner, "score", "score")
    width = (_CORNER_WIDTH - _MARGIN) / len(columns)
    for number, column in enumerate(columns):
        x = left + _MARGIN / 2 + (number + 0.5) * width
        for line, seat in enumerate(owners(rules, column)):
            _write(corner, looker.names[seat], x, top + 40 + 15 * line, 11, _QUIET)
        total = str(looker.get("columns", column)).replace("-", "−")
        _write(corner, total, x, top + 54 + 15 * lines, 22, bold=True)


def _last_trick(root: Element, looker: Looker) -> None:
    """Draw the latest complete trick, small, and say who took it."""
    trick = looker.last_trick()
    if not trick:
        return
    taker = looker.names[looker.get("leader")]
    corner = _corner(root, "last", _BLOCK_HEIGHT)
    _heading(corner, "last", f"last trick: {taker}")
    left, top = _CORNERS["last"]
    width = (_CORNER_WIDTH - _MARGIN) / len(trick)
    for number, (seat, card) in enumerate(trick):
        x = left + _MARGIN / 2 + (number + 0.5) * width
        _card(corner, looker, card, x - _SMALL * _CARD_WIDTH / 2, top + 38, _SMALL)
        _write(corner, looker.names[seat], x, top + 108, 11, _QUIET)


def _away(root: Element, looker: Looker) -> None:
    """Draw the talon and what declarer laid away."""
    declarer = looker.get("declarer")
    lying = [looker.talon(), *([looker.laid_away(declarer)] if declarer != NONE else [])]
    shown = [cards for cards in lying if cards.groups or cards.backs]
    if not shown:
        return
    corner = _corner(root, "away", _BLOCK_HEIGHT)
    left, top = _CORNERS["away"]
    width = _CORNER_WIDTH / len(shown)
    for number, cards in enumerate(shown):
        x = left + (number + 0.5) * width
        _write(corner, cards.title, x, top + 20, 12, _QUIET)
        _spread(corner, looker, cards, x, top + 38, width - _MARGIN, _SMALL)


def _corner(root: Element, name: str, height: float) -> Element:
    x, y = _CORNERS[name]
    return _panel(root, x, y, _CORNER_WIDTH, height)


def _heading(corner: Element, name: str, text: str) -> None:
    x, y = _CORNERS[name]
    _write(corner, text, x + _CORNER_WIDTH / 2, y + 20, 12, _QUIET)


def _panel(
    root: Element, x: float, y: float, width: float, height: float, acts: bool = False
) -> Element:
    """Return a group with a darker ground, edged if it is this seat's turn."""
    group = _add(root, "g")
    size = {"width": width, "height": height, "rx": 12}
    ground = _add(group, "rect", x=x, y=y, **size, fill=_SHADE, fill_opacity=0.42)
    if acts:
        ground.attrib.update({"stroke": _ACTS, "stroke-width": "2"})
    return group


def _card(
    parent: Element,
    looker: Looker,
    card: int | None,
    x: float,
    y: float,
    scale: float = 1,
    paper: str = _PAPER,
) -> None:
    """Draw a card, or the back of one."""
    place = f"translate({x:g} {y:g})" + (f" scale({scale})" if scale != 1 else "")
    if card is None:
        _add(parent, "use", href="#back", transform=place)
        return
    text, suit = card_text(card, looker.rules.fives), suit_of(card)
    rank, ink = text.lstrip(SUIT_SYMBOLS), _INKS[suit]
    group = _add(parent, "g", transform=place)
    _add(group, "title").text = text
    _add(group, "rect", **_SHAPE, fill=paper, stroke=_OUTLINE)
    _write(group, rank, 13, 19, 17 if len(rank) == 1 else 15, ink, bold=True)
    _sign(group, suit, 13, 31, 0.65, ink)
    _sign(group, suit, 37, 53, 0.95, ink)


def _sign(parent: Element, suit: int, x: float, y: float, scale: float, ink: str) -> None:
    place = f"translate({x:g} {y:g}) scale({scale})"
    _add(parent, "use", href=f"#suit-{suit}", transform=place, fill=ink)


def _write(
    parent: Element,
    text: str,
    x: float,
    y: float,
    size: int,
    ink: str = _TEXT,
    bold: bool = False,
    anchor: str = "middle",
) -> None:
    """Write a line, if it says anything."""
    if text:
        style = {"font_weight": "bold"} if bold else {}
        side = {} if anchor == "middle" else {"text_anchor": anchor}
        line = _add(parent, "text", x=x, y=y, font_size=size, fill=ink, **style, **side)
        line.text = text


def _add(parent: Element, tag: str, **attributes: str | float) -> Element:
    """Add an element; ``_`` in the name of an attribute stands for ``-``."""
    written = {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:g}"
        for name, value in attributes.items()
    }
    return SubElement(parent, tag, written)
