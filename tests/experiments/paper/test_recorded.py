from lowbid.experiments.paper import CLAIMS, differences, recorded
from lowbid.experiments.paper._judge import Judged


def test_differences_are_those_from_the_record_but_for_times():
    as_recorded = [Judged(claim, recorded()[claim.key], [], {}) for claim in CLAIMS]
    assert differences(as_recorded) == []
    other = {
        "measured here": "reproduced",
        "reproduced": "undecided",
        "undecided": "reproduced",
        "not reproduced": "reproduced",
    }
    changed = [each._replace(verdict=other[each.verdict]) for each in as_recorded]
    named = [line.split()[0] for line in differences(changed)]
    assert named == [claim.key for claim in CLAIMS if not claim.timed]
    untested = [each._replace(verdict="not tested") for each in as_recorded]
    assert differences(untested) == []
