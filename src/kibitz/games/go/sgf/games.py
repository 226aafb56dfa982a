"""Converts the main line of an SGF record to a start and moves, and back. Variations are ignored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Move, Outcome
from kibitz.core.parts import Signature
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Board, Go, GoState, Scoring, handicap_points
from kibitz.games.go.rules.text import MARKS, rows_text, sgf_point
from kibitz.games.go.sgf.heads import GameResult, parse_result
from kibitz.games.go.sgf.reader import read_text
from kibitz.games.go.sgf.record import Record, colour_of, is_pass, is_setup, point_of, record_of
from kibitz.games.go.sgf.tree import GameTree, SgfNode, escaped, game_text

MAX_KOMI = 150.0  # ignore a komi beyond this many points: it must be in another unit
_POINTS = re.compile(r"([0-9.]+) points to ([0-9.]+)")
_LOST = re.compile(r"lost by ([0-9.]+) points?")


def read(game: Go, text: str) -> tuple[GoState, tuple[Move, ...]]:
    """Parse the first record of a text; return the start and the moves. Raise BadText if they cannot be replayed.

    Size, komi, handicap and scoring come from the record, or from `game` where the
    record lacks them. If a player moves twice in a row, a pass is inserted in between.
    """
    tree = read_text(text)[0]
    record = record_of(tree)
    plays = record.plays.tolist()
    first_move = next((i for i, play in enumerate(plays) if not is_setup(play)), len(plays))
    if any(map(is_setup, plays[first_move:])):
        raise BadText("The record sets up stones after the first move, so it cannot be replayed as a game.")
    colour = colour_of(plays[first_move]) if first_move < len(plays) else _colour_to_move(tree, record)
    start = state = _start(game, record, plays[:first_move], colour)
    moves = list[Move]()
    for number, play in enumerate(plays[first_move:], 1):
        played = [start.game.pass_move if is_pass(play) else point_of(play)]
        if colour_of(play) != 1 + state.to_move:
            played.insert(0, start.game.pass_move)
        for move in played:
            try:
                state = state.play(move)
            except KibitzError as error:
                raise BadText(f"Move {number} of the record is illegal: {error}") from None
        moves += played
    return start, tuple(moves)


def _colour_to_move(tree: GameTree, record: Record) -> int:
    """Return the colour to move in a record without moves: by its PL property, else White if there is a handicap."""
    letter = (tree.root.value("PL") or "").upper()[:1]
    if letter in ("B", "W"):
        return BLACK if letter == "B" else WHITE
    return WHITE if record.fields.get("HA", "0").strip() not in ("", "0", "1") else BLACK


def _start(game: Go, record: Record, setup: list[int], colour: int) -> GoState:
    """Return the starting position of a record. Raise BadText if it is impossible."""
    board = Board.empty(record.size)
    for play in setup:
        board = board.with_stones((point_of(play),), colour_of(play))
    stones = [point for point, code in enumerate(board.points) if code != EMPTY]
    is_handicap = WHITE not in board.points and tuple(stones) == handicap_points(record.size, len(stones))
    rules = record.fields.get("RU", "").strip().lower()
    plain = replace(
        game,
        size=record.size,
        komi=_komi(record, game.komi),
        handicap=0,
        scoring=_scoring(rules, game.scoring),
        suicide=game.suicide or rules.startswith("nz"),
    )
    if is_handicap and colour == WHITE:
        return replace(plain, handicap=len(stones)).start()
    if not stones and colour == BLACK:
        return plain.start()
    return plain.parse_position(f"{rows_text(board)} {MARKS[colour]}")


def _komi(record: Record, default: float) -> float:
    """Return the komi of a record, rounded to quarter points, or the default if it is missing or implausible."""
    try:
        komi = float(record.fields.get("KM", "").replace(",", "."))
    except ValueError:
        return default
    return round(4 * komi) / 4 if math.isfinite(komi) and abs(komi) <= MAX_KOMI else default


def _scoring(rules: str, default: Scoring) -> Scoring:
    """Return the scoring that goes with named rules, such as "japanese", or the default if the name is unknown."""
    if rules.startswith(("jap", "kor")):
        return "territory"
    return "area" if rules.startswith(("chi", "aga", "nz", "goe", "ing", "tromp")) else default


def write(start: GoState, moves: Sequence[Move], signed: Signature | None = None) -> str:
    """Write a game as SGF text, with player names and result if a signature is given."""
    game = start.game
    root = SgfNode()
    rules = {"area": "Chinese", "territory": "Japanese"}[game.scoring]
    root.properties = {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "AP": ["kibitz"], "SZ": [str(game.size)]}
    root.properties |= {"KM": [f"{game.komi:g}"], "RU": [rules]}
    if game.handicap:
        root.properties["HA"] = [str(game.handicap)]
    for identifier, colour in (("AB", BLACK), ("AW", WHITE)):
        points = [sgf_point(game.size, point) for point, code in enumerate(start.board.points) if code == colour]
        if points:
            root.properties[identifier] = points
    if any(start.board.points) or start.to_move:
        root.properties["PL"] = ["BW"[start.to_move]]
    if signed is not None:
        root.properties |= {"PB": [escaped(signed.players[0])], "PW": [escaped(signed.players[1])]}
        if signed.outcome is not None:
            root.properties["RE"] = [result_text(signed.outcome)]
    node, player = root, start.to_move
    for move in moves:
        child = SgfNode()
        child.properties["BW"[player]] = ["" if move == game.pass_move else sgf_point(game.size, move)]
        node.children.append(child)
        node, player = child, 1 - player
    return game_text(GameTree(root))


def signature(text: str) -> Signature:
    """Return the players of the first record of a text, such as Go Seigen (9d), and its result if it is known.

    Raise BadText if the text is no record.
    """
    root = read_text(text)[0].root
    names = ((root.value("PB") or "", root.value("BR")), (root.value("PW") or "", root.value("WR")))
    black, white = (f"{name} ({rank})" if name and rank else name for name, rank in names)
    return Signature((black, white), _outcome(parse_result(root.value("RE") or "")))


_LOST_BY = {"resign": "resigned", "time": "ran out of time", "forfeit": "forfeited the game", "": "lost"}
"""GameResult.how -> what the loser did."""


def _outcome(result: GameResult) -> Outcome | None:
    """Return the outcome that a record names, as what the loser did; None if it names none, or a void game."""
    if result.winner:
        points = "" if result.margin is None else f"lost by {result.margin:g} point{'' if result.margin == 1 else 's'}"
        loser = Go.players[2 - result.winner]
        return Outcome(result.winner - 1, f"{loser} {points or _LOST_BY.get(result.how, 'lost')}")
    return Outcome(None, "a draw") if result.how == "draw" else None


def result_text(outcome: Outcome) -> str:
    """Return an outcome as SGF writes it: B+3.5, W+R for a resignation, W+T for a loss on time, 0 for a draw."""
    if outcome.winner is None:
        return "0"
    points = _POINTS.search(outcome.reason)
    if points:
        by = f"{float(points[1]) - float(points[2]):g}"
    elif lost := _LOST.search(outcome.reason):
        by = lost[1]
    else:
        by = "T" if "time" in outcome.reason else "R" if "resigned" in outcome.reason else ""
    return f"{'BW'[outcome.winner]}+{by}"
