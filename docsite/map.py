"""The map of the source: every folder and file with the first sentence of its docstring, as a page.

python -m docsite.map    write docs/map.md again
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from docsite.imports import FILES, LAYERS, ROOT, SOURCE

MAP = ROOT / "docs" / "map.md"
_HEAD = """# Map of the source

Every file of `src/kibitz` in one sentence, the first of its docstring. Written by `python -m docsite.map`; a test fails
while it differs.
"""


def sentence(path: Path) -> str:
    """Return the first sentence of a file's docstring."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0].split())
    found = re.match(r".*?[.:](?= [A-Z]|$)", text)
    return (found[0] if found else text).rstrip(".:") + "."


def written() -> str:
    """Return the text of the page."""
    lines = [_HEAD]
    folders = sorted({path.parent for path in FILES}, key=_rank)
    for folder in folders:
        name = folder.relative_to(SOURCE.parent).as_posix()
        init = folder / "__init__.py"
        about = f" {sentence(init)}" if init in FILES else ""
        lines.append(f"## {name}\n\n{about.strip()}\n")
        files = [path for path in FILES if path.parent == folder and not path.name.startswith("__")]
        lines += [f"- `{path.name}`: {sentence(path)}" for path in files]
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _rank(folder: Path) -> tuple[int, str]:
    """Return where a folder comes: in the order of the layers."""
    parts = folder.relative_to(SOURCE).parts
    return (LAYERS.index(parts[0]) if parts else -1), folder.as_posix()


if __name__ == "__main__":
    MAP.write_text(written(), encoding="utf-8")
