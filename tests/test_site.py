"""The documentation site: complete, without dead links, and without a network."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lowbid
from browser import console_errors, open_browser

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(lowbid.__file__).parent


def load(name):
    """A module of the folder that builds the site."""
    sys.path.insert(0, str(ROOT / "docs" / "_site"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def pages():
    """The pages of the reference; nothing is played for their pictures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load("standard_problem"), "figure", lambda name: "")
        patch.setattr(load("standard_problem"), "final_regret", lambda name: 0.0)
        return load("api_pages").pages()


def test_links_are_followed(tmp_path):
    check_site = load("check_site")
    (tmp_path / "index.html").write_text('<h1 id="top"><a href="other.html#there">x</a>')
    (tmp_path / "other.html").write_text('<p id="there"><a href="index.html#top">y</a>')
    assert check_site.problems(tmp_path) == []
    (tmp_path / "other.html").write_text('<a href="gone.html"></a><script src="//cdn/x.js">')
    assert check_site.problems(tmp_path) == [
        "index.html links to other.html#there, a place that is not on that page",
        "other.html loads //cdn/x.js from a network",
        "other.html links to gone.html, which is not there",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| 1.51 [1.17, 2.14] |", "| 1.51 [1.17,~2.14] |"),
        ("| 1.0% [0.2%, 2.1%] |", "| 1.0% [0.2%,~2.1%] |"),
        ("| 2,460 x (2,460 to 2,480) |", "| 2,460 x (2,460~to~2,480) |"),
        (
            "losses in [0, 1], as `Bernoulli([0.1, 0.5])`",
            "losses in [0, 1], as `Bernoulli([0.1, 0.5])`",
        ),
    ],
)
def test_intervals_stay_on_one_line(text, shown):
    pytest.importorskip("mkdocs")
    hooks = load("hooks")
    assert hooks.INTERVAL.sub(hooks._unbroken, text) == shown.replace("~", "\N{NO-BREAK SPACE}")


def test_the_reference_has_every_public_name(pages):
    """A policy has a page of its own; everything else is on the page of its part."""
    shown = set(re.findall(r"^::: (\S+)", "\n".join(pages.values()), re.MULTILINE))
    for name in lowbid.policies.__all__:
        assert f"reference/policies/{name}.md" in pages
    for part in load("api_pages").parts():
        module = importlib.import_module(f"lowbid.{part}")
        for name in getattr(module, "__all__", ()):
            path = f"lowbid.{part}.{name}"
            assert path in shown or any(other.startswith(f"{path}.") for other in shown), path


def test_the_reference_has_what_the_package_offers_at_its_top(pages):
    shown = re.findall(r"^::: (\S+)", "\n".join(pages.values()), re.MULTILINE)
    named = {path.rpartition(".")[2] for path in shown}
    parts = load("api_pages").parts()
    missing = set(lowbid.__all__) - named - set(parts) - {"__version__"}
    assert missing == set()


def test_every_public_module_has_a_page():
    """The rest is for the command line, and shown there."""
    found = {path.stem for path in PACKAGE.glob("[!_]*") if path.suffix in ("", ".py")}
    assert found - {"cli", "experiments", "report"} <= set(load("api_pages").parts())


def test_the_reference_has_every_adapter(pages):
    """Each is in a module that needs its library, so they are found without importing any."""
    shown = load("api_pages").adapters()
    assert "lowbid.adapters.river.FromRiver" in shown
    page = pages["reference/adapters.md"]
    assert all(f"::: {path}" in page for path in shown)
    modules = {path.stem for path in (PACKAGE / "adapters").glob("[!_]*.py")}
    assert {path.split(".")[2] for path in shown} == modules


def test_the_table_of_policies_is_made_from_the_code():
    pytest.importorskip("mkdocs")
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    found = load("hooks").COMMAND.search(page)
    table = load("hooks")._printed(found[1].split())
    for name in lowbid.policies.__all__:
        assert f"\n| {name}" in table


def test_the_naive_batch_ensemble_is_shown_as_the_tests_have_it():
    pytest.importorskip("mkdocs")
    page = (ROOT / "docs" / "batch-ensemble.md").read_text(encoding="utf-8")
    (path,) = load("hooks").SOURCE.findall(page)
    code = (ROOT / path).read_text(encoding="utf-8")
    assert "def batch_estimate(" in code
    assert load("hooks")._shown(path) == f"```python\n{code}```"


def test_a_policy_is_played_for_its_picture():
    problem = load("standard_problem")
    assert 300 < problem.final_regret("UCB1") < 500
    assert "<svg" in problem.figure("UCB1")


STEP = re.compile(r"\*\*Next:\*\* [^\[]*\[[^\]]+\]\(([^)#]+)")


def last_paragraph(text):
    return text.rstrip().rpartition("\n\n")[2]


def pages_that_people_wrote():
    """The files of the navigation but the changelog, to which the site adds its next step."""
    named = re.findall(r"^ +- [^#\n]+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    roots = {"contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md"}
    for page in named:
        if page != "changelog.md":
            path = ROOT / roots[page] if page in roots else ROOT / "docs" / page
            yield path if path.exists() else path.with_suffix(".ipynb")


def test_every_page_ends_with_the_next_step():
    pages = list(pages_that_people_wrote())
    assert {path.name for path in pages} >= {path.name for path in (ROOT / "docs").rglob("*.md")}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "".join(json.loads(text)["cells"][-1]["source"])
        found = STEP.match(last_paragraph(text))
        assert found, f"{path.name} ends with no next step"
        assert (path.parent / found[1]).resolve() not in (path, ROOT), path.name
        assert (path.parent / found[1]).exists(), f"{path.name} leads to {found[1]}"


def test_every_page_of_the_reference_ends_with_the_next_step(pages):
    """It leads out of the reference, to a page that people wrote."""
    for page, text in pages.items():
        found = STEP.match(last_paragraph(text))
        assert found, f"{page} ends with no next step"
        target = (ROOT / "docs" / page).parent / found[1]
        assert target.resolve().exists(), f"{page} leads to {found[1]}"


@pytest.fixture
def build(tmp_path):
    """A copy of the documentation to spoil, and the command that builds it."""
    pytest.importorskip("material", reason="pip install 'lowbid[docs]'")
    for name in ("docs", "src", "examples", "tests/naive"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for path in ROOT.glob("*.[my][dm]*"):
        shutil.copy(path, tmp_path)

    def run():
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)

    return tmp_path, run


@pytest.mark.slow
def test_the_site_is_built(build):
    folder, run = build
    done = run()
    assert done.returncode == 0, done.stderr
    site = folder / "out" / "site"
    assert "lowbid.policies.UCB1" in (site / "reference/policies/UCB1.html").read_text()
    assert "<math" in (site / "reference/policies/UCB1.html").read_text()
    assert "__index" in (site / "search" / "search_index.js").read_text()[:50]
    for page in site.rglob("*.html"):
        steps = page.read_text(encoding="utf-8").count('<p class="next">')
        assert steps == (page.name != "404.html"), page
    assert_search_works(site / "index.html")


RESULT = ".md-search-result__link h1"
# Words that somebody may type, and pages that must be among those found.
SEARCHES = {
    "late feedback": {"Late and missing feedback"},
    "thompson": {"BetaThompson", "GaussianThompson", "SlidingWindowBetaThompson"},
    "batch likelihood": {"BatchLikelihood"},
    "batchlikelihood": {"BatchLikelihood"},
    "BatchLikelihood": {"BatchLikelihood"},
    "klucb": {"KLUCB", "KLUCBPlus"},
}


def assert_search_works(page):
    """From a file, without a server or a network."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.wait import WebDriverWait

    def found(browser):
        return {each.text for each in browser.find_elements(By.CSS_SELECTOR, RESULT)}

    with open_browser() as browser:
        browser.set_window_size(1280, 900)
        for words, pages in SEARCHES.items():
            browser.get(page.as_uri())
            browser.find_element(By.CSS_SELECTOR, "input.md-search__input").click()
            browser.switch_to.active_element.send_keys(words)
            wait = WebDriverWait(browser, 20, ignored_exceptions=[StaleElementReferenceException])
            wait.until(lambda browser, pages=pages: pages <= found(browser), f"{words!r}: {pages}")
        assert console_errors(browser) == []


@pytest.mark.slow
def test_what_is_wrong_is_refused(build):
    folder, run = build
    (folder / "docs" / "stray.md").write_text("# No line in the navigation\n")
    with (folder / "docs" / "speed.md").open("a") as file:
        file.write("[](nowhere.md) [](league.md#no-such-place) [](../src/lowbid/gone.py)\n")
    done = run()
    assert done.returncode != 0
    for complaint in ("stray.md", "nowhere.md", "#no-such-place", "src/lowbid/gone.py"):
        assert complaint in done.stderr


def test_pages_are_written_as_markdown_and_listed(tmp_path):
    plain = load("plain_pages")
    pages = [
        plain.PlainPage("Tutorial", "learn/tutorial.md", "# Tutorial\n\nOne.\n"),
        plain.PlainPage("Bandit", "reference/online.md", "# Bandit\n\n::: lowbid.Bandit\n"),
    ]
    plain.write(tmp_path, "lowbid", "Bandits.", pages)
    assert (tmp_path / "learn/tutorial.md").read_text() == "# Tutorial\n\nOne.\n"
    assert not (tmp_path / "reference").exists()
    assert (tmp_path / "llms.txt").read_text().splitlines() == [
        "# lowbid",
        "",
        "> Bandits.",
        "",
        "## Pages",
        "",
        "- [Tutorial](learn/tutorial.md)",
    ]


def test_words_that_readers_search_for_lead_to_pages_that_exist():
    pytest.importorskip("mkdocs")
    hooks = load("hooks")
    for path in hooks.SYNONYMS:
        policy = path.removeprefix("reference/policies/").removesuffix(".md")
        assert (ROOT / "docs" / path).exists() or hasattr(lowbid.policies, policy), path
    words = " ".join(hooks.SYNONYMS.values()).split()
    assert {"install", "dashboard", "nonstationary", "thomson"} <= set(words)
    page = hooks._with_synonyms("# Changing\n\nText.", "changing-arms.md")
    assert page.startswith("# Changing\n\n<p hidden>nonstationary ")
    assert hooks._with_synonyms("# Tutorial\n\nText.", "tutorial.md") == "# Tutorial\n\nText."


def test_signatures_do_not_show_values_that_are_only_taken_to_be_refused():
    griffe = pytest.importorskip("griffe")
    extensions = griffe.load_extensions(str(ROOT / "docs" / "_site" / "docstrings.py"))
    package = griffe.load("lowbid", search_paths=[str(PACKAGE.parent)], extensions=extensions)
    update = package["online._bandit.Bandit.update"]
    assert [each.name for each in update.parameters][:3] == ["self", "what", "loss"]
