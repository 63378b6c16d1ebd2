import sys

import pytest

import lowbid
from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.cli import main
from lowbid.experiments.mdp_names import environment_names, environment_of_text, rules_of_text


@pytest.fixture(autouse=True)
def uncompiled():
    with interpreted():
        yield


def test_list_names_every_rule_and_environment(capsys):
    assert main(["mdp", "list"]) == 0
    out = capsys.readouterr().out
    for name in ("batch-ensemble-value-iteration", "vibe", "psrl", "river-swim", "deep-sea"):
        assert name in out
    for prefix in ("bandit:", "gymnasium:"):
        assert prefix in out
    assert "Cassel, Rosenberg 2026" in out
    assert "3.397" in out


def test_list_names_the_deep_rules_without_jax(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "lowbid.mdp.deep", raising=False)
    assert main(["mdp", "list"]) == 0
    out = capsys.readouterr().out
    assert "bootstrapped-dqn" in out
    assert "bidding-dqn" in out
    assert "lowbid[deep]" in out


def test_compare_prints_tables_and_saves_figures_and_data(tmp_path, capsys):
    words = ["mdp", "compare", "--environment", "chain:size=3", "--environment", "deep-sea:size=3"]
    words += ["--rules", "padded-counts:padding=0.5,q-learning", "--episodes", "30", "--runs", "2"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "chain:size=3: regret after 30 episodes, 2 runs" in out
    assert "PaddedCounts(padding=0.5)" in out
    assert "know no bound on returns" in out.split("deep-sea")[0]
    assert "know no bound on returns" not in out.split("deep-sea")[1]
    for name in ("chain-size=3", "deep-sea-size=3"):
        result = lowbid.Result.load(tmp_path / f"{name}.npz")
        assert result.regret.shape[:2] == (2, 2)
        for picture in ("regret", "visits"):
            assert (tmp_path / f"{name}-{picture}.png").stat().st_size > 5000
            assert "<svg" in (tmp_path / f"{name}-{picture}.svg").read_text()


def test_draw_shows_bids_and_visits(tmp_path, capsys):
    words = ["mdp", "draw", "--environment", "grid:slip=0", "--episodes", "5"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "grid-slip=0-bids.png").stat().st_size > 5000
    assert (tmp_path / "grid-slip=0-map.svg").exists()
    assert "grid-slip=0-bids.png" in capsys.readouterr().out


@pytest.fixture
def canvases(monkeypatch):
    """The pictures that are saved, by name."""
    from lowbid.report import _mdp_figures

    found, save = {}, _mdp_figures.save_png_and_svg

    def keep(canvas, plt, folder, name):
        found[name] = canvas
        return save(canvas, plt, folder, name)

    monkeypatch.setattr(_mdp_figures, "save_png_and_svg", keep)
    return found


def test_the_value_of_a_state_is_its_lowest_loss_where_losses_are_drawn(tmp_path, canvases):
    words = ["mdp", "draw", "--environment", "bandit:deterministic:0.1,0.5", "--episodes", "9"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    upper = canvases["bandit-deterministic-0.1-0.5-bids"].axes[0]
    ((truth,),) = (lines.get_segments() for lines in upper.collections)
    assert truth[:, 1].tolist() == [0.1, 0.1]
    assert all(line.get_ydata().max() <= 0.1 for line in upper.lines)


def test_states_have_whole_numbers_and_titles_are_not_cut_short(tmp_path, canvases):
    words = ["mdp", "compare", "--environment", "bandit:bernoulli:0.1,0.5", "--episodes", "5"]
    long = "batch-ensemble-value-iteration:batches=4"
    words += ["--runs", "2", "--rules", f"{long},{long},reading=global", "--out", str(tmp_path)]
    assert main(words) == 0
    first, second = canvases["bandit-bernoulli-0.1-0.5-visits"].axes[:2]
    assert first.get_xticks().tolist() == [0]
    assert first.get_yticks().tolist() == [0, 1]
    rules = rules_of_text(f"{long},{long},reading=global")
    for axes, rule in zip((first, second), rules, strict=True):
        assert "".join(axes.get_title(loc="left").split()) == "".join(rule.name.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "--environment", "rivr-swim"], "did you mean river-swim"),
        (["compare", "--environment", "deep-sea:size=1"], "size is 1"),
        (["compare", "--environment", "deep-sea:20"], "parameter=value"),
        (["compare", "--environment", "chain:length=3"], "unknown parameter of chain"),
        (["compare", "--rules", "prsl"], "did you mean psrl"),
        (["compare", "--environment", "grid:drawing=@nowhere.txt"], "cannot be read"),
        (["compare", "--environment", "bandit:random-bernoulli:3"], "not arms drawn at random"),
        (["draw", "--rule", "psrl"], "whose batches bid"),
        (["draw", "--environment", "garnet:n_states=201"], "at most 200"),
    ],
)
def test_mistakes_are_explained(words, message, tmp_path, capsys):
    assert main(["mdp", *words, *["--episodes", "1", "--out", str(tmp_path)]]) == 2
    assert message in capsys.readouterr().err


def test_names_stand_for_objects(tmp_path):
    assert rules_of_text("batch-q-learning:batches=3,RLSVI") == [
        mdp.BatchQLearning(3),
        mdp.RLSVI(),
    ]
    drawing = tmp_path / "map.txt"
    drawing.write_text("S.G\n")
    model = environment_of_text(f"grid:drawing=@{drawing},slip=0,horizon=4")
    assert model.optimum == 2.0
    arms = environment_of_text("bandit:gaussian:0.1,0.5,sd=2")
    assert isinstance(arms, mdp.BanditMDP)
    lake = environment_of_text("gymnasium:FrozenLake-v1,is_slippery=false,horizon=9")
    assert lake.optimum == 1.0
    assert len(environment_names()) == len(mdp.environments.__all__) - 1


def test_reproduce_writes_a_page_and_goes_on_where_it_was_stopped(tmp_path, capsys, monkeypatch):
    from lowbid.experiments import mdp as readings

    rules = readings.quick_contenders()
    few = [name for name in rules if name.startswith(("one batch", "pairs", "global"))]
    monkeypatch.setattr(readings, "quick_contenders", lambda: {name: rules[name] for name in few})
    short = {key: place._replace(episodes=30) for key, place in readings.PLACES.items()}
    monkeypatch.setattr(readings, "places_named", lambda names: {k: short[k] for k in names})
    command = ["mdp", "reproduce", "chain8", "bandit2", "--quick", "--runs", "2"]
    command += ["--workers", "1", "--out", str(tmp_path)]
    with interpreted():
        assert main(command) == 0
        said = capsys.readouterr().out
        assert main(command) == 0
    assert "6/6  bandit2: global, l = 2, p = 1" in said
    assert "1/6" not in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text()
    for text in ("Which reading", "The paper&#x27;s sentence", "stuck", "prototype", "Chain 8"):
        assert text.lower() in page.lower(), text
    assert (tmp_path / "figures" / "mdp.png").is_file()
    assert len(list((tmp_path / "data").glob("*.npz"))) == 6


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["nowhere"], "unknown environment 'nowhere'"),
        (["--runs", "1"], "runs is 1"),
        (["--workers", "0"], "workers is 0"),
    ],
)
def test_reproduce_refuses_what_it_cannot_do(more, message, tmp_path, capsys):
    assert main(["mdp", "reproduce", *more, "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
