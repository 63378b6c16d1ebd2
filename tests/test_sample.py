import sample


def test_a_sample_is_a_share_of_the_files_and_always_the_package():
    whole = sample.sample(1.0, 1)
    some = sample.sample(0.2, 1)
    assert set(some) < set(whole)
    assert len(some) == round(0.2 * (len(whole) - 1)) + 1
    assert set(sample.ALWAYS) <= set(some)
    assert all(path.is_file() for path in some)


def test_a_seed_chooses():
    assert sample.sample(0.2, 1) == sample.sample(0.2, 1)
    assert sample.sample(0.2, 1) != sample.sample(0.2, 2)
