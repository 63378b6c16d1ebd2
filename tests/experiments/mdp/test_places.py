import pytest

from lowbid.errors import UnknownNameError
from lowbid.experiments.mdp import PLACES, places_named

# The optima that published definitions give; Garnet and Grid are our own.
OPTIMA = {
    "river": 3.39726,
    "riverB": 3.39726,
    "chain8": 0.39270,
    "chain16": 0.37981,
    "sea10s": 0.38091,
    "sea20s": 0.37094,
    "sea10H": 0.99,
    "sea20": 0.99,
    "six": 1.79069,
    "bandit2": 0.1,
}


@pytest.mark.parametrize(("key", "optimum"), OPTIMA.items())
def test_environments_are_the_published_ones(key, optimum):
    assert PLACES[key].make().optimum == pytest.approx(optimum, abs=1e-5)


def test_bounds_are_given_where_the_settings_give_them():
    bounds = {key: place.make().best_return for key, place in PLACES.items()}
    known = {"chain16", "sea10s", "sea20s", "sea20"}
    assert bounds == {key: 1.0 if key in known else None for key in PLACES}


def test_environments_are_found_by_name():
    assert list(places_named(["SEA20", "river"])) == ["sea20", "river"]
    assert list(places_named([])) == list(PLACES)
    with pytest.raises(UnknownNameError, match="sea20"):
        places_named(["sea21"])
