"""Fuseki and joseki beside plain counters, their names, and the styles of players."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from games.go.go_games import Game, random_game, random_games, record, store_of
from games.go.naive import mining as naive
from games.go.naive.patterns import turned
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns import openings
from kibitz.games.go.patterns.openings import (
    NO_MOVE,
    LooseGames,
    build_tree,
    even_games,
    find_fuseki,
    find_joseki,
    formation_names,
    fuseki_tree,
    lean_of,
    least_images,
)
from kibitz.games.go.patterns.studies import styles as styles_module
from kibitz.games.go.patterns.studies.styles import MIN_CHOSEN, player_styles, shown_name
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.tables import ask
from kibitz.games.go.rules.board import BLACK, WHITE
from kibitz.games.go.rules.text import parse_move


def point(text: str) -> int:
    return parse_move(19, text)


def stones(*texts: str) -> frozenset[int]:
    return frozenset(map(point, texts))


def small_games(seed: int, number: int) -> list[Game]:
    """Return games of 9 lines that begin in few ways, turned every way."""
    stream = random.Random(seed)
    games = []
    for _ in range(number):
        setup, moves = random_game(stream, 9, 30)
        begin = stream.choice([[20, 24, 56], [20, 24, 60], [40, 20, 24], [24, 20, 60]])
        order = begin[:2] if stream.random() < 0.5 else [begin[2], begin[1]]
        played = [(BLACK, order[0]), (WHITE, order[1])]
        rest = [move for move in moves if move[1] not in order]
        to = turned(9, stream.randrange(8))
        line = [(colour, to[p] if p >= 0 else p) for colour, p in played + rest[:3]]
        games.append((setup if stream.random() < 0.2 else [], line))
    return [game for game in games if not {p for _, p in game[0]} & {p for _, p in game[1]}]


@pytest.mark.parametrize("by", ["order", "state"])
@pytest.mark.parametrize("moves", [1, 2, 3])
def test_fuseki_are_those_of_a_plain_counter(tmp_path: Path, by: str, moves: int) -> None:
    games = small_games(1, 120)
    store = store_of(tmp_path, games, 9, [f"GN[{at}]PB[{at}]" for at in range(len(games))])
    assert len(store) == len(games)
    found = find_fuseki(store, np.arange(len(store)), moves, by, 9, 1)
    wanted = naive.openings(games, 9, moves, by == "state")
    assert sorted(opening.count for opening in found) == sorted(wanted.values())
    for opening in found:
        assert naive.openings([([], opening.moves)], 9, moves, by == "state").keys() <= wanted.keys()
        assert wanted[next(iter(naive.openings([([], opening.moves)], 9, moves, by == "state")))] == opening.count
    if by == "order" and moves == 3:
        which, tree = fuseki_tree(store, np.arange(len(store)), 3, 9, 1)
        assert len(which) == tree.count[0] == sum(wanted.values())
        assert sorted(tree.count[tree.depth == 3].tolist()) == sorted(wanted.values())


def test_by_state_the_order_does_not_matter(tmp_path: Path) -> None:
    lines = "Q16 D4 Q4 D16 C6 R14", "Q4 D16 Q16 D4 C6 R14"
    colours = (BLACK, WHITE) * 3
    games: list[Game] = [([], list(zip(colours, map(point, line.split()), strict=True))) for line in lines]
    store = store_of(tmp_path, games, 19, ["PB[a]RE[B+R]DT[1980]", "PB[b]RE[W+R]DT[1999]"])
    assert [opening.count for opening in find_fuseki(store, np.arange(2), 6, "order", min_count=1)] == [1, 1]
    (opening,) = find_fuseki(store, np.arange(2), 6, "state")
    assert (opening.count, opening.black_won, opening.decided) == (2, 1, 2)
    assert (opening.first_year, opening.last_year) == (1980, 1999)
    assert opening.names == ("Black nirensei", "White nirensei")
    assert opening.lean == "influence"
    assert opening.text(19).split()[0] == "Q16"
    for moves_wanted, by in ((0, "order"), (99, "order"), (10, "luck")):
        with pytest.raises(BadOption):
            find_fuseki(store, np.arange(2), moves_wanted, by)


@pytest.mark.parametrize(
    ("black", "white", "wanted"),
    [
        (("Q16", "Q4"), (), ("Black nirensei",)),
        (("Q16", "D4"), (), ()),
        (("Q16", "Q10", "Q4"), (), ("Black sanrensei",)),
        (("D4", "K4", "Q4"), ("D16", "Q16"), ("Black sanrensei", "White nirensei")),
        (("Q16", "Q3", "R9"), (), ("Black Chinese",)),
        (("D4", "Q3", "K3"), (), ()),
        (("D16", "D3", "C9"), (), ("Black Chinese",)),
        (("Q16", "Q3", "Q9"), (), ("Black high Chinese",)),
        (("Q16", "Q3", "F3", "K4"), ("D4",), ("Black Kobayashi",)),
        (("Q16", "Q3", "F3", "K4"), (), ()),
        (("R16", "Q3", "C4"), ("D17",), ("Black Shusaku",)),
        (("R16", "Q3", "D3"), (), ()),
    ],
)
def test_names_hold_in_every_orientation(
    black: tuple[str, ...], white: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    for image in range(8):
        to = turned(19, image)
        sides = [frozenset(to[p] for p in stones(*texts)) for texts in (black, white)]
        assert formation_names(sides[0], sides[1]) == wanted
    swapped = formation_names(stones(*white), stones(*black))
    assert set(swapped) == {
        name.replace("Black", "?").replace("White", "Black").replace("?", "White") for name in wanted
    }
    assert formation_names(stones(*black), stones(*white), 13) == ()


def test_lean() -> None:
    assert lean_of(stones("Q16", "Q4"), stones("D17")) == "influence"
    assert lean_of(stones("R17", "Q3"), stones("D4")) == "territory"
    assert lean_of(stones("Q16"), stones("C4")) == "balanced"
    assert lean_of(stones("Q15"), frozenset()) == "influence"
    assert lean_of(stones("R15", "K10"), frozenset()) == "balanced"


def test_joseki_are_those_of_a_plain_counter(tmp_path: Path) -> None:
    games = random_games(4, 80, 9, 60)
    store = store_of(tmp_path, games, 9, ["RE[B+R]"])
    found = find_joseki(store, np.arange(len(store)), moves=5, min_count=1, size=9, last=25)
    wanted = naive.corners(games, 9, found.reach, 25, 5)
    assert found.reach == 4
    counted = Counter[tuple[tuple[int, int, int], ...]]()
    tenuki = 0
    for node in range(1, len(found.tree)):
        line = found.line(node)
        cells = []
        for side, text, _ in line:
            row, col = divmod(parse_move(9, text), 9)
            cells.append(("XO".index(side), row, 8 - col))
        counted[naive.least_corner(cells)] += int(found.tree.count[node])
        sides = ["O", *(side for side, _, _ in line)]
        assert [away for _, _, away in line] == [side == after for side, after in pairwise(sides)]
        tenuki += line[-1][2]
        assert found.tree.find(found.codes(_path(line))) == node
    assert counted == wanted
    assert tenuki > 100
    assert set(naive.corners([games[found.game(5) - 1]], 9, 4, 25, 5)) & set(wanted)


def _path(line: list[tuple[str, str, bool]]) -> list[str]:
    """Return a line as the command takes it: - where the other side plays elsewhere."""
    path = []
    for _, text, away in line:
        path += ["-", text] if away else [text]
    return path


def test_a_joseki_mirrored_and_with_colours_swapped_is_one(tmp_path: Path) -> None:
    corner = ["R16", "P16", "P17", "O17", "Q17", "O16", "K10"]
    mirrored = ["Q17", "Q15", "R15", "R14", "R16", "Q14", "K10"]
    opposite = ["C4", "E4", "E3", "F3", "D3", "F4", "K10"]
    games: list[Game] = []
    for texts, first in ((corner, BLACK), (mirrored, WHITE), (opposite, BLACK)):
        games.append(([], [(first if at % 2 == 0 else 3 - first, point(text)) for at, text in enumerate(texts)]))
    heads = [f"PB[{at}]RE[{result}]" for at, result in enumerate(("B+R", "B+R", "W+R"))]
    store = store_of(tmp_path, games, 19, heads)
    found = find_joseki(store, np.arange(3), min_count=3)
    node = found.tree.find(found.codes(corner[:6]))
    assert node == found.tree.find(found.codes(mirrored[:6])) > 0
    tree = found.tree
    assert (tree.count[node], tree.won[node], tree.decided[node]) == (3, 1, 3)
    assert [text for _, text, _ in found.line(node)] == corner[:6]
    assert tree.children(node) == []
    assert found.tree.find(found.codes(["Q16"])) == -1
    with pytest.raises(BadText, match="upper right"):
        found.codes(["D4"])
    with pytest.raises(BadOption):
        find_joseki(store, np.arange(3), moves=0)


def test_corners_without_handicap_stones_are_counted(tmp_path: Path) -> None:
    """White plays first in one free corner and Black in another; the third game is even, the last one without moves."""
    handicap = [(BLACK, point("Q16")), (BLACK, point("D4"))]
    moves = [(WHITE, point("R3")), (BLACK, point("C16")), (WHITE, point("R17")), (BLACK, point("P4"))]
    games: list[Game] = [(handicap, moves), (handicap, moves), ([], [(BLACK, point("R16"))]), (handicap, moves[2:3])]
    store = store_of(tmp_path, games, 19, ["RE[W+R]PB[a]", "RE[W+2]PB[b]", "RE[B+R]PB[c]", "RE[W+R]PB[d]"])
    found = find_joseki(store, np.arange(4), min_count=1)
    tree, names = found.tree, ("count", "won", "decided")
    assert [int(getattr(tree, name)[0]) for name in names] == [5, 3, 5]
    children = {found.line(node)[0][1]: [int(getattr(tree, name)[node]) for name in names] for node in tree.children(0)}
    assert children == {"R17": [2, 2, 2], "R16": [3, 1, 3]}
    answer = find_joseki(store, np.arange(2), min_count=2)
    line = answer.tree.find(answer.codes(["R17", "P16"]))
    assert (answer.tree.count[line], answer.tree.won[line]) == (2, 2)  # X is White, who won


def test_setup_is_a_handicap_where_the_record_has_no_number(tmp_path: Path) -> None:
    stones, white = [(BLACK, point("Q16")), (BLACK, point("D4"))], [(WHITE, point("D16"))]
    games: list[Game] = [
        (stones, white),
        (stones, white),
        (stones, [(BLACK, point("D16"))]),
        ([], white),
        (stones, white),
        ([], stones + white),
    ]
    heads = ["PB[0]", "PB[1]AW[jj]", "PB[2]", "PB[3]", "PB[4]HA[3]", "PB[5]"]
    store = store_of(tmp_path, games, 19, heads)
    assert ask(store, "SELECT handicap FROM games ORDER BY id").rows == [(2,), (0,), (0,), (0,), (3,), (2,)]
    assert Filters(handicap=0).games(store).tolist() == [1, 2, 3]
    assert even_games(store, np.arange(6)).tolist() == [3]


def test_games_of_loose_files_are_those_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = small_games(5, 40)
    folder = tmp_path / "files"
    folder.mkdir()
    heads = [f"PB[{at}]RE[{'BW'[at % 2]}+R]DT[{1950 + at}]" for at in range(len(games))]
    for at, game in enumerate(games):
        text = record(game, 9, heads[at])
        if at == 3:
            text = text.strip()[:-1]  # cut short: the next file must not become a part of it
        (folder / f"{at:03}.sgf").write_text(text, encoding="utf-16" if at == 7 else "utf-8")
    (folder / "none.sgf").write_text("no game")
    store = store_of(tmp_path, games, 9, heads)
    monkeypatch.setattr(openings, "BYTES_PER_BATCH", 600)
    read = LooseGames([folder])
    assert len(read) == len(store) == len(games)
    for by in ("order", "state"):
        found, wanted = (
            [replace(opening, game=0) for opening in find_fuseki(games, np.arange(len(games)), 3, by, 9, 1)]
            for games in (read, store)
        )
        assert found == wanted
    with pytest.raises(BadText, match="no Go games"):
        LooseGames([folder / "none.sgf"])


def test_trees() -> None:
    moves = np.array([[5, 1, NO_MOVE], [5, 1, 2], [5, 3, NO_MOVE], [4, NO_MOVE, NO_MOVE]], np.int16)
    tree = build_tree(moves, np.array([1, 0, -1, 1]), np.array([0, 1990, 1980, 2000]))
    assert tree.count.tolist() == [4, 1, 3, 2, 1, 1]
    node = tree.find([5, 1])
    assert (tree.won[node], tree.decided[node], tree.first_year[node], tree.last_year[node]) == (1, 2, 1990, 1990)
    assert tree.line(tree.find([5, 1, 2])) == [5, 1, 2]
    assert [int(tree.move[child]) for child in tree.children(tree.find([5]))] == [1, 3]
    nothing = np.zeros(4, np.int64)
    assert len(build_tree(moves, nothing, nothing, min_count=2)) == 3
    images = np.array([[0, 1, 2], [2, 1, 0]])
    turned_moves = least_images(np.array([[1, 2, 0], [0, 2, NO_MOVE]], np.int16), images)
    assert turned_moves.tolist() == [[1, 0, 2], [0, 2, NO_MOVE]]


def answers(stream: random.Random, habit: float, number: int) -> Game:
    """Return a game whose Black answers diagonally with this probability, else from the left; each ends otherwise."""
    moves: list[tuple[int, int]] = [(BLACK, 0)]
    for row in range(2, 18, 5):
        for col in range(2, 18, 5):
            moves.append((WHITE, row * 19 + col))
            moves.append((BLACK, (row - 1) * 19 + col - 1 if stream.random() < habit else row * 19 + col - 1))
    return [], [*moves, (WHITE, 18 * 19 + number % 19), (BLACK, 10 * 19 + number // 19)]


def test_players_who_choose_alike_are_similar(tmp_path: Path) -> None:
    stream = random.Random(3)
    habits = {"Anna One": 0.9, "Bert Two": 0.85, "Carl Three": 0.15, "Dora Four": 0.1}
    players = [*habits] * 12
    games = [answers(stream, habits[name], at) for at, name in enumerate(players)]
    store = store_of(tmp_path, games, 19, [f"PB[{name}]PW[guest {at}]" for at, name in enumerate(players)])
    mine, dora = (sum(map(naive_answers, games[at::4])) for at in (0, 3))
    found = player_styles(store, min_games=5, min_seen=30)
    assert sorted(found.names) == sorted(habits)
    assert found.similar("Anna One")[0].name == "Bert Two"
    assert found.similar("Anna One")[-1].similarity < 0 < found.similar("Anna One")[0].similarity
    assert found.similar("Dora Four")[0].name == "Carl Three"
    liked = max(found.preferences("Anna One"), key=lambda choice: choice.errors)
    assert liked.rows == (".....", ".*...", "..O..", ".....", ".....")
    assert liked.times >= liked.chosen > 0.8 * liked.times
    assert liked.chosen == mine
    other = found.preferences("Anna One", against="Dora Four")[0]
    assert abs(other.errors) > abs(liked.errors)
    same = next(choice for choice in found.preferences("Anna One", 50, "Dora Four") if choice.rows == liked.rows)
    assert (same.chosen, round(same.others * same.others_times)) == (mine, dora)
    assert shown_name(store, "two bert") == "Bert Two"
    assert found.cells.counts.sum(axis=0).min() >= MIN_CHOSEN
    with pytest.raises(BadOption, match="too few"):
        found.similar("guest 1")
    with pytest.raises(BadOption, match="No two players"):
        player_styles(store, min_games=99)
    with pytest.raises(BadOption, match="No player"):
        shown_name(store, "Zoe")


def test_players_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = random.Random(4)
    games = [answers(stream, 0.5, at) for at in range(12)]
    store = store_of(tmp_path, games, 19, [f"PB[{'Anna' if at % 2 else 'Bert'}]PW[guest {at}]" for at in range(12)])
    first = player_styles(store, min_games=5, min_seen=30)
    count = Mock(wraps=styles_module._count_choices)
    monkeypatch.setattr(styles_module, "_count_choices", count)
    again = player_styles(store, min_games=5, min_seen=30)
    count.assert_not_called()
    assert np.array_equal(first.errors, again.errors)
    assert first.preferences("Anna") == again.preferences("Anna")
    assert first.errors.dtype == again.errors.dtype == np.float32
    player_styles(store, min_games=5, min_seen=31)
    assert count.call_count == 1, "with other limits it is another count"
    cache = store.folder / "styles-19.npz"
    cache.write_bytes(cache.read_bytes()[:200])
    assert np.array_equal(player_styles(store, min_games=5, min_seen=30).errors, first.errors)
    assert count.call_count == 2


def naive_answers(game: Game) -> int:
    """Return how often Black answered a lonely white stone diagonally, with nothing else within two lines."""
    found = 0
    for last, now in pairwise(naive.turns([game], 19)):
        if (last.colour, now.colour) == (WHITE, BLACK):
            (row, col), (down, across) = divmod(last.point, 19), divmod(now.point, 19)
            lonely = naive.text(naive.window(now.board, last.point, "5x5", BLACK)) == "." * 12 + "O" + "." * 12
            found += lonely and abs(down - row) == abs(across - col) == 1
    return found
