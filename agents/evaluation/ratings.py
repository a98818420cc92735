"""Ratings: all agents of a results file on one scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text
from scipy.optimize import minimize

from agents.evaluation.report import Results, ResultsError, check_read

ANCHOR = "random"
"""The agent whose rating is 0."""
_ELO = 400 / math.log(10)
_NORMAL_95 = 1.959964
_PRIOR = 0.5
"""Deals added to each side of every match, so that ratings stay finite."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A Bradley-Terry rating in Elo points above the anchor, with its 95 % interval."""

    name: str
    rating: float
    low: float
    high: float


def ratings(results: Results) -> list[Rating]:
    """Return the ratings of all agents, best first.

    They are one Bradley-Terry fit to the outcomes of all deals. A drawn deal counts as half a win,
    which makes the intervals a little too wide. The intervals are Wald intervals of the distance
    from the anchor. The fit uses the whole table, so one more agent may change all ratings.

    Raises:
        ResultsError: the anchor is missing, an entry has no counts, or no chain of matches connects
            an agent with the anchor.
    """
    check_read(results)
    names = [agent.name for agent in results.agents]
    if ANCHOR not in names:
        raise ResultsError(
            f"ratings need the agent {ANCHOR!r} as their zero; the agents are {', '.join(names)}"
        )
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
    """Return the deals that each agent won against each other agent, float64[agents, agents]."""
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
