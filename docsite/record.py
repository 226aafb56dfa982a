"""Run a tournament or a bench and keep its output in docs/results/, with when, where and by which command it came.

python -m docsite.record NAME "TITLE" kibitz arena run ...
python -m docsite.record NAME "TITLE" python -m bench.uttt --json

A command of the arena is given a folder of its own; any other has to print
JSON objects, one a line. An older file of that name is replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kibitz.core.version import __version__

FOLDER = Path(__file__).parent.parent / "docs" / "results"


def machine() -> str:
    """Return what the figures depend on, in words."""
    return f"{os.cpu_count()} cores, {platform.system()} on {platform.machine()}, Python {platform.python_version()}"


def output(command: list[str]) -> Any:
    """Return what the command found out: the results of a tournament, or the lines of a bench."""
    program = [sys.executable, "-m", "kibitz"] if command[0] == "kibitz" else [sys.executable]
    words = [*program, *command[1:]]
    if command[:2] == ["kibitz", "arena"]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*words, "--out", f"{folder}/out"], check=True)
            return json.loads(Path(folder, "out", "results.json").read_text(encoding="utf-8"))
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def record(name: str, title: str, command: list[str]) -> Path:
    """Run the command, write its file and return the path."""
    began = time.perf_counter()
    found = output(command)
    kept = {
        "title": title,
        "command": shlex.join(command),
        "date": datetime.now(UTC).date().isoformat(),
        "version": __version__,
        "machine": machine(),
        "seconds": round(time.perf_counter() - began, 1),
        "output": found,
    }
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("title")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    print(f"Written: {record(args.name, args.title, args.command)}")
