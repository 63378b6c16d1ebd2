import pytest

import lowbid
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.experiments.paper import choose
from lowbid.experiments.paper._cases import case


def test_settings_are_named_and_unknown_ones_answered():
    changed = choose(["schedule=8log", "mars=1/1000"])
    made = case("test-1", changed, 100, 1, 0).policies
    assert made["EnsembleAdaptive"].batches == lowbid.schedules.Anytime()
    assert made["MARS"] == lowbid.MARS(1000)
    with pytest.raises(UnknownNameError, match="did you mean schedule"):
        choose(["shedule=8log"])
    with pytest.raises(UnknownNameError, match="known names are"):
        choose(["ties=zzz"])
    with pytest.raises(InvalidValueError, match="setting=choice"):
        choose(["ties"])
