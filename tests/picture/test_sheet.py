"""Style sheets applied ahead of time: selectors, the cascade, custom properties, themes."""

from __future__ import annotations

import pytest

from kibitz.picture.sheet import Element, Sheet, for_theme, headings, parse


def declared(css: str, *path: str) -> dict[str, str]:
    """Return the properties of an element, given as tag.class.class, inside others."""
    element: Element = Sheet(css).root
    for each in path:
        tag, *classes = each.split(".")
        element = element.child(tag, " ".join(classes))
    return element.declared


FITTING = (
    *(".b", "path", "path.b", ".b.c", ".a .b", ".x > .b", ".a > .x > .b", "svg .b", "*", ":root .b"),
    *(".b:not(.d, circle)", ".b:not(:hover)", ".b:is(.d, .c)"),
)
NOT_FITTING = (
    *("circle.b", ".b.d", ".a > .b", ".b .b", ".x + .b", "#b", ".b:hover", ".b:not(.c)", ":where(.d) .b"),
    *("[data-open] > .b", ".a[class~='a'] .b", ".b:nth-child(2n + 1)"),
)


@pytest.mark.parametrize("selector", FITTING + NOT_FITTING)
def test_selectors(selector: str) -> None:
    fits = {"fill": "red"} if selector in FITTING else {}
    assert declared(f"{selector} {{ fill: red }}", "svg.a", "g.x", "path.b.c") == fits


@pytest.mark.parametrize(
    ("css", "fill"),
    [
        (".b { fill: red } .b { fill: blue }", "blue"),
        (".a .b { fill: red } .b { fill: blue }", "red"),
        ("path.b { fill: red } .b { fill: blue }", "red"),
        (".b { fill: red !important } .a .b { fill: blue }", "red"),
        (".c, .b { fill: red }", "red"),
        (".b:not(.c.d) { fill: red } .b { fill: blue }", "red"),
        (":where(.a) .b { fill: red } .b { fill: blue }", "blue"),
    ],
)
def test_the_stronger_rule_wins(css: str, fill: str) -> None:
    assert declared(css, "svg.a", "path.b") == {"fill": fill}


def test_custom_properties_are_inherited_and_overridden() -> None:
    css = """
    :root { --red: #f00; --paint: var(--red); }
    .card { --paint: #00f; }
    .band { fill: var(--paint); stroke: var(--missing, var(--red)); stroke-width: var(--missing); }
    .loop { --one: var(--two); --two: var(--one); fill: var(--one, none); }
    """
    assert declared(css, "g", "path.band") == {"fill": "#f00", "stroke": "#f00"}
    assert declared(css, "g.card", "path.band") == {"fill": "#00f", "stroke": "#f00"}
    assert declared(css, "path.loop") == {"fill": "none"}


def test_rules_without_effect_on_a_still_picture_are_ignored() -> None:
    css = """
    @import "other.css";
    @font-face { font-family: "X"; src: url("data:font/woff2;base64,a;b{}"); }
    .b { transition: fill 1s; cursor: pointer; animation: turn 1s; font-family: "A;}B", serif }
    @media (max-width: 3px) { .b { fill: red } @supports (fill: red) { .c { fill: red } } }
    @keyframes turn { from { opacity: 0 } }
    """
    assert declared(css, "path.b.c") == {"font-family": '"A;}B", serif'}
    inside_media = (".b", "@supports (fill: red)", ".c")
    assert headings(css) == ("@font-face", ".b", "@media (max-width: 3px)", *inside_media, "@keyframes turn")


def test_both_themes() -> None:
    value = "0 1px light-dark(#fff, rgb(1, 2, 3)) inset, light-dark(red, light-dark(a, blue))"
    assert for_theme(value, dark=False) == "0 1px #fff inset, red"
    assert for_theme(value, dark=True) == "0 1px rgb(1, 2, 3) inset, blue"


@pytest.mark.parametrize(
    "css", [".b { fill: red", ".b { fill }", "fill: red", ".b { &:hover { fill: red } }", ".b? {}", "> {}"]
)
def test_bad_sheets_are_refused(css: str) -> None:
    with pytest.raises(ValueError, match=r"not a|expected|missing|nested"):
        parse(css)
