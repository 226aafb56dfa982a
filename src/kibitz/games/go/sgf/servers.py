"""Read the formats of Go servers as SGF: GIB of Tygem, NGF of Cyberoro, UGF and UGI of PandaNet.

No server has published its format; what is read here is what their files have in common. Each file is one game, without
variations. Reviews and comments in UGI files are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kibitz.core.errors import BadText
from kibitz.games.go.rules import MAX_BOARD_SIZE
from kibitz.games.go.rules.geometry import handicap_points
from kibitz.games.go.rules.text import sgf_point
from kibitz.games.go.sgf.tree import MAX_PROBLEMS, GameTree, SgfNode, SgfProblem, escaped

FORMAT_SUFFIXES = (".gib", ".ngf", ".ugf", ".ugi")
MAX_MOVES = 50_000  # the rest of a file is left out
MAX_HANDICAP = 9
_EXAMINED_CHARACTERS = 4096  # how far to look for what gives a format away
_GIB = re.compile(r"\s*\\HS\b|.*?^\\\[GAME[A-Z]+=", re.DOTALL | re.MULTILINE)
_GIB_FIELD = re.compile(r"^\\\[([A-Z]+)=(.*?)\\\]\s*$", re.MULTILINE)
_UGF = re.compile(r"\s*\[Header\]\s*$", re.IGNORECASE | re.MULTILINE)
_NGF = re.compile(r"[^\n]*\n\s*\d{1,2}\s*\n(?:.*\n){1,12}?PM[A-Z]{2}[BW][A-Z]{2}")
_NGF_MOVE = re.compile(r"PM[A-Z]{2}([BW])([A-Z])([A-Z])", re.IGNORECASE)
_NGF_HEAD = ("EV", "SZ", "PW", "PB", "PC", "HA", "", "KM", "DT", "", "RE")
"""What each of the first lines of an NGF file holds."""
_NAME_AND_RANK = re.compile(r"(.*?)\s*\(?\s*(\d{1,2})\s*([kdp급단段级級])(p?)[*?+]*\s*\)?\s*", re.IGNORECASE)
_RANKS = {"급": "k", "级": "k", "級": "k", "단": "d", "段": "d"}
"""How SGF writes these ranks; on servers they are those of amateurs unless marked with a P."""
_SIDES = ((re.compile("black|흑|黒|黑", re.IGNORECASE), "B"), (re.compile("white|백|白", re.IGNORECASE), "W"))
_HOW = (
    (re.compile("resign|불계|中押|中盘|中盤", re.IGNORECASE), "R"),
    (re.compile("time|시간|時間|时间|超时", re.IGNORECASE), "T"),
    (re.compile("forfeit|기권", re.IGNORECASE), "F"),
)
_LOSES = re.compile("lose|lost|resigned|resigns|負け|[패负負敗败]", re.IGNORECASE)
_DRAW = re.compile("jigo|draw|持碁|和棋|빅|무승부", re.IGNORECASE)
_MARGIN = re.compile(r"\d{1,3}(?:\.\d{1,2})?")
_GIB_RESULTS = {0: "B+{}", 1: "W+{}", 2: "0", 3: "B+R", 4: "W+R", 7: "B+T", 8: "W+T"}
_GIB_TAGS = {"G": "GONGJE", "W": "GRLT", "Z": "ZIPSU"}
_UGF_HOW = {"C": "R", "R": "R", "T": "T"}
_UGF_RULES = {"JPN": "Japanese", "CHN": "Chinese"}


def read_server_format(text: str, encoding: str = "utf-8") -> GameTree | None:
    """Return the game of a text in one of these formats, or None if it is in none of them.

    Raise BadText if it has no moves, or an impossible board size or handicap.
    """
    kind = _kind_of(text)
    return None if kind is None else kind(text, encoding).read()


def is_server_format(text: str) -> bool:
    """Return whether a text looks as if it were in one of these formats."""
    return _kind_of(text) is not None


def _kind_of(text: str) -> type[_File] | None:
    """Return the class that reads a text, or None."""
    start = text[:_EXAMINED_CHARACTERS]
    kinds: tuple[tuple[re.Pattern[str], type[_File]], ...] = ((_UGF, _UgfFile), (_GIB, _GibFile), (_NGF, _NgfFile))
    return next((kind for pattern, kind in kinds if pattern.match(start)), None)


class _File:
    """A file of a server. Its readers add properties to the root and moves to the tree."""

    name = ""

    def __init__(self, text: str, encoding: str) -> None:
        self.text, self.lines = text, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.tree = GameTree(SgfNode(), encoding)
        self.root = self.last = self.tree.root
        self.size, self.moves = 19, 0
        self.root.properties = {"GM": ["1"], "FF": ["4"]}

    def read(self) -> GameTree:
        """Return the game. Raise BadText if there is none."""
        self.read_head()
        self.root.properties["SZ"] = [str(self.size)]
        self.read_moves()
        if not self.moves:
            raise BadText(f"This {self.name} file has no moves.")
        return self.tree

    def read_head(self) -> None:
        """Read everything but the moves."""
        raise NotImplementedError

    def read_moves(self) -> None:
        """Read the moves."""
        raise NotImplementedError

    def put(self, name: str, value: str) -> None:
        """Set a property of the root, unless the value is empty."""
        if value.strip():
            self.root.properties[name] = [escaped(value.strip())]

    def put_player(self, side: str, text: str) -> None:
        """Set the name and the rank of a player, written like "ann (3d)" or "ann    3D*". side: B or W."""
        found = _NAME_AND_RANK.fullmatch(text.strip())
        if not found or not found[1]:
            self.put(f"P{side}", text)
            return
        name, number, unit, mark = found.groups()
        self.put(f"P{side}", name)
        self.put(f"{side}R", number + (mark or _RANKS.get(unit, unit)).lower())

    def set_size(self, text: str) -> None:
        """Set the board size. Raise BadText if it is impossible."""
        if not re.fullmatch(r"\s*\d{1,2}\s*", text, re.ASCII) or not 1 <= int(text) <= MAX_BOARD_SIZE:
            raise BadText(f"This {self.name} file has an impossible board size, {text.strip()[:20]!r}.")
        self.size = int(text)

    def set_handicap(self, text: str) -> int:
        """Set the number of handicap stones, and return it. Raise BadText if it is impossible."""
        if not re.fullmatch(r"\s*\d{1,2}\s*", text, re.ASCII) or int(text) > MAX_HANDICAP:
            raise BadText(f"This {self.name} file has an impossible handicap, {text.strip()[:20]!r}.")
        if int(text) > 1:
            self.put("HA", text)
        return int(text)

    def place_handicap(self, stones: int) -> None:
        """Put handicap stones on the star points; the third goes to the upper left corner, as on Korean servers."""
        points = handicap_points(self.size, stones) if stones > 1 else ()
        if stones == 3 and points:
            rows, cols = zip(*(divmod(point, self.size) for point in points), strict=True)
            points = (*handicap_points(self.size, 2), min(rows) * self.size + min(cols))
        if points:
            self.root.properties["AB"] = [sgf_point(self.size, point) for point in points]

    def add_move(self, colour: str, col: int, row: int) -> None:
        """Add a move; a point beyond the board is a pass."""
        on_board = 0 <= col < self.size and 0 <= row < self.size
        node = SgfNode()
        node.properties[colour] = [sgf_point(self.size, row * self.size + col) if on_board else ""]
        self.last.children.append(node)
        self.last, self.moves = node, self.moves + 1

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line without spaces around it, and its number from 1, until there are too many moves."""
        for number, line in enumerate(self.lines, 1):
            if self.moves >= MAX_MOVES:
                self.problem(number, f"more than {MAX_MOVES} moves; the rest is left out")
                return
            yield number, line.strip()

    def problem(self, line: int, reason: str) -> None:
        """Add a problem in a line."""
        if len(self.tree.problems) < MAX_PROBLEMS:
            self.tree.problems.append(SgfProblem(line, 1, reason))


class _GibFile(_File):
    """A GIB file: fields such as GAMEBLACKNAME, then INI 0 1 HANDICAP, then moves: STO 0 NUMBER SIDE X Y."""

    name = "GIB"

    def read_head(self) -> None:
        fields = dict(_GIB_FIELD.findall(self.text))
        self.put_player("B", fields.get("GAMEBLACKNAME", ""))
        self.put_player("W", fields.get("GAMEWHITENAME", ""))
        self.put("EV", fields.get("GAMENAME", ""))
        self.put("PC", fields.get("GAMEPLACE", ""))
        if date := re.match(r"(\d{4})-\s*(\d{1,2})-\s*(\d{1,2})", fields.get("GAMEDATE", ""), re.ASCII):
            self.put("DT", f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}")
        tag = fields.get("GAMETAG", "")  # the same facts, in files that lack the others
        if date := re.search(r"\bC(\d{4}):(\d\d):(\d\d)", tag, re.ASCII):
            self.root.properties.setdefault("DT", ["-".join(date.groups())])
        facts = [(_GIB_TAGS[key], value) for key, value in re.findall(r"\b([GWZ])(-?\d{1,6})\b", tag, re.ASCII)]
        facts += re.findall(r"([A-Z]+):(-?\d{1,6})\b", fields.get("GAMEINFOMAIN", ""), re.ASCII)
        numbers = {key: int(value) for key, value in facts}
        if "GONGJE" in numbers:
            self.put("KM", f"{numbers['GONGJE'] / 10:g}")  # komi and margin are counted in tenths
        if numbers.get("GRLT") in _GIB_RESULTS:
            margin = numbers.get("ZIPSU", 0)
            self.put("RE", _GIB_RESULTS[numbers["GRLT"]].format(f"{margin / 10:g}" if margin > 0 else ""))
        else:
            self.put("RE", _result_in_words(fields.get("GAMERESULT", "")))

    def read_moves(self) -> None:
        for number, line in self.numbered_lines():
            words = line.split()
            if words[:1] == ["INI"] and len(words) > 3 and not self.moves:
                self.place_handicap(self.set_handicap(words[3]))
            elif words[:1] == ["STO"]:
                if len(words) < 6 or words[3] not in ("1", "2") or not (words[4] + words[5]).isdecimal():
                    self.problem(number, f"{line[:40]!r} is no move")
                else:
                    self.add_move(" BW"[int(words[3])], int(words[4][:3]), int(words[5][:3]))
            elif words[:1] == ["SKI"]:
                last = next(iter(self.last.properties), "")
                self.add_move("W" if last == "B" or "AB" in self.last.properties else "B", -1, -1)


class _NgfFile(_File):
    """An NGF file: eleven lines of facts and the number of moves, then lines such as PMABBQEEQ.

    AB is the number of the move, B the side, QE the point, with B for the first column and row.
    """

    name = "NGF"

    def read_head(self) -> None:
        found = {name: line.strip() for name, line in zip(_NGF_HEAD, self.lines, strict=False) if name}
        self.set_size(found["SZ"])
        handicap = self.set_handicap(found.get("HA", "0") or "0")
        self.place_handicap(handicap)
        self.put_player("B", found.get("PB", ""))
        self.put_player("W", found.get("PW", ""))
        self.put("EV", found.get("EV", ""))
        self.put("PC", found.get("PC", ""))
        if re.fullmatch(r"-?\d{1,3}(\.\d+)?", komi := found.get("KM", ""), re.ASCII):
            is_rounded = handicap == 0 and "." not in komi and int(komi) > 0  # the half point is not written
            self.put("KM", f"{float(komi) + 0.5 * is_rounded:g}")
        if date := re.match(r"(\d{4})(\d\d)(\d\d)", found.get("DT", ""), re.ASCII):
            self.put("DT", "-".join(date.groups()))
        self.put("RE", _result_in_words(found.get("RE", "")))

    def read_moves(self) -> None:
        for number, line in self.numbered_lines():
            if found := _NGF_MOVE.match(line):
                side, col, row = (text.upper() for text in found.groups())
                self.add_move(side, ord(col) - ord("B"), ord(row) - ord("B"))
            elif line.startswith("PM"):
                self.problem(number, f"{line[:40]!r} is no move")


class _UgfFile(_File):
    """A UGF or UGI file: [Header] with lines such as PlayerB=ann,3d, then [Data] with lines such as QP,B1,1,0."""

    name = "UGF"

    def read_head(self) -> None:
        head = {}
        for line in self.lines:
            if line.strip().lower() == "[data]":
                break
            key, _, value = line.partition("=")
            head[key.strip().lower()] = value.strip()
        self.set_size(head.get("size", "19"))
        handicap, _, komi = head.get("hdcp", "0").partition(",")
        self.handicap = self.set_handicap(handicap or "0")
        self.from_below = head.get("coordinatetype", "").upper() == "IGS"
        if re.fullmatch(r"-?\d{1,3}(\.\d+)?", komi, re.ASCII):
            self.put("KM", f"{float(komi):g}")
        for side in "BW":
            name, rank, *_ = [*head.get(f"player{side.lower()}", "").split(","), ""]
            self.put(f"P{side}", name)
            self.put(f"{side}R", rank)
        self.put("EV", head.get("title", "").strip(","))
        self.put("PC", head.get("place", ""))
        self.put("RU", _UGF_RULES.get(head.get("rule", "").upper(), ""))
        self.put("DT", head.get("date", "").partition(",")[0].replace("/", "-"))
        winner, _, how = head.get("winner", "").upper().partition(",")
        if winner in ("B", "W"):
            margin = how if _MARGIN.fullmatch(how) else _UGF_HOW.get(how[:1], "")
            self.put("RE", f"{winner}+{f'{float(margin):g}' if _MARGIN.fullmatch(margin) else margin}")

    def read_moves(self) -> None:
        section = ""
        for number, line in self.numbered_lines():
            if line.startswith("["):
                section = line.lower()
            if section != "[data]" or "," not in line:
                continue
            point, side, *rest = line.upper().split(",")
            if len(point) != 2 or side[:1] not in ("B", "W"):
                self.problem(number, f"{line[:40]!r} is no move")
                continue
            col, row = (ord(letter) - ord("A") for letter in point)
            row = self.size - 1 - row if self.from_below else row
            is_handicap = not self.moves and side[0] == "B" and rest[:1] == ["0"]
            if self.handicap > 1 and is_handicap and 0 <= col < self.size and 0 <= row < self.size:
                stones = self.root.properties.setdefault("AB", [])
                stones.append(sgf_point(self.size, row * self.size + col))
            else:
                self.add_move(side[0], col, row)


def _result_in_words(text: str) -> str:
    """Return a result such as "Black wins by 34" or 흑 불계승 as SGF writes it; "" if it names no winner."""
    named = sorted((found.start(), side) for pattern, side in _SIDES if (found := pattern.search(text)))
    if not named:
        return "0" if _DRAW.search(text) else ""
    start, side = named[0]
    has_lost = _LOSES.search(text, start, named[1][0] if len(named) > 1 else len(text))
    winner = side if not has_lost else "W" if side == "B" else "B"
    how = next((letter for pattern, letter in _HOW if pattern.search(text)), "")
    margin = _MARGIN.search(text)
    return f"{winner}+{how or (margin[0] if margin else '')}"
