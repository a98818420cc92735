"""Play agents against each other on the same deals, and print the table.

    python -m scripts.evaluate rule-of-thumb random --deals 2000 --out results.json
    python -m scripts.evaluate --exploit rule-of-thumb

An agent is the name of a built-in player, the folder of a checkpoint or run, ``pretrained:NAME``,
or ``module:callable``. Every agent plays every other. With ``--exploit`` the command trains best
responses against one agent and reports the largest edge over it, which is a lower bound of what the
agent can lose.
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

from agents.common.bounds import MOST, MOST_THREADS
from agents.common.processes import check_sendable
from agents.common.terminal import terminal, wide_terminal
from agents.evaluation import ratings, report
from agents.evaluation.dealsets import stream
from agents.evaluation.edge import Entry, edge, results
from agents.evaluation.rubbers import rubbers
from agents.policy import fingerprint, load
from agents.runs import exploit
from agents.runs.loop import RUNS
from scripts._cli import check_out, read, run
from sjavs_env import RuleSet, rule_set
from sjavs_env.core.arguments import whole_number
from sjavs_env.core.tables.ruleset import Option

_FEWEST = 2


@dataclass(frozen=True)
class Arguments:
    """Play agents against each other on the same deals, and print the table."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """Two or more agents, or one with --exploit: built-in players, folders of checkpoints or runs,
    pretrained:NAME, module:callable."""
    exploit: bool = False
    """Train best responses against the agent, and report the largest edge over it."""
    exploit_deals: int = 0
    """Deals that each best response learns from; 0: a quarter of the agent's own deals."""
    exploit_seeds: int = 3
    """Number of best responses, each with its own seed."""
    exploit_run: Path | None = None
    """Folder for the best responses (default: runs/exploit-AGENT). Responses in it are resumed."""
    threads: int = 1
    """Threads of the networks, for each best response in training and for play in a single process.
    More threads than idle cores are slower than one thread."""
    rules: str = "faroese4"
    """Name of the rule set."""
    option: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """An option of the rule set, as in --option bidding=free; may be repeated."""
    deals: int = 2000
    """Number of deals; each is played in every seating."""
    deal_set: str = "test"
    """train, validation or test: choose on validation, report on test."""
    seed: int = 0
    """Seed of the deals and of the agents."""
    rubbers: int = 0
    """Number of rubbers to play after the deals; 0: none."""
    processes: int = 1
    """Number of processes; it does not change the result. With --exploit each process trains one
    best response at a time."""
    out: Path | None = None
    """File for results.json. An existing file is replaced after all matches."""
    health: bool = False
    """Print health measures too, overall and by seat."""
    markdown: bool = False
    """Print the table as Markdown."""


def main() -> None:
    """Play as the command line says, write the results if asked, and print the table."""
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
    """Check the arguments before anything is played."""
    number = len(arguments.agents)
    if arguments.exploit and number != 1:
        raise ValueError(f"--exploit takes one agent, not {number}")
    if not arguments.exploit and number < _FEWEST:
        raise ValueError(f"a match needs two agents or more, not {number}")
    check_out(arguments.out)
    stream(arguments.deal_set, arguments.seed)
    for name in ("rubbers", "exploit_deals"):
        whole_number(name, getattr(arguments, name), 0, MOST)
    for name in ("deals", "processes", "exploit_seeds"):
        whole_number(name, getattr(arguments, name), 1, MOST)
    whole_number("threads", arguments.threads, 1, MOST_THREADS)


def _exploited(arguments: Arguments, rules: RuleSet, console: Console) -> tuple[str, str]:
    """Train best responses to the agent.

    Returns:
        The folder of the response with the largest edge on the validation set, and the agent.
    """
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
    """Play every agent against every other."""
    policies = {name: load(name, rules) for name in arguments.agents}
    if arguments.processes > 1:
        for name, policy in policies.items():
            check_sendable(f"policy {name!r}", policy)
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
    """Show a progress bar on a terminal; elsewhere print one line at the end."""
    begun = time.perf_counter()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{what}, {unit}", total=number)
        yield lambda done: bar.advance(task, done)
    if not console.is_terminal:
        seconds = time.perf_counter() - begun
        console.out(f"{what}: {number:,} {unit} in {seconds:.1f} s", highlight=False)


def _show(shown: report.Results, arguments: Arguments) -> None:
    """Print the table, with more than one match the ratings, and the health measures if asked."""
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
