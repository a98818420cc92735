"""The errors of the core, and the help that a sentence gives with an unknown word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class DealError(ValueError):
    """A deal line is malformed, incomplete, or not of this rule set."""


class IllegalActionError(ValueError):
    """An action is not legal; the message names it, the legal ones and the record so far."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown word: the nearest known one, or all of them."""
    words = {str(item).casefold(): str(item) for item in known}
    close = get_close_matches(str(word).casefold(), words, n=1, cutoff=0.4)
    if close:
        return f"; the nearest is {words[close[0]]!r}"
    return f"; known: {', '.join(words.values())}"
