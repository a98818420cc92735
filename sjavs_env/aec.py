"""The PettingZoo environment: one deal or one rubber, agent by agent.

All agents get their reward in the same step, at the end of the episode. This class itself checks
that actions are in bounds and legal, so that the error can name the legal ones; PettingZoo's
wrapper for that is not needed. ``sjavs_v0.env`` adds the wrapper that enforces the order of calls.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Literal, SupportsIndex, cast, get_args

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from sjavs_env.core.arguments import one_of
from sjavs_env.core.errors import as_word, nearest, told
from sjavs_env.core.plain import fitting
from sjavs_env.core.tables.actions import N_ACTIONS
from sjavs_env.core.tables.ruleset import RuleSet
from sjavs_env.core.tables.rulesets import rule_set
from sjavs_env.episode import RESET_OPTIONS, Episode, EpisodeKind
from sjavs_env.views.layout import N_FEATURES, N_FEATURES_ALL, unpack
from sjavs_env.views.render import Sheet
from sjavs_env.views.transcript import Result

IllegalAction = Literal["raise", "terminate", "random_legal"]
RenderMode = Literal["human", "ansi"]
Observation = dict[str, NDArray[Any]]


class SjavsEnv(AECEnv[str, Observation, int | None]):
    """Sjavs under one rule set, without a wrapper.

    Args:
        rules: Name of a preset, or a ``RuleSet``.
        episode: "deal": an episode is one deal, and a void deal pays 0. "rubber": an episode is a
            sequence of deals until the rubber ends, and a void deal is dealt again.
        render_mode: "ansi": ``render`` returns the table as text. "human": the table is printed
            after every step.
        illegal_action: What an illegal action does. "raise": it raises ``IllegalActionError``, and
            nothing has moved. "terminate": the episode ends for all agents; every column except
            the agent's own gains the largest amount that a deal of the rule set can pay (in a
            rubber: the most crosses). "random_legal": a random legal action is played instead.

    Attributes:
        rules: The rule set.
        illegal_actions: Number of illegal actions in this episode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- as PettingZoo declares it
        "name": "sjavs_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | RuleSet = "faroese4",
        episode: EpisodeKind = "deal",
        render_mode: RenderMode | None = None,
        illegal_action: IllegalAction = "raise",
    ) -> None:
        super().__init__()
        one_of("episode", episode, get_args(EpisodeKind))
        one_of("illegal_action", illegal_action, get_args(IllegalAction))
        one_of("render_mode", render_mode, (None, *get_args(RenderMode)))
        self.rules = rule_set(rules)
        self.render_mode, self.illegal_action = render_mode, illegal_action
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: _observation_space() for agent in self._seats}
        self._action_spaces = {agent: _action_space() for agent in self._seats}
        self.state_space = Box(0, 1, (N_FEATURES_ALL,), np.float32)
        self._episode = Episode(self.rules, episode)
        self._begun = False

    def observation_space(self, agent: str) -> Space[Observation]:
        """Return an agent's observation space, the same object at every call."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Space[int | None]:
        """Return an agent's action space, the same object at every call."""
        return self._action_spaces[self._known(agent)]

    def _known(self, agent: object) -> str:
        """Return the name of an agent, after checking it."""
        name = as_word(agent)
        if name not in self._seats:
            raise ValueError(f"unknown agent {told(agent)}{nearest(name, self._seats)}")
        return name

    @property
    def results(self) -> list[Result]:
        """Results of the finished deals of this episode, void ones included."""
        return list(self._episode.results)

    @property
    def result(self) -> Result | None:
        """Result of the latest finished deal; None before the first."""
        return self._episode.results[-1] if self._episode.results else None

    @property
    def columns(self) -> tuple[int, ...]:
        """The present score columns, in game points."""
        return tuple(self._episode.sheet.columns[:, 0].tolist())

    @property
    def crosses(self) -> tuple[int, ...] | None:
        """Crosses won by each column; None until a rubber has ended."""
        sheet = self._episode.sheet
        ended = self._episode.kind == "rubber" and sheet.over[0]
        return tuple(sheet.crosses[:, 0].tolist()) if ended else None

    @property
    def record(self) -> str:
        """The present deal and its actions so far as one line of notation. It shows all cards."""
        return self._episode.vec.record(0)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        After an error nothing has changed.

        Args:
            seed: Restart the stream of deals from this seed. Default: the stream continues.
            options: ``{"deal": line}`` sets the deal. ``{"deals": [line, ...]}`` sets the first
                deals of a rubber, in order; random ones follow. ``{"dealer": seat}`` sets the
                first dealer. Any other option is ignored with a warning.

        Raises:
            DealError: a deal line is malformed, does not fit this rule set, or names a dealer
                whose turn it is not.
            ValueError: the options contradict each other.
        """
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ValueError(f"reset options must be a dictionary, not {told(options)}")
        for key in options:
            if key not in RESET_OPTIONS:
                near = nearest(key, RESET_OPTIONS)
                warnings.warn(
                    f"reset option {told(key)} is ignored{near}", UserWarning, stacklevel=2
                )
        self._episode.begin(seed, options)
        self._begun = True
        self.illegal_actions = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None  # type: ignore[assignment]
        self._turn()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation as new arrays. It works at any time and changes nothing.

        The action mask is all zeros for an agent that waits or has finished.
        """
        self._check_begun()
        features = self._episode.vec.features(0, self._seats[self._known(agent)])
        return {"observation": features, "action_mask": self._mask(agent)}

    def state(self) -> NDArray[np.float32]:
        """Return the features with all cards, for critics: ``observe_all`` from seat 0."""
        self._check_begun()
        return unpack(self._episode.vec.observe_all(seat=0)[0], "float32")

    def step(self, action: int | None) -> None:
        """Carry out the selected agent's action; None for an agent that has finished.

        After an error nothing has moved.

        Raises:
            IllegalActionError: the action is illegal, and ``illegal_action`` is "raise".
            TypeError: the action of a live agent is not an integer.
            DealError: the next deal line names a dealer whose turn it is not.
        """
        self._check_begun()
        if not self.agents:
            raise RuntimeError("the episode is over for all agents: call reset()")
        if self.terminations[self.agent_selection]:
            if action is not None:
                agent = self.agent_selection
                raise ValueError(f"{agent} has finished: its action is None, not {told(action)}")
            self._was_dead_step(action)
            return
        episode = self._episode
        chosen = self._chosen(action)
        dealt_out = chosen is not None and episode.play(chosen)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        if chosen is None:
            self._end(episode.forfeit(self._seats[self.agent_selection]))
        elif dealt_out:
            self._show()
            if episode.over:
                self._end(episode.payoffs())
            else:
                episode.deal_on()
        self._accumulate_rewards()
        self._turn()

    def _chosen(self, action: int | None) -> int | None:
        """Return the action to play; None if an illegal action ends the episode."""
        try:
            asked = operator.index(cast(SupportsIndex, action))
        except TypeError as error:
            what = f"action {told(action)} of {self.agent_selection}"
            raise TypeError(f"{what} is not an integer") from error
        if 0 <= asked < N_ACTIONS and self._episode.legal >> asked & 1:
            return asked
        self.illegal_actions += 1
        if self.illegal_action == "raise":
            return asked  # the core refuses it and names the legal actions
        return None if self.illegal_action == "terminate" else self._episode.random_action()

    def _end(self, payoffs: list[float]) -> None:
        """End the episode for all agents."""
        self.rewards = dict(zip(self.agents, payoffs, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)

    def _turn(self) -> None:
        """Select the agent to act, or the first one if all have finished, and set the infos."""
        over = self.terminations[self.agents[0]]
        self.agent_selection = self.agents[0 if over else self._episode.seat]
        self.infos = {agent: {"action_mask": np.zeros(N_ACTIONS, np.int8)} for agent in self.agents}
        if not over:
            self.infos[self.agent_selection] = {"action_mask": self._mask(self.agent_selection)}
            self._show()

    def _mask(self, agent: str) -> NDArray[np.int8]:
        """Return an agent's legal actions, int8[64]; all zeros if it is not its turn."""
        if agent != self.agent_selection or self.terminations.get(agent, True):
            return np.zeros(N_ACTIONS, np.int8)
        legal = self._episode.vec.legal.astype("<u8").view(np.uint8)
        return np.unpackbits(legal, bitorder="little").view(np.int8)

    def _check_begun(self) -> None:
        if not self._begun:
            raise RuntimeError("no episode has begun: call reset() first")

    def _show(self) -> None:
        """Print the table for people, in characters that the terminal can show."""
        if self.render_mode == "human":
            print(fitting(self._text(), getattr(sys.stdout, "encoding", None)))

    def _text(self) -> str:
        """Return the table as the agent to act sees it."""
        episode = self._episode
        sheet = Sheet(self.possible_agents, episode.results, self.crosses)
        return episode.vec.table(0, self._seats[self.agent_selection], sheet)

    def render(self) -> str | None:
        """Show the table as the agent to act sees it: return it ("ansi") or print it ("human")."""
        self._check_begun()
        if self.render_mode == "ansi":
            return self._text()
        if self.render_mode is None:
            warnings.warn(
                "render() shows nothing: make the environment with render_mode='ansi' or 'human'",
                UserWarning,
                stacklevel=2,
            )
        self._show()
        return None

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def _observation_space() -> Space[Observation]:
    features = Box(0, 1, (N_FEATURES,), np.float32)
    mask = Box(0, 1, (N_ACTIONS,), np.int8)
    return cast(Space[Observation], Dict(observation=features, action_mask=mask))


def _action_space() -> Space[int | None]:
    return cast("Space[int | None]", Discrete(N_ACTIONS))
