"""Self-contained HTML documents: the frame, sections and tables of reports and reviews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { --ink:#1c2430; --soft:#5d6878; --line:#dfe4ea; --page:#fff; --panel:#f7f8fa; --main:#1f6feb; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ee; --soft:#9aa5b4; --line:#323a46; --page:#14181e;
 --panel:#1b2028; --main:#6ea8ff; } }
* { box-sizing: border-box }
body { margin:0 auto; padding:2rem 1.25rem 4rem; max-width:1080px; background:var(--page); color:var(--ink);
 font:16px/1.5 system-ui, sans-serif }
h2 { font-size:1.15rem; margin:2.2rem 0 .6rem }
.scroll { overflow-x:auto }
table { border-collapse:collapse; font-variant-numeric:tabular-nums }
svg { width:100%; height:auto; min-width:560px; display:block; font:13px system-ui, sans-serif }
"""


def document(title: str, style: str, sections: Iterable[str]) -> str:
    """Return a whole document; `style` is added to the CSS that all documents share."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}{style}</style></head><body><main>{''.join(sections)}</main></body></html>\n"
    )


def section(title: str, body: str) -> str:
    """Return a section with a heading."""
    return f"<section><h2>{title}</h2>{body}</section>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Headings and cells are HTML."""
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"
