"""A stopwatch for the stages of an update."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall seconds by name. Spans must not overlap.

    Args:
        settle: Called at the end of each span. It waits until the device has finished its work.
    """

    def __init__(self, settle: Callable[[], object] = lambda: None) -> None:
        self._settle = settle
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def span(self, name: str) -> Iterator[None]:
        """Add the wall seconds of the body to a name."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._settle()
            self._seconds[name] += time.perf_counter() - begun

    def taken(self) -> dict[str, float]:
        """Return the seconds by name since the last call, and reset them."""
        taken = dict(self._seconds)
        self._seconds.clear()
        return taken
