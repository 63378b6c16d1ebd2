"""The page in a real browser. See tests/report/test_page_in_browser.py for reports."""

import re
import time

import httpx
import pytest
from axe_core_python.selenium import Axe
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import lowbid
from browser import console_errors, open_browser
from lowbid.service import create_app
from service.conftest import Shop, running

pytestmark = pytest.mark.slow
NAME = "<script>alert(1)</script>"


class OnesOwn(lowbid.UCB1):
    """A policy whose code the server does not have."""


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/shop.db"
    with running(create_app(url)) as address:
        shop = Shop(url, address)
        shop.make(
            arms=["blue", NAME], holdout=0.2, control="blue", policy="batch-ensemble:batches=2"
        )
        for number in range(30):
            play(shop, number)
        yield shop
        shop.close()


def play(shop, number):
    path = "/v1/experiments/checkout"
    [made] = shop.decide.post(f"{path}/decisions", json={"unit": f"u{number}"}).json()["decisions"]
    shop.decide.post(f"{path}/outcomes", json={"decision": made["id"], "reward": number % 3 / 2})


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


def wait(browser, what):
    """What becomes true sooner or later; the page is redrawn meanwhile."""
    stale = [StaleElementReferenceException]
    return WebDriverWait(browser, 60, 0.1, ignored_exceptions=stale).until(what)


def text(browser):
    return browser.find_element(By.ID, "main").text


def sign_in(browser, shop, role):
    browser.get(shop.address)
    browser.delete_all_cookies()
    browser.execute_script("localStorage.clear()")
    browser.get(f"{shop.address}/#/experiments/checkout")
    browser.refresh()
    wait(browser, lambda b: b.find_elements(By.ID, "key"))
    field = browser.switch_to.active_element  # by keyboard alone
    field.send_keys(shop.keys[role], Keys.ENTER)
    wait(browser, lambda b: "checkout" in text(b))
    console_errors(browser)  # of the session that was cut off


def test_an_unknown_key_is_refused_in_words(browser, watched):
    browser.get(watched.address)
    wait(browser, lambda b: b.find_elements(By.ID, "key"))
    browser.switch_to.active_element.send_keys("lowbid_nonsense", Keys.ENTER)
    wait(browser, lambda b: "not known" in text(b))


def test_a_decision_arrives_while_one_watches(browser, watched):
    sign_in(browser, watched, "read")
    before = watched.read.get("/v1/experiments/checkout").json()["outcomes"]
    wait(browser, lambda b: NAME in text(b))  # as text, not as a tag
    for number in range(100, 105):
        play(watched, number)
    after = watched.read.get("/v1/experiments/checkout").json()["outcomes"]
    assert after > before
    wait(browser, lambda b: str(after) in b.find_element(By.CLASS_NAME, "numbers").text)
    assert re.search(r"(better|worse)( or worse)? than always blue", text(browser))
    assert re.search(
        r"[+−]?[\d.]+ per decision .*relative to the \d+ held-out units", text(browser)
    )
    assert "for sure" not in text(browser)
    assert not browser.find_elements(By.CSS_SELECTOR, ".acts button")  # a reader changes nothing
    for heading in (
        "Arms",
        "Share of decisions",
        "Holdout",
        "Health",
        "Why the next arm",
        "History",
    ):
        assert heading in text(browser)
    assert console_errors(browser) == []


def choose(browser, arm, change):
    """Open the menu of an arm and choose a change, by keyboard."""

    def menu(b):
        return b.find_elements(By.CSS_SELECTOR, f'[data-key="menu {arm}"]')

    wait(browser, menu)[0].send_keys(Keys.ENTER)
    browser.find_element(By.CSS_SELECTOR, f'[data-key="{change} {arm}"]').send_keys(Keys.ENTER)


def test_an_experiment_is_created_and_finished(browser, watched):
    sign_in(browser, watched, "admin")
    browser.find_element(By.CLASS_NAME, "home").click()
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, '[data-key="create"]'))[0].click()
    for label, typed in (("Name", "mug"), ("Arms, separated by commas", "tea, coffee,")):
        browser.find_element(By.CSS_SELECTOR, f'[data-key="{label}"]').send_keys(typed)
    browser.find_element(By.CSS_SELECTOR, ".create button").send_keys(Keys.ENTER)
    wait(browser, lambda b: "no outcomes yet" in text(b))
    made = watched.read.get("/v1/experiments/mug").json()
    assert made["arms"] == ["tea", "coffee"]
    assert made["settings"]["control"] == "tea"
    finish = wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, '[data-key="finish"]'))[0]
    finish.send_keys(Keys.ENTER)
    wait(browser, lambda b: b.find_element(By.ID, "ask").is_displayed())
    browser.find_element(By.ID, "ask-yes").send_keys(Keys.ENTER)
    wait(browser, lambda b: "Resume this experiment" in text(b))
    assert watched.read.get("/v1/experiments/mug").json()["archived"]
    assert console_errors(browser) == []


COLOURS = """return [...document.querySelectorAll("td .swatch, th .swatch")].map((swatch) =>
    [swatch.parentElement.textContent.trim().split(" ")[0], swatch.firstChild.style.stroke])"""


def test_an_arm_keeps_its_colour(browser, watched):
    """The order of the arms changes, and with it their places, but not their colours."""
    arms = {"first": 0.0, "second": 1.0, "third": 0.5}
    name = "/v1/experiments/colours"
    watched.admin.post("/v1/experiments", json={"name": "colours", "arms": list(arms)})
    browser.get(f"{watched.address}/#/experiments/colours")
    wait(browser, lambda b: len(b.execute_script(COLOURS)) == 3)
    before = browser.execute_script(COLOURS)
    for _ in range(9):
        [made] = watched.decide.post(f"{name}/decisions", json={}).json()["decisions"]
        outcome = {"decision": made["id"], "reward": arms[made["arm"]]}
        watched.decide.post(f"{name}/outcomes", json=outcome)
    wait(browser, lambda b: b.execute_script(COLOURS)[0][0] == "second")
    after = browser.execute_script(COLOURS)
    assert [arm for arm, _ in after] != [arm for arm, _ in before]
    assert dict(after) == dict(before)
    assert len(set(dict(after).values())) == 3


def test_an_arm_is_paused_and_removed_by_keyboard(browser, watched):
    sign_in(browser, watched, "admin")
    choose(browser, "blue", "pause")
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, '[data-key="resume blue"]'))
    paused = watched.read.get("/v1/experiments/checkout").json()["paused"]
    assert paused == ["blue"]
    choose(browser, "blue", "resume")
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, '[data-key="pause blue"]'))
    field = browser.find_element(By.CSS_SELECTOR, '[data-key="new arm"]')
    field.send_keys("red", Keys.ENTER)
    choose(browser, "red", "remove")
    wait(browser, lambda b: b.find_element(By.ID, "ask").is_displayed())
    browser.switch_to.active_element.send_keys(Keys.ENTER)  # the safe answer has the focus
    time.sleep(0.5)
    assert "red" in watched.read.get("/v1/experiments/checkout").json()["arms"]
    browser.find_element(By.CSS_SELECTOR, '[data-key="remove red"]').click()  # in its open menu
    wait(browser, lambda b: b.find_element(By.ID, "ask").is_displayed())
    browser.find_element(By.ID, "ask-yes").send_keys(Keys.ENTER)
    wait(browser, lambda b: "Removed: red (0 decisions)" in text(b))
    browser.find_element(By.CSS_SELECTOR, '[data-key="History of changes"]').send_keys(Keys.ENTER)
    wait(browser, lambda b: "removed red" in text(b))
    assert "admin" in text(browser)  # by whom
    assert console_errors(browser) == []


def test_phone_and_dark(browser, watched):
    sign_in(browser, watched, "admin")
    wait(browser, lambda b: "History" in text(b))
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= 390
        back = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert max(map(int, back.removeprefix("rgb(").removesuffix(")").split(","))) < 60
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_list_an_empty_store_and_no_permission(browser, watched, tmp_path):
    sign_in(browser, watched, "read")
    browser.find_element(By.CLASS_NAME, "home").click()
    wait(browser, lambda b: "Experiments" in text(b))
    assert "leads" in text(browser) or "best" in text(browser)
    with running(create_app(f"sqlite:///{tmp_path}/empty.db", keys=False)) as address:
        browser.get(address)
        wait(browser, lambda b: "There are no experiments yet" in text(b))
        assert httpx.get(f"{address}/v1/session").json()["open"]
        lowbid.open(f"sqlite:///{tmp_path}/empty.db", "basket", 2, OnesOwn()).close()
        wait(browser, lambda b: "basket" in text(b))
        assert "cannot be opened: the experiment's log cannot be read here" in text(browser)
    sign_in_as_decider(browser, watched)
    wait(browser, lambda b: "may not look at experiments" in text(b))
    assert browser.find_element(By.CSS_SELECTOR, ".trouble h1").text == "No permission"
    assert "All experiments" not in text(browser)
    sign_in(browser, watched, "read")
    browser.get(f"{watched.address}/#/experiments/nope")
    wait(browser, lambda b: "there is no experiment 'nope'" in text(b))
    assert browser.find_element(By.CSS_SELECTOR, ".trouble h1").text == "Not found"
    browser.find_element(By.LINK_TEXT, "All experiments").click()
    wait(browser, lambda b: "Experiments" in text(b))


def sign_in_as_decider(browser, shop):
    browser.get(shop.address)
    browser.execute_script("localStorage.clear()")
    browser.delete_all_cookies()
    browser.refresh()
    wait(browser, lambda b: b.find_elements(By.ID, "key"))
    browser.switch_to.active_element.send_keys(shop.keys["decide"], Keys.ENTER)


def test_the_documentation_of_the_api(browser, watched):
    sign_in(browser, watched, "read")
    browser.get(f"{watched.address}/docs")
    wait(browser, lambda b: "POST /v1/experiments/{name}/decisions" in text(b))
    assert "visit-4711" in text(browser)
    assert console_errors(browser) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, watched, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    sign_in(browser, watched, "admin")
    wait(browser, lambda b: "History" in text(b))
    found = Axe().run(browser)["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
