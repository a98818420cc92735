"""Where the time of an update goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall seconds by name; spans must not lie within each other.

    Args:
        settle: Called at the end of a span; it returns when the device has done what was asked.
    """

    def __init__(self, settle: Callable[[], object] = lambda: None) -> None:
        self._settle = settle
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Add what the body takes to a name."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._settle()
            self._seconds[name] += time.perf_counter() - begun

    def taken(self) -> dict[str, float]:
        """Return the seconds since the last call by name, and begin anew."""
        taken = dict(self._seconds)
        self._seconds.clear()
        return taken
