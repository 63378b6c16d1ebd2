"""Every rule compared with its definition, planned action by planned action."""

import dataclasses
import inspect

import numpy as np
import pytest
from scipy import stats

import lowbid
from follow import assert_follows, follow
from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.mdp.agents import psrl, ucbvi
from lowbid.policies._citation import entries_of
from naive import mdp as naive

BEVI = mdp.BatchEnsembleValueIteration
CLASSES = [getattr(mdp, name) for name in mdp.agents.__all__]
VARIANTS = [rule for cls in CLASSES for rule in cls.variants()]

POOLED = mdp.Garnet(4, 3, branching=2, horizon=4, instance=3)
NOISY = mdp.Chain(4, best_return=1.0)
STAGED = mdp.DeepSea(4, stochastic=True)
UNEVEN = mdp.MetaChain(means=(-0.5, 0.5), n_actions=3)
LOSING = mdp.Tabular(
    [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.2, 0.8]]],
    losses=[[0.3, 0.5], [1.0, 0.1]],
    horizon=3,
    noise="bernoulli",
)
MODELS = [POOLED, NOISY, STAGED, UNEVEN, LOSING]
on_all_models = pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:25])


@on_all_models
@pytest.mark.parametrize(
    "rule",
    [
        BEVI(),
        BEVI(batches=3, padding=0.5),
        BEVI(batches=4, rank=2),
        BEVI(batches=1),
        BEVI(stationary=False),
        mdp.VIBE(batches=5, quantile=0.4),
        mdp.PaddedCounts(padding=0.3),
    ],
    ids=lambda rule: rule.name,
)
def test_batches_that_have_their_values_in_common(rule, model):
    batches, rank = getattr(rule, "batches", 1), getattr(rule, "rank", 1)
    for now in follow(rule, model, episodes=15):
        table = naive.batch_q(now.told, now.visits, batches, rule.padding, rank)
        assert_follows(now.state.policy, table, now.episode)


@pytest.mark.parametrize("model", [NOISY, STAGED, mdp.Grid("S..#.G", horizon=4)], ids=repr)
def test_what_can_be_reached_is_planned_and_nothing_else(model):
    told = model.problem()
    assert all((told.earliest[s] == 0) == (model.world.first[s] > 0) for s in range(told.n_states))
    for now in follow(BEVI(), model, episodes=15, everywhere=False):
        table = naive.batch_q(now.told, now.visits, 2, 1.0)
        assert_follows(now.state.policy, table, now.episode, told.earliest)
        for s, first in enumerate(told.earliest):
            assert not now.state.policy[:first, s].any()


@on_all_models
@pytest.mark.parametrize("reading", ["global", "episodes"])
def test_batches_that_bid_a_policy(reading, model):
    for now in follow(BEVI(batches=3, reading=reading), model, episodes=15):
        by_episode = reading == "episodes"
        tables = [naive.own_q(now.told, now.visits, j, 3, 1.0, by_episode) for j in range(3)]
        bids = [naive.bid_of(now.told, table) for table in tables]
        winners = [j for j, bid in enumerate(bids) if bid >= max(bids) - 1e-9]
        for j in winners:
            try:
                assert_follows(now.state.policy, tables[j])
                break
            except AssertionError:
                if j == winners[-1]:
                    raise


@on_all_models
def test_batches_that_bid_at_each_state(model):
    for now in follow(BEVI(batches=3, reading="states"), model, episodes=15):
        tables = [naive.own_q(now.told, now.visits, j, 3, 1.0) for j in range(3)]
        highest = [
            [np.max(rows, axis=0).tolist() for rows in zip(*by_batch, strict=True)]
            for by_batch in zip(*tables, strict=True)
        ]
        assert_follows(now.state.policy, highest, now.episode)


@on_all_models
def test_eqo(model):
    for now in follow(mdp.EQO(scale=0.3), model, episodes=15):
        assert_follows(now.state.policy, naive.eqo(now.told, now.visits, 0.3))


@on_all_models
def test_certainty_equivalence(model):
    for now in follow(mdp.CertaintyEquivalence(), model, episodes=15):
        assert_follows(now.state.policy, naive.certainty_equivalence(now.told, now.visits))


@on_all_models
@pytest.mark.parametrize("bonus", ["bernstein", "hoeffding"])
def test_ucbvi(bonus, model):
    before = None
    for now in follow(mdp.UCBVI(bonus, scale=0.003, delta=0.1), model, episodes=15):
        before = naive.ucbvi(now.told, now.visits, before, 0.003, 0.1, bonus == "bernstein")
        assert_follows(now.state.policy, before, now.episode)


@pytest.mark.parametrize("model", [POOLED, STAGED], ids=repr)
def test_ucbvi_where_states_have_been_visited_very_often(model, monkeypatch):
    """The paper's last term falls after millions of visits; with a small logarithm, after few."""

    def parameters(rule, problem):
        many = 100**2 * problem.horizon * problem.n_states**2 * problem.n_actions * 0.001**2
        return ucbvi.Parameters(rule.scale, 0.001, many)

    monkeypatch.setattr(mdp.UCBVI, "parameters", parameters)
    before = None
    for now in follow(mdp.UCBVI(scale=0.1), model, episodes=40):
        before = naive.ucbvi(now.told, now.visits, before, 0.1, 0.05, True, log=0.001)
        assert_follows(now.state.policy, before, now.episode)
    assert now.state.stage_visits.max() > 2 * mdp.UCBVI().parameters(now.told).many


@on_all_models
@pytest.mark.parametrize("prior", [1.0, 0.2, 1.5])
def test_psrl(prior, model):
    rule = mdp.PSRL(prior, reward_mean=0.3, reward_precision=2.0, precision=5.0)
    for now in follow(rule, model, episodes=15):
        table = naive.psrl(now.told, now.visits, now.stream, prior, 0.3, 2.0, 5.0)
        assert_follows(now.state.policy, table)


def drawn_chances(parameters, told, state, stream):
    """The probabilities of 4 next states of 12 entries, as `psrl` draws them."""
    psrl.draw_visits(parameters, state, stream)
    psrl.draw_chances(parameters, told, state, 0, stream)
    assert not state.weights[48:].any()
    return state.weights[:48].reshape(4, 12) * state.parts[:12]


@pytest.mark.parametrize("prior", [0.3, 1.0, 2.5])
def test_psrl_draws_the_chances_of_a_dirichlet_distribution(prior):
    problem, rule = POOLED.problem(), mdp.PSRL(prior)
    parameters, told, state = rule.start(problem)
    stream = np.zeros(1, np.uint64)
    for next_s in (2, 0, 2):
        psrl.update(parameters, told, state, 0, 1, 0, 0.0, next_s, stream)
    after = np.array([1, 0, 2, 0]) + prior
    seen, unseen = 0 * 4 + 1, 2 * 4 + 3  # action times states plus state
    found = np.zeros((2, 4000, 4))
    for i in range(found.shape[1]):
        chances = drawn_chances(parameters, told, state, stream)
        np.testing.assert_allclose(chances.sum(axis=0), 1.0, rtol=1e-12)
        found[:, i] = chances[:, seen], chances[:, unseen]
    for drawn, shapes in zip(found, (after, np.full(4, prior)), strict=True):
        for y in range(4):
            law = stats.beta(shapes[y], shapes.sum() - shapes[y])
            assert stats.kstest(drawn[:, y], law.cdf).pvalue > 1e-3
        pair = stats.beta(shapes[0] + shapes[3], shapes[1] + shapes[2])
        assert stats.kstest(drawn[:, 0] + drawn[:, 3], pair.cdf).pvalue > 1e-3


def test_psrl_keeps_visits_where_the_prior_says_nothing():
    """With a tiny prior, the prior's gamma numbers underflow and what was seen is all there is."""
    rule = mdp.PSRL(1e-3)
    parameters, told, state = rule.start(POOLED.problem())
    stream = np.zeros(1, np.uint64)
    for _ in range(50):
        psrl.update(parameters, told, state, 0, 1, 0, 0.0, 2, stream)
    for _ in range(20):
        chances = drawn_chances(parameters, told, state, stream)
        assert np.isfinite(chances).all()
        assert chances[2, 1] > 0.9


def test_psrl_breaks_ties_at_random():
    """With rewards that are known beforehand, all actions tie at the last stage."""
    rule, chosen = mdp.PSRL(reward_mean=1.0, reward_precision=1e60), []
    parameters, told, state = rule.start(UNEVEN.problem())
    stream = np.zeros(1, np.uint64)
    for episode in range(1, 61):
        psrl.plan(parameters, told, state, episode, stream)
        chosen.append(state.policy[-1].copy())
        assert set(state.losses[: len(state.means)]) <= {-1.0, np.inf}  # so they do tie
    for s, actions in enumerate(told.actions):
        counts = np.bincount(np.array(chosen)[:, s], minlength=actions)
        assert len(counts) == actions
        share = 1 / actions
        error = np.sqrt(60 * share * (1 - share))
        assert abs(counts - 60 * share).max() <= 5 * error


def test_psrl_with_many_states():
    model = mdp.Garnet(17, 2, branching=2, horizon=2)
    for now in follow(mdp.PSRL(), model, episodes=4):
        table = naive.psrl(now.told, now.visits, now.stream, 1.0, 0.0, 1.0, 1.0)
        assert_follows(now.state.policy, table)


@on_all_models
def test_rlsvi(model):
    for now in follow(mdp.RLSVI(variance=0.3, prior=2.0), model, episodes=15):
        assert_follows(now.state.policy, naive.rlsvi(now.told, now.visits, now.stream, 0.3, 2.0))


@on_all_models
def test_russo_rlsvi(model):
    for now in follow(mdp.RussoRLSVI(scale=0.01), model, episodes=15):
        table = naive.russo_rlsvi(now.told, now.visits, now.stream, now.episode, 0.01)
        assert_follows(now.state.policy, table)


@on_all_models
def test_ensemble_rlsvi(model):
    for now in follow(mdp.EnsembleRLSVI(3, variance=0.3, prior=2.0), model, episodes=15):
        table = naive.ensemble_rlsvi(
            now.told, now.visits, now.first_stream, now.stream, now.episode, 3, 0.3, 2.0
        )
        assert_follows(now.state.policy, table, now.episode)


@on_all_models
def test_lsvi_phe(model):
    for now in follow(mdp.LSVIPHE(3, variance=0.3, regularisation=0.5), model, episodes=15):
        table = naive.lsvi_phe(now.told, now.visits, now.stream, 3, 0.3, 0.5)
        assert_follows(now.state.policy, table)


@on_all_models
@pytest.mark.parametrize("rule", mdp.QLearning.variants(), ids=lambda rule: rule.name)
def test_q_learning(rule, model):
    for now in follow(rule, model, episodes=25):
        table = naive.q_learning(now.told, now.visits, rule.step, rule.optimistic)
        assert_follows(now.state.policy, table)


@on_all_models
@pytest.mark.parametrize(
    "rule", [mdp.EBQL(3), mdp.EBQL(4, step=0.2), mdp.DoubleQLearning()], ids=lambda rule: rule.name
)
def test_double_q_and_ebql(rule, model):
    for now in follow(rule, model, episodes=25):
        table = naive.ebql(now.told, now.visits, getattr(rule, "members", 2), rule.step)
        assert_follows(now.state.policy, table, now.episode)


@on_all_models
@pytest.mark.parametrize("bonus", ["hoeffding", "bernstein"])
def test_ucb_q(bonus, model):
    for now in follow(mdp.UCBQ(bonus, scale=0.02), model, episodes=25):
        table = naive.ucb_q(now.told, now.visits, 0.02, 0.05, bonus == "bernstein")
        assert_follows(now.state.policy, table, now.episode)


@on_all_models
def test_batch_q_learning(model):
    for now in follow(mdp.BatchQLearning(3), model, episodes=25):
        table = naive.batch_q_learning(now.told, now.visits, 3)
        assert_follows(now.state.policy, table, now.episode)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_is_documented(cls):
    text = inspect.getdoc(cls)
    assert ">>>" in text, "a runnable example"
    assert "References\n" in text
    for field in dataclasses.fields(cls):
        assert field.name in text, f"the parameter {field.name}"
    assert all(entries_of(rule) for rule in cls.variants())


def test_names_are_unique():
    names = [rule.name for rule in VARIANTS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BEVI(batches=0),
        lambda: BEVI(padding=-1.0),
        lambda: BEVI(rank=3),
        lambda: BEVI(batches=4, rank=2, reading="global"),
        lambda: BEVI(reading="tea leaves"),
        lambda: mdp.VIBE(quantile=0.0),
        lambda: mdp.VIBE(quantile=1.5),
        lambda: mdp.QLearning(epsilon=1.5),
        lambda: mdp.QLearning(step=2.0),
        lambda: mdp.EBQL(members=1),
        lambda: mdp.UCBQ(bonus="none"),
        lambda: mdp.UCBVI(delta=1.0),
        lambda: mdp.PSRL(prior=0.0),
        lambda: mdp.RLSVI(variance=0.0),
        lambda: mdp.LSVIPHE(members=0),
        lambda: mdp.EQO(scale=np.nan),
        lambda: mdp.QLearning(optimistic="no"),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InvalidValueError):
        make()


class Twin(BEVI):
    """Batch-ensemble value iteration that draws its ties as Batch Ensemble does."""

    @property
    def stream_name(self):
        return lowbid.BatchEnsemble(batches=self.batches, padding=self.padding).stream_name


BANDITS = [
    lowbid.Bernoulli([0.3, 0.2, 0.5, 0.9]),
    lowbid.ScaledBernoulli([0.3, 0.2, 0.5], scale=[1.0, 2.0, 4.0]),
    lowbid.Gaussian([0.3, 0.2, 0.5], sd=[1.0, 2.0, 0.5]),
    lowbid.Deterministic([0.3, 0.2, 0.2]),
]


def assert_is_batch_ensemble(arms, batches, padding, reading, runs, steps):
    every = np.arange(1, steps + 1)
    policy = lowbid.BatchEnsemble(batches=batches, padding=padding)
    rule = Twin(batches=batches, padding=padding, reading=reading)
    bandit = lowbid.simulate(policy, arms, steps, runs, 5, every, workers=1)
    ours = mdp.simulate(rule, mdp.BanditMDP(arms), steps, runs, 5, every, workers=1)
    assert np.array_equal(ours.pulls, bandit.pulls)
    assert np.allclose(ours.regret, bandit.regret, rtol=0, atol=1e-9)


@pytest.mark.parametrize("reading", ["pairs", "states"])
@pytest.mark.parametrize(("batches", "padding"), [(2, 1.0), (3, 2.0)])
def test_with_one_state_and_stage_it_is_batch_ensemble_bit_for_bit(batches, padding, reading):
    assert_is_batch_ensemble(BANDITS[0], batches, padding, reading, runs=50, steps=500)


@pytest.mark.parametrize("reading", ["pairs", "states"])
@pytest.mark.parametrize("arms", BANDITS, ids=lambda arms: type(arms).__name__)
def test_and_so_it_is_for_losses_of_all_kinds(arms, reading):
    with interpreted():
        assert_is_batch_ensemble(arms, 3, 2.0, reading, runs=2, steps=150)


def test_with_one_state_and_stage_the_global_reading_chooses_one_of_the_tied_arms():
    model = mdp.BanditMDP(lowbid.Bernoulli([0.3, 0.2, 0.5]))
    for now in follow(BEVI(reading="global"), model, episodes=200):
        common = naive.batch_q(now.told, now.visits, 2, 1.0)
        assert_follows(now.state.policy, common)
