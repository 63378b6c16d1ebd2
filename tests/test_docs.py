"""Every Python block of the documentation runs, and prints what the page shows.

The blocks of a page run in order and share their names. A block of plain text (```text) that
follows a Python block directly is what it prints.
"""

import contextlib
import io
import json
import linecache
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::lowbid.errors.LossesWarning")  # a page shows what it is about
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "__main__"}
    text = page.read_text()
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        printed = io.StringIO()
        source, name = "\n" * line + found[1], f"{page}, line {line}"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        code = compile(source, name, "exec")  # kernels are compiled from their source
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        if found[2] is not None:
            assert printed.getvalue().strip() == found[2].strip(), f"{page.name}, line {line}"
    assert ("<kernel" in caplog.text) == (page.name == "kernels.md"), caplog.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs").rglob("*.ipynb")), ids=lambda path: path.name
)
def test_the_code_of_a_notebook_runs(notebook, monkeypatch):
    """Every cell runs, and prints what the notebook was saved with."""
    pytest.importorskip("IPython", reason="notebooks need IPython: pip install 'lowbid[docs]'")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "show", plt.close)
    monkeypatch.setattr("IPython.display.display", lambda shown: None)
    names = {"__name__": "__main__"}
    with plt.rc_context():
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
                streams = [o["text"] for o in cell["outputs"] if o["output_type"] == "stream"]
                assert printed.getvalue() == "".join("".join(text) for text in streams)
