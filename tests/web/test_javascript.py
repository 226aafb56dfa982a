"""The page's JavaScript passes a linter and a type checker, and calls only proved values a win, draw or loss."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import Unit, value_text

ROOT = Path(__file__).parents[2]
SOURCE = Path(kibitz.__file__).parent
PAGE = SOURCE / "web" / "page"


def run(tool: str, *arguments: str | Path, home: Path) -> str:
    """Run a tool of this environment and return its output; fail with what it finds."""
    folder = Path(sys.executable).parent
    found = shutil.which(tool, path=f"{folder}{os.pathsep}{os.environ.get('PATH', '')}")
    assert found, f"{tool} is not installed: make .venv/test.done"
    environment = {**os.environ, "NO_COLOR": "1", "DENO_DIR": str(home), "DENO_NO_UPDATE_CHECK": "1"}
    done = subprocess.run(
        [found, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


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


# Values in words

RESULTS = [-1, -0.9, -0.2, 0, 0.4, 0.98, 1]
CHANCES = [0, 0.05, 0.4, 0.5, 0.7, 0.99, 1]
CASES: list[tuple[float, Unit, bool]] = [
    *((value, "result", False) for value in RESULTS),
    *((value, "result", True) for value in (-1, 0, 1)),
    *((value, "probability", False) for value in CHANCES),
    *((value, "probability", True) for value in (0, 0.5, 1)),
]
SCRIPT = """
import { short, standing, tone, words } from "%s";
const said = [];
for (const [value, unit, exact] of %s) {
  const names = ["Ann", "Bob"];
  said.push([short(value, unit, exact), words(value, unit, exact), standing(value, unit, exact, 0, names)]);
}
const tones = [[1, 1], [0.999, 1], [0.9, 1], [0, 1], [-0.9, 1]].map(([value, best]) => tone(value, best, "result"));
console.log(JSON.stringify({ said, tones }));
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page says of all cases, run by deno."""
    folder = tmp_path_factory.mktemp("values")
    script = folder / "say.js"
    script.write_text(SCRIPT % ((PAGE / "shell" / "values.js").as_uri(), json.dumps(CASES)))
    said: dict[str, Any] = json.loads(run("deno", "run", script, home=folder / "home"))
    return said


@pytest.mark.parametrize("case", CASES, ids=str)
def test_only_what_is_proved_is_a_result(answers: dict[str, Any], case: tuple[float, Unit, bool]) -> None:
    value, unit, exact = case
    short, words, standing = answers["said"][CASES.index(case)]
    points = (value + 1) / 2 if unit == "result" else value
    if exact:
        result = {0: "loss", 0.5: "draw", 1: "win"}[points]
        assert (short, words) == (result, result)
        assert standing.endswith("with best play")
        assert value_text(value, unit, exact) == f"{result} (proved)"  # the terminal says the same
    else:
        assert short == str(int(100 * points + 0.5))
        assert words == f"{short} %"
        assert "best play" not in standing
        assert value_text(value, unit, exact) == f"{points:.1%}"


def test_an_estimate_near_a_lost_game_is_toned_as_poor(answers: dict[str, Any]) -> None:
    assert answers["tones"] == ["good", "good", "fair", "poor", "poor"]
