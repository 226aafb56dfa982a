"""The page's values in words: only what is proved is called a win, a draw or a loss."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import Unit, value_text

VALUES = Path(kibitz.__file__).parent / "web" / "page" / "shell" / "values.js"
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
    script.write_text(SCRIPT % (VALUES.as_uri(), json.dumps(CASES)))
    environment = {**os.environ, "NO_COLOR": "1", "DENO_DIR": str(folder / "home"), "DENO_NO_UPDATE_CHECK": "1"}
    deno = Path(sys.executable).with_name("deno")
    done = subprocess.run([deno, "run", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
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
