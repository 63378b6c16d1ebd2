import pytest

import lowbid
from lowbid.experiments.paper import HORIZON, POLICIES, RUNS, SETTINGS, TITLES, Plan, choose
from lowbid.experiments.paper._cases import alternatives, case

DEFAULTS = choose([])


def test_the_tests_are_the_papers():
    cases = Plan(DEFAULTS, HORIZON, RUNS, 0).cases()
    assert [each.key for each in cases] == list(TITLES)
    assert all(tuple(each.policies) == POLICIES for each in cases)
    assert all((each.horizon, each.runs) == (2000, 100) for each in cases)
    assert cases[0].environment.means.tolist() == [0.001, 0.15, 0.2, 0.25, 0.3]
    assert cases[1].environment.means.tolist() == pytest.approx([0.9 + i / 100 for i in range(10)])
    assert [each.environment.n_arms for each in cases] == [5, 10, 10, 10, 10, 10]


def test_the_default_schedule_grows_once_near_800_steps():
    assert list(case("test-1", DEFAULTS, HORIZON, RUNS, 0).marks.values()) == [(786,)]


@pytest.mark.parametrize("test", TITLES)
def test_every_choice_of_every_setting_can_be_run(test):
    base = case(test, DEFAULTS, 50, 10, 0)
    others = alternatives(base, DEFAULTS, costly=True)
    for other in others:
        assert set(other.case.policies) <= set(base.policies)
        if other.case.environment.describe() == base.environment.describe():
            for name, policy in other.case.policies.items():
                assert policy != base.policies[name]
        else:
            assert list(other.case.policies) == list(base.policies)
    assert len({other.case.key for other in others}) == len(others)


def test_every_choice_changes_something_somewhere():
    changed = {
        (other.setting, other.choice)
        for test in TITLES
        for other in alternatives(case(test, DEFAULTS, 50, 10, 0), DEFAULTS, costly=True)
    }
    assert changed == {(s.key, choice.key) for s in SETTINGS for choice in s.choices[1:]}


def test_costly_choices_are_left_out_unless_asked_for():
    base = case("test-1", DEFAULTS, 50, 10, 0)
    cheap = {(o.setting, o.choice) for o in alternatives(base, DEFAULTS, costly=False)}
    everything = {o.choice: o for o in alternatives(base, DEFAULTS, costly=True)}
    assert ("mars", "1/T^2") not in cheap
    assert everything["1/T^2"].case.runs == 4


@pytest.mark.parametrize(("choice", "c"), [("log", 0.0), ("loglog", 3.0)])
def test_the_exploration_of_ucb_kl_is_as_chosen(choice, c):
    made = case("test-1", {**DEFAULTS, "kl": choice}, 100, 1, 0).policies["UCB-KL"]
    assert made == lowbid.KLUCB.bernoulli(c=c)
