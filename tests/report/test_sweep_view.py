"""A sweep's page in Chromium: heat map, curves on click, parameters, downloads, phones."""

import json

import pytest

from browser import open_browser
from lowbid.report import Page, Section, SweepView, render
from lowbid.report._sweep_view import sweep_view
from report.test_page_in_browser import all_of, look, one, settle

POLICIES = [
    {"name": f"rule, c={c} <b>", "rule": "rule", "settings": {"c": c}} for c in (1, 2, 4)
] + [{"name": "other", "rule": "other", "settings": {}}]
STEPS = [1, 10, 100]


def row(policy, environment, step):
    mean = (policy + 1.0) * step
    figures = {"mean": mean, "low": 0.9 * mean, "high": 1.1 * mean, "ratio": policy + 1.0}
    places = {"environment": environment, "step": step, "seed": 0, "horizon": step}
    return {"policy": policy, **places, "runs": 9, "stuck": None, **figures}


def by_columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


DATA = {
    "name": "mine",
    "policies": POLICIES,
    "order": [0, 1, 2, 3],
    "environments": [{"name": f"arms {i}", "title": f"some arms, {i}"} for i in range(3)],
    "rows": by_columns([row(p, e, step) for p in range(4) for e in range(3) for step in (10, 100)]),
    "curves": [
        {
            "policy": p,
            "environment": e,
            "horizon": 100,
            "steps": STEPS,
            **{k: [(p + 1.0) * s for s in STEPS] for k in ("mean", "low", "high")},
        }
        for p in range(4)
        for e in range(2)
    ],
    "csv": 'policy,mean\n"a, b",3\nc,4\n',
}


def test_names_cannot_break_out_of_the_data():
    assert "<b>" not in sweep_view(SweepView(DATA))


def test_pages_without_sweeps_do_not_carry_their_script():
    assert "class Sweep " not in render(Page("t", "l", []))


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, tmp_path):
    path = tmp_path / "report.html"
    text = render(Page("A sweep", "A lead.", [Section("Cells", [SweepView(DATA)])]))
    path.write_text(text, encoding="utf-8")
    look(browser, 1200, 900)
    browser.get_log("browser")
    browser.get(path.as_uri())
    settle(browser)
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser")] == []


@pytest.mark.slow
def test_the_heat_map_opens_curves(page):
    cells = all_of(page, ".heat td button")
    assert [cell.text for cell in cells] == [f"{p}.0" for p in (1, 2, 3, 4) for _ in range(3)]
    assert "<b>" in all_of(page, ".heat tbody th")[0].text
    shades = [
        int(cell.get_attribute("style").partition("--part:")[2].strip(" ;")) for cell in cells
    ]
    assert shades == sorted(shades)
    assert shades[0] == 0 < shades[-1]
    cells[4].click()
    settle(page)
    assert one(page, ".cell-curves figcaption").text == "rule, c=2 <b> on some arms, 1"
    assert len(all_of(page, ".cell-curves path.curve")) == 4
    assert cells[4].get_attribute("aria-pressed") == "true"
    assert one(page, ".cell-curves .when").text == "after 100 steps"
    all_of(page, ".heat td button")[5].click()
    assert "not in the page" in one(page, ".cell-curves").text


@pytest.mark.slow
def test_other_steps_and_parameters(page):
    step, parameter, where = all_of(page, ".sweep select")
    assert [each.text for each in step.find_elements("tag name", "option")] == [
        "10 steps",
        "100 steps",
    ]
    step.send_keys("10 ")
    assert len(all_of(page, ".heat td button")) == 12
    assert [o.text for o in parameter.find_elements("tag name", "option")] == ["rule: c"]
    assert len(all_of(page, ".parameter-plot circle")) == 3
    where.send_keys("arms 1")
    assert len(all_of(page, ".parameter-plot line.whisker")) == 3
    assert "NaN" not in one(page, ".parameter-plot").get_attribute("innerHTML")


@pytest.mark.slow
def test_the_data_can_be_saved(page, tmp_path):
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    csv, everything = all_of(page, ".downloads button")
    assert csv.text == "table as CSV (24 rows)"
    for button in (csv, everything):
        page.execute_script("arguments[0].click()", button)
    for _ in range(100):
        settle(page)
        if (tmp_path / "mine.csv").exists() and (tmp_path / "mine.json").exists():
            break
    assert (tmp_path / "mine.csv").read_text() == DATA["csv"]
    assert json.loads((tmp_path / "mine.json").read_text())["policies"] == POLICIES


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_shows_all_of_it_without_scrolling_sideways(page, width):
    look(page, width, 800)
    page.refresh()
    settle(page)
    page.execute_script("document.querySelectorAll('.heat td button')[4].click()")
    settle(page)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    assert one(page, ".parameter-plot svg").size["width"] <= width


@pytest.fixture
def large(browser, tmp_path):
    """A hundred policies on fifty environments, whose table is too large for the page."""
    policies = [
        {"name": f"r, c={c}, d={d}", "rule": "r", "settings": {"c": c, "d": d}}
        for d in range(20)
        for c in range(5)
    ]
    data = {
        **DATA,
        "policies": policies,
        "order": list(range(100)),
        "environments": [{"name": f"arms {i}", "title": f"some arms, {i}"} for i in range(50)],
        "rows": by_columns([row(p, e, 100) for p in range(100) for e in range(50)]),
        "curves": [],
        "csv": None,
    }
    path = tmp_path / "report.html"
    text = render(Page("A sweep", "A lead.", [Section("Cells", [SweepView(data)])]))
    path.write_text(text, encoding="utf-8")
    look(browser, 1200, 900)
    browser.get(path.as_uri())
    settle(browser)
    return browser


@pytest.mark.slow
def test_a_large_heat_map_is_turned_like_pages(large):
    turners = [each.text for each in all_of(large, ".turner")]
    assert turners == ["‹ environments 1 to 40 of 50 ›", "‹ policies 1 to 60 of 100 ›"]
    assert len(all_of(large, ".heat td button")) == 60 * 40
    for label in ("next environments", "next policies"):
        one(large, f'[aria-label="{label}"]').click()
    assert len(all_of(large, ".heat td button")) == 40 * 10
    assert all_of(large, ".heat tbody th")[0].text == "r, c=0, d=12"
    assert all_of(large, ".heat td button")[0].text == "61.0"
    assert one(large, '[aria-label="next policies"]').get_attribute("disabled")
    assert "The 12 lines that reach lowest, of 20." in one(large, ".parameter-plot").text
    link = one(large, ".downloads a")
    assert (link.text, link.get_attribute("href").rpartition("/")[2]) == (
        "table.csv (5,000 rows)",
        "table.csv",
    )
