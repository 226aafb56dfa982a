"""The picture of a terminal in the README: a real command and what it printed, in its own colours.

python -m docsite.terminal    run the command and draw docs/images/terminal.svg again
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys

from rich.console import Console
from rich.text import Text

from docsite.imports import ROOT

COMMAND = "kibitz analyse dots -o rows=3 -o cols=3 --position a31433"
COLUMNS = 80
MAX_LINES = 34
ERASE_LINE = "\x1b[2K"
FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="{width}" height="{height}" rx="10" fill="#292929"/>
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""rich's own format without its window and its fonts, which would come from the network."""


def terminal() -> str:
    """Return the command with the first lines of its output as SVG."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    words = [sys.executable, "-m", *shlex.split(COMMAND)]
    printed = subprocess.run(words, check=True, capture_output=True, text=True, env=env).stdout
    lines = printed.rpartition(ERASE_LINE)[2].rstrip().splitlines()  # what is left once the spinner is gone
    shown = lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], "..."]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join([f"\x1b[1m$ {COMMAND}\x1b[0m", *shown])))
    return console.export_svg(code_format=FORMAT, unique_id="terminal")


if __name__ == "__main__":
    path = ROOT / "docs" / "images" / "terminal.svg"
    path.write_text(terminal(), encoding="utf-8")
    print(f"Written: {path}")
