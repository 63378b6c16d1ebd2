import lowbid
from lowbid.experiments import Case, Folder, run

POLICIES = {"ucb": lowbid.UCB1(), "batch": lowbid.BatchEnsemble(batches=2)}
ARMS = lowbid.Bernoulli([0.1, 0.5])


def test_what_is_saved_is_what_one_simulation_gives_and_says_where_it_came_from(tmp_path):
    case = Case("key", "title", ARMS, POLICIES, horizon=60, runs=4, seed=7)
    run(case, Folder(tmp_path))
    saved = lowbid.Result.load(Folder(tmp_path).result_file("key"))
    once = lowbid.simulate(POLICIES, ARMS, horizon=60, runs=4, seed=7)
    assert (saved.regret == once.regret).all()
    assert saved.provenance["seed"] == 7
    assert {**saved.provenance, "date": ""} == {**once.provenance, "date": ""}
