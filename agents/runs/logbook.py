"""The log of a run: TensorBoard scalars, and a progress bar on a terminal or lines elsewhere."""

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
    "charts/SPS": "moves per second of an update, forced moves included",
    "charts/deals_per_second": "deals per second of an update",
    "charts/learned_decisions_per_second": "learned decisions per second of an update; a learned "
    "decision has more than one legal action",
    "charts/learning_rate": "step size of the optimiser",
    "charts/entropy_weight": "entropy bonus: weight of the entropy in the loss",
    "charts/episodic_return": "mean payoff of declarer in game points (the mean over all seats is "
    "0)",
    "charts/payoff_spread": "standard deviation of a seat's payoff in game points",
    "losses/policy_loss": "clipped policy loss; in imitation the cross-entropy to the teacher",
    "losses/value_loss": "value loss: half the squared error of the critic, with payoffs divided "
    "by payoff_scale",
    "losses/entropy": "entropy of the policy divided by that of a uniform choice, 0 to 1",
    "losses/branch_loss": "squared error of the late network against the outcomes of branches, in "
    "units of 4 game points and 10 card points (with net.late)",
    "losses/magnet_kl": "KL divergence from the average of the weights (if ppo.magnet is not 0)",
    "losses/approx_kl": "KL divergence of the policy from the one before the update (estimator k3);"
    " near 0.02 the policy changes fast",
    "losses/old_approx_kl": "the same KL divergence by the estimator k1",
    "losses/clipfrac": "share of decisions with a probability ratio outside the clipping range",
    "losses/explained_variance": "share of the returns' variance that the critic explains",
    "losses/agreement": "how often the policy agrees with its teacher (warm start alone)",
    "health/declared": "share of deals with a declarer",
    "health/declarer_wins": "share of declared deals with a positive payoff for declarer",
    "health/forced_moves": "share of moves that are no learned decisions: forced moves, and with a "
    "league the moves of opponents",
    "health/call_rate": "share of the decisions between a call and a pass in which the policy "
    "calls, in self-play",
    "health/guarded": "1 in an update with the guard against passing on, else 0",
    "health/greedy_MEASURE": "health measure of the greedy policy against the last opponent, on "
    "the validation set: call_rate, declared_rate, declarer_win_rate, vol_rate, mean_tricks, "
    "forced_share, partner_overtaken, points_thrown",
    "health/greedy_MEASURE_seatN": "the same by seat",
    "policy/entropy_norm_bid": "normalised entropy of decisions with an action that is no card "
    "(calls, trumps, exchange), 0 to 1",
    "policy/entropy_norm_play": "normalised entropy of decisions among cards only, 0 to 1",
    "league/points_vs_MEMBER": "mean payoff of the learner's seats against this league member",
    "time/rollout": "seconds of the rollout in an update, inference included",
    "time/inference": "seconds in which the actor chooses actions in the rollout",
    "time/update": "seconds of learning in an update, the stages below included",
    "time/encoding": "seconds in which words become features",
    "time/values": "seconds in which the critic computes values",
    "time/advantages": "seconds in which advantages are computed",
    "time/gradients": "seconds of forward and backward passes and optimiser steps",
    "eval/points_vs_OPPONENT": "edge over an opponent on the validation set, game points per deal",
    "eval/ci95_vs_OPPONENT": "half the width of the edge's 95 % interval",
}
"""The description of each tag. Tags that CleanRL has, have CleanRL's names."""

LINE_EVERY = 10
"""Updates between two lines if there is no progress bar."""


class Logbook:
    """Writes the scalars of a run; the horizontal axis counts deals.

    Args:
        folder: Folder for the TensorBoard files.
        deals: Deals of the whole run.
        done: Deals already played. Scalars that a killed run has written after them are dropped.
        among_others: Whether other runs print on the same terminal. The log then prints lines with
            the folder in place of a progress bar.
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
        """Write scalars by their tags, except NaN.

        Args:
            values: The scalars.
            deals: Deals of the run so far.
        """
        for tag, value in values.items():
            if not math.isnan(value):
                self._writer.add_scalar(tag, value, deals)

    def update(self, values: dict[str, float], deals: int) -> None:
        """Write the scalars of an update, and show the progress of the run."""
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
        """Write all scalars so far to the file, so that it is never behind a checkpoint."""
        self._writer.flush()

    def line(self, text: str, *, named: bool = False) -> None:
        """Print a line above the progress bar.

        It begins with the folder if ``named`` or if other runs print on the same terminal.
        """
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
    """Return the main figures of an update in words, for the progress bar and the lines."""
    said = [text.format(values[tag]) for tag, text in _MOVEMENTS.items() if tag in values]
    return ", ".join(said)


def evaluation_tags(opponent: str, edge: float, low: float, high: float) -> dict[str, float]:
    """Return the edge over an opponent and its half-width as scalars by their tags."""
    name = tagged(opponent)
    return {
        f"eval/points_vs_{name}": edge,
        f"eval/ci95_vs_{name}": (high - low) / 2,
    }


def health_tags(
    rates: Mapping[str, float | None], by_seat: Mapping[str, Sequence[float | None]]
) -> dict[str, float]:
    """Return the health measures of the greedy policy by their tags, overall and by seat."""
    found = {f"health/greedy_{name}": rate for name, rate in rates.items()}
    for name, shares in by_seat.items():
        found |= {f"health/greedy_{name}_seat{seat}": rate for seat, rate in enumerate(shares)}
    return {tag: rate for tag, rate in found.items() if rate is not None}


def tagged(policy: str) -> str:
    """Return a policy's name as it stands in tags."""
    return policy.replace("-", "_")
