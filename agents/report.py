"""The report: ``results.json`` read, checked, and shown. It knows nothing else.

The format is frozen: ``Results`` is its description.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError
from rich.table import Table
from rich.text import Text
from scipy.optimize import minimize

FORMAT = 1
Count = Annotated[int, Field(ge=0)]
_UNFINISHED = ".unfinished-"
ANCHOR = "random"
"""The agent whose rating is 0."""
_ELO = 400 / math.log(10)
_NORMAL_95 = 1.959964
_PRIOR = 0.5
"""Deals added to either side of every match, so that ratings stay finite."""
ANCHOR = "random"
"""The agent whose rating is 0."""
_ELO = 400 / math.log(10)
_NORMAL_95 = 1.959964
_PRIOR = 0.5
"""Deals added to either side of every match, so that ratings stay finite."""


class ResultsError(ValueError):
    """A results file is missing, damaged or of another format; the message says which."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Rules(_Part):
    """A preset and the values of its options."""

    name: str
    options: dict[str, str | int | bool]


class Agent(_Part):
    """A policy by its name, and what tells it from others of that name."""

    name: str
    fingerprint: str


class Entry(_Part):
    """One match: the edge of A over B in game points per deal, with its 95 % interval."""

    a: str
    b: str
    edge: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    plays: Count
    wins: Count | None = None
    """Deals that A won over all their seatings together; ratings need the three."""
    draws: Count | None = None
    losses: Count | None = None
    health: dict[str, dict[str, FiniteFloat | None]] | None = None
    """How the two played: by "a" and "b", then by measure."""

    @property
    def separated(self) -> bool:
        """Whether the interval leaves 0 out."""
        return not self.low <= 0 <= self.high


class Results(_Part):
    """A results file."""

    format: int
    rules: Rules
    fingerprint: str
    """Of the rules."""
    deal_set: str
    seed: Count
    deals: Count
    entries: tuple[Entry, ...]
    agents: tuple[Agent, ...]
    versions: dict[str, str]


def check(value: object, where: str = "results") -> Results:
    """Return a plain value as results.

    Raises:
        ResultsError: it is of another format, or something is missing or wrong.
    """
    found = value.get("format") if isinstance(value, dict) else value
    if found != FORMAT:
        raise ResultsError(f"{where} has format {found!r}; this program reads {FORMAT}")
    try:
        results = Results.model_validate_json(json.dumps(value))
    except ValidationError as error:
        raise ResultsError(f"{where} is damaged: {'; '.join(_faults(error))}") from None
    known = {agent.name for agent in results.agents}
    for entry in results.entries:
        if not {entry.a, entry.b} <= known:
            stranger = entry.b if entry.a in known else entry.a
            raise ResultsError(f"{where} is damaged: {stranger!r} is not among its agents")
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
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ResultsError(f"cannot read results {path}: {reason}") from None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ResultsError(f"results file {path} is damaged: {error}") from None
    return check(value, f"results file {path}")


def write(path: Path, results: object) -> None:
    """Write results into a file, whole or not at all.

    Raises:
        ResultsError: they are not of the format, or the file cannot be written; whatever was there
            stays.
    """
    check(results)
    unfinished = path.parent / (_UNFINISHED + path.name)
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise ResultsError(f"cannot write results {path}: {error.strerror}") from None


_HEADINGS = ("A", "B", "edge of A over B", "", "won-drawn-lost", "plays")
_NUMERIC = (False, False, True, False, True, True)


def table(results: Results) -> Table:
    """Return the matches as a table for the terminal."""
    shown = Table(title=title(results), caption=caption(results))
    for heading, numeric in zip(_HEADINGS, _NUMERIC, strict=True):
        shown.add_column(heading, justify="right" if numeric else "left")
    for cells in _rows(results):
        shown.add_row(*map(Text, cells))
    return shown


def markdown(results: Results) -> str:
    """Return the matches as a Markdown table between its title and its caption."""
    rule = tuple("---:" if numeric else "---" for numeric in _NUMERIC)
    lines = [_HEADINGS, rule, *_rows(results)]
    rows = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    return f"{title(results)}\n\n{rows}\n\n{caption(results)}\n"


def title(results: Results) -> str:
    """Return what was played, in a line."""
    played = f"{results.deals:,} deals of {results.deal_set}, seed {results.seed}"
    return f"{results.rules.name}, {played}"


def caption(results: Results) -> str:
    """Return what the numbers are, and the options they hold for."""
    options = ", ".join(f"{name}={value}" for name, value in results.rules.options.items())
    return f"game points per deal with 95 % intervals; {options}"


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    for entry in results.entries:
        half = (entry.high - entry.low) / 2
        counts = [entry.wins, entry.draws, entry.losses]
        yield (
            entry.a,
            entry.b,
            f"{entry.edge:+.2f} ± {half:.2f}",
            "" if entry.separated else "not separated",
            "" if None in counts else "-".join(str(count) for count in counts),
            f"{entry.plays:,}",
        )


@dataclass(frozen=True, slots=True)
class Rating:
    """A Bradley-Terry rating in Elo points above the anchor, with its 95 % interval."""

    name: str
    rating: float
    low: float
    high: float


def ratings(results: Results) -> list[Rating]:
    """Return the ratings of all agents, best first: one fit to the outcomes of all deals.

    A drawn deal is half a win, which makes the intervals a little too wide. They are Wald's, on the
    distance from the anchor. A view of the table: another agent in it may move all the others.

    Raises:
        ResultsError: the anchor is missing, an entry has no counts, or agents have not met.
    """
    names = [agent.name for agent in results.agents]
    if ANCHOR not in names:
        raise ResultsError(f"ratings stand on {ANCHOR!r}, which is not among {', '.join(names)}")
    points = _points(results, names)
    anchor = names.index(ANCHOR)
    free = [index for index in range(len(names)) if index != anchor]

    def cost(strengths: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        level = np.insert(strengths, anchor, 0)
        ahead = level[:, None] - level
        lost = 1 / (1 + np.exp(ahead))
        slope = (points.T * lost.T - points * lost).sum(axis=1)
        return float((points * np.logaddexp(0, -ahead)).sum()), slope[free]

    def curvature(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        level = np.insert(strengths, anchor, 0)
        won = 1 / (1 + np.exp(level - level[:, None]))
        weights = (points + points.T) * won * won.T
        laplacian: NDArray[np.float64] = np.diag(weights.sum(axis=1)) - weights
        return laplacian[np.ix_(free, free)]

    start = np.zeros(len(free))
    if np.linalg.matrix_rank(curvature(start)) < len(free):
        raise ResultsError(f"not every agent has met {ANCHOR!r}, directly or through others")
    fit = minimize(cost, start, jac=True, hess=curvature, method="trust-exact")
    level = np.insert(fit.x, anchor, 0) * _ELO
    spread = np.sqrt(np.diag(np.linalg.inv(curvature(fit.x))))
    half = np.insert(spread, anchor, 0) * _ELO * _NORMAL_95
    rated = map(Rating, names, level.tolist(), (level - half).tolist(), (level + half).tolist())
    return sorted(rated, key=lambda each: -each.rating)


def _points(results: Results, names: list[str]) -> NDArray[np.float64]:
    """Return the deals that each agent won against each other, float64[agents, agents]."""
    points = np.zeros((len(names), len(names)))
    for entry in results.entries:
        if entry.wins is None or entry.draws is None or entry.losses is None:
            raise ResultsError(f"{entry.a} against {entry.b} lacks wins, draws and losses")
        a, b = names.index(entry.a), names.index(entry.b)
        if a != b:
            points[a, b] += entry.wins + entry.draws / 2 + _PRIOR
            points[b, a] += entry.losses + entry.draws / 2 + _PRIOR
    return points


def ratings_table(results: Results) -> Table:
    """Return the ratings as a table for the terminal.

    Raises:
        ResultsError: as ``ratings`` does.
    """
    shown = Table(title="ratings", caption=f"Bradley-Terry in Elo points, {ANCHOR} at 0")
    shown.add_column("agent")
    shown.add_column("rating", justify="right")
    for each in ratings(results):
        shown.add_row(Text(each.name), f"{each.rating:+.0f} ± {(each.high - each.low) / 2:.0f}")
    return shown
