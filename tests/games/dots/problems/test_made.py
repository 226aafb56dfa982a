"""What makes a problem: themes by pictures, lines that come to the same; and how the file is made and checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.dots import naive
from games.dots.boards import picture, pictures
from games.dots.problems.test_problems import ENTRIES, ROOT, strings_left
from kibitz.games.dots.problems.problems import effect, from_json, theme_of
from kibitz.games.dots.rules import Dots

# END_OF_CHAIN: boxes 1 and 2 can be taken, or left with v 0 3; a chain of 3 is below.
# STRING_OF_THREE: boxes 3, 4 and 5 are a string of 3; h 0 2 makes a possible loop of it.
# TO_BE_A_STRING: v 0 1 makes a string of 3, boxes 0, 3 and 4.
# TO_BE_SPOILT: v 1 0 makes a possible loop of boxes 0, 1, 3 and 4 before they become a chain.
# A_PAIR_TO_GIVE: v 2 2 gives the two boxes beside it; there are safe lines, such as h 1 1.
# LOST_FIGHT: h 2 0 is safe, but brute force finds that it loses the fight for control.
BOARDS = pictures("""
LAST_SAFE_LINE   END_OF_CHAIN   END_OF_LOOP   ONE_AND_TWO   TWO_AND_THREE   ONE_AND_THREE   STRING_OF_THREE
+-+ +-+          +-+-+-+        +-+-+-+-+     + +-+-+       +-+-+-+         +-+-+-+         + +-+ +
                 | |            |       |     | |                                                 |
+-+-+-+          +-+-+-+        +-+-+-+-+     +-+-+-+       +-+-+-+         +-+-+-+         + +-+ +
                                                                | |           | | |         |     |
                 +-+-+-+        +-+-+-+-+     +-+-+-+       +-+ +-+         +-+-+-+         +-+-+-+
TO_BE_A_STRING   TO_BE_SPOILT   THREE_BELOW_THREE   LOST_FIGHT   A_PAIR_TO_GIVE
+-+ +-+          +-+-+-+        +-+-+-+             + +-+-+-+    +-+-+-+
                 |   |                              |   | | |    | |   |
+ + + +          + + + +        +-+-+-+             + + +-+-+    +-+ + +
|   |                                 |             |   | | |    | |
+-+-+-+          +-+ + +        + + + +             + + +-+-+    +-+-+ +
                                                                       |
                                                                 + +-+-+
""")


@pytest.mark.parametrize(
    ("board", "line", "theme"),
    [
        ("END_OF_CHAIN", "v 0 3", "double-deal a chain"),
        ("END_OF_CHAIN", "v 0 2", "take them all"),
        ("END_OF_LOOP", "v 0 2", "double-deal a loop"),
        ("END_OF_LOOP", "v 0 3", "take them all"),
        ("ONE_AND_TWO", "h 0 0", "take in order"),
        ("TWO_AND_THREE", "v 1 1", "hard-hearted handout"),
        ("TWO_AND_THREE", "v 0 1", "which chain to open"),
        ("ONE_AND_THREE", "v 1 0", None),
        ("LAST_SAFE_LINE", "h 0 1", None),
        ("STRING_OF_THREE", "h 0 2", "fewer long chains"),
        ("TO_BE_A_STRING", "v 0 1", "make a long chain"),
        ("TO_BE_SPOILT", "v 1 0", "fewer long chains"),
        ("THREE_BELOW_THREE", "v 1 1", "the right safe line"),
        ("A_PAIR_TO_GIVE", "v 2 2", "sacrifice for parity"),
        ("LOST_FIGHT", "h 2 0", "boxes before control"),
    ],
)
def test_themes(board: str, line: str, theme: str | None) -> None:
    state = BOARDS[board]
    assert theme_of(state, state.game.parse_move(line)) == theme


def test_the_lost_fight_is_lost() -> None:
    state = BOARDS["LOST_FIGHT"]
    assert naive.nimber(strings_left(state.play(state.game.parse_move("h 2 0")))) != 0


def test_there_is_no_theme_where_all_must_be_taken() -> None:
    row = picture("+-+-+-+-+\n|\n+-+-+-+-+")
    assert theme_of(row, row.game.parse_move("v 0 1")) is None
    last_two = picture("+-+-+\n|\n+-+-+")
    assert theme_of(last_two, last_two.game.parse_move("v 0 1")) is None


def test_all_lines_of_a_chain_are_one_answer() -> None:
    state = BOARDS["TWO_AND_THREE"]
    top = {effect(state, state.game.parse_move(f"v 0 {col}")) for col in range(4)}
    assert len(top) == 1
    below = [effect(state, state.game.parse_move(line)) for line in ("v 1 0", "v 1 1", "h 2 1")]
    assert below[0] == below[2] != below[1]  # the middle line leaves no double-deal


# Making them


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.make import dots_problems

    return dots_problems


def test_the_same_seed_makes_the_same_problems(maker: Any, tmp_path: Path) -> None:
    boards = (Dots(2, 3), Dots(2, 4, "icelandic"))
    made = [maker.make(7, 2, of_a_theme=2, boards=boards) for _ in range(2)]
    assert made[0] == made[1] != []
    assert maker.make(8, 2, of_a_theme=2, boards=boards) != made[0]
    path = tmp_path / "made.json"
    maker.write(path, made[0], 7, 2)
    written = json.loads(path.read_text())
    assert [from_json(entry) for entry in written["problems"]] == made[0]
    assert written["made"]["seed"] == 7


def test_a_wrong_file_is_found_out(maker: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = json.loads(json.dumps(ENTRIES[0]))
    path = tmp_path / "problems.json"
    for key, value in ((None, None), ("values", dict.fromkeys(entry["values"], 1)), ("theme", "zugzwang")):
        bad = entry if key is None else {**entry, key: value}
        path.write_text(json.dumps({"problems": [bad]}))
        with pytest.raises(SystemExit) as ended:
            maker.check(path)
        assert bool(ended.value.code) == (key is not None)
        said = capsys.readouterr().out
        assert (f"problem 1 {key} should be " if key else "1 problems proved again") in said
