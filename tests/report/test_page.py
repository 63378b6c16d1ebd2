import base64
import re

import numpy as np
import pytest

import lowbid
from lowbid.report import (
    Chart,
    ClaimEvidence,
    ClaimItem,
    ClaimList,
    Code,
    Facts,
    Heading,
    Page,
    Picture,
    Pictures,
    Section,
    Table,
    Text,
    ranking,
    render,
)


@pytest.fixture(scope="module")
def result():
    policies = {'a <b>& "c"</script>': lowbid.UCB1(), "other": lowbid.BatchEnsemble(batches=2)}
    return lowbid.simulate(policies, lowbid.Bernoulli([0.2, 0.6]), horizon=100, runs=6)


@pytest.fixture(scope="module")
def page(result):
    bound = np.full(len(result.checkpoints), 7.0)
    chart = Chart("key", "A <title>", result, {"growth": (50,)}, {"a bound": bound})
    finding = ClaimItem(
        "says <i>",
        "test 1",
        "reproduced",
        "good",
        "read",
        [ClaimEvidence("x", "1", "bad")],
        ["note"],
    )
    blocks = [chart, ranking(result), Text("t & u"), Heading("h"), Code("$ <x>"), Facts({"k": "v"})]
    sections = [Section("One two", [*blocks, ClaimList([finding]), Table(["h"], [["r"]])])]
    return render(Page("Title <x>", "lead", sections))


def test_the_page_needs_no_network(page):
    addresses = set(re.findall(r"https?://[^\"'\s)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"(?!data:)", page)


def test_names_cannot_break_the_page(page):
    assert page.count("<script") == page.count("</script>") == 2
    for raw in ("A <title>", "says <i>", "<b>&", "$ <x>", "Title <x>"):
        assert raw not in page


def test_pictures_stand_in_the_page_for_both_grounds():
    light, dark = '<svg><text>"light"</text></svg>', "<svg>dark</svg>"
    block = Pictures([Picture("a key", 'says <b>"so"</b>', light, dark)])
    page = render(Page("t", "l", [Section("s", [block])]))
    inside = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", page)
    assert [base64.b64decode(text).decode() for text in inside] == [dark, light]
    assert page.count("says &lt;b&gt;&quot;so&quot;&lt;/b&gt;") == 2
    assert '<figure class="picture" id="a-key">' in page


def test_notes_on_curves_stand_below_the_chart(result):
    chart = Chart("key", "title", result, notes={"a <bound>": "It is vacuous."})
    page = render(Page("t", "l", [Section("s", [chart])]))
    assert "<dt>a &lt;bound&gt;</dt><dd>It is vacuous.</dd>" in page


def test_menu_leads_to_sections(page):
    assert '<a href="#one-two">' in page
    assert '<section id="one-two">' in page


def test_dark_pages_and_small_screens_are_thought_of(page):
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


def test_ranking_is_best_first_and_paired(result):
    table = ranking(result)
    summary = result.summary()
    assert [row[0] for row in table.rows] == [row.policy for row in summary]
    gap = result.difference(summary[1].policy, summary[0].policy)
    assert table.rows[0][-1] == ""
    assert table.rows[1][-1].startswith("+")
    assert float(table.rows[1][-1].split()[0]) == pytest.approx(gap.mean, rel=0.01)
