"""Terminals: print text and tables in any encoding and any width.

The streams of a command replace characters that their encoding lacks (``sjavs_env.core.plain``).
Table cells are folded, never cut off. A table that is too wide for the terminal is printed row by
row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sjavs_env.core.plain import ERRORS, fitting

_WIDTH = 120
_ENDLESS = 10_000


class _Terminal(Console):
    """A console that fits tables into its encoding and width."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as a rich console does, after fitting the tables."""
        super().print(*map(self._fitted, objects), **options)

    def _fitted(self, shown: Any) -> Any:
        """Return a table fitted into the encoding and the width; return other objects unchanged."""
        if not isinstance(shown, Table):
            return shown
        for column in shown.columns:
            column.overflow = "fold"
            for cell in column.cells:
                if isinstance(cell, Text):
                    cell.plain = fitting(cell.plain, self.encoding)
        needed = Measurement.get(self, self.options.update_width(_ENDLESS), shown).minimum
        return shown if needed <= self.width else Text("\n".join(_by_rows(shown)))

    def on_broken_pipe(self) -> None:
        """End the command if the reader of its output is gone.

        If only the reader of standard error is gone, drop its text and continue.
        """
        if not self.stderr:
            raise BrokenPipeError
        self.quiet = True


def terminal(*, stderr: bool = False) -> Console:
    """Return the console of standard output, or with ``stderr`` that of standard error."""
    fit_streams()
    return _Terminal(stderr=stderr)


def wide_terminal() -> Console:
    """Return the console for tables: that of the terminal, or a wide one without a terminal."""
    found = terminal()
    return found if found.is_terminal else _Terminal(width=_WIDTH)


def fit_streams() -> None:
    """Let standard output and standard error replace characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def _by_rows(table: Table) -> Iterator[str]:
    """Yield a table as lines: its title, each cell of each row after its heading, its caption."""
    yield str(table.title or "")
    headings = [str(column.header) for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        yield ""
        told = zip(headings, map(str, cells), strict=True)
        yield from (f"{name}: {cell}" for name, cell in told if cell)
    yield ""
    yield str(table.caption or "")
