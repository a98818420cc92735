"""Play agents against each other on the same deals, and print the table.

    python -m scripts.evaluate rule-of-thumb random --deals 2000 --out results.json
    python -m scripts.evaluate --exploit rule-of-thumb

With ``--exploit`` best responses are trained against one agent, and the largest edge over it is
reported: a lower bound of what it can lose. An agent is the name of a built-in player, a
checkpoint's or run's folder, ``pretrained:NAME``, or ``module:callable``. Every two of them meet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import torch
import tyro
from rich.console import Console
from rich.progress import Progress

from agents.common.terminal import terminal, wide_terminal
from agents.evaluation import ratings, report
from agents.evaluation.dealsets import versioned
from agents.evaluation.edge import Entry, edge, results
from agents.evaluation.rubbers import rubbers
from agents.policy import fingerprint, load
from agents.runs import exploit
from agents.runs.loop import RUNS
from scripts._cli import check_out, read, run
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.tables.ruleset import Option

_FEWEST = 2


@dataclass(frozen=True)
class Arguments:
    """Play agents against each other on the same deals, and print the table."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """Two or more, or one with --exploit: built-in players, checkpoint folders, pretrained:NAME,
    module:callable."""
    exploit: bool = False
    """Train best responses against the agent, and report the largest edge over it."""
    exploit_deals: int = 0
    """Deals that each of them learns from; 0 for a quarter of the agent's own."""
    exploit_seeds: int = 3
    """How many of them."""
    exploit_run: Path | None = None
    """Where they are trained (default: runs/exploit-AGENT); one that is there goes on."""
    threads: int = 1
    """Threads of networks' arithmetic, in each response that is trained and else where there is one
    process; more than idle cores are slower than one."""
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
    """Processes; they change nothing but the time. With --exploit they train a response each."""
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
    _check(arguments)
    torch.set_num_threads(arguments.threads)
    told = terminal(stderr=True)
    if arguments.exploit:
        arguments = replace(arguments, agents=_exploited(arguments, rules, told))
    fingerprints = {name: fingerprint(name) for name in arguments.agents}
    value = results(
        _entries(arguments, rules, told),
        fingerprints,
        rules,
        deals=arguments.deals,
        seed=arguments.seed,
        deal_set=arguments.deal_set,
    )
    try:
        if arguments.out is not None:
            report.write(arguments.out, value)
    finally:
        _show(report.check(value), arguments)


def _check(arguments: Arguments) -> None:
    """Check what can be told before anything is played."""
    number = len(arguments.agents)
    if arguments.exploit and number != 1:
        raise ValueError(f"--exploit is for one agent at a time, not for {number}")
    if not arguments.exploit and number < _FEWEST:
        raise ValueError(f"{number} agents are too few for a match, which needs two")
    check_out(arguments.out)
    versioned(arguments.deal_set)
    least_of = {"rubbers": 0, "exploit_deals": 0} | dict.fromkeys(
        ("deals", "processes", "exploit_seeds", "threads"), 1
    )
    for name, least in least_of.items():
        if getattr(arguments, name) < least:
            raise ValueError(f"{name}={getattr(arguments, name)} must be {least} or more")


def _exploited(arguments: Arguments, rules: RuleSet, console: Console) -> tuple[str, str]:
    """Train best responses to the agent; return the strongest on the validation set, and it."""
    (agent,) = arguments.agents
    deals = arguments.exploit_deals or exploit.budget(agent)
    folder = arguments.exploit_run or RUNS / f"exploit-{agent.replace(':', '-').replace('/', '-')}"
    found = []
    for response in exploit.responses(
        *(agent, rules, deals, arguments.exploit_seeds, folder),
        threads=arguments.threads,
        processes=arguments.processes,
    ):
        found.append(response)
        won = response.validation
        console.out(
            f"{won.a}: {won.edge:+.2f} ± {won.half_width:.2f} over {agent} on the validation set",
            highlight=False,
        )
    best = max(found, key=lambda response: response.validation.edge)
    return str(best.folder), agent


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
    shows = wide_terminal()
    shows.print(report.table(shown))
    if len(shown.entries) > 1 and ratings.ANCHOR in {agent.name for agent in shown.agents}:
        shows.print(ratings.ratings_table(shown))
    if arguments.health:
        shows.print(report.health(shown))


if __name__ == "__main__":
    run(main)
