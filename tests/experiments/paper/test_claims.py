import pytest

from lowbid.experiments.paper import CLAIMS, POLICIES, Claim, recorded
from lowbid.experiments.paper._evidence import ClaimCheck, Study
from lowbid.simulation import Estimate

NOTHING = Study({}, {})


def check(low, high):
    middle = (low + high) / 2
    return ClaimCheck("", lambda study, confidence: Estimate(middle, 1, 1, low, high), str)


GOOD, BAD, OPEN = check(-2.0, -1.0), check(0.0, 1.0), check(-1.0, 1.0)
MISSING = ClaimCheck("", lambda study, confidence: None, str)


@pytest.mark.parametrize(
    ("checks", "needs", "verdict"),
    [
        ((GOOD, GOOD), "all", "reproduced"),
        ((GOOD, OPEN), "all", "undecided"),
        ((GOOD, OPEN, BAD), "all", "not reproduced"),
        ((BAD, GOOD), "one", "reproduced"),
        ((BAD, OPEN), "one", "undecided"),
        ((BAD, BAD), "one", "not reproduced"),
        ((GOOD, MISSING), "all", "not tested"),
        ((BAD, MISSING), "one", "not tested"),
    ],
)
def test_verdicts_follow_from_the_intervals(checks, needs, verdict):
    assert Claim("key", "place", "says", checks, needs=needs).judge(NOTHING)[0] == verdict


def test_intervals_of_a_claim_hold_together():
    asked = []
    asking = ClaimCheck("", lambda study, confidence: asked.append(confidence), str)
    Claim("key", "place", "says", (asking,) * 5).judge(NOTHING)
    assert asked == pytest.approx([0.99] * 5)


def test_every_claim_has_a_name_of_its_own_and_a_recorded_verdict():
    keys = [claim.key for claim in CLAIMS]
    assert len(set(keys)) == len(keys)
    assert list(recorded()) == keys
    verdicts = {"reproduced", "not reproduced", "undecided", "measured here"}
    assert set(recorded().values()) <= verdicts
    timed = [claim.key for claim in CLAIMS if claim.timed]
    assert [key for key, verdict in recorded().items() if verdict == "measured here"] == timed


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_words_of_degree_are_made_precise(claim):
    words = ("much", "slightly", "close", "near-linear", "similar", "significantly", "sometimes")
    if any(word in claim.says for word in words):
        assert claim.reading


def test_claims_speak_of_policies_that_are_run():
    for claim in CLAIMS:
        for each in claim.checks:
            assert any(name in each.text for name in POLICIES) or "bytes" in each.text


def test_a_mean_on_the_claimed_side_does_not_decide_while_its_interval_reaches_across_zero():
    assert check(-3.0, 1.0).look(NOTHING, 0.95).kind == "open"
    assert check(-1.0, 3.0).look(NOTHING, 0.95).kind == "open"
    assert check(-3.0, -1.0).look(NOTHING, 0.95).kind == "good"
    assert check(1.0, 3.0).look(NOTHING, 0.95).kind == "bad"
