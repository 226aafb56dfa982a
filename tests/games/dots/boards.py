"""Positions of Dots-and-Boxes for tests: from pictures, from strings, played out, and random ones."""

from __future__ import annotations

import json
import random
import re

from games.dots import naive
from games.dots.naive import Strings
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND, GROUND_ID, Graph

TRIANGLE = Dots(
    graph='{"coins":["a","b","c"],"strings":[["ab","a","b"],["bc","b","c"],["ca","c","a"],["g","a","ground"]]}'
)
"""A graph with a string to the ground."""
TWINS = Dots(graph=TRIANGLE.graph.replace('["bc"', '["ab2","a","b"],["bc"'))
"""The same with a second string between a and b."""


def play(game: Dots, moves: str) -> DotsState:
    """Return the position after lines such as "0 6 2", or strings such as "ab bc"."""
    state = game.start()
    for word in moves.split():
        state = state.play(game.parse_move(word))
    return state


def picture(text: str) -> DotsState:
    """Return the position of a picture of dots and lines; lines at the end of a row may be left out."""
    lines = text.strip("\n").split("\n")
    cols = len(lines[0]) // 2
    game = Dots(len(lines) // 2, cols)
    drawn = 0
    for i, line in enumerate(lines):
        for j, mark in enumerate(line):
            if mark == "-":
                drawn |= 1 << game.board.horizontal(i // 2, j // 2)
            elif mark == "|":
                drawn |= 1 << game.board.vertical(i // 2, j // 2)
    return game.parse_position(f"{drawn:x}")


def pictures(plate: str) -> dict[str, DotsState]:
    """Return the positions of several pictures drawn beside and below each other, each under its name."""
    rows, spans = dict[str, list[str]](), list[tuple[str, int, int | None]]()
    for line in plate.strip("\n").split("\n"):
        if names := list(re.finditer(r"[A-Z]\w+", line)):
            ends = [name.start() for name in names[1:]] + [None]
            spans = [(name[0], name.start(), end) for name, end in zip(names, ends, strict=True)]
            continue
        for name, start, end in spans:
            rows.setdefault(name, []).append(line[start:end].rstrip())
    return {name: picture("\n".join(drawn)) for name, drawn in rows.items()}


def on_graph(*strings: str) -> DotsState:
    """Return the start on a graph of strings such as "ab" or "a-": a string to the ground."""
    coins = sorted(set("".join(strings)) - {"-"})
    raw = [[str(i), *(GROUND_ID if end == "-" else end for end in ends)] for i, ends in enumerate(strings)]
    return Dots(graph=json.dumps({"coins": coins, "strings": raw})).start()


def graph_of(strings: Strings) -> Graph:
    """Return the graph of a naive one, its strings in the same order."""
    names = sorted({end for pair in strings for end in pair if end is not None}, key=str)
    numbers: dict[naive.End, int] = {None: GROUND}
    numbers.update((name, number) for number, name in enumerate(names))
    ends = [(numbers[a], numbers[b]) for a, b in strings]
    turned = tuple((b, a) if a == GROUND else (a, b) for a, b in ends)
    return Graph(tuple(map(str, names)), turned, tuple(f"s{i}" for i in range(len(strings))))


def state_of(strings: Strings, drawn: int = 0) -> DotsState:
    """Return a position of a naive graph without owners."""
    return DotsState(Dots(graph=graph_of(strings).to_json()), drawn, (0, 0), 0)


def random_graph(rng: random.Random) -> Dots:
    """Return a graph of up to 12 coins on which parallel strings are common."""
    coins = [f"c{i}" for i in range(rng.randint(1, 12))]
    ends = [*coins, GROUND_ID, GROUND_ID]
    strings = [["", coin, rng.choice([end for end in ends if end != coin])] for coin in coins]
    for _ in range(rng.randint(0, 14)):
        coin = rng.choice(coins)
        strings.append(["", coin, rng.choice([end for end in ends if end != coin])])
    named = [[str(i), *pair] for i, (_, *pair) in enumerate(strings)]
    return Dots(graph=json.dumps({"coins": coins, "strings": named}))


def scattered(game: Dots, rng: random.Random) -> DotsState:
    """Return a position with any lines drawn, not only such as players would draw."""
    share = rng.random()
    drawn = sum(1 << line for line in game.moves() if rng.random() < share)
    return DotsState(game, drawn, (0, 0), rng.randrange(2))


def careful(game: Dots, rng: random.Random, most: int = 6) -> DotsState:
    """Return one of the last positions of an opening in which both draw safe lines only."""
    states = [game.start()]
    while lines := [
        line
        for line in states[-1].legal_moves()
        if all(states[-1].degree(box) > 2 for box in game.board.strings[line] if box != GROUND)
    ]:
        states.append(states[-1].play(rng.choice(lines)))
    return states[-rng.randint(1, min(most, len(states)))]


def cleared(state: DotsState) -> DotsState:
    """Take boxes until none can be taken."""
    while lines := [line for line in state.legal_moves() if state.taken_by(line)]:
        state = state.play(lines[0])
    return state
