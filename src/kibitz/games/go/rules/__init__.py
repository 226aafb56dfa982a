"""The rules of Go, in readable Python. Re-exports the names that the rest of the Go package uses."""

from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, Chain, Colour, other
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE, Point, handicap_points, max_handicap, neighbours, star_points
from kibitz.games.go.rules.rules import NO_MOVE, Go, GoState, outcome_of
from kibitz.games.go.rules.scoring import GoScore, Scoring, dead_chains, score
from kibitz.games.go.rules.text import LETTERS, MARKS, NO_KO, draw, move_text, parse_move, point_text, sgf_point

__all__ = [
    "BLACK", "EMPTY", "LETTERS", "MARKS", "MAX_BOARD_SIZE", "NO_KO", "NO_MOVE", "WHITE", "Board", "Chain", "Colour",
    "Go", "GoScore", "GoState", "Point", "Scoring", "dead_chains", "draw", "handicap_points", "max_handicap",
    "move_text", "neighbours", "other", "outcome_of", "parse_move", "point_text", "score", "sgf_point",
    "star_points",
]  # fmt: skip
