"""kibitz battleline: the referee of claims and formations, and Table 1 of the paper on Deep Barca."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText

CASES = json.loads((Path(__file__).parents[2] / "data" / "battleline_cases.json").read_text())


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["battleline", *words], input=typed, env={"COLUMNS": "100"})


def claim_words(case: dict[str, Any]) -> list[str]:
    words = ["claim", "--mine", case["mine"], "--theirs", case["theirs"], "--visible", case["visible"]]
    words += ["--flag", case["flag"]]
    return words + (["--first", case["first"]] if case["first"] else [])


@pytest.mark.parametrize("case", CASES["claims"], ids=lambda case: case["id"])
def test_claims_as_json(case: dict[str, Any]) -> None:
    found = json.loads(run(*claim_words(case), "--json").stdout)
    assert found["claim"] is case["claim"]
    assert (found["mine"], found["theirs"]) == (case["mine_score"], case["theirs_score"])
    assert found["why"]


@pytest.mark.parametrize("case", CASES["formations"], ids=lambda case: case["id"])
def test_ranks_as_json(case: dict[str, Any]) -> None:
    found = json.loads(run("rank", case["cards"], "--flag", case["flag"], "--json").stdout)
    assert found == {"rank": case["rank"], "sum": case["sum"]}


def test_a_claim_in_words() -> None:
    told = run("claim", "--mine", "o9 r9 g9", "--theirs", "b6 b7", "--visible", "b5").stdout
    assert "No claim. b8 could still make wedge 21 on the other side, which beats phalanx 27." in " ".join(told.split())
    assert "(b8)" in told
    told = run("claim", "--mine", "o9 r9 g9", "--theirs", "b6 b7", "--visible", "b5 b8").stdout
    assert "Claimed." in told
    assert run("rank", "r9 CC SB").stdout.strip() == "battalion 20"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rank", "r9 r9 b1"], "r9 is named twice"),
        (["rank", "r9 x b1"], "'x' is not a card"),
        (["rank", "r9 b1"], "needs 3 cards here, got 2"),
        (["rank", "r9 b1 o1 g1"], "too many"),
        (["rank", "r9 b1 o1", "--flag", "rain"], "'rain' cannot lie beside a flag"),
        (["rank", "r9 b1 o1", "--flag", "fog fog"], "one Fog and one Mud"),
        (["claim", "--mine", "r1 r2 r3", "--theirs", "r3"], "r3 is named twice among"),
        (["claim", "--mine", "r1 r2 r3", "--visible", "b1 r1"], "r1 is named twice among"),
        (["claim", "--mine", "r1 r2 r3", "--theirs", "b1 SCOUT"], "--theirs: Scout cannot be part of a formation"),
        (["claim", "--mine", "r1 r2 r3 r4"], "--mine: 4 cards are too many for one side"),
        (["claim", "--mine", "r1 r2 r3", "--theirs", "b1 b2 b3"], "add --first mine"),
    ],
)
def test_bad_input_is_refused_in_words(words: list[str], message: str) -> None:
    error = run(*words).exception
    assert isinstance(error, BadOption | BadText)
    assert message in str(error)


def test_table_1_of_the_paper_stands_beside_ours() -> None:
    """The printed figures are those of the paper; ours follow from chances of one half."""
    lines = run("table1").stdout.splitlines()
    rows = {tuple(line.split()[:2]): [float(word) for word in line.split()[2:]] for line in lines[1:5]}
    assert rows == {
        ("wedge", "27"): [0.25, 0.25, 0, 0, 0.25, 0.25],
        ("wedge", "24"): [0.25, 0.25, 0, 0, 0.25, 0.25],
        ("phalanx", "27"): [0.812, 0.82, 0.578, 0.58, 0.343, 0.35],
        ("battalion", "26"): [0.25, 0.25, 0.921, 0.94, 0.02, 0.02],
    }
    assert lines[5] == "The flag: 0.638"  # 1 - .75 * .75 * .657 * .980
    assert "The printed .94 follows from no consistent reading" in " ".join(" ".join(lines[6:]).split())


def test_table_1_for_programs() -> None:
    found = json.loads(run("table1", "--json").stdout)
    last = found["rows"][-1]
    assert (last["rank"], last["sum"]) == ("battalion", 26)
    assert last["printed"] == {"make": 0.25, "beaten": 0.94, "win": 0.02}
    beaten = 1 - 0.75**3 * 6 / 32  # no wedge of three, and none or one of five 4s
    assert last["beaten"] == pytest.approx(beaten)
    assert last["win"] == pytest.approx(0.25 * (1 - beaten))
    assert found["flag"] == pytest.approx(0.638, abs=5e-4)
    assert ".94" in found["note"]
