"""The league: whom the learner meets beside itself, and who sits where.

Plain self-play chases its own tail: what it once knew to answer, it forgets. So at a share of the
tables one side is a member of the league, seated as a team: players by name, and past selves of the
learner. Members are drawn uniformly, for preferring the hardest ones gained nothing in Bridge
(Kita et al. 2024). Only the learner's seats are learned from.
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
"""What past selves are called together."""
_LEARNER = -1


@dataclass(frozen=True)
class LeagueConfig:
    """Whom the learner meets beside itself."""

    share: Share = 0.0
    """Share of the tables at which one side is a member of the league; 0 for self-play alone."""
    players: tuple[str, ...] = ("rule-of-thumb",)
    """Members by name: built-in players, checkpoints, anything that names a policy."""
    players_share: Share = 0.5
    """Share of the league's tables that these take, past selves the rest."""
    past: NotNegative = 20
    """Past selves that are members, the latest ones; 0 for none."""
    past_every: AtLeastOne = 25
    """Updates between two of them."""
    at_once: AtLeastOne = 4
    """Members drawn for an update, who share its tables: few, so that each is asked in batches."""


@dataclass(frozen=True)
class Opponents:
    """Who plays the seats that the learner does not, for the deals of an update.

    Attributes:
        names: What each member is called.
        members: The members, as policies.
        sitting: The member in each seat by number, -1 for the learner, int8[B, P].
        generator: Gives the members their keys.
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
        """Choose for the members whose turn it is in some rows; return the learner's rows.

        Args:
            vec: The deals.
            rows: Rows with a choice, intp[N].
            words: Observations with all cards of every row, uint32[B, W_ALL].
            actions: Takes what the members choose, int64[B].
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
        """Return who sits at some of the tables, by their rows."""
        return replace(self, sitting=self.sitting[rows])

    def points(self, payoff: NDArray[np.float32]) -> dict[str, float]:
        """Return what the learner's seats were paid on average, by whom they met.

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
    """The members, and the tables that they are drawn for, in one phase of a run.

    Args:
        config: Whom the learner meets, and how often.
        rules: The rule set.
        load: Returns the policy of a name.
        keeps_past: Whether past selves are kept: this phase meets them, or a later one does.
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
        """Past selves by the number of the update that they come from, oldest first."""

    def due(self, update: int) -> bool:
        """Return whether the self after some updates becomes a member."""
        return self._keeps_past and update % self.config.past_every == 0

    def add(self, update: int, actor: Actor) -> None:
        """Make the learner as it stands a member."""
        self.past.append((update, deepcopy(actor).requires_grad_(requires_grad=False)))

    @property
    def plays(self) -> bool:
        """Whether it has a table."""
        return bool(self.config.share and (self._players or self.past))

    def opponents(self, batch: int, generator: np.random.Generator) -> Opponents:
        """Draw whom the learner meets at some tables, and who sits where.

        Args:
            batch: Number of tables.
            generator: Draws members and seatings.
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
        """Draw a member."""
        by_name = generator.random() < self.config.players_share
        if self._players and (by_name or not self.past):
            name = self.config.players[generator.integers(len(self._players))]
            return name, self._players[name]
        _, actor = self.past[generator.integers(len(self.past))]
        return PAST, NetPolicy(actor, greedy=False)
