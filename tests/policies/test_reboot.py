"""ReBoot compared with naive draws."""

import lowbid
from naive import resampling
from resampled import assert_unplayed_first, follow


def test_follows_the_naive_index():
    policy = lowbid.ReBoot(sd=0.5, inflation=1.5)
    follow(policy, lambda losses, stream: resampling.reboot(losses, stream, 0.5, 1.5))


def test_arms_not_yet_played_come_first():
    assert_unplayed_first(lowbid.ReBoot())
