"""Play agents against each other on the same deals, and print the table.

    python -m scripts.evaluate rule-of-thumb random --deals 2000 --out results.json

An agent is the name of a built-in player, a checkpoint's or run's folder, ``pretrained:NAME``, or
``module:callable``. Every two of them meet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import Progress

from agents import ratings, report
from agents.dealsets import versioned
from agents.evaluate import Entry, edge, results
from agents.policy import fingerprint, load
from agents.rubbers import rubbers
from scripts._cli import check_out, read, run, table_console
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.ruleset import Option

_FEWEST = 2


@dataclass(frozen=True)
class Arguments:
    """Play agents against each other on the same deals, and print the table."""

    agents: tyro.conf.Positional[tuple[str, ...]]
    """Two or more: built-in players, checkpoint folders, pretrained:NAME, module:callable."""
    rules: str = "faroese4"
    """The preset."""
    option: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """An option of the preset, as in --option bidding=free; may be repeated."""
    deals: int = 2000
    """Deals, each of them played in every seating."""
    deal_set: str = "test"
    """train, validation or test: choose on validation, report on test."""
    seed: int = 0
    """Seed of the deals and of the agents."""
    rubbers: int = 0
    """Rubbers to play beside the deals; 0 for none."""
    processes: int = 1
    """Processes; they change nothing but the time."""
    out: Path | None = None
    """Where to write results.json; a file that is there is replaced once all is played."""
    health: bool = False
    """Print also how they played, seat by seat."""
    markdown: bool = False
    """Print the table as Markdown."""


def main() -> None:
    """Read the command line, play, write, print."""
    arguments = read(Arguments, prog="python -m scripts.evaluate")
    rules = rule_set(arguments.rules, **dict(map(_option, arguments.option)))
    if len(arguments.agents) < _FEWEST:
        raise ValueError(f"{len(arguments.agents)} agents are too few for a match, which needs two")
    check_out(arguments.out)
    if arguments.rubbers < 0:
        raise ValueError(f"rubbers={arguments.rubbers} must be 0 or more")
    fingerprints = {name: fingerprint(name) for name in arguments.agents}
    told = Console(stderr=True)
    value = results(
        _entries(arguments, rules, told),
        fingerprints,
        rules,
        deals=arguments.deals,
        seed=arguments.seed,
        deal_set=arguments.deal_set,
    )
    if arguments.out is not None:
        report.write(arguments.out, value)
    _show(report.check(value), arguments)


def _option(text: str) -> tuple[str, Option]:
    """Return an option and its value from ``name=value``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"option {text!r} must be written name=value, as in bidding=free")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    return name, int(value) if value.removeprefix("-").isdecimal() else value


def _entries(arguments: Arguments, rules: RuleSet, console: Console) -> list[Entry]:
    """Play every two of the agents against each other."""
    versioned(arguments.deal_set)
    policies = {name: load(name, rules) for name in arguments.agents}
    seed, deal_set, processes = arguments.seed, arguments.deal_set, arguments.processes
    entries = []
    for names in combinations(arguments.agents, 2):
        a, b = (policies[name] for name in names)
        what = " against ".join(names)
        with _progress(console, what, arguments.deals, "deals") as progress:
            entry = edge(
                *(a, b, rules, arguments.deals, seed, deal_set),
                names=names,
                processes=processes,
                progress=progress,
            )
        if arguments.rubbers:
            with _progress(console, what, arguments.rubbers, "rubbers") as progress:
                share = rubbers(
                    *(a, b, rules, arguments.rubbers, seed, deal_set),
                    names=names,
                    processes=processes,
                    progress=progress,
                )
            entry = replace(entry, rubbers=share)
        entries.append(entry)
    return entries


@contextmanager
def _progress(
    console: Console, what: str, number: int, unit: str
) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, and a line at the end elsewhere."""
    begun = time.perf_counter()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{what}, {unit}", total=number)
        yield lambda done: bar.advance(task, done)
    if not console.is_terminal:
        seconds = time.perf_counter() - begun
        console.out(f"{what}: {number:,} {unit} in {seconds:.1f} s", highlight=False)


def _show(shown: report.Results, arguments: Arguments) -> None:
    """Print the table, the ratings where there is more than one match, and the health if asked."""
    if arguments.markdown:
        print(report.markdown(shown), end="")
        if arguments.health:
            print(f"\n{report.health_markdown(shown)}", end="")
        return
    shows = table_console()
    shows.print(report.table(shown))
    if len(shown.entries) > 1 and ratings.ANCHOR in {agent.name for agent in shown.agents}:
        shows.print(ratings.ratings_table(shown))
    if arguments.health:
        shows.print(report.health(shown))


if __name__ == "__main__":
    run(main)
