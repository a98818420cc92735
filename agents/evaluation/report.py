"""The report: read, check, write and show ``results.json``. It knows nothing else.

The format is frozen; ``Results`` describes it.
"""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError
from rich.table import Table
from rich.text import Text

FORMAT = 1
Count = Annotated[int, Field(ge=0)]
_UNFINISHED = ".unfinished-"


class ResultsError(ValueError):
    """A results file is missing, damaged or of another format; the message says which."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.splitlines()))


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Rules(_Part):
    """A preset and the values of its options."""

    name: str
    options: dict[str, str | int | bool]


class Agent(_Part):
    """The name of a policy, and the fingerprint that tells it from others of this name."""

    name: str
    fingerprint: str


class Rubbers(_Part):
    """The share of rubbers that A won, with its 95 % interval. Drawn rubbers count half."""

    share: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    plays: Count


class Entry(_Part):
    """One match: the edge of A over B in game points per deal, with its 95 % interval."""

    a: str
    b: str
    edge: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    plays: Count
    wins: Count | None = None
    """Deals that A won, summed over all their seatings. Ratings need wins, draws and losses."""
    draws: Count | None = None
    losses: Count | None = None
    health: dict[str, dict[str, FiniteFloat | None]] | None = None
    """Health measures of the two policies, by "a" and "b", then by measure."""
    health_by_seat: dict[str, dict[str, list[FiniteFloat | None]]] | None = None
    rubbers: Rubbers | None = None

    @property
    def separated(self) -> bool:
        """Whether 0 lies outside the interval."""
        return not self.low <= 0 <= self.high


class Results(_Part):
    """A results file."""

    format: int
    rules: Rules
    fingerprint: str
    """The fingerprint of the rules."""
    deal_set: str
    seed: Count
    deals: Count
    entries: tuple[Entry, ...]
    agents: tuple[Agent, ...]
    versions: dict[str, str]


def check(value: object, where: str = "results") -> Results:
    """Return a value from JSON as results, after a check.

    Args:
        value: The value.
        where: Its name in error sentences.

    Raises:
        ResultsError: the value is of another format, or an entry is missing or wrong.
    """
    found = value.get("format") if isinstance(value, dict) else value
    if not isinstance(found, int) or found != FORMAT:
        told = reprlib.repr(found)
        raise ResultsError(f"{where} has format {told}; this program reads {FORMAT}")
    try:
        results = Results.model_validate_json(json.dumps(value))
    except (TypeError, RecursionError) as error:
        raise ResultsError(f"{where} is damaged: {error}") from None
    except ValidationError as error:
        raise ResultsError(f"{where} is damaged: {'; '.join(_faults(error))}") from None
    known = {agent.name for agent in results.agents}
    for entry in results.entries:
        if not {entry.a, entry.b} <= known:
            stranger = entry.b if entry.a in known else entry.a
            raise ResultsError(f"{where} is damaged: {stranger!r} is not among its agents")
        sizes = {
            len(figures)
            for measures in (entry.health_by_seat or {}).values()
            for figures in measures.values()
        }
        if len(sizes) > 1:
            raise ResultsError(
                f"{where} is damaged: health_by_seat of {entry.a!r} against {entry.b!r} has "
                f"{' and '.join(map(str, sorted(sizes)))} seats"
            )
    return results


def _faults(error: ValidationError) -> Iterator[str]:
    for fault in error.errors():
        place = ".".join(str(step) for step in fault["loc"])
        yield f"{place}: {fault['msg'][0].lower()}{fault['msg'][1:]}"


def read(path: Path) -> Results:
    """Return the results in a file.

    Raises:
        ResultsError: the file is missing, damaged or of another format.
    """
    path = _path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else _reason(error)
        raise ResultsError(f"cannot read results {path}: {reason}") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"results file {path} is damaged: {error}") from None
    return check(value, f"results file {path}")


def write(path: Path, results: object) -> None:
    """Write results to a file atomically.

    Raises:
        ResultsError: the results are not of the format, or the file cannot be written. The file
            then stays as it was.
    """
    check(results)
    path = _path(path)
    unfinished = path.parent / (_UNFINISHED + path.name)
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ResultsError(f"cannot write results {path}: {reason}") from None


def _path(path: Path | str) -> Path:
    if not isinstance(path, str | Path):
        raise ResultsError(f"a results file is named by its path, not by {reprlib.repr(path)}")
    return Path(path)


def _reason(error: ValueError) -> str:
    return "it is not text" if isinstance(error, UnicodeDecodeError) else str(error)


_NUMERIC = {
    "A": False,
    "B": False,
    "edge of A over B": True,
    "": False,
    "won-drawn-lost": True,
    "rubbers won": True,
    "plays": True,
}
"""The headings of the columns, and whether a column holds numbers."""


def check_read(results: object) -> None:
    """Check that something is results, as ``read`` and ``check`` return them."""
    if not isinstance(results, Results):
        raise ResultsError(f"results must be read or checked, not {reprlib.repr(results)}")


def table(results: Results) -> Table:
    """Return the matches as a table for the terminal."""
    headings, *rows = _lines(results)
    shown = Table(title=title(results), caption=caption(results))
    for heading in headings:
        shown.add_column(heading, justify="right" if _NUMERIC[heading] else "left")
    for cells in rows:
        shown.add_row(*map(Text, cells))
    return shown


def markdown(results: Results) -> str:
    """Return the matches as a Markdown table between its title and its caption."""
    headings, *rows = _lines(results)
    rule = tuple("---:" if _NUMERIC[heading] else "---" for heading in headings)
    lines = "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, rule, *rows))
    return f"{title(results)}\n\n{lines}\n\n{caption(results)}\n"


def health(results: Results) -> Table:
    """Return the health measures, overall and by seat, as a table for the terminal."""
    shown = Table(title="how they played, in all and by seat")
    headings, *rows = _health_lines(results)
    for number, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if number < _NAMED else "right")
    for cells in rows:
        shown.add_row(*map(Text, cells))
    return shown


def health_markdown(results: Results) -> str:
    """Return the health measures, overall and by seat, as a Markdown table."""
    headings, *rows = _health_lines(results)
    rule = ["---" if number < _NAMED else "---:" for number in range(len(headings))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, rule, *rows)) + "\n"


_NAMED = 3
"""Number of columns of the health table that say who played: agent, opponent, seat."""


def _health_lines(results: Results) -> list[list[str]]:
    """Return headings and rows: for each agent of each match its total, then a row per seat."""
    check_read(results)
    rows: list[list[str]] = []
    measures: list[str] = []
    for entry in results.entries:
        for side, agent, other in (("a", entry.a, entry.b), ("b", entry.b, entry.a)):
            whole = (entry.health or {}).get(side, {})
            seats = (entry.health_by_seat or {}).get(side, {})
            measures = measures or list(whole)
            rows.append([agent, other, "all", *(_figure(whole.get(name)) for name in measures)])
            for seat, figures in enumerate(
                zip(*(seats[name] for name in measures if name in seats), strict=True)
            ):
                rows.append(["", "", str(seat), *map(_figure, figures)])
    headings = ["agent", "against", "seat", *(name.replace("_", " ") for name in measures)]
    return [headings, *rows]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def title(results: Results) -> str:
    """Return the title of a table: rules, number of deals, deal set, seed."""
    played = f"{results.deals:,} deals of {results.deal_set}, seed {results.seed}"
    return f"{results.rules.name}, {played}"


def caption(results: Results) -> str:
    """Return the caption of a table: the unit of the numbers, and the rule options."""
    options = ", ".join(f"{name}={value}" for name, value in results.rules.options.items())
    return f"game points per deal with 95 % intervals; {options}"


def _lines(results: Results) -> list[tuple[str, ...]]:
    """Return headings and rows, without empty columns."""
    check_read(results)
    rows = [_cells(entry) for entry in results.entries]
    columns = zip(_NUMERIC, *rows, strict=True)
    filled = [column for column in columns if not rows or any(column[1:])]
    return list(zip(*filled, strict=True))


def _cells(entry: Entry) -> tuple[str, ...]:
    counts = (entry.wins, entry.draws, entry.losses)
    return (
        entry.a,
        entry.b,
        f"{entry.edge:+.2f} ± {(entry.high - entry.low) / 2:.2f}",
        "" if entry.separated else "not separated",
        "" if None in counts else "-".join(str(count) for count in counts),
        "" if entry.rubbers is None else _share(entry.rubbers),
        f"{entry.plays:,}",
    )


def _share(rubbers: Rubbers) -> str:
    return f"{rubbers.share:.1%} ± {(rubbers.high - rubbers.low) / 2:.1%}"
