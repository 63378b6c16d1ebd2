"""Invalid input is refused with a helpful message, and changes nothing."""

import decimal
import math

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, Decision
from lowbid._compile import kernel
from lowbid.errors import InvalidValueError, LowbidError, UnknownNameError


@pytest.fixture
def bandit():
    bandit = Bandit(["left", "right"], seed=0)
    for i in range(20):
        bandit.update(bandit.select(), loss=float(i % 3))
    bandit.decide(3)
    return bandit


NAN_LIKE = [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400]
NOT_NUMBERS = ["much", None, [1.0], {}, 1 + 2j, np.complex128(1), np.array([1.0, 2.0]), object]
OTHERS = [1e101, -1e101, np.timedelta64(5, "s"), *map(decimal.Decimal, ("nan", "sNaN", "1e999"))]
NOT_ARMS = ["lef", 0, True, 1.0, None, ["left"], ("left", "id"), b"left", np.float64(1)]


@pytest.mark.parametrize("loss", NAN_LIKE + NOT_NUMBERS + OTHERS, ids=repr)
def test_a_loss_that_is_no_finite_number(bandit, loss):
    unchanged(bandit, InvalidValueError, lambda: bandit.update("left", loss=loss))


@pytest.mark.parametrize("arm", NOT_ARMS, ids=repr)
def test_an_unknown_arm(bandit, arm):
    unchanged(bandit, UnknownNameError, lambda: bandit.update(arm, loss=1.0))
    unchanged(bandit, UnknownNameError, lambda: bandit.pause_arm(arm))
    unchanged(bandit, UnknownNameError, lambda: bandit.remove_arm(arm))


def test_a_near_miss_is_pointed_out(bandit):
    with pytest.raises(UnknownNameError, match="did you mean 'left'"):
        bandit.update("lef", loss=1.0)
    with pytest.raises(UnknownNameError, match="did you mean 0\\?"):
        Bandit([0, "a"]).update("0", loss=1.0)
    with pytest.raises(UnknownNameError, match="the arms are 0 to 2"):
        Bandit(3).update(3, loss=1.0)


def test_it_must_be_said_which_of_loss_and_reward_it_is(bandit):
    with pytest.raises(InvalidValueError, match=r"loss=0\.5\) or update\(arm, reward=0\.5"):
        bandit.update("left", 0.5)
    unchanged(bandit, InvalidValueError, lambda: bandit.update("left", 0.5))
    unchanged(bandit, InvalidValueError, lambda: bandit.update("left"))
    unchanged(bandit, InvalidValueError, lambda: bandit.update("left", loss=1.0, reward=1.0))
    unchanged(bandit, InvalidValueError, lambda: bandit.update_many(["left"], [0.5]))


def test_many_are_refused_in_words_for_many(bandit):
    for call, words in [
        (lambda: bandit.update_many(["left"], [0.5]), r"update_many\(arms, losses=\[0\.5\]\)"),
        (lambda: bandit.update_many(["left"]), r"nothing was given; use update_many"),
        (
            lambda: bandit.update_many(["left"], losses=[1], rewards=[2]),
            r"got both loss=\[1\]",
        ),
        (lambda: bandit.update_many(["left"], losses=0.5), "0.5; give a list"),
        (lambda: bandit.update_many(3, losses=[0.5]), "3; give a list"),
        (
            lambda: bandit.update_many(["left"], losses=[0.5, 1]),
            "1 arms or decisions, but 2 losses",
        ),
        (lambda: bandit.update_many(["left"], rewards=[0.5]), "takes losses, but got a reward"),
    ]:
        with pytest.raises(InvalidValueError, match=words):
            call()
        unchanged(bandit, InvalidValueError, call)


@pytest.mark.parametrize("horizon", [0, -1, 1.5, "many", True], ids=repr)
def test_a_horizon_that_is_no_number_of_steps(horizon):
    with pytest.raises(InvalidValueError, match="horizon"):
        Bandit(2, horizon=horizon)


def test_a_schedule_that_fails_late_leaves_the_bandit_as_it_was():
    shrinking = lowbid.BatchEnsemble(lambda step: 2 if step < 1500 else 1, growth="redistribute")
    bandit = Bandit(2, shrinking, seed=0)
    for _ in range(1024):  # as many as there is room for at first
        bandit.update(bandit.select(), loss=0.5)
    for _ in range(2):
        with pytest.raises(InvalidValueError, match="shrinks"):
            bandit.select()
        assert bandit.capacity == len(bandit.state.batches.history_losses) == 1024


def test_losses_and_rewards_are_not_mixed(bandit):
    unchanged(bandit, InvalidValueError, lambda: bandit.update("left", reward=1.0))
    fresh = Bandit(2)
    unchanged(fresh, UnknownNameError, lambda: fresh.update(7, reward=1.0))
    fresh.update(0, loss=1.0)  # the refused reward did not settle the matter


def test_one_bad_entry_of_many_spoils_all(bandit):
    for arms, losses in [
        (["left", "right"], [1.0, math.nan]),
        (["left", "nobody"], [1.0, 1.0]),
        (["left"], [1.0, 2.0]),
        (["left", Decision("left", "other-1")], [1.0, 1.0]),
    ]:
        unchanged(bandit, LowbidError, lambda a=arms, x=losses: bandit.update_many(a, losses=x))


def test_decisions_of_another_bandit_or_of_none(bandit):
    other = Bandit(["left", "right"], seed=0).decide()
    ours = bandit.pending()[0]
    word, number = ours.id.split("-")
    wrong_arm = {"left": "right", "right": "left"}[ours.arm]
    for decision in [
        other,
        Decision("left", "nonsense"),
        Decision("left", f"{word}-0"),
        Decision("left", f"{word}-99"),
        Decision("left", f"{word}-{number}x"),
        Decision("left", 3),
        Decision(wrong_arm, ours.id),
    ]:
        unchanged(bandit, LowbidError, lambda d=decision: bandit.update(d, loss=1.0))
        unchanged(bandit, LowbidError, lambda d=decision: bandit.forget(d))
    unchanged(bandit, InvalidValueError, lambda: bandit.forget("left"))


def test_an_answer_given_twice_changes_nothing(bandit):
    decision = bandit.pending()[1]
    assert bandit.update(decision, loss=1.0) is None
    before = bandit.to_json()
    assert bandit.update(decision, loss=99.0) == "closed"
    assert bandit.forget(decision) == "closed"
    assert bandit.to_json() == before


def test_the_last_arm_stays(bandit):
    bandit.pause_arm("left")
    unchanged(bandit, InvalidValueError, lambda: bandit.pause_arm("right"))
    unchanged(bandit, InvalidValueError, lambda: bandit.remove_arm("right"))


@pytest.mark.parametrize("n", [-1, 1.5, "2", True])
def test_a_number_of_decisions(bandit, n):
    unchanged(bandit, InvalidValueError, lambda: bandit.decide(n))


@pytest.mark.parametrize(
    "wrong",
    [
        {"arms": 0},
        {"arms": []},
        {"arms": "ab"},
        {"arms": ["a", "a"]},
        {"arms": ["a", 1.5]},
        {"arms": None},
        {"arms": 2.0},
        {"arms": [True, False]},
        {"arms": 2, "policy": lowbid.UCB1},
        {"arms": 2, "seed": -1},
        {"arms": 2, "expiry": 0},
        {"arms": 2, "loss_range": (1, 0)},
        {"arms": 2, "loss_range": (0, math.inf)},
        {"arms": 2, "reward_range": 1.0},
        {"arms": 2, "loss_range": ()},
        {"arms": 2, "reward_range": "01"},
        {"arms": 2, "reward_range": ("0", "1")},
        {"arms": 2, "reward_range": (0, 10**400)},
        {"arms": 2, "reward_range": (0, 1, 2)},
        {"arms": 2, "reward_range": (0, math.nan)},
        {"arms": 2, "reward_range": (0, None)},
        {"arms": 2, "reward_range": (0, 1), "loss_range": (0, 1)},
    ],
    ids=repr,
)
def test_a_bandit_that_makes_no_sense(wrong):
    with pytest.raises(InvalidValueError):
        Bandit(**wrong)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, "high", math.nan])
def test_a_confidence(bandit, confidence):
    unchanged(bandit, InvalidValueError, lambda: bandit.recommend(confidence))


def unchanged(bandit, error, call):
    before = bandit.to_json()
    with pytest.raises(error):
        call()
    assert bandit.to_json() == before


@pytest.mark.parametrize(
    ("policy", "loss", "says"),
    [
        (lowbid.GIRO(), 3.0, "takes losses from 0 to 1; scale it"),
        (lowbid.NPTS(), -3.0, "takes losses of 0 or more; scale it"),
        (lowbid.NPTS(best=-1.0), -3.0, "takes losses of -1 or more; scale it"),
        (lowbid.NPTS(), math.inf, "the loss is inf; give a finite number"),
        (lowbid.UCB1(), -1e101, "scale it to at most 1e"),
    ],
)
def test_losses_out_of_range_are_told_the_range(policy, loss, says):
    with pytest.raises(InvalidValueError, match=says):
        lowbid.Bandit(2, policy).update(0, loss=loss)


@kernel
def _far_away(parameters, state, step, stream):
    return 10**7


@kernel
def _before_the_first(parameters, state, step, stream):
    return -1


class FarAway(lowbid.BatchEnsemble):
    kernels = lowbid.BatchEnsemble.kernels._replace(select=_far_away)


class BeforeTheFirst(lowbid.BatchEnsemble):
    kernels = lowbid.BatchEnsemble.kernels._replace(select=_before_the_first)


class InWords(lowbid.BatchEnsemble):
    kernels = lowbid.BatchEnsemble.kernels._replace(select=lambda *arguments: "left")


@pytest.mark.parametrize("policy", [FarAway, BeforeTheFirst, InWords])
def test_a_rule_that_returns_no_arm(policy):
    bandit = Bandit(["left", "right"], policy(batches=2), seed=0)
    for ask in (bandit.select, bandit.decide):
        unchanged(bandit, InvalidValueError, ask)
