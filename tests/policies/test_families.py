"""Policies that are made for a family of distributions."""

import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.policies import _families as families

CLASSES = [lowbid.KLUCB, lowbid.KLUCBPlus, lowbid.KLUCBPlusPlus, lowbid.KLMaillard, lowbid.IMED]


@pytest.mark.parametrize("cls", CLASSES)
def test_a_family_may_be_named(cls):
    for policy in cls.variants():
        named = cls(policy.family.name)
        assert named == policy == getattr(cls, policy.family.name)()
        assert (named.name, named.identity) == (policy.name, policy.identity)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "wrong", ["normal", "", None, 3, families.BernoulliFamily, [], float("nan")]
)
def test_what_is_no_family_is_refused_with_the_list(cls, wrong):
    with pytest.raises(InvalidValueError, match="'bernoulli', 'gaussian', 'exponential', 'poisson"):
        cls(wrong)


@pytest.mark.parametrize("cls", [lowbid.KLUCBPlus, lowbid.KLUCBPlusPlus, lowbid.KLMaillard])
def test_a_family_that_a_rule_is_not_made_for_is_refused(cls):
    for wrong in ("gaussian_unknown_variance", families.ScaledGaussianFamily()):
        with pytest.raises(InvalidValueError, match="choose one of"):
            cls(wrong)


def test_names_show_the_parameters_that_were_changed():
    assert lowbid.KLUCB.gaussian().name == "KLUCB.gaussian"
    assert lowbid.KLUCB.gaussian(sd=1.0).name == "KLUCB.gaussian"
    assert lowbid.KLUCB.gaussian(sd=2.0, c=3.0).name == "KLUCB.gaussian(sd=2.0, c=3.0)"
    assert lowbid.KLUCBPlusPlus.poisson(horizon=9).name == "KLUCBPlusPlus.poisson(horizon=9)"


def test_the_identity_of_a_family_names_its_sd_also_if_it_is_the_default():
    assert lowbid.IMED.gaussian().identity == "IMED(family=GaussianFamily(sd=1.0))"
    assert lowbid.IMED.gaussian(sd=0.5).identity == "IMED(family=GaussianFamily(sd=0.5))"
