"""Which package of kibitz imports which, read from the sources, as a diagram.

python -m docsite.imports    draw docs/images/imports.svg again
"""

from __future__ import annotations

import ast
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kibitz"
FILES = sorted(SOURCE.rglob("*.py"))
PICTURE = ROOT / "docs" / "images" / "imports.svg"
LAYERS = (
    "picture", "core", "compiled", "search", "analysis", "arena", "bots", "interop", "web", "cli", "games", "testing",
)  # fmt: skip
"""Each may import those before it, and itself; what games may import is below."""
NOT_BESIDE = frozenset({("interop", "bots"), ("web", "bots"), ("web", "interop")})
"""(layer, earlier layer) that may not be imported, though it comes before: these stand beside each other."""
GAME_LAYERS = ("picture", "core", "compiled", "search", "analysis", "games")
"""What the parts of a game may import."""
UPWARD = ("package", "page", "commands", "study", "gtp", "codingame", "openspiel")
"""Parts of a game that may look at every layer: pages, commands, studies and protocols are made for those."""
PARTED = ("games",)
"""Layers whose packages are shown one by one."""

CELL = 26
LABEL = 150
HEAD = 130
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1c2430}.card{fill:#fff}.band{fill:#f1f4f8}.line{stroke:#dfe4ea}"
    ".dot{fill:#1f6feb}.self{fill:#c9d2de}"
)


def module(path: Path) -> str:
    """Return the name by which a source file is imported."""
    return ".".join(["kibitz", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Return every name that a source file imports, at its top or later."""
    found = list[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they point"
            assert node.module is not None
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


def layer(name: str) -> str:
    """Return the layer of a module, or nothing for the package itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


def package(name: str, packages: frozenset[str]) -> str:
    """Return the innermost of these packages that has the module."""
    parts = name.split(".")[1:]
    found = (".".join(parts[:length]) for length in (2, 1))
    return next((inner for inner in found if inner in packages), "")


def all_packages() -> tuple[str, ...]:
    """Return the layers, those of games and patterns after them, in the order in which they may import."""
    found = []
    for name in LAYERS:
        parts = sorted(path.parent.name for path in (SOURCE / name).glob("*/__init__.py"))
        found += [name, *(f"{name}.{part}" for part in parts if name in PARTED)]
    return tuple(found)


def graph() -> set[tuple[str, str]]:
    """Return every pair of packages of which the first imports the second."""
    packages = frozenset(all_packages())
    pairs = {(package(module(path), packages), package(name, packages)) for path in FILES for name in imports(path)
             if name.split(".")[0] == "kibitz"}  # fmt: skip
    return {(a, b) for a, b in pairs if a and b and a != b}


def draw() -> str:
    """Return the diagram as SVG: a row for each package, with a dot in the column of every other that it imports."""
    packages, pairs = all_packages(), graph()
    width, height = LABEL + CELL * len(packages) + 20, HEAD + CELL * len(packages) + 16
    place = {name: i for i, name in enumerate(packages)}
    body = [f'<rect class="card" width="{width}" height="{height}" rx="8"/>']
    for name, i in place.items():
        x, y = LABEL + CELL * i, HEAD + CELL * i
        if i % 2:
            body.append(f'<rect class="band" x="8" y="{y}" width="{width - 16}" height="{CELL}"/>')
        body.append(f'<text x="{LABEL - 10}" y="{y + 18}" text-anchor="end">{escape(name)}</text>')
        body.append(f'<text transform="translate({x + 18} {HEAD - 8}) rotate(-60)">{escape(name)}</text>')
        body.append(f'<rect class="self" x="{x + 7}" y="{y + 7}" width="12" height="12" rx="2"/>')
    for a, b in sorted(pairs):
        x, y = LABEL + CELL * place[b] + 13, HEAD + CELL * place[a] + 13
        body.append(f'<circle class="dot" cx="{x}" cy="{y}" r="6"><title>{a} imports {b}</title></circle>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>Which package imports which</title><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(f"Written: {PICTURE}")
