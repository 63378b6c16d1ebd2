from pathlib import Path

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import FILE, written
from lowbid.errors import FileFormatError, LossesWarning
from lowbid.experiments.league import LEAGUE, SETTINGS
from lowbid.experiments.sweeps import Precision, Tier, read_sweep
from lowbid.experiments.sweeps._sweep_template import SWEEP_TEMPLATE


def read(tmp_path, text):
    return read_sweep(written(tmp_path / "a.toml", text))


def test_the_template_is_a_sweep_with_everything_in_it(tmp_path):
    sweep = read(tmp_path, SWEEP_TEMPLATE)
    names = [policy.name for policy in sweep.policies]
    assert names[:3] == [f"ensemble, padding=1, batches={batches}" for batches in (2, 3, 4)]
    assert len(names) == 9 + 2 + 1 + 1 + 1
    assert [e.name for e in sweep.environments].count("random arms, n_arms=5, sd=0.5") == 1
    assert sum(e.name.startswith("drawn, draw") for e in sweep.environments) == 4
    besa = [cell for cell in sweep.cells if cell.policy.name == "BESA"]
    assert {(cell.horizon, cell.runs) for cell in besa} == {(1_000, 20)}
    told = {cell.environment.name for cell in sweep.cells if cell.policy.name == "UCB1"}
    assert told == {"three close arms", *(f"drawn, draw {i}" for i in (1, 2, 3, 4))}
    assert sweep.tune.judge == tuple(f"drawn, draw {i}" for i in (1, 2, 3, 4))


def test_arms_used_for_choosing_cannot_judge_by_another_name(tmp_path):
    """Two tables of drawn arms draw the same ones unless they are told otherwise."""
    tables = "".join(
        f'[[environments]]\nname="{name}"\nfamily="random-gaussian"\nn_arms=3\n{more}\n'
        for name, more in (("on", "draws=2"), ("judge", "draws=3"))
    )
    text = FILE.replace("runs = 6", "runs = 6\ntune = {on = ['on'], judge = ['judge']}") + tables
    with pytest.raises(
        FileFormatError, match="'judge, draw 1', which has the arms of 'on, draw 1'"
    ):
        read(tmp_path, text)
    assert read(tmp_path, text.replace("draws=3", "draws=3\ndraw_seed=1")).tune is not None
    with pytest.raises(FileFormatError, match="which has the arms of"):
        read(tmp_path, text.replace("draws=3", "").replace("draws=2", ""))  # new ones in each run


def test_environments_are_chosen_by_their_names_tables_and_groups(tmp_path):
    text = (
        FILE.replace("runs = 6", "runs = 6\ntune = {on = [ON], judge = ['easy']}")
        + """
group = "some"
[[environments]]
name = "drawn"
group = "some"
family = "random-bernoulli"
n_arms = 3
draws = 2
[[environments]]
name = "each"
family = "random-bernoulli"
each = { n_arms = [3, 5] }
"""
    )
    draws = ("drawn, draw 1", "drawn, draw 2")
    for name, chosen in {
        "drawn": draws,
        "some": ("hard", *draws),
        "each": ("each, n_arms=3", "each, n_arms=5"),
        "each, n_arms=5": ("each, n_arms=5",),
    }.items():
        assert read(tmp_path, text.replace("ON", f"'{name}'")).tune.on == chosen


def test_cells_are_all_combinations_short_horizons_first(tmp_path):
    cells = read(tmp_path, FILE.replace("runs = 6", "runs = 6\nseeds = [3, 5]")).cells
    assert len(cells) == 2 * 2 * 2 * 2
    assert [cell.horizon for cell in cells] == [40] * 8 + [80] * 8
    assert {cell.seed for cell in cells} == {3, 5}


def test_drawn_arms_are_those_of_random_arms_run_by_run(tmp_path):
    table = '[[environments]]\nfamily="random-gaussian"\nn_arms=3\nsd=2.0\ndraws=2\ndraw_seed=7\n'
    sweep = read(tmp_path, FILE + table)
    random = lowbid.RandomArms(lowbid.Gaussian, 3, sd=2.0)
    drawn = [each.environment for each in sweep.environments[2:]]
    assert np.array_equal([each.means for each in drawn], random.means_of(random.table(7, 2)))
    assert (drawn[0].variances == 4.0).all()


def test_environments_of_every_kind(tmp_path):
    tables = """
[[environments]]
name = "paper"
family = "paper"
test = 2
[[environments]]
name = "stars"
family = "empirical"
values = [[0, 1], [0, 2]]
counts = [[3, 1], [1, 0]]
[[environments]]
name = "wrong"
family = "pareto"
mean = [1.0, 2.0]
shape = 3.0
rewards = true
outliers = { value = 50.0, chance = 0.5 }
clean = "stars"
horizons = [33]
"""
    paper, stars, wrong = read(tmp_path, FILE + tables).environments[2:]
    assert paper.environment is lowbid.paper_test(2)
    assert stars.environment.means.tolist() == [0.25, 0.0]
    expected = lowbid.Contaminated(lowbid.Rewards(lowbid.Pareto([1.0, 2.0], 3.0)), 50.0, 0.5)
    assert wrong.environment.describe() == expected.describe()
    assert (wrong.horizons, wrong.clean) == ((33,), "stars")


def test_horizons_with_runs_of_their_own_that_are_judged_on_the_way(tmp_path):
    text = FILE.replace("horizons = [40, 80]", "")
    text += "[[horizons]]\nsteps = 100\nrecord = [10]\n[[horizons]]\nsteps = 1000\nruns = 2\n"
    sweep = read(tmp_path, text)
    assert sweep.tiers == [Tier(100, 6, (10, 100)), Tier(1000, 2, (1000,))]


def test_a_policy_plays_what_is_not_longer_than_its_longest(tmp_path):
    text = FILE.replace("horizons = [40, 80]", "").replace(
        'policy = "greedy"', 'policy = "greedy"\nlongest = 20\nshare = 0.5'
    )
    text += "[[horizons]]\nsteps = 100\nrecord = [10, 20]\n[[horizons]]\nsteps = 1000\n"
    cells = read(tmp_path, text).cells
    greedy = [cell for cell in cells if cell.policy.name == "Greedy"]
    assert {(c.horizon, c.record, c.runs) for c in greedy} == {(20, (10, 20), 3)}


def test_a_share_of_the_runs_leaves_a_pilot_its_size(tmp_path):
    text = FILE.replace("runs = 6", "runs = 30\nprecision = 0.1").replace(
        'policy = "greedy"', 'policy = "greedy"\nshare = 0.1'
    )
    cells = read(tmp_path, text).cells
    assert {cell.runs for cell in cells if cell.policy.name == "Greedy"} == {20}


def test_precision(tmp_path):
    sweep = read(tmp_path, FILE.replace("runs = 6", "runs = 30\nprecision = 0.1"))
    assert sweep.precision == Precision(0.1, 10_000)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("runs = 6", "runs = 0", 4, "runs is 0"),
        ("runs = 6", "rums = 6", 4, "did you mean runs"),
        ("runs = 6", "runs = 6\nseeds = [1, 1]", 5, "seeds is"),
        ("runs = 6", "runs = 6\nseeds = []", 5, "seeds is"),
        ("runs = 6", "runs = 6\nprecision = 5", 5, "precision is 5"),
        ("runs = 6", "runs = 6\nprecision = 0.0", 5, "0.05 for 5%"),
        ("runs = 6", "runs = 6\nprecision = nan", 5, "precision is nan"),
        ("[40, 80]", "[40, 80, 40]", 3, "horizons has 40 twice"),
        ("[40, 80]", "[{steps = 80, record = [40]}, {steps = 40}]", 3, "has 40 twice"),
        ("runs = 6", "runs = 6\nprecision = 0.1", 4, "runs with a precision is 6"),
        ("runs = 6", "runs = 6\nmost_runs = 10", 5, "without a precision"),
        ("runs = 6", "runs = 20\nprecision = 0.1\nmost_runs = 39", 6, "most_runs is 39"),
        ("[40, 80]\nruns = 6", "[{steps = 40, runs = 2}]\nruns = 20\nprecision = 0.1", 3, "is 2"),
        ('policy = "greedy"', 'policy = ["ucb1", "moss"]', 10, "give one name"),
        ('policy = "greedy"', 'policy = "ucb1"\nlongset = 50', 11, "did you mean longest"),
        ('policy = "greedy"', 'policy = "greedy"\nlongset = 50', 11, "did you mean longest"),
        ('name = "hard"', 'name = "hard"\ntune = {on = []}', 19, "above the first table"),
        (
            'policy = "greedy"',
            'policy = "batch-ensemble"\npadding = {from = 1, to = 4, count = 3, log = "yes"}',
            11,
            "padding.log is 'yes'",
        ),
        ("runs = 6", 'runs = 6\ntune = {on = ["esy"], judge = ["hard"]}', 5, "did you mean easy"),
        (
            "runs = 6",
            'runs = 6\ntune = {on = ["easy"], judge = ["easy"]}',
            5,
            "not used for choosing",
        ),
        ("runs = 6", 'runs = 6\ntune = {on = ["easy"]}', 5, "tune is"),
        ("horizons = [40, 80]", "horizons = [40, -1]", 3, "horizon is -1"),
        ("horizons = [40, 80]", "horizons = 40", 3, "horizons is 40"),
        ("horizons = [40, 80]", "", None, "there are no horizons"),
        ('policy = "greedy"', 'policy = "gredy"', 10, "did you mean greedy"),
        ('policy = "greedy"', 'policy = "uniform-play"', 9, "two policies are named"),
        ('policy = "greedy"', 'policy = "ucb1"\npolicy2 = 3', 11, "policy2"),
        ('policy = "greedy"', 'policy = "greedy"\nlongest = 0', 11, "longest is 0"),
        ('policy = "greedy"', 'policy = "greedy"\nshare = 2', 11, "share is 2"),
        ('policy = "greedy"', 'policy = "batch-ensemble"\nbatches = [1, -2]', 11, "batches is -2"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 1.9]", 15, "mean of arm 1"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 0.9]\ndraws = 3", 16, "the arms are given"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 0.9]\neach = 3", 16, "each is 3"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 0.9]\nrewards = 3", 16, "rewards is 3"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 0.9]\noutliers = 3", 16, "outliers is 3"),
        ("mean = [0.1, 0.9]", "mean = [0.1, 0.9]\nhorizons = [5, 5]", 16, "with 5 twice"),
        (
            'family = "bernoulli"\nmean = [0.1, 0.9]',
            'family = "random-bernoulli"\nn_arms = 3\ndraws = 1_000_000_000',
            16,
            "draws is 1000000000; give at most 100000",
        ),
        ('policy = "greedy"', 'policy = "greedy"\nseed = 3', 11, "seed is an entry of the file"),
        ('name = "hard"', 'name = "hard"\nprecision = 0.1', 19, "move it above the first table"),
        (
            'policy = "greedy"',
            'policy = "batch-ensemble"\nbatches = {from = 2, to = 4, count = 4}',
            11,
            "batches is 2.66",
        ),
        ('name = "hard"', 'name = "easy"', 18, "two environments are named 'easy'"),
        ('name = "hard"', 'name = "hard"\nclean = "eesy"', 19, "did you mean easy"),
        ('name = "hard"', 'name = ["hard"]', 18, "name is .*give a string"),
        ('name = "hard"', 'name = "hard"\ngroup = 3', 19, "group is 3; give a string"),
        ('name = "hard"', 'name = "hard"\ntitle = ""', 19, "title is ''; give a string"),
        ('title = "Small"', "title = nan", 2, "title is nan; give a string"),
        ('policy = "greedy"', 'policy = "greedy"\nname = " "', 11, "name is ' '; give a string"),
        ('policy = "greedy"', "", 9, 'a table of policies needs policy = "..."'),
        ('policy = "greedy"', 'policy = "greedy"\nlongest = 39', 11, "shortest horizon is 40"),
        ("runs = 6", "runs = 6\nhorizon = 3", 5, "give horizon or horizons, not both"),
        ("runs = 6", "runs = 6\nseeds = [3]\nseed = 3", 6, "give seed or seeds, not both"),
        ("runs = 6", "runs = 100_000_000_000", 4, "the result would take"),
        (
            'family = "bernoulli"\nmean = [0.1, 0.9]',
            'family = "empirical"\nvalues = []',
            14,
            "give values",
        ),
    ],
)
def test_mistakes_are_reported_with_their_line(tmp_path, old, new, line, message):
    assert FILE.count(old) >= 1
    with pytest.raises(FileFormatError, match=message) as error:
        read(tmp_path, FILE.replace(old, new, 1))
    if line is not None:
        assert f"line {line}:" in str(error.value)


def test_a_policy_that_cannot_take_the_losses_is_refused(tmp_path):
    table = '[[environments]]\nfamily="gaussian"\nmean=[0.0, 1.0]\n'
    with pytest.raises(FileFormatError, match=r"line 9: BetaThompson takes losses from 0 to 1"):
        read(tmp_path, FILE.replace("greedy", "beta-thompson") + table)


@pytest.mark.parametrize("text", ["", "= 3", "title = 'x'"])
def test_what_is_no_sweep_file(tmp_path, text):
    with pytest.raises(FileFormatError, match=r"a\.toml"):
        read(tmp_path, text)


@pytest.mark.parametrize("name", ["cells.toml", "index.jsonl.toml"])
def test_names_that_a_folder_of_results_uses_are_refused(tmp_path, name):
    with pytest.raises(FileFormatError, match="rename the file"):
        read_sweep(written(tmp_path / name))


def test_a_file_that_is_not_there_says_how_to_make_one(tmp_path):
    with pytest.raises(FileFormatError, match="lowbid init --sweep"):
        read_sweep(tmp_path / "none.toml")


def test_the_sweeps_of_the_repository_can_be_read():
    """And the schedules are played on the settings of the league, not on copies of them."""
    folder = Path(__file__).parents[3] / "benchmarks" / "sweeps"
    found = {path.stem: read_sweep(path) for path in folder.glob("*.toml")}
    schedule = found["default_schedule"]
    assert [each.name for each in schedule.environments] == list(SETTINGS)
    assert {each.rule for each in schedule.policies} == {"schedule", "BatchLikelihood"}
    default = next(each for each in schedule.policies if "0.6" in each.name).policy
    assert default.batches == lowbid.BatchEnsemble().batches
    assert set(schedule.tune.on) == set(LEAGUE.tune.on)


def test_environments_of_another_file_and_of_its_own(tmp_path):
    sweep = read(tmp_path, FILE.replace("runs = 6", 'runs = 6\nenvironments_from = "league"'))
    assert len(sweep.environments) == len(SETTINGS) + 2
    with pytest.raises(FileFormatError, match=r"line 5: environments_from is 'x'"):
        read(tmp_path, FILE.replace("runs = 6", 'runs = 6\nenvironments_from = "x"'))


def test_a_sweep_says_once_per_policy_which_losses_it_is_not_made_for(tmp_path):
    text = FILE.replace("greedy", "batch-ensemble").replace("bernoulli", "gaussian")
    text = text.replace("[0.1, 0.9]", "[-5.0, -4.0]").replace("[0.4, 0.5, 0.6]", "[-2.0, 1.0]")
    with pytest.warns(LossesWarning, match="has one of -5") as warned:
        sweep = read_sweep(written(tmp_path / "a.toml", text))
    assert len(warned) == 1
    (misfit,) = sweep.misfits
    assert 'baseline="minimum"' in misfit
