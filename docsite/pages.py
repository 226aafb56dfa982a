"""All pages of the site in one folder: docs/, the pages at the top of the repository, results, linked sources.

python -m docsite.pages    write them to build/pages, where MkDocs finds them

Links that leave docs/ are bent to where their files are on the site. Knows nothing of MkDocs.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from docsite.results import results_page

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "pages"
RESULTS = "docs/results"
"""The folder of results, which is one page of the site."""
TOP = ("README.md", "SECURITY.md", "CHANGELOG.md")
MOVED = dict(zip((*TOP, RESULTS), ("index.md", "security.md", "changes.md", "results.md"), strict=True))
"""Path in the repository -> page of the site, where that is not the path within docs/."""
LINK = re.compile(r"(?<=\]\()(?P<path>[^()\s:#]+)(?=[)#])")
LANGUAGES = {".py": "python", ".toml": "toml", ".service": "ini"}


def all_pages() -> dict[str, str]:
    """Return every page as its path in the repository and its text."""
    paths = [ROOT / name for name in TOP] + sorted((ROOT / "docs").rglob("*.md"))
    pages = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return pages | {RESULTS: results_page(ROOT / RESULTS)}


def targets(page: str, text: str) -> set[str]:
    """Return the paths in the repository that a page links to."""
    return {_target(page, found["path"]) for found in LINK.finditer(text)}


def on_site(path: str) -> str:
    """Return where a file of the repository is on the site."""
    if path in MOVED:
        return MOVED[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}.md"


def bent(page: str, text: str) -> str:
    """Return a page with the links of the site instead of those of the repository."""
    folder = posixpath.dirname(on_site(page))
    return LINK.sub(lambda found: posixpath.relpath(on_site(_target(page, found["path"])), folder), text)


def write(folder: Path) -> None:
    """Make the folder anew, with all pages and what they show."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "results"))
    pages = all_pages()
    linked = {path for page, text in pages.items() for path in targets(page, text)}
    made = {on_site(page): bent(page, text) for page, text in pages.items()}
    made |= {on_site(path): _source_page(path) for path in linked if on_site(path).startswith("source/")}
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _target(page: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def _source_page(path: str) -> str:
    language = LANGUAGES.get(Path(path).suffix, "text")
    text = (ROOT / path).read_text(encoding="utf-8")
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}````\n"


if __name__ == "__main__":
    write(FOLDER)
