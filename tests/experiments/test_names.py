import pytest

import lowbid
from lowbid import policies
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.experiments import names
from lowbid.experiments.names import (
    arms_of_text,
    kebab,
    nearest,
    policies_of_text,
    policy_of_text,
)


def test_every_policy_can_be_named():
    classes = [getattr(policies, name) for name in policies.__all__]
    for name in (name for cls in classes for name in cls.constructors()):
        assert policy_of_text(kebab(name)).name == name


def test_items_with_an_equals_sign_belong_to_the_policy_before():
    made = policies_of_text(
        "batch-ensemble:batches=log(0.3), growth=redistribute, ucb1:scale=2,ucb1"
    )
    schedule = lowbid.schedules.Logarithmic(0.3)
    assert made == [
        lowbid.BatchEnsemble(batches=schedule, growth="redistribute"),
        lowbid.UCB1(scale=2),
        lowbid.UCB1(),
    ]


def test_spelling_of_a_name_is_forgiven():
    assert nearest("policy", "RB-SDA", ["rbsda"]) == "rbsda"
    assert policy_of_text("Batch_Ensemble") == lowbid.BatchEnsemble()
    for text in ("RandomBernoulli:3", "random_bernoulli:3", "Random-Bernoulli:3"):
        assert repr(arms_of_text(text)) == repr(arms_of_text("random-bernoulli:3"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("batch-ensembel", "did you mean batch-ensemble"),
        ("kl-ucb", "did you mean klucb.bernoulli or klucb.gaussian"),
        ("zzzz", "known names are"),
        ("batch-ensemble:batchs=2", "did you mean batches"),
        ("batch-ensemble:batches=lgo(2)", "did you mean log"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(text, words):
    with pytest.raises(UnknownNameError, match=words):
        policy_of_text(text)


@pytest.mark.parametrize(
    "text", ["batch-ensemble:2", "batch-ensemble:batches=log(1,2,3)", "batch-ensemble:batches=0"]
)
def test_bad_parameters_are_refused(text):
    with pytest.raises(InvalidValueError):
        policy_of_text(text)


def test_arms_that_switch_have_a_row_for_each_environment():
    arms = arms_of_text("switching-gaussian:0.1,0.5/0.5,0.1/0.2,0.2,sd=1/2/3,after=10,20")
    assert arms.after == (10, 20)
    assert [each.means.tolist() for each in arms.environments] == [
        [0.1, 0.5],
        [0.5, 0.1],
        [0.2] * 2,
    ]
    assert [each.sd.tolist() for each in arms.environments] == [[1, 1], [2, 2], [3, 3]]
    assert arms_of_text("switching-bernoulli:0.1,0.5/0.5,0.1,chance=0.25").chance == 0.25


def test_arms_that_drift_have_a_path():
    walk = arms_of_text("drifting-gaussian:0.1,0.5,sd=2,walk=0.01,low=-1,high=3")
    assert repr(walk.path) == "RandomWalk(sd=0.01, low=-1, high=3)"
    assert walk.environment.sd.tolist() == [2, 2]
    wave = arms_of_text("drifting-bernoulli:0.5,0.5,amplitude=0.1,0.2,period=100,phase=0,0.5")
    assert repr(wave.path) == "Wave(amplitude=(0.1, 0.2), period=100.0, phase=(0.0, 0.5))"
    given = names.arms("drifting-bernoulli", {"path": [[0.1, 0.5], [0.2, 0.4]]})
    assert given.means_at([1, 2]).tolist() == [[0.1, 0.5], [0.2, 0.4]]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("switching-bernoulli:0.1,0.5,after=10", "for each of the environments"),
        ("switching-bernoulli:0.1,0.5/0.5,0.1", "give the steps"),
        ("switching-gaussian:0,1/1,0,sd=1/2/3,after=5", "one entry for each of the 2 environments"),
        ("drifting-bernoulli:0.1,0.5", "need one of walk"),
        ("drifting-bernoulli:0.1,0.5,walk=0.1,period=10", "'period' does not go with walk"),
        ("drifting-bernoulli:0.1,0.5,walk=0.1,amplitude=0.1,period=10", "need one of walk"),
        ("drifting-bernoulli:0.1,0.5,amplitude=0.1", "takes amplitude, period, phase"),
        ("drifting-beta:1,2,b=2,walk=0.1", "not the mean"),
    ],
)
def test_arms_that_cannot_change_are_refused_in_words(text, match):
    with pytest.raises(InvalidValueError, match=match):
        arms_of_text(text)


def test_arms_take_named_numbers():
    assert arms_of_text("gaussian:0,1,sd=1,2").variances.tolist() == [1.0, 4.0]
    assert arms_of_text("random-gaussian:7,sd=2,low=1,high=3").n_arms == 7


@pytest.mark.parametrize("text", ["bernoulli", "bernoulli:", "random-bernoulli", "bernoulli:2"])
def test_arms_without_good_numbers_are_refused(text):
    with pytest.raises(InvalidValueError):
        arms_of_text(text)


def test_what_is_missing_is_said_for_files_and_for_the_command_line():
    with pytest.raises(InvalidValueError, match=r"mean = \.\.\. in a file, gaussian:mean=\.\.\."):
        names.arms("gaussian", {"sd": "1"})
    with pytest.raises(InvalidValueError, match="n_arms = 10 in a file, random-beta:10 on the"):
        names.arms("random-beta", {"b": 2})
    with pytest.raises(InvalidValueError, match="takes c, least and no more; 1, 2, 3 is given"):
        names.policy("batch-ensemble", {"batches": "log(1, 2, 3)"})


def test_a_wrapper_takes_its_own_parameters_and_leaves_the_others():
    made = policy_of_text("clipped+coin-flips+batch-ensemble:scale=2,batches=3")
    assert made == lowbid.Clipped(lowbid.CoinFlips(lowbid.BatchEnsemble(batches=3), scale=2))


def test_only_a_wrapper_goes_before_a_plus():
    with pytest.raises(InvalidValueError, match="ucb1 is no wrapper; before a"):
        policy_of_text("ucb1+batch-ensemble")
