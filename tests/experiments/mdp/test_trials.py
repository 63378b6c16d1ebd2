import pytest

from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.experiments.mdp import Contender, Place, play, trials

PLACE = Place("two arms", "Two arms.", lambda: mdp.Chain(2), 30, True)
RULES = {
    "one": Contender(mdp.PaddedCounts(), "batches"),
    "two": Contender(mdp.BatchEnsembleValueIteration(), "batches"),
}


@pytest.fixture(autouse=True)
def _uncompiled():
    with interpreted():
        yield


def test_what_was_played_is_read_and_a_damaged_file_played_again(tmp_path):
    said = []
    todo = trials({"tiny": PLACE}, RULES, runs=2)
    first = play(todo, tmp_path, workers=1, say=said.append)
    assert list(first) == [("tiny", "one"), ("tiny", "two")]
    assert [line.partition(" ")[0] for line in said] == ["1/2", "2/2"]
    again = play(todo, tmp_path, workers=1, say=said.append)
    assert len(said) == 2
    assert all((again[key].regret == result.regret).all() for key, result in first.items())
    next(iter((tmp_path / "data").glob("tiny-*"))).write_bytes(b"cut short")
    play(todo, tmp_path, workers=1, say=said.append)
    assert len(said) == 3


def test_a_file_belongs_to_one_rule_in_one_environment():
    (trial,) = trials({"tiny": PLACE}, {"one": RULES["one"]}, runs=2)
    model = PLACE.make()
    others = [
        trial._replace(contender=Contender(mdp.PaddedCounts(0.5), "batches")),
        trial._replace(contender=RULES["two"]),
        trial._replace(runs=3),
        trial._replace(seed=1),
        trial._replace(place=PLACE._replace(episodes=31)),
    ]
    names = {each.file_name(model) for each in (trial, *others)} | {trial.file_name(mdp.Chain(3))}
    assert len(names) == 7
    assert trial._replace(name="another").file_name(model) == trial.file_name(model)
