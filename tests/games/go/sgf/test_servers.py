"""GIB, NGF and UGF: what they say becomes a record, in the encodings of their servers; damage is refused or told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from games.go.commands.running import told
from kibitz.core.errors import BadText
from kibitz.games.go.notations import GoNotations
from kibitz.games.go.rules import Go
from kibitz.games.go.sgf.reader import read
from kibitz.games.go.sgf.record import PASS, Record, record_of
from kibitz.games.go.sgf.scan import scan

GIB = r"""\HS
\[GIBOKIND=Korea\]
\[GAMERESULT=\]
\[GAMENAME=승강급 대국\]
\[GAMEDATE=2015- 8-29-22-56-58\]
\[GAMEPLACE=타이젬 바둑\]
\[GAMEWHITENAME=이세돌 (9단)\]
\[GAMEBLACKNAME=a[b]c (12급)\]
\[GAMEINFOMAIN=GBKIND:0,GTYPE:0,GRLT:1,ZIPSU:125,DUM:0,GONGJE:65,TCNT:4\]
\HE
\GS
2 5 0
INI 0 1 0 &4
STO 0 2 1 15 3
STO 0 3 2 0 18
SKI 0 4
STO 0 5 2 3 15
\GE
""".replace("\n", "\r\n")
NGF = """レーティング対局
19
呉清源      9段P
木谷        8段*
www.cyberoro.com
3
0
0
20110812 [09:31]
5
白中押し勝ち!
3
PMABWQEEQ
PMACBBTTB
PMADWKKKK
"""
UGF = """[Header]
Ver=UGF3,200
Lang=SJIS
Title=名人戦,
Place=東京
Date=2019/03/08,22:09:00
Rule=JPN
Size=13
Hdcp=2,-5.50
Winner=B,C
CoordinateType=IGS
PlayerB=坂田,7d,,x@y
PlayerW=Ann,8d
[Data]
JJ,B1,0,0
DD,B1,0,0
JD,W1,1,5
AM,B1,2,0
YA,W1,3,0
[ReviewNode]
NODE,4,1,2,3
"""


def one(data: bytes) -> Record:
    """Return the only game of a file, which the scanner must read in the same way."""
    (tree,) = read(data)
    (scanned,) = [scan(data)]
    record = record_of(tree)
    assert (scanned.record(0).fields, scanned.plays_of(0).tolist()) == (record.fields, record.plays.tolist())
    return record


def at(col: int, row: int, size: int = 19) -> int:
    return row * size + col


@pytest.mark.parametrize("encoding", ["cp949", "utf-8", "utf-16"])
def test_gib(encoding: str) -> None:
    record = one(GIB.encode(encoding))
    assert record.fields == {
        "PB": "a[b]c", "BR": "12k", "PW": "이세돌", "WR": "9d", "EV": "승강급 대국", "PC": "타이젬 바둑",
        "DT": "2015-08-29", "KM": "6.5", "RE": "W+12.5",
    }  # fmt: skip
    assert record.moves == [(1, at(15, 3)), (2, at(0, 18)), (1, PASS), (2, at(3, 15))]
    assert record.problems == []


@pytest.mark.parametrize("encoding", ["cp932", "gb18030"])
def test_ngf(encoding: str) -> None:
    record = one(NGF.encode(encoding))
    assert record.fields == {
        "PW": "呉清源", "WR": "9p", "PB": "木谷", "BR": "8d", "EV": "レーティング対局", "PC": "www.cyberoro.com",
        "HA": "3", "KM": "0", "DT": "2011-08-12", "RE": "W+R",
    }  # fmt: skip
    stones = [at(15, 3), at(3, 15), at(3, 3)]
    assert sorted(play & PASS for play in record.plays[:3]) == sorted(stones)
    assert record.moves == [(2, at(15, 3)), (1, at(0, 18)), (2, at(9, 9))]


def test_ngf_leaves_out_half_a_point_of_komi_in_even_games() -> None:
    even = NGF.replace("\n3\n0\n0\n2011", "\n0\n0\n6\n2011").replace("白中押し勝ち!", "Black wins by 2.5!")
    record = one(even.encode())
    assert (record.fields["KM"], record.fields["RE"], len(record.plays)) == ("6.5", "B+2.5", 3)


RESULTS = {
    "Black resigned": "W+R",
    "White resigns, Black wins": "B+R",
    "White wins, Black resigned": "W+R",
    "White loses on time": "B+T",
    "흑 불계승": "B+R",
    "흑 시간패": "W+T",
    "흑 3.5집 승": "B+3.5",
    "白中盘负": "B+R",
    "黒中押し勝ち!": "B+R",
    "持碁": "0",
    "": None,
    "unknown": None,
}


@pytest.mark.parametrize("words", RESULTS)
def test_results_in_words(words: str) -> None:
    assert one(NGF.replace("白中押し勝ち!", words).encode()).fields.get("RE") == RESULTS[words]


def test_gib_with_facts_in_its_tag_only() -> None:
    lines = [line for line in GIB.splitlines() if "GAMEINFOMAIN" not in line and "GAMEDATE" not in line]
    tag = r"\[GAMETAG=S1,R12,D4,G65,W1,Z125,T30-3-1200,C2015:08:29:22:56,I:ann,L:9\]"
    fields = one("\n".join([*lines[:3], tag, *lines[3:]]).encode()).fields
    assert (fields["DT"], fields["KM"], fields["RE"]) == ("2015-08-29", "6.5", "W+12.5")


def test_a_name_that_ends_like_a_rank_is_a_name() -> None:
    record = one(NGF.replace("木谷        8段*", "team 7days").encode())
    assert (record.fields["PB"], "BR" in record.fields) == ("team 7days", False)


def test_ugf() -> None:
    record = one(UGF.encode("cp932"))
    assert record.fields == {
        "PB": "坂田", "BR": "7d", "PW": "Ann", "WR": "8d", "EV": "名人戦", "PC": "東京", "DT": "2019-03-08",
        "RU": "Japanese", "HA": "2", "KM": "-5.5", "RE": "B+R",
    }  # fmt: skip
    assert record.size == 13
    assert [play & PASS for play in record.plays[:2]] == [at(9, 3, 13), at(3, 9, 13)]
    assert record.moves == [(2, at(9, 9, 13)), (1, at(0, 0, 13)), (2, PASS)]
    above = one(UGF.replace("CoordinateType=IGS\n", "").encode("cp932"))
    assert above.moves[0] == (2, at(9, 3, 13))


def test_they_are_read_wherever_sgf_is(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in (("a.gib", GIB), ("b.ngf", NGF), ("c.UGI", UGF), ("d.sgf", UGF.replace("JD,W1", "JE,W1"))):
        (tmp_path / "in" / name).write_bytes(text.encode("cp949" if name == "a.gib" else "cp932"))
    found = told("import", tmp_path / "in", "--store", tmp_path / "store")
    assert (found["imported"], found["skipped"]) == (4, 0)
    start, moves = GoNotations().read(Go(), UGF, None)
    assert (start.game.size, start.game.handicap, len(moves)) == (13, 2, 3)
    signed = GoNotations().signature(NGF, None)
    assert signed is not None
    assert signed.players == ("木谷 (8d)", "呉清源 (9p)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GIB[: GIB.index("STO")], "This GIB file has no moves"),
        (GIB.replace("INI 0 1 0", "INI 0 1 99"), "impossible handicap, '99'"),
        (NGF.replace("\n19\n", "\n77\n"), "impossible board size, '77'"),
        (UGF.replace("Size=13", "Size=" + "9" * 5000), "impossible board size"),
        (UGF.replace("Hdcp=2", "Hdcp=-2"), "impossible handicap"),
        (UGF[: UGF.index("JJ")], "This UGF file has no moves"),
    ],
)
def test_impossible_files_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        read(text.encode())
    assert reason.split(",")[0] in scan(text.encode()).refused[0].reason


def test_lines_that_are_no_moves_are_reported() -> None:
    record = one(GIB.replace("STO 0 5 2 3 15", "STO 0 5 7 3 15").encode())
    assert len(record.moves) == 3
    assert "'STO 0 5 7 3 15' is no move" in str(record.problems[0])
    assert "is no move" in str(one(NGF.replace("PMACB", "PMACX").encode()).problems[0])


def test_any_damage_is_read_or_refused() -> None:
    stream = random.Random(8)
    refused = 0
    for number in range(600):
        data = bytearray((GIB, NGF, UGF)[number % 3].encode(("cp949", "gb18030", "cp932")[number % 3]))
        for _ in range(stream.randrange(1, 12)):
            place = stream.randrange(len(data) or 1)
            data = data or bytearray(b"x")
            match stream.randrange(3):
                case 0:
                    data[place] = stream.randrange(256)
                case 1:
                    del data[place : place + stream.randrange(40)]
                case 2:
                    data[place:place] = bytes(data[stream.randrange(len(data)) :][: stream.randrange(60)])
        try:
            record_of(read(bytes(data))[0])
        except BadText:
            refused += 1
    assert 0 < refused < 300
