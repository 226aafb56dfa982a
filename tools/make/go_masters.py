"""Choose the games of old masters that the package carries, and write them to one compressed file.

python -m tools.make.go_masters RECORDS... [--out FILE]

RECORDS are files, folders or archives. The chosen games were played from 1603 to 1945, are even, on 19x19, and have
known players and years, and a winner or a jigo. Nothing but bare facts is kept: date, event, players, komi, result and
moves.
"""

from __future__ import annotations

import argparse
import bz2
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from kibitz.games.go.records.changes import PreparedGames, prepare_games
from kibitz.games.go.records.export import game_line
from kibitz.games.go.records.masters import MASTERS_FILE
from kibitz.games.go.sgf.heads import parse_result
from kibitz.games.go.sgf.record import PASS, POINT_BITS
from kibitz.games.go.sgf.scan import scan
from kibitz.games.go.sgf.sources import Piece, pieces

FIRST_YEAR, LAST_YEAR = 1603, 1945  # what is told of older games is legend
MIN_MOVES = 40
FACTS = ("DT", "EV", "PB", "PW", "KM", "RE")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?(,.*)?")  # not "1660s" or "c. 1580"
_YEAR = re.compile(r"\d{4}")
_TEAM = re.compile(r"\band\b|\bmoves\b|[,/&?]")


def chosen_games(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield the date of each chosen game, and the game as a line of SGF."""
    for piece in pieces(paths):
        if isinstance(piece, Piece):
            prepared = prepare_games(scan(piece.data))
            for game in range(len(prepared.games)):
                fields = {name: value for name in FACTS if (value := prepared.games.value(game, name))}
                if _is_chosen(prepared, game, fields):
                    yield fields["DT"], game_line(19, fields, prepared.games.plays_of(game).tolist())


def _is_chosen(prepared: PreparedGames, game: int, fields: dict[str, str]) -> bool:
    """Return whether a game is even, dated, decided, whole and legal, and between two known players."""
    games = prepared.games
    if games.sizes[game] != 19 or games.value(game, "HA") not in (None, "", "0") or prepared.illegal_move(game):
        return False
    date = fields.get("DT", "")
    if not _DATE.fullmatch(date) or len(_YEAR.findall(date)) > 1 or not FIRST_YEAR <= int(date[:4]) <= LAST_YEAR:
        return False
    players = [fields.get(side, "") for side in ("PB", "PW")]
    if not all(players) or any(map(_TEAM.search, players)):
        return False
    result = parse_result(fields.get("RE", ""))
    plays = games.plays_of(game).tolist()
    return (
        (result.winner != 0 or result.how == "draw")
        and len(plays) >= MIN_MOVES
        and all(play >> POINT_BITS == 1 + i % 2 and play & PASS != PASS for i, play in enumerate(plays))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, nargs="+", metavar="RECORDS")
    folder = Path(str(resources.files("kibitz.games.go.records")))
    parser.add_argument("--out", type=Path, default=folder / MASTERS_FILE)
    options = parser.parse_args()
    games = sorted(set(chosen_games(options.records)))
    packed = bz2.compress("".join(line for _, line in games).encode())
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(games):,} games, {games[0][0]} to {games[-1][0]}, {len(packed) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
