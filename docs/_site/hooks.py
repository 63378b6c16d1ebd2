"""What MkDocs does for the site beyond its own: pages made by program, and links out of docs/.

The pages under docs/ are plain Markdown that reads well on a code host. This module adds, for the
site alone, the reference (from docstrings), the notebooks and the files of the project's root, and
turns links to files outside docs/ into something that works on a site.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import api_pages
import check_site
import notebooks
import plain_pages

from lowbid.cli import main

LOG = get_plugin_logger("lowbid")  # a warning is an error: the site is built with `strict`
ROOT = Path(__file__).resolve().parents[2]
# Files of the project's root that are pages of the site.
ROOT_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "README.md",
    "SECURITY.md": "security.md",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
# The changelog ends with its oldest entry, wherever else it is read.
AFTER_CHANGELOG = "\n\n**Next:** [the tutorial](tutorial.md), with the version of today.\n"
NEXT = re.compile(r"^\*\*Next:\*\*.*\Z", re.MULTILINE | re.DOTALL)
# A figure's interval, as in 1.51 [1.17, 2.14] or 304 x (295 to 304), which is hard to read on two
# lines of a table's cell.
INTERVAL = re.compile(r"(?<=[\d%x] )[\[(]-?[\d.,]+%?(?:,| to) -?[\d.,]+%?[\])]")
# Words that readers search for and pages do not use.
SYNONYMS = {
    "README.md": "install installation installing setup pip",
    "how-to/serve-decisions.md": "dashboard web ui monitoring server rest",
    "changing-arms.md": "nonstationary non-stationary drift restless",
    "how-to/personalise.md": "contextual linucb covariates",
    "reference/policies/BetaThompson.md": "thomson thompson posterior bayesian",
    "which-policy.md": "thomson thompson best algorithm recommendation",
}
# Every page as Markdown, for programs that read them.
PLAIN: list[plain_pages.PlainPage] = []
# The places for what a command prints, and for a file in Python.
COMMAND = re.compile(r"^<!-- lowbid (.*) -->$", re.MULTILINE)
SOURCE = re.compile(r"^<!-- file (\S+\.py) -->$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Put the lines of the reference into the navigation, where it says `reference`."""
    config.nav = _filled_in(config.nav)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not files under docs/."""
    for name, page in ROOT_PAGES.items():
        if page != name:
            text = (ROOT / name).read_text(encoding="utf-8")
            text += AFTER_CHANGELOG if name == "CHANGELOG.md" else ""
            files.append(File.generated(config, page, content=_from_root(text)))
    for path, content in (api_pages.pages() | notebooks.pages()).items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Put in commands' output and files, mend links out of docs/, set intervals and next steps."""
    folder = posixpath.dirname(page.file.src_uri)
    if page.file.src_uri == "README.md":
        page.meta["hide"] = ["navigation", "toc"]

    def mended(found: re.Match[str]) -> str:
        target = found["target"]
        if "://" in target or target.startswith("mailto:") or found["image"]:
            return found[0]
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if target.endswith(".ipynb") and "Download" not in found["text"]:
            return found[0].replace(".ipynb", ".md")
        return found[0] if path.startswith("docs/") else _link_out(found, path, folder)

    markdown = COMMAND.sub(lambda found: _printed(found[1].split()), markdown)
    markdown = SOURCE.sub(lambda found: _shown(found[1]), markdown)
    markdown = NEXT.sub(lambda found: found[0].rstrip() + "\n{ .next }\n", markdown)
    markdown = _outside_code(markdown, lambda text: INTERVAL.sub(_unbroken, LINK.sub(mended, text)))
    PLAIN.append(plain_pages.PlainPage(page.title, page.file.src_uri, markdown))
    return _with_synonyms(markdown, page.file.src_uri)


def on_post_build(config: Any) -> None:
    """Write pages for programs; refuse a site with a dead link, or that needs a network."""
    plain_pages.write(Path(config.site_dir), config.site_name, config.site_description, PLAIN)
    PLAIN.clear()
    wrong = check_site.problems(Path(config.site_dir).resolve())
    if wrong:
        raise PluginError("\n".join(wrong))


def _printed(command: list[str]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(command)
    return printed.getvalue()


def _shown(path: str) -> str:
    return f"```python\n{(ROOT / path).read_text(encoding='utf-8')}```"


def _with_synonyms(markdown: str, path: str) -> str:
    """A page with words that search finds and readers do not see, below its title."""
    words = SYNONYMS.get(path)
    head, title, rest = markdown.partition("\n\n")
    return f"{head}{title}<p hidden>{words}</p>{title}{rest}" if words else markdown


def _unbroken(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\N{NO-BREAK SPACE}")


def _filled_in(entries: list[Any]) -> list[Any]:
    filled: list[Any] = []
    for entry in entries:
        if entry == "reference":
            filled += api_pages.navigation()
        elif isinstance(entry, dict):
            filled.append(
                {k: _filled_in(v) if isinstance(v, list) else v for k, v in entry.items()}
            )
        else:
            filled.append(entry)
    return filled


def _from_root(text: str) -> str:
    """A page of the root as one of docs/: its links into docs/ are links beside it."""
    return _outside_code(text, lambda part: part.replace("](docs/", "]("))


def _link_out(found: re.Match[str], path: str, folder: str) -> str:
    """A link to a file of the project: to its page if it has one, else its name alone."""
    page = ROOT_PAGES.get(path) or api_pages.page_of(path)
    if page is None:
        if not (ROOT / path).exists():
            LOG.warning("a link leads to %s, which does not exist", path)
        return found["text"]
    return f"[{found['text']}]({posixpath.relpath(page, folder or '.')}{found['anchor'] or ''})"


def _outside_code(text: str, change: Any) -> str:
    parts, end = [], 0
    for block in FENCE.finditer(text):
        parts += [change(text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(text[end:])])
