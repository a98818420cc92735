"""Train a run to its end, with a log, evaluations and checkpoints in its folder."""

from __future__ import annotations

from pathlib import Path

import torch

from agents.evaluation.edge import Entry, edge
from agents.learning.phases import Phase
from agents.networks.nets import NetPolicy, rounded
from agents.policy import load
from agents.runs.logbook import Logbook, evaluation_tags, health_tags
from agents.runs.training import Trainer

RUNS = Path("runs")
"""The default folder of runs."""


def train(trainer: Trainer, folder: Path, *, among_others: bool = False) -> None:
    """Train until the budget is spent, and write checkpoints.

    Args:
        trainer: The run.
        folder: Its folder.
        among_others: Whether other runs print on the same terminal.
    """
    config, progress, group = trainer.config, trainer.progress, trainer.learner.group
    torch.set_num_threads(config.threads)
    if not group.first:
        # While the first process evaluates, the others play the next deals, and then wait for it.
        while not trainer.done:
            trainer.advance()
        return
    if not progress.update:
        trainer.save(folder)
    with Logbook(folder, config.budget, progress.deals, among_others=among_others) as log:
        processes = f"{group.size} processes of " if group.size > 1 else ""
        log.line(
            f"{config.rules}, seed {config.seed}, {processes}{config.threads} threads", named=True
        )
        shown = None
        while not trainer.done:
            trainer.enter_phase()
            if trainer.phase is not shown:
                shown = trainer.phase
                log.line(_opening(shown, len(config.phases)))
            log.update(trainer.advance(), progress.deals)
            every = config.evaluation.every
            if every and progress.update % every == 0 and not trainer.done:
                entries = measure(trainer, "validation", config.evaluation.validation_deals)
                for entry in entries:
                    tags = evaluation_tags(entry.b, entry.edge, entry.low, entry.high)
                    log.scalars(tags, progress.deals)
                    log.line(f"{progress.deals:,} deals: {_words(entry)}")
                if entries:
                    last = entries[-1]
                    tags = health_tags(last.health["a"], last.health_by_seat["a"])
                    log.scalars(tags, progress.deals)
            if progress.update % config.checkpoint_every == 0 or trainer.done:
                log.flush()
                trainer.save(folder)


def measure(trainer: Trainer, deal_set: str, deals: int) -> list[Entry]:
    """Evaluate the current agent against each opponent; return the edges."""
    config = trainer.config
    rules = config.rule_set
    agent = NetPolicy(rounded(trainer.learner.average))
    return [
        edge(
            agent,
            load(opponent, rules),
            rules,
            deals=deals,
            deal_set=deal_set,
            names=("agent", opponent),
        )
        for opponent in config.evaluation.opponents
    ]


def _opening(phase: Phase, of: int) -> str:
    """Return a phase in words: number, lesson, deals, share of league deals."""
    met = f", opponents at {phase.league.share:.0%} of the tables" if phase.league.share else ""
    return (
        f"phase {phase.number} of {of}: {phase.lesson}, deals {phase.begins:,} to {phase.ends:,}"
        f"{met}"
    )


def _words(entry: Entry) -> str:
    """Return an edge in words."""
    return f"{entry.edge:+.2f} ± {entry.half_width:.2f} game points per deal against {entry.b}"
