"""Where the time of an update goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall seconds by name; spans must not lie within each other."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Add what the body takes to a name."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - begun

    def taken(self) -> dict[str, float]:
        """Return the seconds since the last call by name, and begin anew."""
        taken = dict(self._seconds)
        self._seconds.clear()
        return taken
