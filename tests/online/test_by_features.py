import json
import math
import pickle
import random
import warnings

import numpy as np
import pytest

import lowbid
from lowbid.contextual import LinearBatchEnsemble, LinearIMED, LinearMED, LinTS, LinUCB
from lowbid.contextual.problems import Logistic
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.simulation import loss_of

FEATURES = {"age": float | None, "country": ["DE", "FR", "other"]}
ARMS = ["blue", "green", "red"]


def some_features(rng):
    return {
        "age": rng.choice([20, 40, 60, None]),
        "country": rng.choice(["DE", "FR", "US"]),
    }


def reward(arm, features, rng):
    age = 40 if features["age"] is None else features["age"]
    german = 1.5 if features["country"] == "DE" else 0.5
    return {"blue": 1.0, "green": german, "red": age / 40}[arm] + rng.gauss(0, 0.2)


def used(steps=300, late=5, **options):
    """A bandit in use, with some decisions open."""
    rng = random.Random(0)
    bandit = lowbid.Bandit(ARMS, features=FEATURES, seed=1, compiled="now", **options)
    pending = []
    for _ in range(steps):
        features = some_features(rng)
        pending.append((bandit.decide(features=features), features))
        if len(pending) > late:
            decision, features = pending.pop(rng.randrange(len(pending)))
            bandit.update(decision, reward=reward(decision.arm, features, rng))
    return bandit, rng, pending


def test_it_finds_the_arm_for_each_visitor():
    bandit, _, _ = used(600)
    best = [
        bandit.recommend(features={"age": age, "country": country}).arm
        for age, country in [(20, "DE"), (60, "DE"), (20, "US"), (60, "US")]
    ]
    assert best == ["green", "red", "blue", "red"]


@pytest.mark.parametrize("policy", [LinearIMED(), LinearMED(), LinUCB(), LinTS()])
def test_it_chooses_as_the_simulation_does(policy):
    problem = Logistic(3, columns=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = lowbid.simulate(policy, problem, 60, 1, seed=3)
    bandit = lowbid.Bandit(3, policy, seed=3, features=2, compiled="never")
    counts = [0, 0, 0]
    for step in range(1, 61):
        x = problem.features_at(step, seed=3)
        arm = bandit.select(features=x)
        loss = loss_of(problem, problem.table_at(step, seed=3), 3, 0, arm, counts[arm])
        bandit.update(arm, features=x, loss=loss)
        counts[arm] += 1
    assert counts == result.pulls[0, 0].tolist()


def test_uncompiled_it_chooses_alike():
    first, _, _ = used(60)
    rng, second = random.Random(0), lowbid.Bandit(
        ARMS, features=FEATURES, seed=1, compiled="never"
    )  # fmt: skip
    pending = []
    for _ in range(60):
        features = some_features(rng)
        pending.append((second.decide(features=features), features))
        if len(pending) > 5:
            decision, features = pending.pop(rng.randrange(len(pending)))
            second.update(decision, reward=reward(decision.arm, features, rng))
    assert np.array_equal(first.state.model.inverse, second.state.model.inverse)


@pytest.mark.parametrize(
    "copied",
    [
        lambda bandit: lowbid.Bandit.from_json(bandit.to_json(), compiled="now"),
        lambda bandit: pickle.loads(pickle.dumps(bandit)),
    ],
)
def test_a_restored_bandit_goes_on_as_the_original(copied):
    first, _, pending = used()
    second = copied(first)
    for bandit in (first, second):
        rng = random.Random(7)
        for decision, features in pending:
            bandit.update(decision, reward=reward(decision.arm, features, rng))
        bandit.chosen = []
        for _ in range(30):
            features = some_features(rng)
            arm = bandit.select(features=features)
            bandit.update(arm, features=features, reward=reward(arm, features, rng))
            bandit.chosen.append(arm)
    assert first.chosen == second.chosen
    assert np.array_equal(first.state.model.weights, second.state.model.weights)


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body["contexts"].popitem(),
        lambda body: next(iter(body["contexts"].values())).pop(),
        lambda body: body.update(features={"age": "number"}),
        lambda body: body.pop("contexts"),
    ],
)
def test_a_damaged_file_is_refused(damage):
    from lowbid.online._saved import _checksum

    body = json.loads(used(40)[0].to_json())
    body.pop("checksum")
    damage(body)
    body["checksum"] = _checksum(body)
    with pytest.raises(FileFormatError):
        lowbid.Bandit.from_json(json.dumps(body))


def test_late_outcomes_leave_nothing_pending():
    bandit, rng, pending = used()
    assert bandit.state.model.pending.sum() == len(pending)
    for decision, features in pending[:3]:
        bandit.update(decision, reward=reward(decision.arm, features, rng))
    for decision, _ in pending[3:]:
        bandit.forget(decision)
    assert not bandit.state.model.pending.any()
    assert not bandit.state.model.held.any()
    assert bandit.pending() == []
    assert bandit.update(pending[0][0], reward=1.0) == "closed"


def test_decisions_expire_with_their_features():
    bandit, _, _ = used(300, late=400, expiry=10)
    assert len(bandit.pending()) == 11
    assert bandit.state.model.pending.sum() == 11


def test_several_decisions_and_several_outcomes():
    bandit, _, _ = used()
    features = {"age": 30, "country": "FR"}
    decisions = bandit.decide(4, features=features)
    bandit.update_many([*decisions, "blue"], rewards=[1.0] * 5, features=[*[None] * 4, features])
    with pytest.raises(InvalidValueError, match="5 arms or decisions, but 1 features"):
        bandit.update_many(["blue"] * 5, rewards=[1.0] * 5, features=[features])


def test_arms_come_and_go():
    bandit, rng, pending = used()
    features = {"age": 30, "country": "FR"}
    bandit.add_arm("new")
    assert bandit.select(features=features) == "new"
    bandit.update("new", features=features, reward=0.3)
    gone = pending[0][0].arm
    bandit.remove_arm(gone)
    for decision, given in pending:
        answer = bandit.update(decision, reward=reward(decision.arm, given, rng))
        assert answer == ("removed" if decision.arm == gone else None)
    rest = [arm for arm in bandit.arms if arm != "new"]
    decision = next(d for _ in range(500) if (d := bandit.decide(features=features)).arm in rest)
    bandit.pause_arm(decision.arm)
    assert bandit.select(features=features) != decision.arm
    assert bandit.update(decision, reward=1.0) is None
    bandit.resume_arm(decision.arm)
    lowbid.Bandit.from_json(bandit.to_json())


def test_two_bandits_are_merged():
    first, second = (used(200, late=0, policy=LinearIMED())[0] for _ in range(2))
    first.merge(second)
    assert sum(first.counts().values()) == 400
    assert first.recommend(features={"age": 60, "country": "DE"}).arm == "red"
    pending, other = used(100)[0], used(100)[0]
    with pytest.raises(InvalidValueError, match="has pending decisions"):
        pending.merge(other)


def test_explanations_are_in_units_and_add_up():
    bandit, _, _ = used(600)
    features = {"age": 60, "country": "DE"}
    found = bandit.explain(features=features)
    means = {each.arm: each.mean for each in found.arms}
    assert [each.arm for each in found.arms] == sorted(means, key=means.get, reverse=True)
    assert means["red"] == pytest.approx(1.5, abs=0.2)
    assert means["blue"] == pytest.approx(1.0, abs=0.3)
    for each in found.arms:
        assert each.low < each.mean < each.high
        assert each.similar > 0
    assert max(found.arms[0].pulls, key=found.arms[0].pulls.get) == "age"
    model = bandit.state.model
    shift = model.columns.mean[1:] - model.columns.x[1:]
    unit, first = model.yardstick[1], model.yardstick[0]
    center = {
        arm: -(first + unit * (w[0] + w[1:] @ (model.columns.x[1:] + shift)))
        for arm, w in zip(ARMS, model.weights, strict=True)
    }
    rest = {arm: means[arm] - center[arm] for arm in ARMS}
    for each in found.arms:
        expected = rest[each.arm] - np.mean(list(rest.values()))
        assert sum(each.pulls.values()) == pytest.approx(expected, abs=0.1)
    assert str(found).splitlines()[0].startswith("red 1.5")


def test_questions_without_features_are_refused():
    bandit, _, _ = used(50)
    questions = [bandit.recommend, bandit.shares, lambda: bandit.compare("blue", "red")]
    for ask in questions:
        with pytest.raises(InvalidValueError, match="depends on the features"):
            ask()
    with pytest.raises(InvalidValueError, match="learn_from does not read features"):
        bandit.learn_from({"arm": ["blue"], "reward": [1.0]})
    ridge = lowbid.Bandit(2, LinUCB(), features=2)
    with pytest.raises(InvalidValueError, match="does not estimate how sure it is"):
        ridge.explain(features=[1, 2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Bandit(2, lowbid.UCB1(), features=2), "UCB1 does not look at features"),
        (lambda: lowbid.Bandit(2, features=2, on_sure="stop"), "on_sure is 'stop'"),
        (lambda: lowbid.Bandit(2).decide(features=[1]), "this bandit was made without"),
        (lambda: lowbid.Bandit(2).update(0, features=[1], loss=1.0), "was made without"),
        (lambda: lowbid.Bandit(2, features=2).select(), "none were given"),
        (lambda: lowbid.Bandit(2, features=2).update(0, loss=1.0), "none were given"),
        (lambda: lowbid.Bandit(100, features=500), "100 arms and 500 columns"),
    ],
)
def test_what_does_not_fit_together_is_refused(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_bad_input_changes_nothing():
    bandit, _, pending = used(50)
    before = bandit.to_json()
    decision, good = pending[0][0], {"age": 1, "country": "DE"}
    for call in (
        lambda: bandit.decide(features={"age": "x", "country": "DE"}),
        lambda: bandit.update("blue", features={"age": 1}, reward=1.0),
        lambda: bandit.update("blue", features=good, reward=math.nan),
        lambda: bandit.update("nobody", features=good, reward=1.0),
        lambda: bandit.update(decision, features=good, reward=1.0),
    ):
        with pytest.raises((InvalidValueError, KeyError)):
            call()
    assert bandit.to_json() == before


def test_other_policies_can_be_used(tmp_path):
    bandit = lowbid.Bandit(
        ARMS, LinearBatchEnsemble(), features={"age": float | None}, reward_range=(0, 1)
    )
    for i in range(40):
        decision = bandit.decide(features={"age": None if i % 3 else i})
        bandit.update(decision, reward=0.5)
    bandit.save(tmp_path / "bandit.json")
    loaded = lowbid.Bandit.load_or_new(
        tmp_path / "bandit.json", ARMS, features={"age": float | None}
    )
    assert loaded.counts() == bandit.counts()
    with pytest.raises(InvalidValueError, match="the features given"):
        lowbid.Bandit.load_or_new(tmp_path / "bandit.json", ARMS, features={"age": float})
