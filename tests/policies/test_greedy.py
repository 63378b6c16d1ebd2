import lowbid
from naive.rules import greedy, makes_the_same_choices


def test_follows_the_naive_rule():
    makes_the_same_choices(lowbid.Greedy(), lowbid.Bernoulli([0.2, 0.3, 0.6]), greedy)
