import lowbid
from lowbid.cli import main


def test_compare_prints_a_table_and_leaves_figures_and_data(tmp_path, capsys):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1,batch-ensemble"]
    code = main([*command, "--horizon", "50", "--runs", "4", "--out", str(tmp_path)])
    assert code == 0
    saved = lowbid.Result.load(tmp_path / "data" / "case-1.npz")
    again = lowbid.simulate(
        [lowbid.UCB1(), lowbid.BatchEnsemble()], lowbid.Bernoulli([0.1, 0.5]), horizon=50, runs=4
    )
    assert saved.policies == again.policies
    assert (saved.regret == again.regret).all()
    assert saved.provenance["configuration_hash"] == again.provenance["configuration_hash"]
    assert str(again.summary()) in capsys.readouterr().out
    assert {"case-1.png", "case-1.svg"} <= {p.name for p in (tmp_path / "figures").iterdir()}


def test_unknown_names_are_answered_with_the_nearest(tmp_path, capsys):
    assert main(["compare", "--arms", "bernouli:0.1", "--out", str(tmp_path)]) == 2
    assert "bernoulli" in capsys.readouterr().err
