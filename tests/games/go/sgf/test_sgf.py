"""SGF in all its odd forms, each in a small file made here: trees, texts, encodings, broken files, writing."""

from __future__ import annotations

import codecs
from encodings.aliases import aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill_sgf

from kibitz.core.errors import BadText
from kibitz.games.go.sgf import reader
from kibitz.games.go.sgf.encodings import detect
from kibitz.games.go.sgf.reader import read
from kibitz.games.go.sgf.record import PASS, Record, colour_of, is_setup, point_of, record_of
from kibitz.games.go.sgf.tree import GameTree, SgfNode, escaped, write


def one(data: bytes) -> GameTree:
    (tree,) = read(data)
    return tree


def record(data: bytes) -> Record:
    return record_of(one(data))


def moves(data: bytes) -> str:
    """Return the moves of a record: colour and point in SGF's letters, - for a pass."""
    found = record(data)
    return " ".join(
        f"{'?BW'[colour]}{'-' if point == PASS else chr(97 + point % found.size) + chr(97 + point // found.size)}"
        for colour, point in found.moves
    )


def shape(node: SgfNode) -> object:
    """Return a tree as nested lists of its properties."""
    return [dict(node.properties), [shape(child) for child in node.children]]


def test_a_plain_game() -> None:
    found = record(b"(;GM[1]FF[4]SZ[9]PB[Ann]PW[Bob]KM[5.5]RE[B+R];B[cc];W[gg];B[];W[tt])")
    assert (found.size, found.problems) == (9, [])
    assert found.fields == {"PB": "Ann", "PW": "Bob", "KM": "5.5", "RE": "B+R"}
    assert found.moves == [(1, 2 * 9 + 2), (2, 6 * 9 + 6), (1, PASS), (2, PASS)]
    assert record(b"(;SZ[21];B[tt];W[])").moves == [(1, 19 * 21 + 19), (2, PASS)]


def test_variations_stay_and_the_first_ones_are_the_main_line() -> None:
    tree = one(b"(;SZ[9](;B[aa](;W[bb];B[cc])(;W[dd]))(;B[ee]))")
    assert shape(tree.root) == [
        {"SZ": ["9"]},
        [[{"B": ["aa"]}, [[{"W": ["bb"]}, [[{"B": ["cc"]}, []]]], [{"W": ["dd"]}, []]]], [{"B": ["ee"]}, []]],
    ]
    assert [colour for colour, _ in record_of(tree).moves] == [1, 2, 1]


def test_setup_and_compressed_lists() -> None:
    found = record(b"(;SZ[9]HA[2]AB[aa:bb][ee]AW[ii];W[dd];AE[aa]AW[cc])")
    setup = [(colour_of(play), point_of(play)) for play in found.plays if is_setup(play)]
    assert setup == [(1, 0), (1, 1), (1, 9), (1, 10), (1, 40), (2, 80), (0, 0), (2, 20)]
    assert [is_setup(play) for play in found.plays] == [True] * 6 + [False, True, True]
    # in one node, setup comes before a move
    assert [is_setup(play) for play in record(b"(;SZ[9];B[aa]AW[bb])").plays] == [True, False]


def test_small_letters_of_old_formats_are_dropped_but_written_again() -> None:
    data = b"(;GaMe[1]SiZe[9]PlayerBlack[Ann];Black[aa];White[bb])"
    assert moves(data) == "Baa Wbb"
    assert record(data).fields == {"PB": "Ann"}
    assert write(read(data)) == data + b"\n"


def test_escapes_and_line_breaks() -> None:
    node = one(b"(;C[a\\] b\\\\ c\\: d\\\r\ne\r\nf]N[one\ntwo\\]])").root
    assert node.text("C") == "a] b\\ c: de\nf"
    assert node.value("N") == "one two]"
    assert one(f"(;C[{escaped('x]y' + chr(92))}])".encode()).root.text("C") == "x]y\\"


def test_many_games_with_text_around_them() -> None:
    trees = read(b"Here are games (mine):\n(;SZ[9];B[aa])\nand\n(;SZ[9];B[bb])(;SZ[9];B[cc])  the end\n")
    assert [record_of(tree).moves[0][1] for tree in trees] == [0, 10, 20]
    assert [str(problem) for tree in trees for problem in tree.problems] == [
        "line 2, column 15: text after the game: 'and'",
        "line 4, column 29: text after the game: 'the end'",
    ]


@pytest.mark.parametrize(
    ("data", "expected", "reason"),
    [
        (b"(;SZ[9];B[aa];W[bb]", "Baa Wbb", "lacks its closing bracket )"),
        (b";SZ[9];B[aa];W[bb]", "Baa Wbb", "lacks its opening"),
        (b"(SZ[9]PB[x];B[aa];W[bb])", "Baa Wbb", "lacks its opening"),
        (b"(;SZ[9];B[aa;W[bb];B[cc])", "Baa Wbb Bcc", "a value of B lacks its closing bracket ]"),
        (b"(;SZ[9];B[aa]C[no end;W[bb];B[cc])", "Baa Wbb Bcc", "a value of C lacks its closing bracket ]"),
        (b"(;SZ[9];B[aa]C[c:\\];W[bb];B[cc])", "Baa Wbb Bcc", "a value of C lacks its closing bracket ]"),
        (b"(;SZ[9];B[aa]C[see [1] there];W[bb])", "Baa Wbb", "'there]' is no property"),
        (b"(;SZ[9];B[aa];W[bb];C[open ended", "Baa Wbb", "a value of C lacks its closing bracket ]"),
        (b"(;SZ[9];B[aa]??;W[bb])", "Baa Wbb", "'??' is no property"),
        (b"(;SZ[9];B;W[bb])", "Wbb", "'B' is no property"),
        (b"(;SZ[9][];B[aa];W[bb])", "Baa Wbb", ""),
        (b"(;SZ[9];[zz]B[aa];W[bb])", "Baa Wbb", "a value without a property"),
        (b"(;SZ[9];B[aa]B[bb];W[cc])", "Baa Wcc", "B stands twice in one node"),
        (b"(;SZ[9](B[aa])(;B[bb]))", "Baa", "a variation does not begin with ;"),
        (b"(;SZ[9];B[aa];;W[bb];)", "Baa Wbb", ""),
    ],
)
def test_what_is_broken_hides_nothing_else(data: bytes, expected: str, reason: str) -> None:
    assert moves(data) == expected
    problems = [str(problem) for problem in one(data).problems]
    assert any(reason in problem for problem in problems) if reason else not problems


@pytest.mark.parametrize(
    "data",
    [b"(;SZ[9];W[[ec", b"(;C[a\\]", b"(;SZ[9]C[x [y\\]", b"(;SZ[9];B[x\\;Y[z])", b"(;SZ[9]PW[x;W[c;W[aa];B[bb])"],
)
def test_a_value_that_was_mended_is_read_again_as_it_was_written(data: bytes) -> None:
    tree = one(data)
    assert tree.problems
    reads_back(tree)


def test_an_unclosed_game_does_not_swallow_the_next_line() -> None:
    trees = read(b"(;GM[1]SZ[9];B[aa]C[no end\n(;GM[1]SZ[9];B[bb])\n(;GM[1]SZ[9];B[cc]\n(;FF[4]SZ[9];B[dd])")
    assert [record_of(tree).moves for tree in trees] == [[(1, 0)], [(1, 10)], [(1, 20)], [(1, 30)]]


def test_a_move_off_the_board_ends_the_record_and_is_reported() -> None:
    found = record(b"(;SZ[9];B[aa];W[jj];B[bb])")
    assert found.moves == [(1, 0)]
    assert str(found.problems[0]) == "move 2 is illegal: W[jj] is no point of a board of size 9; kept up to there"
    setup = record(b"(;SZ[9]AB[zz][aa];B[bb])")
    assert len(setup.plays) == 2
    assert "AB[zz]" in str(setup.problems[0])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"(;GM[2];B[aa])", r"GM\[2\] is another game"),
        (b"(;SZ[37])", r"SZ\[37\] is not a supported board"),
        (b"(;SZ[9:13])", r"SZ\[9:13\] is not a supported board"),
        (b"(;SZ[0])", r"SZ\[0\] is not a supported board"),
        (b"(;SZ[99999999999])", "is not a supported board"),
        (b"(;SZ[-9])", "is not a supported board"),
    ],
)
def test_other_games_and_boards_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        record(data)
    assert record(b"(;SZ[13:13])").size == 13


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\0", "empty"),
        (b"hello", "begins with 'hello'"),
        (b"\\HS\n\\[GIBOKIND=Global\\]", "GIB file has no moves"),
        (b"[Header]\nVer=UGF3", "UGF file has no moves"),
        (b"<html>(c)</html>", "web page"),
        (bytes(range(256)) * 20, "not SGF"),
        (b"(" * 5000, "not SGF"),
    ],
)
def test_what_is_no_sgf_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        read(data)


NAMES = {
    "utf-8": "趙治勲 Ōtake",
    "gb18030": "古力对常昊第一局黑中盘胜",
    "cp932": "井山裕太、名人戦ソウルの表",
    "cp949": "이세돌 구단 대 이창호 구단",
    "cp950": "周俊勳功許育愷",
    "euc_jp": "ほんいんぼうの たいきょく",
    "cp1252": "Müller gegen Åström",
    "mac_roman": "Müller gegen Åström",
}


@pytest.mark.parametrize("encoding", NAMES)
@pytest.mark.parametrize("named", [True, False])
def test_encodings_are_told_by_name_or_by_looks(encoding: str, named: bool) -> None:
    own = {"cp932": "Shift_JIS", "cp949": "EUC-KR", "cp950": "Big5", "mac_roman": "macintosh", "gb18030": "GB2312"}
    ca = f"CA[{own.get(encoding, encoding)}]" if named else ""
    data = f"(;{ca}SZ[9]PB[{NAMES[encoding]}];B[aa]C[{NAMES[encoding]}])".encode(encoding)
    tree = one(data)
    assert codecs.lookup(tree.encoding).name == codecs.lookup(encoding).name
    assert tree.root.value("PB") == NAMES[encoding]
    assert record_of(tree).moves == [(1, 0)]
    assert write([tree]) == data + b"\n"


def test_brackets_within_double_byte_characters_are_no_brackets() -> None:
    """The second byte of 表 is a backslash in Shift-JIS, that of ソ too; 功 has one in Big5."""
    assert one("(;CA[Shift_JIS]PB[表]PW[ソ];B[aa])".encode("cp932")).root.value("PW") == "ソ"
    assert one("(;CA[Big5]PB[功]PW[許];B[aa])".encode("cp950")).root.value("PB") == "功"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_wide_encodings_and_marks(encoding: str) -> None:
    tree = one("(;SZ[9]PB[趙治勲];B[aa])".encode(encoding))
    assert tree.root.value("PB") == "趙治勲"
    assert one(write([tree])).root.value("PB") == "趙治勲"


def test_broken_utf8_stays_utf8() -> None:
    spoilt = "(;SZ[9]PB[趙治勲名人]PW[小林光一];B[aa])".encode().replace("治".encode(), b"\xe6\xb2?")
    assert detect(spoilt) == "utf-8"
    tree = one(spoilt)
    assert tree.root.value("PW") == "小林光一"
    assert tree.root.value("PB") == "趙\ufffd\ufffd?勲名人"
    assert write([tree]) == spoilt + b"\n"


def test_utf8_wins_over_a_wrong_name_and_an_unknown_name_harms_nothing() -> None:
    assert one("(;CA[GB2312]PB[趙治勲])".encode()).root.value("PB") == "趙治勲"
    assert one("(;CA[foo]PB[趙治勲])".encode()).root.value("PB") == "趙治勲"
    assert one(b"(;CA[rot13]PB[abc])").root.value("PB") == "abc"
    for codec in {*aliases.values()}:  # all that Python knows, with bytes that fit few of them
        spoilt = one(f"(;CA[{codec}]PB[".encode() + b"\xff\xfe\x80\\x4 \\u12 ~{]SZ[9];B[aa])")
        assert spoilt.root.value("SZ") == "9", codec
    assert one("(;CA[ISO-2022-JP]PB[囲碁])".encode("iso2022_jp")).root.value("PB") == "囲碁"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8).map(escaped)
IDENTIFIERS = st.from_regex(r"[A-Z]{1,3}", fullmatch=True)
PROPERTIES = st.dictionaries(IDENTIFIERS, st.lists(TEXT, min_size=1, max_size=3), max_size=3)


@st.composite
def trees(draw: st.DrawFn) -> GameTree:
    root = SgfNode()
    nodes = [root]
    for _ in range(draw(st.integers(0, 8))):
        child = SgfNode()
        nodes[draw(st.integers(0, len(nodes) - 1))].children.append(child)
        nodes.append(child)
    for node in nodes:
        node.properties = draw(PROPERTIES)
    return GameTree(root)


def reads_back(tree: GameTree) -> None:
    again = one(write([tree]))
    assert (shape(again.root), again.problems) == (shape(tree.root), [])


@settings(max_examples=40)
@given(trees())
def test_writing_and_reading_give_the_same_tree(tree: GameTree) -> None:
    reads_back(tree)


@given(st.binary(max_size=60) | st.text("();[]\\BWAESZ aq\n19", max_size=60).map(str.encode))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        found = read(data)
    except BadText:
        return
    assert all(read(write([tree])) for tree in found)


def test_deep_and_long_trees_need_no_stack() -> None:
    deep = b"(;SZ[9]" + b"(;B[aa]" * 20_000 + b")" * 20_001
    assert write(read(deep)) == b"(;SZ[9]" + b";B[aa]" * 20_000 + b")\n"


def test_nodes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_NODES", 50)
    tree = one(b"(" + b";" * 500 + b")")
    assert sum(1 for _ in tree.main_line()) == 50
    assert "more than 50 nodes" in str(tree.problems[0])


GOOD = [
    b"(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]PB[A \\] B]PW[C];B[pd];W[dp];B[tt](;W[qq])(;W[aa];B[bb]))",
    b"(;FF[3]GM[1]SZ[13]AB[aa:cc]AW[mm];B[dd]C[two\nlines];AE[aa];W[ee])",
    b"(;SZ[9];B[aa];W[];B[bb])",
    "(;CA[UTF-8]SZ[9]PB[古力];B[aa])".encode(),
    "(;CA[GB18030]SZ[9]PB[古力];B[aa])".encode("gb18030"),
]


@pytest.mark.parametrize("data", GOOD)
def test_sgfmill_reads_the_same(data: bytes) -> None:
    theirs, ours = sgfmill_sgf.Sgf_game.from_bytes(data), record(data)
    size = theirs.get_size()
    assert ours.size == size
    played = [node.get_move() for node in theirs.get_main_sequence()]
    assert ours.moves == [
        (" bw".index(colour), PASS if at is None else (size - 1 - at[0]) * size + at[1])
        for colour, at in played
        if colour
    ]
    for name in ("PB", "PW"):
        assert ours.fields.get(name) == (theirs.root.get(name) if theirs.root.has_property(name) else None)
