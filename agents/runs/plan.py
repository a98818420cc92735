"""The plan of a run: from what a configuration says of its phases to complete phases."""

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
    """What a phase of a run is, and what changes with it.

    A phase starts from the values of the phase before it, the first from those of the run, and
    names what changes from there on.
    """

    lesson: str = "self-play"
    """The kind of lesson: imitation of a player; self-play (PPO, against the opponent pool where
    league.share says so); critic, which learns alone; late-tricks, in which the second network
    learns alone from branches."""
    deals: AtLeastOne = 500_000
    """Deals to learn from."""
    restart: bool = False
    """Whether a new stretch begins: new optimisers and schedules, no past selves, and a policy that
    goes on from the average of its weights. A change of net or ppo needs it. Schedules run from one
    restart to the next."""
    batch: NotNegative = 0
    """Deals of one update from here on; 0 for as many as before."""
    net: dict[str, Value] = field(default_factory=dict)
    """Changes of net. A network may gain the second one (late), and nothing else may change."""
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
    """Return the phases with all their values, each from those of the phase before it.

    Args:
        said: What the configuration says of each.
        tables: The values of the run, by the names in ``TABLES``.
        batch: Deals of one update.

    Raises:
        ConfigError: a phase has an unknown key, an unfit value, or changes what it may not; all of
            it in one sentence.
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
    """Yield a sentence for each change that a phase may not make to networks and optimiser."""
    moved = [name for name in ("net", "ppo") if after[name] != before[name]]
    if moved and not restart:
        yield f"{' and '.join(moved)} can change at a restart only; add restart = true"
    old, new = before["net"], after["net"]
    if new.hidden != old.hidden or (old.late and new != old):
        yield f"net can gain a second network (late) and nothing else; it was {old}, not {new}"


def cut(phases: list[Phase], budget: int | None) -> list[Phase]:
    """Return the phases as far as a budget of deals reaches, with their stretches."""
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
