"""A shop with four ways to ask for a purchase, a stream of visitors, and the page to watch it on.

    pip install 'lowbid[serve]'
    python examples/shop/run.py                  # until Ctrl-C
    python examples/shop/run.py --visitors 2000  # made-up visitors, then it stops
    python examples/shop/run.py --visitors 2000 --picture service.png  # of the page; needs Chromium

Starts `lowbid serve` on a free port of this machine, with a store in a folder that is removed
afterwards, and a small shop on another port. Open the shop, buy or go away: you are a visitor among
made-up ones.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import http.server
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import lowbid
from lowbid.client import RemoteBandit
from lowbid.errors import LowbidError

# The chance that a visitor buys. The shop does not know it.
CHANCES = {"buy": 0.10, "add to cart": 0.16, "get yours": 0.12, "order now": 0.08}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A small shop</title>
<meta name="viewport" content="width=device-width"><body style="font:18px sans-serif;margin:3em">
<h1>One very good mug</h1><p>{said}</p><form method="post">
<button name="decision" value="{decision}" style="padding:1em">{label}</button></form>
<p><a href="/">Come back as another visitor</a></p></body></html>"""


@contextlib.contextmanager
def service(store: str) -> Iterator[tuple[lowbid.Client, str]]:
    """`lowbid serve` while the block lasts, a client of it and its address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "lowbid", "serve", "--store", store, "--no-keys"]
    server = subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.DEVNULL)
    client = lowbid.Client(f"http://127.0.0.1:{port}")
    try:
        for _ in range(300):
            with contextlib.suppress(LowbidError):
                lowbid.Client(f"http://127.0.0.1:{port}", retries=0).send("GET", "/readyz")
                break
            time.sleep(0.1)
        print(f"the service and its page: http://127.0.0.1:{port}", flush=True)
        yield client, f"http://127.0.0.1:{port}"
    finally:
        client.close()
        server.terminate()
        server.wait(40)


def shop_of(bandit: RemoteBandit) -> type[http.server.BaseHTTPRequestHandler]:
    """The shop: every visit is a decision, and every purchase its outcome."""

    class Shop(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":  # a browser's wish for an icon is no visit
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            decision = bandit.decide()
            self._show("Ten dollars.", decision.id, str(decision.arm).capitalize())

        def do_POST(self) -> None:
            size = min(int(self.headers.get("Content-Length") or 0), 1000)
            form = urllib.parse.parse_qs(self.rfile.read(size).decode())
            identity = form.get("decision", [""])[0]
            answer = bandit.answer([identity], rewards=[1.0])[0]
            said = {None: "Thank you!", "repeated": "You have it already."}
            self._show(said.get(answer, "This visit is over."), identity, "Buy again")

        def _show(self, said: str, decision: str, label: str) -> None:
            text = PAGE.format(said=said, decision=html.escape(decision), label=label).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Shop


def visit(bandit: RemoteBandit, number: int, chance: random.Random) -> None:
    """One visitor comes, and buys or does not."""
    decision = bandit.decide(unit=f"visitor-{number}")
    bandit.update(decision, reward=float(chance.random() < CHANCES[str(decision.arm)]))


def take_picture(address: str, file: Path) -> None:
    """What Chromium shows of an address, as a PNG file."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("--picture needs Chromium: apt-get install chromium")
    command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars"]
    command += ["--window-size=1100,1500", "--virtual-time-budget=8000"]
    subprocess.run(
        [*command, f"--screenshot={file.absolute()}", address],
        check=True,
        timeout=60,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, help="stop after this many; by default, never")
    parser.add_argument(
        "--pause",
        type=float,
        help="seconds between two visitors; by default 0.05, 0 with --visitors",
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="keep a picture of the page")
    given = parser.parse_args()
    pause = given.pause if given.pause is not None else 0.0 if given.visitors else 0.05
    chance = random.Random(7)
    with (
        tempfile.TemporaryDirectory() as folder,
        service(f"sqlite:///{Path(folder).as_posix()}/shop.db") as (client, address),
        contextlib.suppress(KeyboardInterrupt),
    ):
        bandit = client.make(
            "button", CHANCES, reward_range=(0, 1), holdout=0.1, control="buy", seed=7
        )
        shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), shop_of(bandit))
        threading.Thread(target=shop.serve_forever, daemon=True).start()
        print(f"the shop: http://127.0.0.1:{shop.server_port}", flush=True)
        number = 0
        while given.visitors is None or number < given.visitors:
            number += 1
            visit(bandit, number, chance)
            time.sleep(pause)
        if given.picture is not None:
            take_picture(f"{address}/#/experiments/button", given.picture)
        shop.shutdown()
        shop.server_close()
        print(bandit.recommend())


if __name__ == "__main__":
    main()
