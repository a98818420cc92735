"""The plan of a run: complete the phases of a configuration, and cut them to the budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from agents.common.bounds import AtLeastOne, NotNegative
from agents.learning.phases import Phase
from agents.runs.schema import ConfigError, changed

TABLES = ("net", "ppo", "imitation", "branches", "league", "guard")
"""The tables of a configuration that a phase may change."""
Value = bool | int | float | str | tuple[int, ...] | tuple[str, ...]


@dataclass(frozen=True)
class PhaseConfig:
    """A phase in a configuration: its lesson, its deals, and the values that change with it.

    The first phase has the values of the run, each later phase those of the phase before it, except
    those that change.
    """

    lesson: str = "self-play"
    """Kind of lesson. imitation: imitate a built-in player. self-play: PPO, with opponents of the
    league if league.share is not 0. critic: train the critic alone. late-tricks: train the late
    network alone, from branches."""
    deals: AtLeastOne = 500_000
    """Deals of the phase."""
    restart: bool = False
    """Whether to restart: new optimisers, new schedules, no past selves; the policy continues from
    the average of its weights. A change of net or ppo needs a restart. Schedules run from one
    restart to the next."""
    batch: NotNegative = 0
    """Deals of one update from this phase on; 0: as before."""
    net: dict[str, Value] = field(default_factory=dict)
    """Changes of net. The only change allowed is a new late network."""
    ppo: dict[str, Value] = field(default_factory=dict)
    """Changes of ppo."""
    imitation: dict[str, Value] = field(default_factory=dict)
    """Changes of imitation."""
    branches: dict[str, Value] = field(default_factory=dict)
    """Changes of branches."""
    league: dict[str, Value] = field(default_factory=dict)
    """Changes of league."""
    guard: dict[str, Value] = field(default_factory=dict)
    """Changes of guard."""


def complete(said: Sequence[PhaseConfig], tables: Mapping[str, Any], batch: int) -> list[Phase]:
    """Return the phases with all their values.

    Args:
        said: The phases of the configuration.
        tables: The values of the run, by the names in ``TABLES``.
        batch: Deals of one update.

    Raises:
        ConfigError: a phase has an unknown key, an invalid value, or a change that is not allowed;
            one sentence names all of them.
    """
    if not said:
        raise ConfigError("phase = [] has no phase; a run needs one")
    wrong: list[str] = []
    tables, begins, whole = dict(tables), 0, []
    for number, each in enumerate(said, 1):
        after = dict(tables)
        for name, before in tables.items():
            try:
                after[name] = changed(before, getattr(each, name), f"{name}.")
            except ConfigError as error:
                wrong.append(f"phase {number}: {error}")
        if number > 1:
            told = _forbidden(tables, after, restart=each.restart)
            wrong += [f"phase {number}: {fault}" for fault in told]
        tables = after
        batch = each.batch or batch
        ends = begins + each.deals
        whole.append(
            Phase(
                number=number,
                lesson=each.lesson,
                begins=begins,
                ends=ends,
                stretch=(begins, ends),
                restart=each.restart and number > 1,
                keeps_past=False,
                batch=batch,
                **tables,
            )
        )
        begins = ends
    if wrong:
        raise ConfigError("; ".join(wrong))
    return whole


def _forbidden(
    before: Mapping[str, Any], after: Mapping[str, Any], *, restart: bool
) -> Iterator[str]:
    """Yield a sentence for each change of networks and optimisers that is not allowed."""
    moved = [name for name in ("net", "ppo") if after[name] != before[name]]
    if moved and not restart:
        yield f"{' and '.join(moved)} can change at a restart only; add restart = true"
    old, new = before["net"], after["net"]
    if new.hidden != old.hidden or (old.late and new != old):
        yield f"net can only gain a late network; it was {old}, not {new}"


def cut(phases: list[Phase], budget: int | None) -> list[Phase]:
    """Return the phases within a budget of deals, with their stretches filled in.

    Args:
        phases: The phases of the run.
        budget: Deals of the run; None for the sum of the phases.
    """
    if budget is not None:
        phases = [phase for phase in phases if phase.begins < budget]
        phases[-1] = replace(phases[-1], ends=budget)
    starts = [0, *(n for n, phase in enumerate(phases) if phase.restart), len(phases)]
    done = []
    for first, last in pairwise(starts):
        stretch = phases[first:last]
        span = stretch[0].begins, stretch[-1].ends
        for n, phase in enumerate(stretch):
            later = any(each.league.share and each.league.past for each in stretch[n:])
            done.append(replace(phase, stretch=span, keeps_past=later))
    return done
