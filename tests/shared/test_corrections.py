from lowbid.shared._corrections import Corrections


def test_the_last_correction_counts():
    corrections = Corrections()
    assert corrections.of("a-1", 0.5) == 0.5
    assert corrections.of("a-1", None) is None
    corrections.amend(4, "a-1", 0.0)
    corrections.void(6, 100, 200)
    corrections.amend(8, "a-2", 1.0)
    for identity, time in [("a-1", 100), ("a-2", 199), ("a-3", 200), ("a-4", 150)]:
        corrections.note(identity, time)
    assert corrections.of("a-1", 0.5) is None
    assert corrections.of("a-2", 0.5) == 1.0
    assert corrections.of("a-3", 0.5) == 0.5
    assert corrections.of("a-4", 0.5) is None
    assert [corrections.is_void(f"a-{i}") for i in range(1, 5)] == [True, False, False, True]
    assert corrections.voided_by(6) == ["a-1", "a-2", "a-4"]
    assert corrections.last == 8


def test_outcomes_of_arms_in_a_span_do_not_count():
    corrections = Corrections()
    assert corrections.counts(50)
    corrections.void(6, 10, 20)
    corrections.void(7, 15, 30)
    assert [corrections.counts(time) for time in (9, 10, 15, 29, 30)] == [
        True, False, False, False, True,
    ]  # fmt: skip
    assert corrections.count(7) == 2
