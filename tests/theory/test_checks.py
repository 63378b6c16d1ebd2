"""The checks of the paper's statements; the command's tests run all of them."""

from lowbid.theory import checks


def test_a_finding_prints_as_one_line():
    finding = checks.Finding("Lemma 0", False, "exact", "at n = 3")
    assert str(finding) == "FAILS  Lemma 0: at n = 3 (exact)"


def test_checks_that_need_no_simulation_come_out_as_published():
    found = {check(checks.QUICK).claim: check(checks.QUICK).holds for check in checks.CHECKS[:4]}
    assert found == {
        "Lemma 1 as printed": False,
        "Lemma 1 corrected": True,
        "Lemma 2": True,
        "Lemma 3": True,
    }
