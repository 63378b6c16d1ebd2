"""What every policy is: names, identities, and the parameters that kernels read."""

import dataclasses
import functools

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.policies._base import arrays_of, copy_of, extend


def test_the_identity_has_every_parameter_and_the_name_what_differs():
    assert lowbid.UCBV().identity == "UCBV(zeta=1.0, c=1.0, scale=1.0)"
    assert (lowbid.UCBV().name, lowbid.UCBV(c=2).name) == ("UCBV", "UCBV(c=2)")
    assert lowbid.UCBV(c=2, scale=3).name == "UCBV(c=2, scale=3.0)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lowbid.ReBoot(inflation=2), lowbid.ReBoot(inflation=np.float64(2.0))),
        (lowbid.BESA(initial=np.int32(3)), lowbid.BESA(initial=3)),
        (lowbid.BESA(random_ties=np.bool_(True)), lowbid.BESA(random_ties=True)),
        (lowbid.UCB1(scale=1), lowbid.UCB1()),
    ],
    ids=str,
)
def test_numbers_of_every_kind_are_one_parameter(one, other):
    assert one.identity == other.identity
    kinds = [[type(value) for value in policy.parameters(3, 10, 10)] for policy in (one, other)]
    assert kinds[0] == kinds[1]
    assert one.parameters(3, 10, 10) == other.parameters(3, 10, 10)


def batches(step, rate):
    return 1 + int(rate * step)


def test_the_identity_has_no_address_in_it():
    policy = lowbid.BatchEnsemble(batches=functools.partial(batches, rate=0.01))
    assert "batches=partial(batches, rate=0.01)" in policy.identity


def test_a_policy_without_indices_says_so():
    policy = lowbid.KLMaillard("bernoulli")
    with pytest.raises(InvalidValueError, match=r"KLMaillard.bernoulli does not use an index"):
        policy.indices(*policy.start(3), 1)


def test_a_look_at_the_indices_changes_nothing():
    policy = lowbid.UCB1()
    parameters, state = policy.start(3)
    policy.kernels.update(parameters, state, 1, 0.5, 1, np.zeros(1, np.uint64))
    before = copy_of(state)
    assert np.isneginf(policy.indices(parameters, state, 2)).tolist() == [True, False, True]
    for old, new in zip(arrays_of(before), arrays_of(state), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_state_moves_into_the_corner_of_a_larger_one():
    policy = lowbid.ACB(members=2)
    small, large = policy.start(2)[1], policy.start(3)[1]
    small.noise[:] = [[1.0, 2.0], [3.0, 4.0]]
    moved = extend(small, large)
    assert moved.noise.tolist() == [[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]


@dataclasses.dataclass(frozen=True)
class Stateless(lowbid.Policy):
    def init(self, n_arms, capacity):
        return [0] * n_arms

    def select(self, state, step, stream):
        return 0

    def update(self, state, arm, loss, step, stream):
        pass


def test_what_is_no_state_is_refused():
    with pytest.raises(InvalidValueError, match="init must return a named tuple of arrays"):
        list(arrays_of(Stateless().start(2)[1]))


def test_a_plain_policy_reads_its_parameters_from_itself():
    policy = Stateless()
    assert not policy.compiled
    assert policy.parameters(2, None, 1) is policy
    assert (policy.for_range(0.0, 9.0), policy.needs_range) == (policy, False)


class Scaled(lowbid.Policy):
    """A base that is no dataclass, and names a field of those derived from it."""

    scale: float
    kernels = lowbid.UCB1.kernels


@dataclasses.dataclass(frozen=True)
class Bonus(Scaled):
    c: float = 1.0
    scale: float = 2.0


def test_parameters_go_by_their_names_whatever_the_order_of_fields():
    parameters = Bonus(c=3.0, scale=4.0).parameters(2, None, 1)
    assert (parameters.c, parameters.scale) == (3.0, 4.0)


def test_states_that_do_not_add_up_are_not_merged():
    policy = lowbid.LBSDA()
    states = [policy.start(2, 5)[1] for _ in range(2)]
    with pytest.raises(InvalidValueError, match="two states of LBSDA cannot be merged"):
        policy.merge(*states)
