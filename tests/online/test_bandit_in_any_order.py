"""Random sequences of all calls, compared with plain records."""

import copy
import math
import pickle

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules
from lowbid.errors import InvalidValueError
from naive.online import Books

POLICIES = [
    None,
    lowbid.UCB1(),
    lowbid.BetaThompson(),
    BatchEnsemble(batches=schedules.Logarithmic(2.0), growth="redistribute", baseline="minimum"),
    lowbid.LBSDA(),
]
NAMES = ["a", "b", 0, 1, "zwölf", -3]
VALUES = st.integers(0, 8).map(lambda eighths: eighths / 8)


class Calls(RuleBasedStateMachine):
    @initialize(
        policy=st.sampled_from(POLICIES),
        kind=st.sampled_from(["loss", "reward"]),
        arms=st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True),
        seed=st.integers(0, 5),
    )
    def begin(self, policy, kind, arms, seed):
        span = {f"{kind}_range": (0.0, 1.0)}
        self.bandit = Bandit(arms, policy, seed=seed, **span)
        self.kind, self.books, self.decisions = kind, Books(arms), []

    def told(self, value):
        return {self.kind: value}

    @rule(value=VALUES)
    def select_and_update(self, value):
        arm = self.bandit.select()
        assert arm in self.books.active
        assert self.bandit.update(arm, **self.told(value)) == self.books.tell(arm, value)

    @rule(value=VALUES, arm=st.sampled_from(NAMES))
    def update_any(self, value, arm):
        if arm in self.books.arms or arm in self.books.removed:
            assert self.bandit.update(arm, **self.told(value)) == self.books.tell(arm, value)

    @rule(n=st.integers(1, 4))
    def decide(self, n):
        for decision in self.bandit.decide(n):
            assert decision.arm in self.books.active
            assert decision.id not in {other.id for other in self.decisions}
            self.books.decide(decision)
            self.decisions.append(decision)

    @precondition(lambda self: self.decisions)
    @rule(data=st.data(), value=VALUES)
    def answer(self, data, value):
        decision = data.draw(st.sampled_from(self.decisions))
        expected = self.books.answer(decision, value)
        assert self.bandit.update(decision, **self.told(value)) == expected
        assert self.bandit.update(decision, **self.told(value)) == "closed"

    @precondition(lambda self: self.decisions)
    @rule(data=st.data(), values=st.lists(VALUES, max_size=4))
    def answer_many(self, data, values):
        chosen = [data.draw(st.sampled_from(self.decisions)) for _ in values]
        expected = [self.books.answer(*pair) for pair in zip(chosen, values, strict=True)]
        plural = {"loss": "losses", "reward": "rewards"}[self.kind]
        assert self.bandit.update_many(chosen, **{plural: values}) == expected

    @precondition(lambda self: self.decisions)
    @rule(data=st.data())
    def forget(self, data):
        decision = data.draw(st.sampled_from(self.decisions))
        assert self.bandit.forget(decision) == self.books.forget(decision)

    @rule(arm=st.sampled_from(NAMES))
    def add(self, arm):
        if arm in self.books.arms:
            with pytest.raises(InvalidValueError):
                self.bandit.add_arm(arm)
        else:
            self.bandit.add_arm(arm)
            self.books.add(arm)

    @rule(arm=st.sampled_from(NAMES), what=st.sampled_from(["remove", "pause", "resume"]))
    def change(self, arm, what):
        books = self.books
        last = arm in books.active and len(books.active) == 1 and what != "resume"
        if arm not in books.arms or last:
            with pytest.raises(lowbid.errors.LowbidError):
                getattr(self.bandit, f"{what}_arm")(arm)
            return
        getattr(self.bandit, f"{what}_arm")(arm)
        if what == "remove":
            books.remove(arm)
        elif what == "pause":
            books.move(arm, books.active, books.paused)
        else:
            books.move(arm, books.paused, books.active)

    @rule(how=st.sampled_from(["json", "pickle", "deepcopy"]))
    def restore(self, how):
        bandit = self.bandit
        twin = {
            "json": lambda: Bandit.from_json(bandit.to_json()),
            "pickle": lambda: pickle.loads(pickle.dumps(bandit)),
            "deepcopy": lambda: copy.deepcopy(bandit),
        }[how]()
        assert twin.to_json() == bandit.to_json()
        assert [copy.deepcopy(bandit).select() for _ in range(2)] == [
            copy.deepcopy(twin).select() for _ in range(2)
        ]
        self.bandit = twin

    @invariant()
    def same_books(self):
        if not hasattr(self, "bandit"):
            return
        books, bandit = self.books, self.bandit
        assert bandit.arms == books.active
        assert set(bandit.paused) == set(books.paused)
        assert bandit.counts() == books.counts()
        assert {decision.id for decision in bandit.pending()} == set(books.open)
        assert bandit.step == books.step
        for arm, mean in books.means().items():
            ours = bandit.means()[arm]
            assert math.isnan(mean) == math.isnan(ours)
            assert math.isnan(mean) or ours == pytest.approx(mean)
        if isinstance(bandit.policy, BatchEnsemble):
            held = dict(zip(bandit.arms, bandit.state.batches.pending.tolist(), strict=True))
            for arm in bandit.arms:
                assert held[arm] == list(books.open.values()).count(arm)
            counts = bandit.state.batches.counts.sum(axis=1).tolist()
            assert counts == [len(books.values[arm]) for arm in bandit.arms]


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
