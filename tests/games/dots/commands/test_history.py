"""kibitz dots history as a user runs it: games followed by hand, totals that add up, and mistakes in one sentence."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.test_commands import complaint, output
from inside import run
from kibitz.core.record import GameRecord, replay
from kibitz.games.dots.commands.history import changes_text, moves_table, run_text, runs_text
from kibitz.games.dots.notations.notations import PlayedGame, read, write
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.structure import find_changes, history_of, structure_json, structure_of

# Box 0 becomes a string, box 1 joins it, then box 2 makes it a chain of 3. Red opens it with 6. Blue takes one box and
# declines the others with 9; they fall to Red by one line, 8.
#
#   +-- 0 --+-- 1 --+-- 2 --+
#   6  (0)  7  (1)  8  (2)  9
#   +-- 3 --+-- 4 --+-- 5 --+

DECLINED = "0 3 1 4 2 5 6 7 9 8"
SHOWN = """
    by    line     box  phase  runs  long    change
 0        start         Start        0 Red
 1  Red   0 h 0 0       Start        0 Red
 2  Blue  3 h 1 0       Start  s1    0 Red   +s1
 3  Red   1 h 0 1       Start  s1    0 Red
 4  Blue  4 h 1 1       Start  s2    0 Red   s1→s2
 5  Red   2 h 0 2       Start  s2    0 Red
 6  Blue  5 h 1 2       Final  c3    1 Blue  s2→c3
 7  Red   6 v 0 0       Final  x3            -c3
 8  Blue  7 v 0 1   +1  Final  x2
 9  Blue  9 v 0 3       Final  x2            +2C
10  Red   8 v 0 2   +2  Final
1-0  2 boxes to 1

             chains  strings  loops  long chains
present                                        0
opened       c3                                1
grown                s1 s2                     0
ever formed  c3      s1 s2                     1
Runs met in 2 joints; there was 1 2C-shape.
"""

# 2x2 with a possible loop: only line 0 is missing to make the four boxes a loop. Blue opens it with 2, Red declines
# all four with 3, and Blue takes two with 7 and two with 10.
#
#   +-- 0 --+-------+
#   |  (0)  7  (1)  |
#   +-- 2 --+-- 3 --+
#   |  (2) 10  (3)  |
#   +-------+-------+

LOOP = GameRecord("dots", {"rows": 2, "cols": 2}, ("a", "b"), ("h 0 0", "2", "3", "7", "10"), "0-1", "4 boxes to 0")
LOOP_START = f"{sum(1 << line for line in (1, 4, 5, 6, 8, 9, 11)):x} .... 1"
LOOP_ROWS = [
    ("", "start", "", "Middle", "P4", "0 Red", ""),
    ("Red", "0 h 0 0", "", "Final", "O4", "0 Red", "P4→O4"),
    ("Blue", "2 h 1 0", "", "Final", "x4", "", "-O4"),
    ("Red", "3 h 1 1", "", "Final", "x4", "", "+2C×2"),
    ("Blue", "7 v 0 1", "+2", "Final", "x2", "", ""),
    ("Blue", "10 v 1 1", "+2", "Final", "", "", ""),
]

# a and b are joined twice, and c lies between them: with one of the two strings cut, all three are a loop.
COINS = {
    "coins": ["a", "b", "c"],
    "strings": [["left", "a", "b"], ["right", "a", "b"], ["g", "b", "c"], ["h", "c", "a"]],
}


def played(game: Dots, ids: str) -> str:
    """Return the record of a game of lines such as "0 3 1"."""
    return write(read(ids, "ids", game), "record")


def positions(record: GameRecord) -> list[DotsState]:
    return [state for state in replay(record) if isinstance(state, DotsState)]


def saved(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rendered(record: GameRecord, width: int = 80) -> list[str]:
    """Return the lines of the table of moves on a terminal of this width."""
    states = positions(record)
    screen = Console(file=io.StringIO(), width=width, highlight=False)
    screen.print(moves_table(record, states, history_of(states), width))
    assert isinstance(screen.file, io.StringIO)
    return [line.rstrip() for line in screen.file.getvalue().splitlines()]


def test_a_game_followed_by_hand(tmp_path: Path) -> None:
    path = saved(tmp_path / "games.jsonl", played(Dots(1, 3), DECLINED))
    lines = [line.rstrip() for line in output("dots", "history", path).splitlines()]
    assert lines[0] == "Game 1: dots (rows=1, cols=3), unknown v unknown"
    wanted = SHOWN.strip("\n").split("\n")
    assert lines[1 : 1 + len(wanted)] == wanted
    assert "c5 is a chain of 5" in lines[len(wanted) + 2]


def test_a_possible_loop_from_a_position_of_its_own() -> None:
    record = GameRecord(**{**vars(LOOP), "start": LOOP_START})
    states = positions(record)
    found = history_of(states)
    assert states[0].owners == (None,) * 4
    table = moves_table(record, states, found, 80)
    cells = [[str(cell).strip() for cell in column.cells] for column in table.columns]
    assert list(zip(*cells[1:], strict=True)) == LOOP_ROWS
    assert (found.formed.loops, found.opened.loops, found.formed.possible_loops) == ({4: 2}, {4: 1}, 1)


def test_json(tmp_path: Path) -> None:
    path = saved(tmp_path / "games.jsonl", played(Dots(1, 3), DECLINED))
    told: dict[str, Any] = json.loads(output("dots", "history", path, "--json"))
    states = positions(GameRecord.from_json(path.read_text(encoding="utf-8")))
    assert told["result"] == "1-0"
    assert [move["move"] for move in told["moves"]] == DECLINED.split()
    assert [move["player"] for move in told["moves"]] == ["Red", "Blue"] * 3 + ["Red", "Blue", "Blue", "Red"]
    assert [move["boxes"] for move in told["moves"]][-3:] == [["0,0"], [], ["0,1", "0,2"]]
    assert told["moves"][-1]["scores"] == [2, 1]
    for state, structure in zip(states, [told["start"], *(move["structure"] for move in told["moves"])], strict=True):
        alone = structure_json(state)
        assert alone.pop("coordinates") == told["coordinates"]
        assert structure == alone
    (chain,) = told["moves"][5]["formed"]
    assert (chain["kind"], chain["boxes"], chain["long"]) == ("chain", ["0,0", "0,1", "0,2"], True)
    (string,) = chain.pop("grown_from")
    assert (string["kind"], string["boxes"]) == ("string", ["0,0", "0,1"])
    assert told["moves"][6]["opened"] == [chain]
    assert not any(move["opened"] for move in told["moves"][:6] + told["moves"][7:])
    totals = told["totals"]
    assert (totals["formed"]["chains"], totals["formed"]["strings"]) == ({"3": 1}, {"1": 1, "2": 1})
    assert (totals["opened"]["long_chains"], totals["present"]["chains"]) == (1, {})
    assert (totals["joints"], totals["two_c_shapes"]) == (["0,1", "0,2"], [["0,1", "0,2"]])


def test_a_graph_has_its_own_names(tmp_path: Path) -> None:
    game = Dots(graph=json.dumps(COINS))
    path = saved(tmp_path / "games.jsonl", played(game, "left h right g"))
    lines = output("dots", "history", path).splitlines()
    assert lines[1].split() == ["by", "line", "coin", "phase", "runs", "long", "change"]
    assert [line.split() for line in lines[2:7]] == [
        ["0", "start", "Start", "s1", "0", "Red"],
        ["1", "Red", "left", "Final", "O3", "0", "Blue", "s1→O3"],
        ["2", "Blue", "h", "Final", "x3", "-O3"],
        ["3", "Red", "right", "+1", "Final", "x2", "+2C"],
        ["4", "Red", "g", "+2", "Final"],
    ]
    told = json.loads(output("dots", "history", path, "--json"))
    assert "coordinates" not in told
    assert told["moves"][-1]["boxes"] == ["b", "c"]


def random_record(game: Dots, seed: int) -> GameRecord:
    """Return a whole game in which boxes are mostly taken, and safe lines mostly drawn before others."""
    rng, state, moves = random.Random(seed), game.start(), []
    while legal := state.legal_moves():
        takes = [move for move in legal if state.taken_by(move)]
        safe = structure_of(state).safe_lines if seed % 2 else ()
        choices = takes if takes and rng.random() < 0.9 else safe or legal
        moves.append(rng.choice(choices))
        state = state.play(moves[-1])
    return GameRecord.from_json(write(PlayedGame(game.start(), tuple(moves)), "record"))


def test_what_moves_did_adds_up_to_the_totals() -> None:
    met: Counter[str] = Counter()
    for seed in range(30):
        states = positions(random_record(Dots(4, 4, "swedish") if seed % 3 else Dots(3, 5, "icelandic"), seed))
        found = history_of(states)
        made = [find_changes(before, after) for before, after in pairwise(found.structures)]
        opened = Counter(run_text(run) for each in made for run in each.opened)
        grown = Counter(run_text(run) for each in made for _, parts in each.formed for run in parts)
        formed = Counter(run_text(run) for run in found.structures[0].runs)
        formed.update(run_text(run) for each in made for run, _ in each.formed)
        assert formed == opened + grown, "at the end of a game nothing is present"
        for letters, table in (("c", "chains"), ("s", "strings"), ("OP", "loops")):
            for counted, counts in ((opened, found.opened), (grown, found.grown), (formed, found.formed)):
                sizes: Counter[int] = Counter()
                for word, n in counted.items():
                    if word[0] in letters:
                        sizes[int(word[1:])] += n
                assert dict(sizes) == dict(getattr(counts, table))
        assert sum(each.two_c_shapes for each in made) == len(found.two_c_shapes)
        met.update(word[0] for word in formed.elements())
        met["together"] += sum(len(parts) > 1 for each in made for _, parts in each.formed)
        met["2C"] += len(found.two_c_shapes)
    assert all(met[event] >= 10 for event in ("c", "s", "O", "P", "together", "2C")), met


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 1281, 381])  # the last are wide ones
def test_a_move_takes_one_line_of_a_terminal(seed: int) -> None:
    record = random_record(Dots(5, 5), seed)
    lines = rendered(record)
    assert len(lines) == 1 + 1 + 60
    assert max(map(len, lines)) <= 80
    states = positions(record)
    for line, (before, after) in zip(lines[2:], pairwise(states), strict=True):
        found = structure_of(after)
        assert f" {found.phase} " in f"{line} "
        assert runs_text(found) in line
        assert line.endswith(changes_text(find_changes(structure_of(before), found)))


def test_narrow_terminals_and_large_boards_lose_nothing() -> None:
    for record, width in ((random_record(Dots(9, 9), 1), 80), (random_record(Dots(5, 5), 1), 60)):
        lines = rendered(record, width)
        assert max(map(len, lines)) <= width
        words = " ".join(lines).split()
        for state in positions(record):
            assert set(runs_text(structure_of(state)).split()) <= set(words)


def test_which_game_is_shown_and_bad_lines_are_skipped(tmp_path: Path) -> None:
    first, second = played(Dots(1, 1), "0 1 2 3"), played(Dots(1, 2), "0 1")
    path = saved(tmp_path / "games.jsonl", first, "", second)
    assert "Game 2" in (shown := output("dots", "history", path))
    assert "*  not finished" in shown
    assert "Game 1" in output("dots", "history", path, "--game", "1")
    for n in ("0", "3", "-1"):
        told = complaint(run("dots", "history", path, "--game", n))
        assert told == f"kibitz: Game {n} does not exist: {path} holds 2 readable games."
    # A bad line is reported and skipped.
    path = saved(tmp_path / "games.jsonl", "{torn", played(Dots(1, 1), "0 1 2 3"))
    ran = run("dots", "history", path)
    assert "Game 1: dots" in ran.stdout
    assert f"{path}, line 1: not JSON" in complaint(ran)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "holds no games."),
        (["[]"], "holds no readable games."),
        ([GameRecord("uttt", {}, ("a", "b"), (), "*", "").to_json()], "game 1: this is a game of 'uttt', not of dots."),
        ([GameRecord("dots", {}, ("a", "b"), ("5", "5"), "*", "").to_json()], "line 1, game 1: Move 2 of the record"),
        ([GameRecord("dots", {"rows": 99}, ("a", "b"), (), "*", "").to_json()], "The record cannot be replayed"),
    ],
)  # fmt: skip
def test_files_without_a_game_to_show(tmp_path: Path, lines: list[str], why: str) -> None:
    path = saved(tmp_path / "games.jsonl", *lines)
    ran = run("dots", "history", path)
    assert why in complaint(ran)
    assert ran.stdout == ""


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in complaint(run("dots", "history", tmp_path / "none"))
    assert "Cannot read" in complaint(run("dots", "history", tmp_path))
