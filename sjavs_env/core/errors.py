"""The errors of the core, and the suggestion that follows an unknown word in a message."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 400
"""Characters of a value that a sentence shows."""


class DealError(ValueError):
    """A deal line is malformed, incomplete, or does not fit the rule set."""


class IllegalActionError(ValueError):
    """An action is not legal. The message names it, the legal actions and the record so far."""


def told(value: object) -> str:
    """Return a value as a sentence shows it: in one line, and no longer than a few."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of thousands of digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def as_word(value: object) -> str:
    """Return what a caller gave as a word, to look it up: what is no text is no known word."""
    return value if isinstance(value, str) else told(value)


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown word: the nearest known one, or all of them."""
    words = {str(item).casefold(): str(item) for item in known}
    close = get_close_matches(str(word)[:_LONGEST].casefold(), words, n=1, cutoff=0.4)
    if close:
        return f"; the nearest is {words[close[0]]!r}"
    return f"; known: {', '.join(words.values())}"
