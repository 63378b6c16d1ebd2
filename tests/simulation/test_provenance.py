import sys

import lowbid
from lowbid import BatchEnsemble

POLICIES = {"ucb": lowbid.UCB1(), "batch": BatchEnsemble(batches=2)}
ARMS = lowbid.Bernoulli([0.1, 0.3, 0.5])


def test_provenance():
    provenance = lowbid.simulate(POLICIES, ARMS, horizon=200, runs=30, seed=3).provenance
    assert provenance["seed"] == 3
    assert provenance["environment"] == {"environment": "Bernoulli", "mean": [0.1, 0.3, 0.5]}
    assert provenance["python"] == sys.version.split()[0]
    same = lowbid.simulate(POLICIES, ARMS, horizon=200, runs=30, seed=3).provenance
    other = lowbid.simulate(POLICIES, ARMS, horizon=200, runs=30, seed=4).provenance
    assert same["configuration_hash"] == provenance["configuration_hash"]
    assert other["configuration_hash"] != provenance["configuration_hash"]


def test_late_settings_are_part_of_the_provenance():
    plain = lowbid.simulate(BatchEnsemble(), ARMS, 50, runs=1).provenance
    late = lowbid.simulate(BatchEnsemble(), ARMS, 50, runs=1, delay=3, lost=0.1).provenance
    assert "delay" not in plain
    assert (late["delay"], late["lost"], late["batch"]) == ("FixedDelay(steps=3)", 0.1, 1)
    assert late["configuration_hash"] != plain["configuration_hash"]


def test_the_configuration_hash_knows_what_a_function_gives():
    def hash_of(schedule):
        policy = lowbid.BatchEnsemble(batches=schedule)
        result = lowbid.simulate(policy, ARMS, horizon=20, runs=1)
        return result.provenance["configuration_hash"]

    assert hash_of(lambda t: 1) != hash_of(lambda t: 5)
    assert hash_of(lambda t: 1) == hash_of(lambda t: 1)
