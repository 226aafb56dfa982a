"""Pictures as SVG text: well-formed, escaped, plain, and with no more than they need."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from kibitz.picture import Circle, Group, Mark, Overlay, Picture, Rect, Shape, Text
from kibitz.picture.html import figure, inline, standalone
from kibitz.picture.svg import Theme, svg
from picture.small_pictures import ART, NAME, PICTURE, SHAPES, STYLE, TEXT

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture = PICTURE, theme: Theme | None = "light", fonts: bool = False, **more: object) -> str:
    return svg(picture, name=NAME, style=STYLE, art=ART, theme=theme, fonts=fonts, **more)  # type: ignore[arg-type]


def look(text: str, path: str) -> list[dict[str, str]]:
    """Return the properties of the elements at a path, from their classes and attributes."""
    rules = dict(re.findall(r"\.(k[\w-]+)\{([^}]*)\}", text))
    found = []
    for element in ElementTree.fromstring(text).findall(path.replace("/", f"/{SVG}").replace(f"/{SVG}/", "//")):
        style = dict(each.split(":", 1) for each in rules.get(element.get("class", ""), "").split(";") if each)
        found.append({**element.attrib, **style})
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_of_one_theme_is_plain(theme: Theme) -> None:
    text = drawn(theme=theme, marks=[Mark("hint", ("b", "a")), Mark("value", ("c",), "5", "best")])
    assert not re.search(r"var\(|light-dark\(|--|:root|transition|animation|@keyframes|\.toy|\.board", text)
    assert "@media" not in text.replace("@media screen{.kibitz-picture", "")


def test_every_kind_of_shape_is_drawn_with_its_style() -> None:
    text = drawn()
    (line,) = look(text, ".//line")
    assert (line["transform"], line["x2"], line["stroke"]) == ("translate(10 90)", "80", "#b23a2a")
    (circle,) = [each for each in look(text, ".//circle") if each["r"] == "8"]
    assert circle["fill"] == "#336644"
    (path,) = look(text, ".//path")
    assert (path["d"], path["stroke"], path["stroke-width"]) == ("M0 0L10.5 5", "#2a5a9c", "9")
    (use,) = look(text, ".//use")
    assert use["transform"] == "translate(80 20) scale(10)"
    figures = look(text, ".//text")
    assert {each["font-size"] for each in figures} == {"20", "8"}
    assert {each["dy"] for each in figures} == {"0.34em"}  # the middle of Young Serif
    assert "translate(30 65) scale(1.5)" in [each["transform"] for each in look(text, ".//g") if "transform" in each]


def test_a_custom_property_may_have_many_values() -> None:
    def paper(style: str) -> str:
        text = drawn(Picture((0, 0, 9, 9), (), (Group("a", style, 0, 0, (Rect("", "paper", 0, 0, 1, 1),)),)))
        return look(text, ".//rect")[0]["fill"]

    assert (paper("card"), paper("card red")) == ("#fbf6ea", "#b2342c")


def test_spaces_are_kept_where_they_count() -> None:
    picture = Picture((0, 0, 9, 9), (), (Text("a", "figure", 0, 0, "1  2", 9),))
    assert "xml:space" not in drawn(picture)
    text = svg(picture, name=NAME, style=".toy .figure { white-space: pre; }", fonts=False)
    assert 'xml:space="preserve">1  2</text>' in text


def test_translucent_colours_become_an_opacity() -> None:
    (veil,) = look(drawn(Picture((0, 0, 9, 9), (), (Rect("a", "veil", 0, 0, 1, 1),))), ".//rect")
    assert (veil["fill"], veil["fill-opacity"]) == ("#000000", "0.502")


def test_texts_are_escaped() -> None:
    evil = "</text><script>alert('1' & \"2\")</script>\x00\ud800"
    shapes = (replace(TEXT, text=evil), Circle("c", '"><script>', 0, 0, 1))
    picture = replace(PICTURE, shapes=shapes, label=evil)
    for text in (drawn(picture), drawn(picture, None, title=evil), figure(drawn(picture), caption=evil)):
        assert "<script" not in text
        tree = ElementTree.fromstring(text)  # it is well-formed
        assert "</text><script>alert('1' & \"2\")</script>\ufffd\ufffd" in "".join(tree.itertext()) + str(tree.attrib)


def test_ids_and_classes_differ_where_the_drawings_do() -> None:
    one, other = drawn(theme="light"), drawn(theme="dark")
    ids = [set(re.findall(r'id="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    rules = [dict(re.findall(r"\.(k[\w-]+)\{([^}]*)\}", text)) for text in (one, other)]
    assert all(rules[0][name] == rules[1][name] for name in rules[0].keys() & rules[1].keys())
    assert drawn() == one  # the same text every time


def test_only_the_art_and_rules_that_are_used_are_included() -> None:
    text = drawn(Picture((0, 0, 9, 9), (), (Circle("a", "felt", 1, 1, 1),)))
    assert "<defs>" not in text
    assert len(re.findall(r"\.k\w+\{", text)) == 1
    assert "toy-unused" not in drawn()
    assert {"toy-shade", "toy-stone"} == {each.rpartition("-")[0] for each in re.findall(r'id="([^"]+)"', drawn())}


def test_references_hold() -> None:
    for text in (drawn(), drawn(theme="dark"), drawn(theme=None)):
        assert set(re.findall(r"#(toy-[\w-]+)", text)) == set(re.findall(r'id="([^"]+)"', text))
        assert set(re.findall(r'class="(k[0-9a-f][\w-]+)"', text)) == set(re.findall(r"\.(k[0-9a-f][\w-]+)\{", text))


def test_fonts_are_embedded_as_far_as_they_are_used() -> None:
    def faces(*texts: str) -> list[str]:
        shapes: tuple[Shape, ...] = tuple(Text(str(i), "figure", 0, 0, each, 9) for i, each in enumerate(texts))
        return re.findall(r"@font-face\{font-family:([\w-]+)", drawn(Picture((0, 0, 9, 9), (), shapes), fonts=True))

    assert faces() == []
    assert faces("10", "A") == ["kibitz-serif-figures"]
    assert faces("10", "Darius") == ["kibitz-serif-latin"]
    assert len(drawn(fonts=True)) < 12_000
    assert "font-face" not in drawn()


def test_overlays_and_marks_lie_where_they_should() -> None:
    overlay = Overlay((Circle("", "felt", 1, 1, 1.5),), (Circle("", "felt", 2, 2, 2.5),))
    text = drawn(overlay=overlay, marks=[Mark("line", ("a",), "1")], backdrop=True)
    order = [text.index(each) for each in ('width="100" height="100"', 'r="1.5"', 'r="8"', 'r="2.5"', ">1</text>")]
    assert order == sorted(order)


def test_a_picture_for_both_themes() -> None:
    text = drawn(theme=None)
    (circle,) = [each for each in look(text, ".//circle") if each["r"] == "8"]
    assert circle["fill"] == "light-dark(#336644, #112211)"
    assert "fill:#336644;fill:light-dark(" in text  # older viewers take the first
    assert "var(" not in text
    assert "kibitz-auto" in inline(PICTURE, name=NAME, style=STYLE, art=ART, caption="A toy")
    assert "kibitz-auto" not in drawn()


def test_sizes() -> None:
    root = ElementTree.fromstring(standalone(replace(PICTURE, frame=(-5, 0, 100, 50.5)), name=NAME, width=300))
    assert (root.get("viewBox"), root.get("width"), root.get("height")) == ("-5 0 100 50.5", "300", "151.5")


def test_bad_art_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"board\.svg is not well-formed"):
        svg(PICTURE, name=NAME, art="<defs><g></defs>")


def test_all_shapes_are_tried() -> None:
    assert {type(shape).__name__ for shape in SHAPES} == {kind.__name__ for kind in Shape.__subclasses__()}
