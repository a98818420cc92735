"""Train an agent by self-play, measure it, and print the next steps.

python -m scripts.train configs/faroese4_quick.toml
python -m scripts.train configs/faroese4_quick.toml --seed 1 --ppo.learning-rate 5e-4
python -m scripts.train --resume runs/faroese4_quick
torchrun --nproc-per-node=2 -m scripts.train configs/faroese4_quick.toml
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import NoReturn

from agents.checkpoints.manifest import is_blank
from agents.common.terminal import terminal, wide_terminal
from agents.evaluation import report
from agents.evaluation.edge import results
from agents.learning.parallel import FirstFailedError, Group, LostError, joined
from agents.policy import fingerprint
from agents.policy import load as load_agent
from agents.runs.config import Config, from_dict, load, to_dict
from agents.runs.loop import RUNS, measure, train
from agents.runs.training import Trainer, resume, start
from scripts._cli import USER_MISTAKE, read, run

RESULTS = "results.json"
_PROG = "python -m scripts.train"


def main() -> None:
    """Train as the command line says; with torchrun, as one of several processes."""
    try:
        with joined() as group:
            trainer, folder = _prepared(group)
            train(trainer, folder)
    except LostError as lost:
        sys.exit(
            f"error: {lost}; --resume goes on from the latest checkpoint, with as many processes"
        )
    except FirstFailedError:
        sys.exit(USER_MISTAKE)
    if group.first:
        conclude(trainer, folder)


def _prepared(group: Group) -> tuple[Trainer, Path]:
    """Return the trainer that the command line asks for, and the run's folder."""
    config, folder = group.from_first(_asked)
    trainer = resume(folder, group) if config is None else start(config, group)
    group.from_first(lambda: _check_opponents(trainer.config))
    return trainer, folder


def _asked() -> tuple[Config | None, Path]:
    """Return the configuration of a new run (None for a resumed run) and the run's folder."""
    known, rest = _parser().parse_known_args()
    if known.resume is not None:
        _no_overrides(rest)
        return None, known.resume
    config = _overridden(load(known.config), rest)
    folder = known.run or _free(RUNS / known.config.stem)
    _must_be_new(folder)
    return config, folder


def conclude(trainer: Trainer, folder: Path) -> None:
    """Measure the finished agent on the test set, and print its results and the next steps."""
    config, evaluation = trainer.config, trainer.config.evaluation
    terminal(stderr=True).print(
        f"measuring on {evaluation.deals:,} duplicate deals of the test set", highlight=False
    )
    entries = [
        replace(entry, a=str(folder)) for entry in measure(trainer, "test", evaluation.deals)
    ]
    names = [str(folder), *evaluation.opponents]
    report.write(
        folder / RESULTS,
        results(
            entries,
            {name: fingerprint(name) for name in names},
            config.rule_set,
            deals=evaluation.deals,
            seed=0,
            deal_set="test",
        ),
    )
    progress, shown = trainer.progress, wide_terminal()
    shown.print(report.table(report.read(folder / RESULTS)))
    shown.print(
        f"{progress.deals:,} deals and {progress.decisions:,} learned decisions "
        f"in {progress.seconds / 60:.1f} minutes\n"
        f"agent and results  {folder}\n"
        f"learning curves    tensorboard --logdir {folder.parent}\n"
        f"measure again      python -m scripts.evaluate {folder} rule-of-thumb --deals 10000\n"
        f"learn longer       the same command with --deals {4 * config.budget}",
        soft_wrap=True,
        highlight=False,
    )


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises a ``ValueError`` for a mistake on the command line."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the options that are not part of a configuration.

    The remaining words override values of the configuration.
    """
    parser = _Parser(
        prog=_PROG,
        description="Train an agent by self-play, measure it, and print the next steps.",
        epilog="Any value of the configuration may follow, as in --seed 1 --ppo.epochs 4; "
        "CONFIG --help-config lists them.",
        allow_abbrev=False,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("config", type=Path, nargs="?", help="TOML file; configs/ has some")
    what.add_argument("--resume", type=Path, metavar="RUN", help="folder of a run to continue")
    parser.add_argument("--run", type=Path, help="new folder for the run (default: runs/NAME)")
    return parser


def _overridden(config: Config, rest: list[str]) -> Config:
    """Return the configuration with the values that the command line overrides."""
    words = ["--help" if word == "--help-config" else word for word in rest]
    changed = read(Config, words, default=config, prog=f"{_PROG} CONFIG")
    return from_dict(to_dict(changed), "the command line")


def _check_opponents(config: Config) -> None:
    """Check that all opponents of the evaluation can be loaded."""
    for opponent in config.evaluation.opponents:
        load_agent(opponent, config.rule_set)


def _no_overrides(rest: list[str]) -> None:
    if rest:
        raise ValueError(
            f"{rest[0]} cannot change a resumed run; its configuration is in its folder"
        )


def _free(folder: Path) -> Path:
    """Return the folder, or if it exists, the first free name with a number: NAME-2, NAME-3 ..."""
    names = (folder, *(folder.with_name(f"{folder.name}-{n}") for n in islice(count(2), 10_000)))
    return next(name for name in names if not name.exists())


def _must_be_new(folder: Path) -> None:
    if folder.exists() and not is_blank(folder):
        raise ValueError(f"--run {folder} exists already; continue it with --resume {folder}")


if __name__ == "__main__":
    run(main)
