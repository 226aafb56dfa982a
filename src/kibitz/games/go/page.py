"""Go on the page: what is drawn of a position, what is seen in it, the editor, and the notations.

Everything is plain data for JSON. The page knows no rules: captures, kos and
who owns which point at the end are told here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game, Move, Outcome, View
from kibitz.core.game import State as AnyState
from kibitz.core.notations import read_moves, unknown_notation
from kibitz.games.go import page_sgf
from kibitz.games.go.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.geometry import LARGEST, star_points
from kibitz.games.go.rules import Go, State
from kibitz.games.go.scoring import dead_chains
from kibitz.games.go.text import LETTERS, MARKS, NO_KO, Fields, parse_position, position_text

BLURB = "Black and White put stones on the points in turn. Surround stones to capture them, and more points to win."
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "size": {"label": "Size", "least": 1, "most": LARGEST, "about": "Lines each way."},
    "komi": {"label": "Komi", "least": -100, "most": 100, "step": 0.5, "about": "Points for moving second."},
    "handicap": {"label": "Handicap", "least": 0, "most": 9, "about": "Black stones at the start; White begins then."},
    "ko": {
        "label": "Ko rule",
        "about": "simple: a ko may not be retaken at once. positional: no board may come back.",
        "labels": {"simple": "Simple ko", "positional": "Superko"},
    },
    "scoring": {
        "label": "Counting",
        "about": "area: stones and surrounded points. territory: surrounded points and prisoners.",
        "labels": {"area": "Area", "territory": "Territory"},
    },
    "suicide": {"label": "Suicide", "about": "Whether stones without liberties may be played, and are taken off."},
}
NOTATIONS = (
    {"name": "sgf", "label": "SGF", "kind": "game"},
    {"name": "moves", "label": "Moves: D4 Q16 pass", "kind": "game"},
    {"name": "rows", "label": "Position in rows", "kind": "position"},
)
RECORDS = True
"""Whether its records can be explored on the page."""
SETTLE = "Mark the dead stones"
"""What is asked of persons at the end."""
_PICTURE = "4O4/1OO1XO3/2XXXO1O1/3X1XOO1/2X1X1XO1/1OXOOXXXO/2OO1OOX1/5XX2/9 X - 0 0:0 40"


def scene(view: View, last: Sequence[Move] = (), marks: Collection[str] = ()) -> dict[str, Any]:
    """Return what is drawn of a position; in a finished one marks are the stones agreed to be dead."""
    assert isinstance(view, State)
    game = view.game
    told = {
        **_board(view.board, view.prisoners, game),
        "ko": None if view.ko == NO_KO else view.ko,
        "last": last[-1] if last and last[-1] != game.pass_move else None,
        "passed": bool(last) and last[-1] == game.pass_move,
        "pass": None if view.is_over() else game.move_text(game.pass_move),
    }
    if view.is_over():
        dead = dead_chains(view.board, [game.parse_move(mark) for mark in marks])
        counted = view.score(dead)
        owned = "".join(MARKS[code] for code in counted.owners)
        told |= {"owners": owned, "dead": sorted(dead), "scores": [counted.black, counted.white]}
        told["notes"] = ["", f"komi {game.komi:g}"]
    return told


def _board(board: Board, prisoners: tuple[int, int], game: Go) -> dict[str, Any]:
    size = board.size
    taken = [f"{n} {'prisoner' if n == 1 else 'prisoners'}" for n in prisoners]
    return {
        "kind": "go",
        "size": size,
        "stones": "".join(MARKS[code] for code in board.points),
        "stars": sorted(star_points(size)),
        "sides": {"across": list(LETTERS[:size]), "down": [str(size - row) for row in range(size)]},
        "ko": None,
        "last": None,
        "passed": False,
        "pass": None,
        "prisoners": list(prisoners),
        "notes": [taken[0], f"{taken[1]}, komi {game.komi:g}"],
        "owners": None,
        "dead": [],
        "scores": None,
    }


def picture() -> dict[str, Any]:
    """Return the scene of the lobby."""
    return scene(Go(9).parse_position(_PICTURE))


def scores(view: View) -> list[float] | None:
    """Return the points of both players once the game is over, all stones being alive."""
    assert isinstance(view, State)
    return [view.score().black, view.score().white] if view.is_over() else None


def total(game: Game) -> int:
    """Return how many points there are."""
    assert isinstance(game, Go)
    return game.size**2


def layer(state: AnyState) -> dict[str, Any]:
    """Return what is seen in a position without searching."""
    assert isinstance(state, State)
    game, board = state.game, state.board
    facts = [{"label": name, "text": _standing(state, player)} for player, name in enumerate(game.players)]
    ways = {"area": "stones and territory", "territory": "territory and prisoners"}
    facts.append({"label": "Counted", "text": f"{ways[game.scoring]}, komi {game.komi:g}"})
    if state.ko != NO_KO:
        who, where = game.players[state.to_move], game.move_text(state.ko)
        facts.append({"label": "Ko", "text": f"{who} may not play {where} now"})
    for colour, name in ((BLACK, game.players[0]), (WHITE, game.players[1])):
        chains = {chain for point, chain in board.chains().items() if board.points[point] == colour}
        pressed = sorted(min(chain.liberties) for chain in chains if len(chain.liberties) == 1)
        if pressed:
            points = ", ".join(game.move_text(point) for point in dict.fromkeys(pressed))
            facts.append({"label": "Atari", "text": f"{name} can be captured at {points}"})
    return {"facts": facts}


def _standing(state: State, player: int) -> str:
    """Return how many stones a player has, and prisoners."""
    n, taken = state.board.points.count(1 + player), state.prisoners[player]
    return f"{n} {'stone' if n == 1 else 'stones'}, {taken} {'prisoner' if taken == 1 else 'prisoners'}"


# The editor


def edit(game: Game, position: str, do: Mapping[str, Any]) -> str:
    """Return a position, which need not be possible yet, after one change by the editor. Raises BadText.

    {"point": "D4", "stone": 0, 1 or None}, {"to_move": 0 or 1}, {"clear": True}. A ko and
    what was played before are forgotten; prisoners stay.
    """
    assert isinstance(game, Go)
    fields = _fields(game, position)
    match do:
        case {"clear": True, **others} if not others:
            fields = fields._replace(board=Board.empty(game.size), to_move=0, prisoners=(0, 0))
        case {"point": str(text), "stone": int(0 | 1) | None as stone, **others} if not others:
            point = game.parse_move(text)
            if point == game.pass_move:
                raise BadText("A stone stands on a point.")
            code = EMPTY if stone is None else 1 + stone
            fields = fields._replace(board=fields.board.with_stones((point,), code))
        case {"to_move": int(0 | 1 as player), **others} if not others:
            fields = fields._replace(to_move=player)
        case _:
            raise BadText("The editor of Go sets a point or who moves.")
    return position_text(fields._replace(ko=NO_KO, passes=0, turn=0, first=b"", history=()))


def _fields(game: Go, position: str) -> Fields:
    """Return what a position says, possible or not; an empty text is the start. Raises BadText."""
    words = position if position.strip() else game.position_text(game.start())
    return parse_position(game.size, words, game.ko == "positional", game.limit)


def draft_scene(game: Game, position: str) -> dict[str, Any]:
    """Return what is drawn of a position that is not possible, with nothing to play. Raises BadText."""
    assert isinstance(game, Go)
    fields = _fields(game, position)
    return {**_board(fields.board, fields.prisoners, game), "to_move": fields.to_move}


# Notations


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption."""
    start, end = states[0], states[-1]
    assert isinstance(start, State)
    assert isinstance(end, State)
    match notation:
        case "sgf":
            return page_sgf.write(start, moves)
        case "moves":
            return " ".join(map(start.game.move_text, moves))
        case "rows":
            return end.game.position_text(end)
    raise _unknown(notation)


def sign(text: str, notation: str, names: Sequence[str], outcome: Outcome | None) -> str:
    """Return a game that write wrote with its players and result, where the notation has room for them."""
    return page_sgf.sign(text, names, outcome) if notation == "sgf" else text


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText.

    A record in SGF tells its board itself; of several games the first is read, and of
    variations the main line.
    """
    assert isinstance(game, Go)
    notation = notation or _guess(text)
    if notation == "sgf":
        return page_sgf.read(game, text)
    if notation == "rows":
        return game.parse_position(text), ()
    if notation != "moves":
        raise _unknown(notation)
    start = game.start()
    return start, read_moves(start, text.split())


def _guess(text: str) -> str:
    if "(" in text or ";" in text:
        return "sgf"
    return "rows" if "/" in text else "moves"


def _unknown(notation: str) -> BadOption:
    return unknown_notation(notation, (each["name"] for each in NOTATIONS))
