import pytest

import lowbid
from lowbid import BatchEnsemble, Clipped
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from naive import batch_ensemble as naive
from naive.race import Clip
from online_play import Listener
from replay import lowest_arms, replay

ARMS = lowbid.Mixed([lowbid.Bernoulli([0.2, 0.4, 0.5]), lowbid.Uniform(0.1, 0.9)])


def test_merged_robust_ensembles_clip_by_what_both_have_seen():
    left, right = (
        lowbid.Bandit(2, Clipped(BatchEnsemble(batches=2, baseline="minimum"))) for _ in range(2)
    )
    for bandit, losses in ((left, (0.0, 1.0, 0.5)), (right, (0.0, 50.0, 25.0))):
        for loss in losses:
            bandit.update(0, loss=loss)
    left.merge(right)
    assert left.state.yardstick.tolist()[2:] == [6.0, 0.0, 0.0, 1.0]
    assert left.state.yardstick[1] == 50.0


def test_a_robust_baseline_is_the_lowest_of_clipped_losses():
    policy = Clipped(BatchEnsemble(batches=3, baseline="minimum"))
    arms = lowbid.Contaminated(ARMS, value=-500.0, chance=0.05)
    order = Clip()
    clipped = [[] for _ in range(arms.n_arms)]
    previous = None
    with interpreted():
        for moment in replay(policy, arms, horizon=400, seed=5):
            if previous is not None:
                x = order.take(moment.losses[previous][-1])
                clipped[previous].append(order.origin + (order.unit or 0.0) * x)
            split = [naive.dealt(losses, 3) for losses in clipped]
            at = min((min(x) for x in clipped if x), default=0.0)
            assert moment.arm in lowest_arms(naive.indices(split, baseline=at)), moment.step
            previous = moment.arm


def test_a_policy_in_plain_python_can_wear_it():
    bandit = lowbid.Bandit(2, Clipped(Listener()))
    for loss in (0.0, 1.0, 1e9):
        bandit.update(0, loss=loss)
    assert bandit.state.policy.losses[0] == 2.0
    decision = bandit.decide()
    assert bandit.state.policy.held.sum() == 1
    bandit.update(decision, loss=0.5)
    assert bandit.state.policy.held.sum() == 0


def test_the_policy_within_is_asked_for_all_but_the_losses():
    plain, worn = (
        BatchEnsemble(batches=2, ties="first"),
        Clipped(BatchEnsemble(batches=2, ties="first")),
    )
    bandits = [lowbid.Bandit(["a", "b"], policy, seed=0) for policy in (plain, worn)]
    for bandit in bandits:
        for loss in (0.0, 1.0, 0.5, 0.25):
            bandit.update(bandit.select(), loss=loss)
        bandit.add_arm("c")
        bandit.pause_arm("b")
        bandit.update("c", loss=0.75)
        bandit.resume_arm("b")
        bandit.decide()
    for ask in ("bids", "indices", "explain"):
        one, other = (getattr(bandit, ask)() for bandit in bandits)
        if ask == "explain":
            one, other = one.arms, other.arms
        assert one == other


def test_wrappers_have_short_names_and_whole_identities():
    policy = Clipped(BatchEnsemble(batches=2))
    assert policy.name == "Clipped(policy=BatchEnsemble(batches=2))"
    assert policy.identity == f"Clipped(policy={policy.policy.identity})"
    assert "0x" not in Clipped(BatchEnsemble(batches=lambda t: 1)).identity


def test_refuses_what_is_no_policy():
    with pytest.raises(InvalidValueError, match="policy is 'ucb1'; give a policy"):
        Clipped("ucb1")
