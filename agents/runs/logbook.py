"""What a run tells while it runs: a TensorBoard log, and a bar on a terminal or lines elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from torch.utils.tensorboard import SummaryWriter

from agents.common.terminal import terminal

TAGS = {
    "charts/SPS": "decisions a second, forced ones included, over the whole update",
    "charts/deals_per_second": "deals a second, over the whole update",
    "charts/learned_decisions_per_second": "decisions with a choice a second",
    "charts/learning_rate": "step size of the optimiser",
    "charts/entropy_weight": "weight of the entropy",
    "charts/episodic_return": "mean payoff of declarer in game points; over all seats it is 0",
    "charts/payoff_spread": "standard deviation of a seat's payoff in game points",
    "losses/policy_loss": "clipped policy loss, or the cross-entropy to the teacher",
    "losses/value_loss": "half the squared error of the critic, payoffs divided by payoff_scale",
    "losses/entropy": "entropy as a share of a uniform choice's, 0 to 1",
    "losses/branch_loss": "squared error of what branches came to, in units of 4 game points and "
    "10 card points (with net.late)",
    "losses/magnet_kl": "divergence from the average of weights (where ppo.magnet is not 0)",
    "losses/approx_kl": "movement of the policy within an update (k3), towards 0.02 it is fast",
    "losses/old_approx_kl": "the same by the estimator k1",
    "losses/clipfrac": "share of decisions whose ratio left the clipping range",
    "losses/explained_variance": "share of the returns' variance that the critic explains",
    "losses/agreement": "how often the policy agrees with its teacher (warm start alone)",
    "health/declared": "share of deals that somebody declared",
    "health/declarer_wins": "share of those that paid declarer",
    "health/forced_moves": "share of decisions with a single legal action",
    "health/call_rate": "how often the policy calls where it might pass, in self-play",
    "health/guarded": "1 in an update in which the guard against passing was on",
    "health/greedy_MEASURE": "how the greedy policy plays against the last opponent (validation): "
    "call_rate, declared_rate, declarer_win_rate, vol_rate, mean_tricks, forced_share, "
    "partner_overtaken, points_thrown",
    "health/greedy_MEASURE_seatN": "the same by seat",
    "policy/entropy_norm_bid": "entropy of calls, namings and other choices beside cards, 0 to 1",
    "policy/entropy_norm_play": "entropy of choices among cards alone, 0 to 1",
    "league/points_vs_MEMBER": "mean payoff of the learner's seats where a league's member sat",
    "time/rollout": "seconds of self-play in an update, inference included",
    "time/inference": "seconds in which the actor chose in self-play",
    "time/update": "seconds of learning in an update, what follows included",
    "time/encoding": "seconds in which features were made of words",
    "time/values": "seconds in which the critic valued all decisions",
    "time/advantages": "seconds in which advantages were worked out",
    "time/gradients": "seconds of forward and backward passes and of optimiser steps",
    "eval/points_vs_OPPONENT": "edge over an opponent on the validation set, game points per deal",
    "eval/ci95_vs_OPPONENT": "half the width of its 95 % interval",
}
"""What is logged, by its tag; those that CleanRL knows have its names."""

LINE_EVERY = 10
"""Updates between two lines where there is no bar."""


class Logbook:
    """Writes the scalars of a run; the horizontal axis counts deals.

    Args:
        folder: Where the TensorBoard files go.
        deals: Deals that the whole run makes.
        done: Deals already made; what a killed run had written beyond them is dropped.
        among_others: Whether other runs show on the same terminal: lines in place of a bar, and
            the folder in each.
    """

    def __init__(self, folder: Path, deals: int, done: int, *, among_others: bool = False) -> None:
        self._console = terminal()
        self._in_lines = among_others or not self._console.is_terminal
        self._folder = folder
        self._among_others = among_others
        self._writer = SummaryWriter(str(folder), purge_step=done + 1 if done else None)
        self._bar = Progress(
            TextColumn("deals"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=self._console,
            disable=self._in_lines,
        )
        self._task = self._bar.add_task("", total=deals, completed=done)
        self._deals = deals
        self._updates = 0

    def __enter__(self) -> Logbook:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        self._writer.close()

    def scalars(self, values: dict[str, float], deals: int) -> None:
        """Write some numbers by their tags."""
        for tag, value in values.items():
            if not math.isnan(value):
                self._writer.add_scalar(tag, value, deals)

    def update(self, values: dict[str, float], deals: int) -> None:
        """Write an update's numbers and show how far the run is."""
        self.scalars(values, deals)
        self._bar.update(
            self._task, completed=min(deals, self._deals), description=_movement(values)
        )
        self._updates += 1
        due = self._updates % LINE_EVERY == 1 or deals >= self._deals
        if due and self._in_lines:
            self.line(
                f"{deals:,} of {self._deals:,} deals: "
                f"{values['charts/SPS']:,.0f} moves/s, {_movement(values)}"
            )

    def flush(self) -> None:
        """Have all that was written so far in its file, as a checkpoint needs beside it."""
        self._writer.flush()

    def line(self, text: str, *, named: bool = False) -> None:
        """Print a line above the bar, with the folder if asked, or if others show there."""
        told = f"{self._folder}: {text}" if named or self._among_others else text
        self._console.print(told, highlight=False, soft_wrap=True)


_MOVEMENTS = {
    "losses/entropy": "entropy {:.3f}",
    "losses/agreement": "agrees to {:.1%}",
    "losses/approx_kl": "KL {:.4f}",
    "losses/branch_loss": "branch loss {:.3f}",
    "losses/explained_variance": "explained variance {:.2f}",
}


def _movement(values: dict[str, float]) -> str:
    """Return how far the policy moved, how well it imitates, and how well the critic foresees."""
    said = [text.format(values[tag]) for tag, text in _MOVEMENTS.items() if tag in values]
    return ", ".join(said)


def evaluation_tags(opponent: str, edge: float, low: float, high: float) -> dict[str, float]:
    """Return the numbers of a measurement by their tags."""
    name = tagged(opponent)
    return {
        f"eval/points_vs_{name}": edge,
        f"eval/ci95_vs_{name}": (high - low) / 2,
    }


def health_tags(
    rates: Mapping[str, float | None], by_seat: Mapping[str, Sequence[float | None]]
) -> dict[str, float]:
    """Return how the greedy policy played by tags, in all and by seat."""
    found = {f"health/greedy_{name}": rate for name, rate in rates.items()}
    for name, shares in by_seat.items():
        found |= {f"health/greedy_{name}_seat{seat}": rate for seat, rate in enumerate(shares)}
    return {tag: rate for tag, rate in found.items() if rate is not None}


def tagged(policy: str) -> str:
    """Return a policy's name as tags have it."""
    return policy.replace("-", "_")
