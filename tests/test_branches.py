"""Branches: every legal card of late decisions, played out, and what is learned from it."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from agents import training
from agents.branches import Branches
from agents.config import ConfigError, from_dict
from agents.losses import Batch, branch_loss, centred
from agents.nets import NetConfig, masked_log_softmax
from agents.ppo import Learner, PPOConfig
from agents.rollout import Experience, collect
from sjavs_env import RULE_SETS, VectorSjavs, rule_set
from sjavs_env.core.bits import count
from sjavs_env.layout import LAYOUT
from sjavs_env.players import player
from sjavs_env.players.random import lowest_action
from tests.conftest import TINY
from tests.test_ppo import masks
from tests.test_update import moved, weights_of

FIRST = 6
LATE = TINY | {"net": {"hidden": [16], "late": 7, "late_hidden": [24]}}


def lowest(words: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return lowest_action(legal), np.zeros(len(legal), np.float32)


def branching(rules: str, first: int = FIRST) -> Branches:
    return Branches(first, "rule-of-thumb", rule_set(rules))


def played_out(vec: VectorSjavs, row: int, action: int) -> float:
    """Return what the seat to act is paid after an action, one deal played by itself."""
    seat, alone = vec.seat[row], vec.take([row])
    rule_of_thumb = player("rule-of-thumb", vec.rules)
    alone.step(np.array([action]))
    while not alone.over[0]:
        alone.step(rule_of_thumb.act(alone.observe(), alone.legal, np.zeros(1, np.uint64)))
    return float(alone.payoff[0, seat])


@pytest.mark.parametrize("rules", RULE_SETS)
def test_outcomes_are_those_of_each_card_played_out_alone(rules: str) -> None:
    first = rule_set(rules).n_tricks - 1
    branches, vec = branching(rules, first), VectorSjavs(rules, batch=12, seed=2)
    rule_of_thumb = player("rule-of-thumb", vec.rules)
    compared = 0
    while not vec.over.all():
        rows = np.flatnonzero(count(vec.legal) > 1)
        before = [vec.record(int(row)) for row in rows]
        late, payoff = branches.at(vec, rows, vec.observe()[rows])
        assert [vec.record(int(row)) for row in rows] == before, "the deals stay as they are"
        for row, paid in zip(rows[late], payoff, strict=True):
            legal = vec.legal_mask()[row]
            assert np.array_equal(legal, ~np.isnan(paid))
            expected = [played_out(vec, row, int(action)) for action in np.flatnonzero(legal)]
            assert paid[legal].tolist() == expected
            compared += 1
        keys = np.zeros(vec.batch, np.uint64)
        vec.step(np.where(vec.over, 0, rule_of_thumb.act(vec.observe(), vec.legal, keys)))
    assert compared > 3


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
        np.isnan(found.outcomes.paid).sum(axis=1), 64 - count(found.legal[expected])
    )


def minibatch(allowed: torch.Tensor, outcomes: torch.Tensor) -> Batch:
    nothing = torch.zeros(len(allowed))
    slot = nothing.long()
    return Batch(nothing[:, None], allowed, slot, *[nothing] * 4)._replace(outcomes=outcomes)


def test_the_loss_of_branches_is_that_of_its_definition() -> None:
    allowed = torch.tensor([[True, True, False, True], [True, True, True, True]])
    logits = torch.tensor([[1.0, 3.0, 50.0, -1.0], [1.0, 2.0, 3.0, 4.0]], requires_grad=True)
    paid = torch.tensor([[2.0, -4.0, 0.0, -1.0], [torch.nan] * 4])
    part = minibatch(allowed, torch.stack([centred(paid[:1], allowed[:1])[0], paid[1]]))
    loss = branch_loss(masked_log_softmax(logits, allowed), part, temperature=0.5)
    # Payoffs less their mean, -1: 3, -3, 0. Logits less theirs, 1: 0, 2, -2; half: 0, 1, -1. In
    # units of four points:
    errors = torch.tensor([0.0 - 3, 1 + 3, -1 - 0]) / 4
    assert loss.item() == pytest.approx(float(errors.square().sum()) / 2)
    loss.backward()
    # Half a point is an eighth of the unit.
    expected = torch.zeros(2, 4)
    expected[0, [0, 1, 3]] = (errors - errors.mean()) * 2 / 8 / 2
    torch.testing.assert_close(logits.grad, expected)


def test_a_soft_choice_has_no_loss_and_no_row_without_branches_counts() -> None:
    allowed = masks(100, 66, seed=1)
    paid = torch.randn(100, 66)
    outcomes = centred(paid, allowed)
    outcomes[50:] = torch.nan
    soft = masked_log_softmax(paid / 0.2, allowed)
    soft[50:] = masked_log_softmax(torch.randn(50, 66), allowed[50:])
    part = minibatch(allowed, outcomes)
    assert float(branch_loss(soft, part, temperature=0.2)) == pytest.approx(0, abs=1e-6)
    assert float(branch_loss(soft, part, temperature=0.4)) > 0.01
    nothing = minibatch(allowed, torch.full((100, 66), torch.nan))
    assert float(branch_loss(soft, nothing, temperature=0.2)) == 0


def branched_play(first: int) -> Experience:
    return collect(
        VectorSjavs("faroese4", batch=64), lowest, seed=3, branches=branching("faroese4", first)
    )


def pupil_of(**changes: object) -> Learner:
    net = NetConfig(hidden=(32,), late=7, late_hidden=(32,))
    return Learner(rule_set("faroese4"), net, PPOConfig(**changes), seed=1)


def test_what_is_branched_is_learned_from_branches_alone() -> None:
    """No payoff of a deal, and no entropy, moves the play of cards there."""
    found = []
    for payoff in (1.0, -1.0):
        pupil = pupil_of(epochs=1, entropy=abs(payoff) * (0.1 if payoff > 0 else 0.5), lam=1.0)
        experience = branched_play(first=1).branched()
        experience.payoff[:] *= payoff
        before = weights_of(pupil.actor)
        told = pupil.update(experience, np.random.default_rng(0))
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
    learn = pupil.practise if alone else pupil.update
    first = learn(experience, np.random.default_rng(0))["branch_loss"]
    told = learn(experience, np.random.default_rng(1))
    assert told["branch_loss"] < first / 1.5
    assert set(told) == {"branch_loss"} if alone else {"branch_loss"} < set(told)
    assert (moved(pupil.critic, critic) == 0) == alone
    decision, payoff = experience.outcomes or pytest.fail("no branches")
    words, legal = experience.words[decision], experience.legal[decision]
    with torch.no_grad():
        log_probs, _, contexts = pupil.actor(*pupil.load.tensors(words, legal))
    slots = log_probs.argmax(dim=1)
    chosen = pupil.actor.encode.slots.actions_of(slots, contexts).numpy()
    gained = payoff[np.arange(len(payoff)), chosen] - np.nanmean(payoff, axis=1)
    best = np.nanmax(payoff, axis=1) - np.nanmean(payoff, axis=1)
    assert gained.mean() > 0.7 * best.mean() > 0


def test_a_run_learns_from_branches_once_it_does_not_imitate() -> None:
    values = LATE | {"branches": {"alone": 128}, "imitation": {"deals": 64}}
    trainer = training.start(from_dict(values, "test"))
    imitation, alone, together = (
        {name.partition("/")[2]: value for name, value in logged.items() if "losses/" in name}
        for logged in (trainer.advance(), trainer.advance(), trainer.advance())
    )
    assert "agreement" in imitation
    assert "branch_loss" not in imitation
    assert set(alone) == {"branch_loss"}
    assert {"branch_loss", "policy_loss", "value_loss"} < set(together)


def test_where_the_critic_learns_alone_nothing_is_branched() -> None:
    values = LATE | {"branches": {"alone": 64}, "critic_first": 128}
    trainer = training.start(from_dict(values, "test"))
    branched = []
    for _ in range(3):
        assert trainer._branches is not None
        branched.append(trainer._branching)
        trainer.advance()
    assert branched == [True, False, True]


def test_an_unknown_player_of_branches_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="rule-of-thumb"):
        from_dict(TINY | {"branches": {"player": "rule-of-thum"}}, "test")
