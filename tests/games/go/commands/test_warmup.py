"""What `kibitz warmup` prepares for Go: all that its commands on records and predictions need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from kibitz.games.go.commands.warmup import JOBS

MISSED = """
import json, sys
from pathlib import Path

from typer.testing import CliRunner

from kibitz.cli.app import app
from kibitz.compiled import objects
from kibitz.games.go.commands.warmup import JOBS
from kibitz.games.go.records import masters

folder = Path(sys.argv[1])
masters.cache_root = lambda: folder  # so that the games of masters are stored and mined anew
loaded, init = set(), objects.LoadedKernel.__init__
objects.LoadedKernel.__init__ = lambda self, name, stored: loaded.add((name, stored.symbol)) or init(self, name, stored)
for work in JOBS.values():
    work()
prepared, record = set(loaded), folder / "game.sgf"
record.write_text("(;GM[1]SZ[19]PB[Black]PW[White];B[pd];W[dd];B[pq];W[dp];B[qk])")
for command in (
    ["import", str(record), "--store", str(folder / "own")],
    ["mine", "--store", str(folder / "own")],
    ["search", "....", ".X..", "....", "....", "--anchor", "corner"],
    ["search", ".X.", "XO.", "..."],
    ["show", "1"],
    ["mine"],
    ["patterns"],
    ["templates"],
    ["match", "1", "--move", "30"],
    ["fuseki"],
    ["joseki"],
    ["similar", "Honinbo Dosaku"],
    ["predict", str(record), "--move", "4"],
    ["predict", str(record), "--move", "4", "--model", "patterns"],
):
    ran = CliRunner().invoke(app, ["go", *command])
    assert ran.exit_code == 0, (command, ran.output, ran.exception)
print(json.dumps([len(prepared), sorted(loaded - prepared)]))
"""


def test_commands_need_nothing_that_is_not_prepared(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", MISSED, str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    prepared, missed = json.loads(ran.stdout)
    assert prepared > 15
    assert missed == []
    assert list(JOBS) == ["searching records", "mining records", "predicting moves"]
