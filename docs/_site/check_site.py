"""Check a built site: every link leads somewhere, and no page loads anything from a network.

python docs/_site/check_site.py out/site
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes from which a browser loads something by itself.
LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("link", "href"),
}


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to."""
        found = {name: value for name, value in attrs if value is not None}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        for name in ("href", "src"):
            if name in found:
                self.links.append(found[name])
                if (tag, name) in LOADED and found.get("rel") != "canonical":
                    self.loads.append(found[name])


def problems(site: Path) -> list[str]:
    """All that is wrong, a line each."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} loads {link} from a network" for link in page.loads if _remote(link)]
        for link in page.links:
            if _remote(link) or urlsplit(link).scheme:
                continue
            target, place = _target(path, link)
            if not target.exists():
                found.append(f"{name} links to {link}, which is not there")
            elif target in pages and place not in pages[target].places:
                found.append(f"{name} links to {link}, a place that is not on that page")
    return found


def _remote(link: str) -> bool:
    return link.startswith("//") or urlsplit(link).scheme in ("http", "https")


def _target(path: Path, link: str) -> tuple[Path, str]:
    """The file that a link on a page leads to, and the place in it."""
    parts = urlsplit(link)
    if not parts.path:
        return path, unquote(parts.fragment)
    target = (path.parent / unquote(parts.path)).resolve()
    return (target / "index.html" if target.is_dir() else target), unquote(parts.fragment)


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "every link leads somewhere, and nothing is loaded from a network")
    sys.exit(bool(wrong))
