"""The snippet of examples/shop in Node, against a running server."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SNIPPET = Path(__file__).parents[2] / "examples" / "shop" / "lowbid.js"

SCRIPT = """
import { Lowbid } from %(snippet)s;
const lowbid = new Lowbid(%(url)s, %(key)s, 1);
const seen = [];
for (let visit = 0; visit < 20; visit++) {
  const decision = await lowbid.decide("checkout", `customer-${visit}`);
  seen.push([decision.arm, await lowbid.report("checkout", decision, visit %% 2)]);
  if (visit === 0) seen.push(["again", await lowbid.report("checkout", decision, 0)]);
}
const refused = await lowbid.report("checkout", { id: "0-1" }, 7).catch((error) => error.message);
console.log(JSON.stringify({ seen, refused }));
"""


def test_it_is_short():
    assert len(SNIPPET.read_text().splitlines()) < 40


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_decisions_and_outcomes_from_node(shop, tmp_path):
    module = tmp_path / "lowbid.mjs"
    module.write_text(SNIPPET.read_text())
    values = {"snippet": str(module), "url": shop.address, "key": shop.keys["decide"]}
    script = tmp_path / "visits.mjs"
    script.write_text(SCRIPT % {name: json.dumps(value) for name, value in values.items()})
    out = subprocess.run(["node", script], capture_output=True, text=True, timeout=60, check=False)
    assert out.stderr == ""
    found = json.loads(out.stdout)
    assert ["again", "repeated"] in found["seen"]
    arms = [arm for arm, answer in found["seen"] if answer is None]
    assert len(arms) == 20
    assert set(arms) == {"blue", "green"}
    assert "from 0 to 1" in found["refused"]
