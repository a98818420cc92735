"""Branches: every legal card of late decisions is played out, and the outcomes are learned."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from agents.learning.branches import Branches, Outcomes
from agents.learning.league import Opponents
from agents.learning.losses import Batch, branch_loss, centred
from agents.learning.ppo import Learner, PPOConfig
from agents.learning.rollout import Experience, collect
from agents.networks.nets import NetConfig, NetPolicy
from agents.runs import training
from agents.runs.config import ConfigError, from_dict
from sjavs_env import RULE_SETS, VectorSjavs, rule_set
from sjavs_env.core.bits import count
from sjavs_env.players import player
from sjavs_env.players.random import lowest_action
from sjavs_env.views.layout import LAYOUT, N_WORDS
from tests.conftest import TINY
from tests.lessons import lesson_of, taught
from tests.test_ppo import masks
from tests.test_update import moved, weights_of

FIRST = 6
LATE = TINY | {"net": {"hidden": [16], "late": 7, "late_width": 24}}


def lowest(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return lowest_action(legal), np.zeros(len(legal), np.float32)


def branching(rules: str, first: int = FIRST) -> Branches:
    return Branches(
        first, player("rule-of-thumb", rule_set(rules)), rule_set(rules), as_seated=False
    )


def played_out(vec: VectorSjavs, row: int, action: int) -> tuple[float, int]:
    """Return the payoff and the card points of the seat to act after an action.

    The row is played out in a batch of its own.
    """
    seat, alone = vec.seat[row], vec.take([row])
    rule_of_thumb = player("rule-of-thumb", vec.rules)
    alone.step(np.array([action]))
    while not alone.over[0]:
        alone.step(rule_of_thumb.act(alone.observe(), alone.legal, np.zeros(1, np.uint64)))
    result, column = alone.result(0), vec.rules.column
    with_declarer = column(result.declarer or 0) == column(int(seat))
    return float(alone.payoff[0, seat]), result.card_points[0 if with_declarer else 1]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_branch_outcomes_equal_those_of_each_card_played_out_separately(rules: str) -> None:
    first = rule_set(rules).n_tricks - 1
    branches, vec = branching(rules, first), VectorSjavs(rules, batch=12, seed=2)
    rule_of_thumb = player("rule-of-thumb", vec.rules)
    compared = 0
    while not vec.over.all():
        rows = np.flatnonzero(count(vec.legal) > 1)
        before = [vec.record(int(row)) for row in rows]
        late, payoff, points = branches.at(vec, rows, vec.observe()[rows])
        assert [vec.record(int(row)) for row in rows] == before, "the deals stay as they are"
        for row, *found in zip(rows[late], payoff, points, strict=True):
            legal = np.flatnonzero(vec.legal_mask()[row])
            expected = [played_out(vec, row, int(card)) for card in legal]
            for part, value in zip(found, zip(*expected, strict=True), strict=True):
                assert np.flatnonzero(~np.isnan(part)).tolist() == legal.tolist()
                assert part[legal].tolist() == list(value)
            compared += 1
        keys = np.zeros(vec.batch, np.uint64)
        vec.step(np.where(vec.over, 0, rule_of_thumb.act(vec.observe(), vec.legal, keys)))
    assert compared > 3


def test_without_a_declarer_card_points_are_those_of_the_seats_own_side() -> None:
    branches, vec = branching("faroese4_wiki", 7), VectorSjavs("faroese4_wiki", 400, seed=1)
    rule_of_thumb, seen = player("rule-of-thumb", vec.rules), set()
    while not vec.over.all():
        rows = np.flatnonzero((count(vec.legal) > 1) & (vec.declarer < 0))
        late, _, points = branches.at(vec, rows, vec.observe()[rows])
        for row, found in zip(rows[late], points, strict=True):
            seat = int(vec.seat[row])
            for card in np.flatnonzero(~np.isnan(found)):
                alone = vec.take([row])
                alone.step(np.array([card]))
                while not alone.over[0]:
                    keys = np.zeros(1, np.uint64)
                    alone.step(rule_of_thumb.act(alone.observe(), alone.legal, keys))
                won = alone._state.points[:, 0].tolist()
                assert found[card] == won[seat] + won[(seat + 2) % 4]
                seen.add(seat)
        vec.step(lowest_action(vec.legal))
    assert seen == {0, 1, 2, 3}


class Lowest:
    """A policy that plays the lowest legal action."""

    sees_all = False

    def act(self, words: np.ndarray, legal: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return lowest_action(legal)


@pytest.mark.parametrize("as_seated", [True, False])
def test_opponents_play_their_own_seats_in_branches_or_none(as_seated: bool) -> None:
    rules, theirs = rule_set("faroese4"), player("rule-of-thumb", rule_set("faroese4"))
    sitting = np.full((24, 4), -1, np.int8)
    sitting[:8, 1::2], sitting[8:16, 0::2] = 0, 0
    opponents = Opponents(("other",), (theirs,), sitting, np.random.default_rng(0))
    branches = Branches(5, Lowest(), rules, as_seated=as_seated)
    vec, differ, compared = VectorSjavs(rules, batch=24, seed=9), 0, 0
    while not vec.over.all():
        rows = np.flatnonzero(count(vec.legal) > 1)
        late, payoff, _ = branches.at(vec, rows, vec.observe()[rows], opponents)
        for row, paid in zip(rows[late], payoff, strict=True):
            for card in np.flatnonzero(~np.isnan(paid)):
                ends = []
                for seated in (as_seated, not as_seated):
                    alone = vec.take([row])
                    alone.step(np.array([card]))
                    while not alone.over[0]:
                        by = theirs if seated and sitting[row, alone.seat[0]] == 0 else Lowest()
                        keys = np.zeros(1, np.uint64)
                        alone.step(by.act(alone.observe(), alone.legal, keys))
                    ends.append(alone.payoff[0, vec.seat[row]])
                assert paid[card] == ends[0]
                differ += ends[0] != ends[1]
                compared += 1
        vec.step(lowest_action(vec.legal))
    assert 0 < differ < compared


def test_an_agent_plays_its_own_branches_with_the_average_of_its_weights() -> None:
    values = LATE | {"phase": [{"deals": 128}, {"branches": {"player": "itself"}}]}
    trainer = training.start(from_dict(values, "test"))
    found = []
    while not trainer.done:
        trainer.enter_phase()
        branches = trainer._lesson.branches or pytest.fail("no branches")
        by_itself = isinstance(branches._player, NetPolicy)
        assert branches._as_seated == by_itself
        if by_itself:
            assert branches._player._actor is trainer.learner.average
        found.append((trainer.progress.deals >= 128, by_itself))
        trainer.advance()
    assert set(found) == {(False, False), (True, True)}


@pytest.mark.parametrize("every", [1, 3])
def test_only_every_nth_table_has_branches(every: int) -> None:
    branches = lesson_of(pupil_of(), branches={"every": every}).branches
    whole = branched_play(first=7)
    vec = VectorSjavs("faroese4", batch=64)
    found = collect(vec, lowest, seed=3, branches=branches)
    assert whole.outcomes is not None
    assert found.outcomes is not None
    kept = whole.row[whole.outcomes.decision] % every == 0
    assert kept.any()
    assert kept.all() == (every == 1)
    for part, expected in zip(found.outcomes, whole.outcomes, strict=True):
        np.testing.assert_array_equal(part, expected[kept])


@pytest.mark.parametrize("bfloat16", [False, True])
def test_networks_at_the_table_play_branches_in_bfloat16_too(bfloat16: bool) -> None:
    """They play greedily there too. At the table itself they play with full precision."""
    rules, actor = rule_set("faroese4"), pupil_of().actor
    kinds: list[torch.dtype] = []
    for layer in actor.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.register_forward_hook(lambda _layer, _given, out: kinds.append(out.dtype))
    sitting = np.full((32, 4), -1, np.int8)
    sitting[:, 1::2] = 0
    member = NetPolicy(actor, greedy=False)
    opponents = Opponents(("net",), (member,), sitting, np.random.default_rng(0))
    branches = Branches(7, Lowest(), rules, as_seated=True, bfloat16=bfloat16)
    others = branches._others(opponents, np.arange(4)) or pytest.fail("nobody")
    (narrow,) = others.members
    assert isinstance(narrow, NetPolicy)
    assert (narrow._actor, narrow._greedy) == (actor, False)
    experience = branched_play(first=7)
    seen, keys = experience.words[:, :N_WORDS], np.zeros(len(experience), np.uint64)
    narrow.act(seen, experience.legal, keys)
    assert set(kinds) == {torch.bfloat16 if bfloat16 else torch.float32}
    assert opponents.members == (member,)
    kinds.clear()
    member.act(seen, experience.legal, keys)
    assert set(kinds) == {torch.float32}


@pytest.mark.parametrize("bfloat16", [False, True])
def test_an_agent_may_play_branches_in_bfloat16(bfloat16: bool) -> None:
    pupil = pupil_of()
    lesson = lesson_of(pupil, branches={"player": "itself", "bfloat16": bfloat16})
    by = (lesson.branches or pytest.fail("no branches"))._player
    assert isinstance(by, NetPolicy)
    kinds: list[torch.dtype] = []
    actor = pupil.average
    for layer in actor.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.register_forward_hook(lambda _layer, _given, out: kinds.append(out.dtype))
    experience = branched_play(first=7)
    seen, keys = experience.words[:, :N_WORDS], np.zeros(len(experience), np.uint64)
    chosen = by.act(seen, experience.legal, keys)
    assert set(kinds) == {torch.bfloat16 if bfloat16 else torch.float32}
    exact = NetPolicy(actor).act(seen, experience.legal, keys)
    assert 0.9 < np.mean(chosen == exact) <= 1


@pytest.mark.parametrize("first", [1, FIRST, 99])
def test_decisions_are_branched_from_a_trick_on_and_change_nothing_else(first: int) -> None:
    plain = collect(VectorSjavs("faroese4", batch=16), lowest, seed=4)
    vec = VectorSjavs("faroese4", batch=16)
    found = collect(vec, lowest, seed=4, branches=branching("faroese4", first))
    assert plain.outcomes is None
    assert found.outcomes is not None
    for name in ("words", "legal", "action", "row", "seat", "starts", "payoff"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(found, name))
    field = LAYOUT["trick_number"]
    done = found.words[:, field.word] >> field.shift & (1 << field.bits) - 1
    cards = found.legal >> np.uint64(32) == 0
    expected = np.flatnonzero(cards & (done + 1 >= first))
    assert found.outcomes.decision.tolist() == expected.tolist()
    assert bool(len(expected)) == (first < 99)
    np.testing.assert_array_equal(
        np.isnan(found.outcomes.paid).sum(axis=1), 32 - count(found.legal[expected])
    )


def test_the_loss_of_branches_is_that_of_its_definition() -> None:
    allowed = torch.tensor([[True, True, False, True, True]])  # the last is no card
    worth = torch.tensor([[[1.0, 3.0, 50.0, -1.0], [7.0, 1.0, 9.0, 1.0]]], requires_grad=True)
    found = torch.tensor([[[2.0, -4.0, 0.0, -1.0], [30.0, 10.0, 0.0, 20.0]]])
    cards = allowed[:, None, :4].expand_as(found)
    loss = branch_loss(worth, allowed, centred(found, cards))
    # Minus their means, -1 and 1: payoffs 3, -3, 0 and outputs 0, 2, -2; the unit is 4 points.
    paid = torch.tensor([0.0 - 3, 2 + 3, -2 - 0]) / 4
    # Minus their means, 20 and 3: card points 10, -10, 0 and outputs 4, -2, -2; the unit is 10.
    points = torch.tensor([4.0 - 10, -2 + 10, -2 - 0]) / 10
    assert loss.item() == pytest.approx(float((paid.square() + points.square()).sum()))
    loss.backward()
    expected = torch.zeros(1, 2, 4)
    for part, errors, unit in ((0, paid, 4), (1, points, 10)):
        expected[0, part, [0, 1, 3]] = (errors - errors.mean()) * 2 / unit
    torch.testing.assert_close(worth.grad, expected)


def test_the_branch_loss_is_zero_at_the_outcomes_and_ignores_a_common_offset() -> None:
    allowed = masks(100, 34, seed=1)
    found = 5 * torch.randn(100, 2, 34)
    cards = allowed[:, None].expand_as(found)
    same = found + torch.randn(100, 2, 1)
    assert float(branch_loss(same, allowed, centred(found, cards))) == pytest.approx(0, abs=1e-6)
    assert float(branch_loss(1.1 * same, allowed, centred(found, cards))) > 0.01


def test_decisions_without_branches_count_only_in_the_number_of_decisions() -> None:
    """The loss is a mean over all decisions, also over those without branches."""
    pupil, whole = pupil_of(), branched_play(first=7)
    for experience in (whole, whole.branched()):
        features, allowed, slot = pupil.load.features(experience, experience.action)
        batch = Batch(features, allowed, slot, *[features[:, 0]] * 4)
        batch = batch._replace(outcomes=pupil.load.outcomes(experience, allowed))
        mean, _ = pupil.branch_loss(batch)
        if experience is whole:
            whole_sum = mean.item() * len(whole)
    assert whole_sum == pytest.approx(mean.item() * len(experience), rel=1e-5)
    assert 0 < len(experience) < len(whole)


def branched_play(first: int) -> Experience:
    return collect(
        VectorSjavs("faroese4", batch=64), lowest, seed=3, branches=branching("faroese4", first)
    )


def pupil_of(**changes: object) -> Learner:
    net = NetConfig(hidden=(32,), late=7, late_width=32)
    return Learner(rule_set("faroese4"), net, PPOConfig(**changes), seed=1)


def test_the_second_network_learns_from_branches_alone() -> None:
    """Payoffs, entropy, and decisions without branches do not move it."""
    late = branched_play(first=7).branched()
    even = late.row % 2 == 0
    assert late.outcomes is not None
    halved = replace(late, outcomes=Outcomes(*(part[even] for part in late.outcomes)))
    assert 0 < even.sum() < len(late)
    found = []
    for payoff in (1.0, -1.0):
        pupil = pupil_of(epochs=1, entropy=abs(payoff) * (0.1 if payoff > 0 else 0.5), lam=1.0)
        experience = replace(halved, payoff=payoff * halved.payoff)
        before = weights_of(pupil.actor)
        told = taught(pupil, experience, np.random.default_rng(0))
        assert told["branch_loss"] > 0
        assert moved(pupil.actor, before) > 0
        found.append(weights_of(pupil.actor))
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_only_branched_decisions_are_left_of_deals() -> None:
    whole = branched_play(first=7)
    late = whole.branched()
    assert whole.outcomes is not None
    assert late.outcomes is not None
    assert len(late) == len(whole.outcomes.decision) < len(whole)
    assert late.outcomes.decision.tolist() == list(range(len(late)))
    np.testing.assert_array_equal(late.words, whole.words[whole.outcomes.decision])
    np.testing.assert_array_equal(late.payoff, whole.payoff)
    for begin, end in pairwise(late.starts):
        assert len(set(late.row[begin:end])) == end - begin, "a deal occurs once in a step"
    assert late.starts[-1] == len(late)


@pytest.mark.parametrize("alone", [True, False])
def test_the_policy_comes_to_what_branches_paid(alone: bool) -> None:
    pupil = pupil_of(epochs=30, minibatch=256, learning_rate=3e-3, average=0.0)
    experience = branched_play(first=7)
    critic = weights_of(pupil.critic)
    name = "late-tricks" if alone else "self-play"
    learned = lesson_of(pupil, name).selected(experience)
    first = taught(pupil, learned, np.random.default_rng(0), name)["branch_loss"]
    told = taught(pupil, learned, np.random.default_rng(1), name)
    assert told["branch_loss"] < first / 1.5
    assert set(told) == {"branch_loss"} if alone else {"branch_loss"} < set(told)
    assert (moved(pupil.critic, critic) == 0) == alone
    decision, payoff, _ = experience.outcomes or pytest.fail("no branches")
    words, legal = experience.words[decision], experience.legal[decision]
    with torch.no_grad():
        log_probs, _, contexts = pupil.actor(*pupil.load.tensors(words, legal))
    slots = log_probs.argmax(dim=1)
    chosen = pupil.actor.encode.slots.actions_of(slots, contexts).numpy()
    gained = payoff[np.arange(len(payoff)), chosen] - np.nanmean(payoff, axis=1)
    best = np.nanmax(payoff, axis=1) - np.nanmean(payoff, axis=1)
    assert gained.mean() > 0.7 * best.mean() > 0


def test_each_phase_learns_by_its_own_losses() -> None:
    lessons = ("imitation", "critic", "late-tricks", "self-play")
    values = LATE | {"phase": [{"lesson": name, "deals": 64} for name in lessons]}
    trainer = training.start(from_dict(values, "test"))
    imitation, critic, alone, together = (
        {name.partition("/")[2]: value for name, value in logged.items() if "losses/" in name}
        for logged in (trainer.advance(), trainer.advance(), trainer.advance(), trainer.advance())
    )
    assert set(critic) == {"value_loss", "explained_variance"}
    assert "agreement" in imitation
    assert "branch_loss" not in imitation
    assert set(alone) == {"branch_loss"}
    assert {"branch_loss", "policy_loss", "value_loss"} < set(together)


@pytest.mark.parametrize("name", ["imitation", "critic"])
def test_a_lesson_without_need_of_branches_plays_none_out(name: str) -> None:
    assert lesson_of(pupil_of(), name).branches is None


def test_an_unknown_player_of_branches_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="rule-of-thumb"):
        from_dict(TINY | {"branches": {"player": "rule-of-thum"}}, "test")
