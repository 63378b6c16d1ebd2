"""The examples run, and print what the documentation shows."""

import http.server
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import lowbid
from browser import open_browser
from lowbid.service import create_app
from service.conftest import running

ROOT = Path(__file__).resolve().parent.parent


def test_checkout_pages_prints_the_picture_of_its_page(capsys):
    runpy.run_path(str(ROOT / "examples" / "checkout_pages.py"), run_name="__main__")
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines())
    assert printed in (ROOT / "docs" / "how-to" / "worked-example.md").read_text()


@pytest.mark.slow
def test_the_shop_has_visitors_and_stops():
    command = [sys.executable, ROOT / "examples" / "shop" / "run.py", "--visitors", "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "the shop: http://127.0.0.1:" in done.stdout
    assert "looks best" in done.stdout


@pytest.mark.slow
def test_a_purchase_in_the_shop(tmp_path):
    """In a browser: a visit is a decision, and the button reports its outcome, once."""
    shop_of = runpy.run_path(str(ROOT / "examples" / "shop" / "run.py"))["shop_of"]
    app = create_app(f"sqlite:///{tmp_path}/shop.db", keys=False)
    with running(app) as address, lowbid.Client(address) as client, open_browser() as browser:
        bandit = client.make("button", ["green"], reward_range=(0, 1))
        shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), shop_of(bandit))
        threading.Thread(target=shop.serve_forever, daemon=True).start()
        browser.get(f"http://127.0.0.1:{shop.server_port}/")
        assert len(bandit.pending()) == 1
        for said in ("Thank you!", "You have it already."):
            browser.find_element(By.TAG_NAME, "button").click()
            WebDriverWait(browser, 20, ignored_exceptions=[StaleElementReferenceException]).until(
                lambda b, said=said: said in b.find_element(By.TAG_NAME, "body").text
            )
        assert bandit.counts() == {"green": 1}
        assert bandit.pending() == []
        browser.get(f"http://127.0.0.1:{shop.server_port}/nothing")
        assert bandit.pending() == []
        shop.shutdown()
        shop.server_close()
