"""The page's JavaScript passes a linter and a type checker, as the Python does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz

ROOT = Path(__file__).parents[2]
SOURCE = Path(kibitz.__file__).parent
PAGE = SOURCE / "web" / "page"


def run(tool: str, *arguments: str | Path, home: Path) -> None:
    """Run a tool of this environment; fail with what it finds."""
    folder = Path(sys.executable).parent
    found = shutil.which(tool, path=f"{folder}{os.pathsep}{os.environ.get('PATH', '')}")
    assert found, f"{tool} is not installed: make .venv/test.done"
    environment = {**os.environ, "NO_COLOR": "1", "DENO_DIR": str(home), "DENO_NO_UPDATE_CHECK": "1"}
    done = subprocess.run(
        [found, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_finds_nothing(tmp_path: Path) -> None:
    run("oxlint", "--config", ROOT / ".oxlintrc.json", SOURCE, home=tmp_path)


def test_types_fit(tmp_path: Path) -> None:
    run("deno", "check", "--config", ROOT / "deno.json", *sorted(SOURCE.rglob("*.js")), home=tmp_path)


def test_everything_in_the_board_has_a_type(tmp_path: Path) -> None:
    config = json.loads((ROOT / "deno.json").read_text())
    config["compilerOptions"] |= {"noImplicitAny": True, "useUnknownInCatchVariables": True}
    strict = tmp_path / "deno.json"
    strict.write_text(json.dumps(config))
    run("deno", "check", "--config", strict, PAGE / "board", home=tmp_path / "home")


def test_the_checker_checks(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.js"
    wrong.write_text('/** @type {number} */\nexport const one = "1";\n')
    with pytest.raises(AssertionError, match="TS2322"):
        run("deno", "check", "--config", ROOT / "deno.json", wrong, home=tmp_path)
