"""A picture as standalone SVG text, for files, notebooks, reports and documentation.

The style sheets are resolved ahead of time: every element gets the properties that tokens.css, the platform's board.css
and the game's board.css give it, and none of their selectors remain. Equal elements share a class named by a digest of
its properties, and the ids of gradients and symbols end in a digest of the whole picture. So pictures, light and dark,
can share an HTML document without affecting it or each other, and viewers that do not know var(), light-dark() or
nested selectors show them correctly. Unused rules and art are left out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from html import escape
from importlib.resources import files
from typing import Literal, NamedTuple, NotRequired, TypeAlias, TypedDict
from xml.etree import ElementTree

from kibitz.picture import Circle, Group, Line, Mark, Overlay, Path, Picture, Rect, Shape, Text, Use
from kibitz.picture.marks import mark_shapes
from kibitz.picture.sheet import Element, Sheet, for_theme
from kibitz.picture.wire import number, scale_number

Theme: TypeAlias = Literal["light", "dark"]

TOKENS = files(__package__).joinpath("tokens.css")
BOARD_STYLE = files(__package__).joinpath("board.css")
FONTS = files(__package__).joinpath("fonts")

SIZE_RULE = "@media screen{.kibitz-picture{max-width:100%;height:auto}}"
"""Lets a picture shrink with its page. Inside @media, which converters ignore, because they would read "auto" as 0."""
AUTO_RULES = (
    ".kibitz-auto{color-scheme:light dark}"
    "[data-jp-theme-light=true] .kibitz-auto,.vscode-light .kibitz-auto{color-scheme:light}"
    "[data-jp-theme-light=false] .kibitz-auto,.vscode-dark .kibitz-auto{color-scheme:dark}"
)
"""Make a picture without a theme of its own follow the system, JupyterLab or VS Code."""

_FONTS: Mapping[str, tuple[str, float]] = {'"Young Serif"': ("serif", 0.34), '"Source Sans 3"': ("sans", 0.312)}
"""Font family -> the name of its embedded subsets, and the height of its middle above the baseline in ems."""
_DEFAULT_MIDDLE = 0.33
_FIGURES = frozenset("0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ+-−–.,:%?!×½")
"""The characters of the smaller font subsets."""

_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_DIGEST_PLACE = "\0"
"""Stands for the digest of the picture until it is known. Not allowed in XML, so it occurs nowhere else."""
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML does not allow."""
REFERENCE = re.compile(r"url\(\s*['\"]?#([^'\")\s]+)['\"]?\s*\)")
"""A reference to a definition in a property; the first group is the id."""
_TRANSLUCENT = re.compile(r"#(?:([0-9a-f]{3})([0-9a-f])|([0-9a-f]{6})([0-9a-f]{2}))", re.I)


class Annotations(TypedDict, total=False):
    """Optional additions to a picture; see svg()."""

    marks: Iterable[Mark]
    overlay: Overlay | None
    title: str
    width: float | None


class GameAssets(TypedDict):
    """The name of a game, and the texts of its board.css and board.svg."""

    name: str
    style: NotRequired[str]
    art: NotRequired[str]


class Drawing(Annotations, GameAssets):
    """The arguments that svg() shares with the functions that call it."""


def svg(
    picture: Picture,
    *,
    name: str,
    style: str = "",
    art: str = "",
    marks: Iterable[Mark] = (),
    overlay: Overlay | None = None,
    theme: Theme | None = "light",
    title: str = "",
    fonts: bool = True,
    backdrop: bool = False,
    width: float | None = None,
    inline: bool = False,
) -> str:
    """Return a picture as self-contained SVG text.

    name: the name of the game, which is the class that its selectors start with.
    style, art: the texts of the game's board.css and board.svg.
    theme: None to follow the theme of the viewer, which must support light-dark().
    title: the text of a tooltip, also read by screen readers instead of the picture's label.
    fonts: whether to embed the fonts, 4 to 11 KB each; otherwise viewers may substitute similar ones.
    backdrop: whether to fill the frame with the page colour, for boards that do not cover it.
    width: in pixels; by default one pixel per unit of the frame.
    inline: whether the text will be placed inside an HTML document.
    """
    writer = SvgWriter(theme, fonts, name, style, art)
    body = writer.layer("backdrop", [Rect("", "backdrop", *picture.frame)]) if backdrop else ""
    body += writer.layer("ground", picture.ground)
    body += writer.layer("under", overlay.under if overlay else ())
    body += writer.layer("shapes", picture.shapes)
    body += writer.layer("over", overlay.over if overlay else ())
    body += writer.layer("marks", mark_shapes(marks, picture.places))
    head = opening(picture, theme=theme, title=title, width=width, inline=inline)
    return with_unique_ids(writer.document(head, body))[0]


def opening(picture: Picture, *, theme: Theme | None, title: str, width: float | None, inline: bool = False) -> str:
    """Return the opening tag of a drawing, and its tooltip. inline: leave out the namespaces, as HTML allows."""
    x, y, w, h = (number(each) for each in picture.frame)
    width = number(width if width else w)
    attributes = (
        f'class="kibitz-picture{"" if theme else " kibitz-auto"}" viewBox="{x} {y} {w} {h}" '
        f'width="{width}" height="{number(width * h / w)}" role="img" aria-label="{clean(title or picture.label)}"'
    )
    tooltip = f"<title>{clean(title)}</title>" if title else ""
    return f"<svg {'' if inline else f'{_NAMESPACES} '}{attributes}>{tooltip}"


def with_unique_ids(*texts: str) -> list[str]:
    """Return the texts of one drawing with ids that no other drawing has: they end in a digest of the texts."""
    digest = _digest("".join(texts))
    return [text.replace(_DIGEST_PLACE, f"-{digest}") for text in texts]


@lru_cache(maxsize=16)
def _sheet(style: str) -> Sheet:
    backdrop = ".backdrop { fill: var(--ground); }"
    return Sheet(TOKENS.read_text("utf-8"), BOARD_STYLE.read_text("utf-8"), backdrop, style)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=4).hexdigest()


def clean(text: str) -> str:
    """Escape text for tags and attributes, and replace characters that XML does not allow."""
    return escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


class SvgWriter:
    """Writes elements, and records the classes, definitions and font characters that they use."""

    def __init__(self, theme: Theme | None, fonts: bool, name: str, style: str = "", art: str = "") -> None:
        self.board = _sheet(style).root.child("svg", f"board {name}")
        self.theme, self.fonts, self.art = theme, fonts, read_art(art)
        self.classes: dict[Element, str] = {}  # element -> its class attribute
        self.styles: dict[str, str] = {}  # class -> its declarations
        self.used: set[str] = set()  # ids of the definitions that are used
        self.characters: dict[str, set[str]] = {}  # name of an embedded font -> the characters written in it

    def document(self, head: str, body: str) -> str:
        """Return the whole drawing. Write its body first: only the definitions and rules used so far are included."""
        definitions = self.definitions()
        rules = SIZE_RULE + ("" if self.theme else AUTO_RULES) + self.rules()
        return f"{head}<style>{escape(rules, quote=False)}</style>{definitions}{body}</svg>"

    def layer(self, name: str, shapes: Sequence[Shape]) -> str:
        """Return shapes as one <g> element; empty if there are no shapes."""
        if not shapes:
            return ""
        return f"<g{self.class_of(self.board.child('g', name))}>{''.join(self.elements(name, shapes))}</g>"

    def elements(self, name: str, shapes: Sequence[Shape]) -> list[str]:
        """Return the shapes of a layer as SVG elements."""
        layer = self.board.child("g", name)
        parent = layer.child("g") if name == "shapes" else layer  # on the page every shape has a <g> of its own
        return [self.shape(shape, parent) for shape in shapes]

    def shape(self, shape: Shape, parent: Element) -> str:
        """Return a shape as an SVG element, translated to (x, y)."""
        transform = f"translate({number(shape.x)} {number(shape.y)})"
        match shape:
            case Line():
                tag, attributes, inner = "line", f' x2="{number(shape.dx)}" y2="{number(shape.dy)}"', ""
            case Circle():
                tag, attributes, inner = "circle", f' r="{number(shape.r)}"', ""
            case Rect():
                corner = f' rx="{number(shape.rx)}"' if shape.rx else ""
                tag, attributes, inner = "rect", f' width="{number(shape.w)}" height="{number(shape.h)}"{corner}', ""
            case Path():
                tag, attributes, inner = "path", f' d="{clean(shape.d)}"', ""
            case Text():
                tag, attributes, inner = "text", f' font-size="{number(shape.size)}"', clean(shape.text)
            case Use():
                self.used.add(shape.symbol)
                tag, attributes, inner = "use", f' xlink:href="#{clean(shape.symbol)}{_DIGEST_PLACE}"', ""
            case Group():
                tag, attributes, inner = "g", "", ""
            case _:
                raise TypeError(f"unknown kind of shape: {shape!r}")
        element = parent.child(tag, shape.style)
        if isinstance(shape, (Use, Group)) and shape.scale != 1:
            transform += f" scale({scale_number(shape.scale)})"
        if isinstance(shape, Group):
            inner = "".join(self.shape(each, element) for each in shape.shapes)
        if isinstance(shape, Text):
            attributes += self.text_attributes(element, shape.text)
        start = f'<{tag}{self.class_of(element)} transform="{transform}"{attributes}'
        return f"{start}>{inner}</{tag}>" if inner else f"{start}/>"

    def text_attributes(self, element: Element, text: str) -> str:
        """Return the attributes that centre a text and keep its spaces; record the characters its font must have.

        They replace dominant-baseline, which few viewers support, and white-space, which not all support.
        """
        family = element.declared.get("font-family", "").partition(",")[0]
        font, middle = _FONTS.get(family, ("", _DEFAULT_MIDDLE))
        self.characters.setdefault(font, set()).update(text)
        shift = f' dy="{middle}em"' if element.declared.get("dominant-baseline") == "central" else ""
        return shift + (' xml:space="preserve"' if element.declared.get("white-space") == "pre" else "")

    def class_of(self, element: Element) -> str:
        """Return the class attribute that gives an element its properties; empty if it has none."""
        if element not in self.classes:
            style = REFERENCE.sub(self.unique_reference, self.declarations(element))
            # A reference differs from picture to picture, like the id that it refers to.
            name = f"k{_digest(style)}{_DIGEST_PLACE if _DIGEST_PLACE in style else ''}"
            self.classes[element] = f' class="{name}"' if style else ""
            if style:
                self.styles[name] = style
        return self.classes[element]

    def unique_reference(self, match: re.Match[str]) -> str:
        """Replace a match of REFERENCE: append _DIGEST_PLACE to the id, and record that its definition is used.

        The ids of the definitions get the same ending, and with_unique_ids replaces it by the picture's digest.
        """
        self.used.add(match[1])
        return f"url(#{match[1]}{_DIGEST_PLACE})"

    def declarations(self, element: Element) -> str:
        """Return the properties of an element as the body of a CSS rule."""
        properties = dict(element.declared)
        properties.pop("dominant-baseline", None)
        if self.fonts and "font-family" in properties:
            family = properties["font-family"]
            if font := _FONTS.get(family.partition(",")[0]):
                properties["font-family"] = f"kibitz-{font[0]}-latin,kibitz-{font[0]}-figures,{family}"
        plain = {each: for_theme(value, self.theme == "dark") for each, value in properties.items()}
        if self.theme:
            return ";".join(f"{each}:{value}" for each, value in _split_alpha(plain).items())
        # The light value comes first, for viewers that do not know light-dark() and skip the second.
        themed = {each: f";{each}:{value}" for each, value in properties.items() if "light-dark(" in value}
        return ";".join(f"{each}:{value}{themed.get(each, '')}" for each, value in plain.items())

    def rules(self) -> str:
        """Return the CSS rules of all classes used so far, and of their fonts."""
        embedded = {font: used for font, used in sorted(self.characters.items()) if font and self.fonts}
        files = [f"{font}-{'figures' if used <= _FIGURES else 'latin'}" for font, used in embedded.items()]
        face = "@font-face{{font-family:kibitz-{0};font-weight:400 700;src:url({1})}}"
        rules = [face.format(file, _font(file)) for file in files]
        return "".join([*rules, *(f".{name}{{{style}}}" for name, style in sorted(self.styles.items()))])

    def definitions(self) -> str:
        """Return the art that the elements written so far refer to, directly or indirectly."""
        written: dict[int, str] = {}
        defs = self.board.child("defs")
        while missing := {self.art.at[each] for each in self.used & self.art.at.keys()} - written.keys():
            written |= {i: self.definition(self.art.parts[i], defs) for i in missing}
        return f"<defs>{''.join(written[i] for i in sorted(written))}</defs>" if written else ""

    def definition(self, node: ElementTree.Element, parent: Element) -> str:
        """Return a node of the art with resolved classes and unique ids."""
        tag = local_name(node.tag)
        element = parent.child(tag, node.get("class", ""))
        attributes = self.class_of(element)
        for attribute, value in node.items():
            name = local_name(attribute)
            if name == "id":
                value += _DIGEST_PLACE
            elif name == "href" and value.startswith("#"):
                self.used.add(value[1:])
                name, value = "xlink:href", value + _DIGEST_PLACE
            elif name == "class":
                continue
            else:
                value = REFERENCE.sub(self.unique_reference, value)
            attributes += f' {name}="{escape(value)}"'
        if tag == "text":
            attributes += self.text_attributes(element, node.text or "")
        inner = clean((node.text or "").strip()) + "".join(self.definition(each, element) for each in node)
        return f"<{tag}{attributes}>{inner}</{tag}>" if inner else f"<{tag}{attributes}/>"


def _split_alpha(properties: Mapping[str, str]) -> dict[str, str]:
    """Return properties with colours like #rrggbbaa, which not all viewers support, split into colour and opacity."""
    plain = dict(properties)
    for name in ("fill", "stroke", "stop-color"):
        if match := _TRANSLUCENT.fullmatch(properties.get(name, "")):
            colour, alpha = (match[1], 2 * match[2]) if match[1] else (match[3], match[4])  # #rgba: doubled
            opacity_name = f"{name.removesuffix('-color')}-opacity"
            try:
                opacity = float(properties.get(opacity_name, "1"))
            except ValueError:  # a percentage
                continue
            plain[name], plain[opacity_name] = f"#{colour}", str(number(opacity * int(alpha, 16) / 255, 3))
        elif properties.get(name) == "transparent":
            plain[name] = "none"
    return plain


@lru_cache(maxsize=8)
def _font(file: str) -> str:
    return f"data:font/woff2;base64,{b64encode(FONTS.joinpath(f'{file}.woff2').read_bytes()).decode()}"


# Art


class Art(NamedTuple):
    """The definitions of a game's board.svg."""

    parts: list[ElementTree.Element]
    at: dict[str, int]
    """id -> the index of the part that contains it."""


@lru_cache(maxsize=16)
def read_art(text: str) -> Art:
    """Parse the text of a board.svg; return its definitions. Raise ValueError if it is not well-formed."""
    try:
        root = ElementTree.fromstring(f"<svg {_NAMESPACES}>{re.sub(r'<[?].*?[?]>', '', text)}</svg>")
    except ElementTree.ParseError as error:
        raise ValueError(f"board.svg is not well-formed: {error}") from None
    parts = [part for node in root.iter() if local_name(node.tag) == "defs" for part in node]
    return Art(
        parts, {node.attrib["id"]: i for i, part in enumerate(parts) for node in part.iter() if "id" in node.attrib}
    )


def local_name(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition("}")[2]
