"""The league: a pool of opponents for the learner, and their seats.

Plain self-play can run in circles: the learner forgets how to answer strategies that it once beat.
So in a share of the deals a league member takes one side: a named policy, or a past self of the
learner. Members are drawn uniformly, because a preference for the hardest opponents gained nothing
in Bridge (Kita et al. 2024). The learner learns only from its own seats.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.common.bounds import AtLeastOne, NotNegative, Share
from agents.evaluation.duplicate import seatings
from agents.networks.nets import Actor, NetPolicy
from sjavs_env import RuleSet, VectorSjavs
from sjavs_env.players import Policy
from sjavs_env.views.layout import N_WORDS

PAST = "past"
"""The common name of all past selves, in tags."""
_LEARNER = -1


@dataclass(frozen=True)
class LeagueConfig:
    """The opponent pool of the learner."""

    share: Share = 0.0
    """Share of the deals in which a league member takes one side; 0: plain self-play."""
    players: tuple[str, ...] = ("rule-of-thumb",)
    """Named members: built-in players, checkpoints, any name of a policy."""
    players_share: Share = 0.5
    """Probability that a drawn member is a named one; otherwise it is a past self."""
    past: NotNegative = 20
    """Number of past selves in the league, the latest ones; 0: none."""
    past_every: AtLeastOne = 25
    """Updates between two past selves."""
    at_once: AtLeastOne = 4
    """Members drawn for one update; they share its league deals equally. A small number keeps each
    member's batches large."""


@dataclass(frozen=True)
class Opponents:
    """The opponents of the learner in the deals of one update.

    Attributes:
        names: Name of each member.
        members: Policy of each member.
        sitting: Number of the member at each seat, -1 for the learner, int8[B, P].
        generator: Draws the keys of the members.
    """

    names: tuple[str, ...]
    members: tuple[Policy, ...]
    sitting: NDArray[np.int8]
    generator: np.random.Generator

    def choose(
        self,
        vec: VectorSjavs,
        rows: NDArray[np.intp],
        words: NDArray[np.uint32],
        actions: NDArray[np.int64],
    ) -> NDArray[np.intp]:
        """Choose actions in the rows where a member is to act; return the learner's rows.

        Args:
            vec: The deals.
            rows: Rows with more than one legal action, intp[N].
            words: Observations with all cards of every row, uint32[B, W_ALL].
            actions: The actions of all rows, int64[B]; those of the members are written into it.
        """
        turn = self.sitting[rows, vec.seat[rows]]
        for number, member in enumerate(self.members):
            mine = rows[turn == number]
            if len(mine):
                seen = words[mine] if member.sees_all else words[mine, :N_WORDS]
                keys = self.generator.integers(2**64, size=len(mine), dtype=np.uint64)
                actions[mine] = member.act(seen, vec.legal[mine], keys)
        own: NDArray[np.intp] = rows[turn == _LEARNER]
        return own

    def at(self, rows: NDArray[np.intp]) -> Opponents:
        """Return the opponents of these rows only."""
        return replace(self, sitting=self.sitting[rows])

    def points(self, payoff: NDArray[np.float32]) -> dict[str, float]:
        """Return the mean payoff of the learner's seats against each member, in game points.

        Args:
            payoff: Payoff of each seat, in game points, float32[B, P].
        """
        met = self.sitting.max(axis=1)
        found: dict[str, list[NDArray[np.float32]]] = {}
        for number, name in enumerate(self.names):
            rows = met == number
            found.setdefault(name, []).append(payoff[rows][self.sitting[rows] == _LEARNER])
        means = {name: np.concatenate(parts) for name, parts in found.items()}
        return {name: float(part.mean()) for name, part in means.items() if len(part)}


class League:
    """The members of the league in one phase of a run; it draws the opponents of each update.

    Args:
        config: The configuration.
        rules: The rule set.
        load: Loads a policy by name.
        keeps_past: Whether to keep past selves, because this phase or a later one uses them.
    """

    def __init__(
        self,
        config: LeagueConfig,
        rules: RuleSet,
        load: Callable[[str, RuleSet], Policy],
        *,
        keeps_past: bool = True,
    ) -> None:
        self.config = config
        self._rules = rules
        self._keeps_past = keeps_past and bool(config.past)
        self._players = {name: load(name, rules) for name in config.players} if config.share else {}
        self.past: deque[tuple[int, Actor]] = deque(maxlen=config.past)
        """Past selves, oldest first: the number of an update, and the actor after it."""

    def due(self, update: int) -> bool:
        """Return whether the learner becomes a past self after this number of updates."""
        return self._keeps_past and update % self.config.past_every == 0

    def add(self, update: int, actor: Actor) -> None:
        """Add a copy of an actor to the past selves."""
        self.past.append((update, deepcopy(actor).requires_grad_(requires_grad=False)))

    @property
    def plays(self) -> bool:
        """Whether the league plays in any deal."""
        return bool(self.config.share and (self._players or self.past))

    def opponents(self, batch: int, generator: np.random.Generator) -> Opponents:
        """Draw members and seatings for the deals of an update.

        Args:
            batch: Number of deals.
            generator: Draws members, seatings and later the members' keys.
        """
        config = self.config
        tables = round(config.share * batch)
        drawn = [self._draw(generator) for _ in range(config.at_once)]
        held = seatings(self._rules)[generator.integers(len(seatings(self._rules)), size=tables)]
        member = np.arange(tables) * len(drawn) // tables
        sitting = np.full((batch, self._rules.seats), _LEARNER, np.int8)
        sitting[:tables] = np.where(held, _LEARNER, member[:, None])
        names, members = zip(*drawn, strict=True)
        return Opponents(names, members, sitting, generator)

    def _draw(self, generator: np.random.Generator) -> tuple[str, Policy]:
        """Draw a member; return its name and its policy."""
        by_name = generator.random() < self.config.players_share
        if self._players and (by_name or not self.past):
            name = self.config.players[generator.integers(len(self._players))]
            return name, self._players[name]
        _, actor = self.past[generator.integers(len(self.past))]
        return PAST, NetPolicy(actor, greedy=False)
