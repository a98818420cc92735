"""The errors of the core, and the suggestion that follows an unknown word in a message."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class DealError(ValueError):
    """A deal line is malformed, incomplete, or does not fit the rule set."""


class IllegalActionError(ValueError):
    """An action is not legal. The message names it, the legal actions and the record so far."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest known word, or all of them."""
    words = {str(item).casefold(): str(item) for item in known}
    close = get_close_matches(str(word).casefold(), words, n=1, cutoff=0.4)
    if close:
        return f"; the nearest is {words[close[0]]!r}"
    return f"; known: {', '.join(words.values())}"
