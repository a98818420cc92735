"""Text for places that cannot show every character: the same words in plainer characters.

``fitting`` keeps what an encoding can show and replaces the rest by ASCII: a suit sign by its
letter, a line by dashes, an accented letter by the letter alone.
"""

from __future__ import annotations

import codecs
import unicodedata

ERRORS = "sjavs-plain"
"""Name of the error handler: ``stream.reconfigure(errors=ERRORS)`` makes a stream fit all text."""

_PLAIN = {
    **dict(zip("♣♠♥♦", "CSHD", strict=True)),
    **dict.fromkeys("─━═╌╴╶╸╺\u2010\u2011\u2012–—−", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰┏┓┗┛┡┩╇┳┻╋┣┫╔╗╚╝╠╣╦╩╬", "+"),
    **dict.fromkeys("░▒▓█", "#"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”„«»", '"'),
    **dict.fromkeys("·•", "."),
    **{"±": "+-", "×": "x", "…": "...", "\u2044": "/", "→": "->", "←": "<-"},
    **{"æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th"},
    **{"ß": "ss", "œ": "oe", "Œ": "Oe", "ł": "l", "Ł": "L"},
}


def fitting(text: str, encoding: str | None) -> str:
    """Return a text as far as an encoding can show it, the rest in ASCII; None: as it is."""
    return text if encoding is None else text.encode(encoding, ERRORS).decode(encoding)


def _plain(character: str) -> str:
    """Return what stands for a character in ASCII; its code where there is nothing."""
    if character in _PLAIN:
        return _PLAIN[character]
    parts = [p for p in unicodedata.normalize("NFKD", character) if not unicodedata.combining(p)]
    if parts and all(part.isascii() or part in _PLAIN for part in parts):
        return "".join(_PLAIN.get(part, part) for part in parts)
    return character.encode("ascii", "backslashreplace").decode("ascii")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Handle what an encoding cannot show, as ``codecs.register_error`` asks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


codecs.register_error(ERRORS, _replaced)
