"""The table of figures in the README, filled from the stored results and from nothing else.

python -m docsite.trust    write the table again, after docsite.record has renewed a result
"""

from __future__ import annotations

import json

from docsite.imports import ROOT

README = ROOT / "README.md"
HEADING = "| claim | figure | command |\n|---|---|---|\n"
CLAIMS = {
    "bench-uttt": ("Ultimate Tic-Tac-Toe, games of 7 moves counted: compiled rules and readable ones", ""),
    "bench-dots": ("Dots-and-Boxes, 3x4 boxes, solved exactly", ""),
    "arena-uttt-levels": ("Level 6 of Ultimate Tic-Tac-Toe against levels 1 to 5", "level6"),
    "arena-dots": ("The champion of Dots-and-Boxes, 3x3 boxes, against five", "champion(nodes=2000)"),
    "arena-battleline": ("The champion of Battle Line, one playout a move, against four", "champion(playouts=1)"),
}  # fmt: skip
"""File in docs/results -> the claim, and the agent whose results it quotes if the file is of a tournament."""


def table() -> str:
    """Return the table in Markdown."""
    return HEADING + "".join(_row(name, claim, agent) for name, (claim, agent) in CLAIMS.items())


def _row(name: str, claim: str, agent: str) -> str:
    stored = json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    output = stored["output"]
    if agent:
        row = next(each for each in output["standings"] if each["agent"] == agent)
        figure = f"{row['rate']:.1%} of {row['games']} games (95 %: {row['low']:.0%} to {row['high']:.0%})"
    elif name == "bench-uttt":
        row = output[0]
        figure = f"{row['note']}, {row['speed']:.0f} {row['unit']}, {row['x the readable one']} times as fast"
    else:
        row = output[-1]
        figure = f"value {row['value']}, {row['nodes']:,} nodes, {row['seconds']:.1f} s"
    return f"| {claim} | {figure} | `{stored['command']}` |\n"


if __name__ == "__main__":
    before, old = README.read_text(encoding="utf-8").split(HEADING)
    README.write_text(before + table() + old[old.index("\n\n") + 1 :], encoding="utf-8")
    print(f"Written: {README}")
