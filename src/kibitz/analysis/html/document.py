"""Self-contained HTML documents: the frame, sections and tables of reports and reviews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template


def resource(package: str, name: str) -> str:
    """Return the text of a template or style sheet stored in the folder of a package."""
    return (files(package) / name).read_text(encoding="utf-8")


def document(title: str, style: str, sections: Iterable[str]) -> str:
    """Return a whole document; `style` is added to the CSS that all documents share."""
    style = resource(__package__, "document.css") + style
    frame = Template(resource(__package__, "document.html"))
    return frame.substitute(title=escape(title), style=style, body="".join(sections))


def section(title: str, body: str, note: str = "") -> str:
    """Return a section with a heading. A note precedes the body, which then scrolls. All texts are HTML."""
    body = f'<p>{note}</p><div class="scroll">{body}</div>' if note else body
    return f"<section><h2>{title}</h2>{body}</section>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Headings and cells are HTML."""
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"
