"""The page as a reader has it: in Chromium, clicked, dragged, narrow and dark."""

import json
import os
import re

import numpy as np
import pytest

import lowbid
from browser import open_browser
from lowbid.report import (
    Chart,
    ClaimEvidence,
    ClaimItem,
    ClaimList,
    Facts,
    Page,
    Section,
    Table,
    Text,
    ranking,
    render,
)

pytestmark = pytest.mark.slow

BAND, CURVE = "#key .plot path.band", "#key .plot path.curve"


def claim(says, verdict, kind):
    return ClaimItem(
        says, "test 1", verdict, kind, "how it is read", [ClaimEvidence("x", "1", kind)]
    )


@pytest.fixture(scope="module")
def result():
    policies = {"UCB1": lowbid.UCB1(), "two batches <b>": lowbid.BatchEnsemble(batches=2)}
    return lowbid.simulate(policies, lowbid.Bernoulli([0.2, 0.5, 0.6]), horizon=400, runs=12)


@pytest.fixture(scope="module")
def address(result, tmp_path_factory):
    bound = np.linspace(40.0, 90.0, len(result.checkpoints))
    chart = Chart("key", "A chart", result, {"a batch more": (120,)}, {"a bound": bound})
    claims = [
        claim("The first.", "reproduced", "good"),
        claim("The second.", "reproduced", "good"),
        claim("The third.", "undecided", "open"),
    ]
    wide = Table([f"column {i}" for i in range(12)], [["a cell"] * 12])
    page = Page(
        "A title",
        "A lead.",
        [
            Section("Claims", [ClaimList(claims)]),
            Section("Figures", [chart, ranking(result), Text("t"), Facts({"k": "v" * 90}), wide]),
        ],
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(page), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    """The page, freshly loaded on a desk; whatever a test does, the console stays silent."""
    look(browser, 1200, 900)
    browser.get_log("browser")
    browser.get(address)
    settle(browser)
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    picture = os.environ.get("LOWBID_SCREENSHOTS")
    if picture:
        name = re.sub(r"\W+", "-", os.environ["PYTEST_CURRENT_TEST"].partition("::")[2])
        browser.save_screenshot(os.path.join(picture, f"{name}.png"))


def look(browser, width, height, scheme="light"):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def settle(browser):
    """Wait until what was drawn has its last size: the legend takes room of its own."""
    browser.execute_async_script(
        "const done = arguments[0]; let frames = 10;"
        "const next = () => frames-- ? requestAnimationFrame(next) : done(); next();"
    )


def all_of(page, selector):
    return page.find_elements("css selector", selector)


def one(page, selector):
    (found,) = all_of(page, selector)
    return found


def button(page, text):
    return next(each for each in all_of(page, "#key button") if text in each.text)


def read(page, selector, expression):
    """Of every element, at one moment: a figure is redrawn when its size changes."""
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => %s)"
    return page.execute_script(script % expression, selector)


def ticks(page):
    return read(page, "#key .plot text.tick", "e.textContent")


def paths(page):
    return read(page, CURVE, "e.getAttribute('d')")


def test_it_loads_with_every_curve_band_and_mark(page):
    assert page.title == "A title"
    assert len(all_of(page, CURVE)) == 3  # two policies and a bound
    assert len(all_of(page, BAND)) == 2
    assert len(all_of(page, "#key .plot line.mark")) == 1
    assert "NaN" not in one(page, "#key .plot").get_attribute("innerHTML")


def test_axes_are_switched_and_switched_back(page):
    linear, before = ticks(page), paths(page)
    button(page, "log axes").click()
    assert button(page, "log axes").get_attribute("aria-pressed") == "true"
    logarithmic = ticks(page)
    assert logarithmic != linear
    assert {"1", "10", "100"} <= set(logarithmic)
    assert set(paths(page)).isdisjoint(before)
    assert "NaN" not in "".join(paths(page))
    button(page, "log axes").click()
    assert ticks(page) == linear


def test_bands_are_toggled(page):
    button(page, "95% bands").click()
    assert all_of(page, BAND) == []
    assert len(all_of(page, CURVE)) == 3
    button(page, "95% bands").click()
    assert len(all_of(page, BAND)) == 2


def test_a_curve_is_hidden_and_shown_again(page):
    tallest = paths(page)
    button(page, "a bound").click()
    assert button(page, "a bound").get_attribute("aria-pressed") == "false"
    assert len(all_of(page, CURVE)) == 2
    assert set(paths(page)).isdisjoint(tallest)  # there is more room for the others
    button(page, "UCB1").click()
    assert len(all_of(page, CURVE)) == 1
    assert len(all_of(page, BAND)) == 1
    button(page, "UCB1").click()
    button(page, "a bound").click()
    assert paths(page) == tallest


def test_values_are_the_result_s_and_follow_the_keys(page, result):
    row = result.summary().row("UCB1")
    text = button(page, "UCB1").text
    assert f"{row.mean:.1f}" in text
    assert f"[{row.low:.1f}, {row.high:.1f}]" in text
    assert one(page, "#key .when").text == "after 400 steps"
    one(page, "#key .plot").send_keys("\ue012" * 3)  # arrow left
    step = int(result.checkpoints[-4])
    assert one(page, "#key .when").text == f"after {step} steps"
    assert f"{result.summary(step).row('UCB1').mean:.1f}" in button(page, "UCB1").text
    assert len(all_of(page, "#key .cursor circle")) == 3


def test_values_follow_the_pointer_and_dragging_zooms(page):
    from selenium.webdriver import ActionChains

    plot = one(page, "#key .plot")
    ActionChains(page).scroll_to_element(plot).move_to_element(plot).perform()
    middle = int(one(page, "#key .when").text.split()[1])
    assert 150 < middle < 250
    whole = ticks(page)
    ActionChains(page).click_and_hold(plot).move_by_offset(150, 0).release().perform()
    assert ticks(page) != whole
    button(page, "whole range").click()
    assert ticks(page) == whole


def test_claims_open_and_are_filtered(page):
    shown = lambda: [item for item in all_of(page, ".finding") if item.is_displayed()]  # noqa: E731
    assert len(shown()) == 3
    next(b for b in all_of(page, ".filter button") if "undecided" in b.text).click()
    assert [item.text.splitlines()[-1] for item in shown()] == ["The third."]
    next(b for b in all_of(page, ".filter button") if "undecided" in b.text).click()
    assert len(shown()) == 3
    shown()[0].click()
    assert "how it is read" in shown()[0].text


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_shows_all_of_it_without_scrolling_sideways(page, width):
    look(page, width, 800)
    page.refresh()
    settle(page)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    assert one(page, "#key .plot svg").size["width"] <= width
    # Drawn for this width, not drawn wider and shrunk: labels keep their size.
    shrunk = "e.getBoundingClientRect().width / e.viewBox.baseVal.width"
    assert read(page, "#key .plot svg", shrunk) == [pytest.approx(1.0, abs=0.01)]
    assert len(all_of(page, CURVE)) == 3
    button(page, "log axes").click()
    page.execute_script("arguments[0].scrollIntoView()", one(page, "#key"))
    right = max(each.rect["x"] + each.rect["width"] for each in all_of(page, "#key button"))
    assert right <= width


def brightness(colour):
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 765


def test_dark_pages_are_dark_and_can_be_read(page):
    def colours():
        return {
            name: brightness(read(page, selector, f"getComputedStyle(e).{what}")[0])
            for name, selector, what in [
                ("ground", "body", "backgroundColor"),
                ("ink", "h1", "color"),
                ("curve", CURVE, "stroke"),
                ("tick", "#key .plot text.tick", "fill"),
            ]
        }

    light = colours()
    look(page, 1200, 900, "dark")
    dark = colours()
    assert dark["ground"] < 0.2 < 0.8 < light["ground"]
    assert light["ink"] < 0.3 < 0.7 < dark["ink"]
    for each in ("curve", "tick"):
        assert abs(dark[each] - dark["ground"]) > 0.25
        assert abs(light[each] - light["ground"]) > 0.25


def test_the_data_in_the_page_are_all_that_it_draws(page):
    data = json.loads(one(page, "#key script").get_attribute("textContent"))
    assert {curve["name"] for curve in data["curves"]} == {"UCB1", "two batches <b>", "a bound"}
    names = [each.text for each in all_of(page, "#key .legend .name")]
    assert names == [curve["name"] for curve in data["curves"]]
