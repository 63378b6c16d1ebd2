"""Chromium for tests of pages.

Needs the Debian packages chromium and chromium-driver. With LOWBID_BROWSER_REQUIRED=1 their absence
is an error.
"""

import contextlib
import os
import shutil

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")


def start_browser():
    """A browser without a screen; tests are skipped where there is none."""
    if BROWSER is None or DRIVER is None:
        reason = "there is no Chromium: apt-get install chromium chromium-driver"
        assert not os.environ.get("LOWBID_BROWSER_REQUIRED"), reason
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--hide-scrollbars",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(DRIVER))


@contextlib.contextmanager
def open_browser():
    """The same, closed in the end."""
    driver = start_browser()
    try:
        yield driver
    finally:
        driver.quit()


def console_errors(browser):
    """The messages in the page's console since the last call."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
