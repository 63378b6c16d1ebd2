import pytest

import lowbid
from lowbid import policies
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.experiments._names import (
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
        ("zzzz", "known are"),
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


def test_arms_take_named_numbers():
    assert arms_of_text("gaussian:0,1,sd=1,2").variances.tolist() == [1.0, 4.0]
    assert arms_of_text("random-gaussian:7,sd=2,low=1,high=3").n_arms == 7


@pytest.mark.parametrize("text", ["bernoulli", "bernoulli:", "random-bernoulli", "bernoulli:2"])
def test_arms_without_good_numbers_are_refused(text):
    with pytest.raises(InvalidValueError):
        arms_of_text(text)
