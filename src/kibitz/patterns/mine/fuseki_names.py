"""Names of openings by the stones of one side, and whether they lean to territory or to influence.

Points are written as in SGF, on the right side of a board of 19 lines: pd is the
upper right star point. A name holds in all eight orientations.
"""

from __future__ import annotations

from functools import cache

from kibitz.games.go.geometry import symmetries

FORMATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("sanrensei", ("pd", "pj", "pp"), ()),
    ("nirensei", ("pd", "pp"), ()),
    ("Chinese", ("pd", "pq", "qk"), ()),
    ("high Chinese", ("pd", "pq", "pk"), ()),
    ("Kobayashi", ("pd", "pq", "fq", "jp"), ("dp",)),
    ("Kobayashi", ("pd", "pq", "fq", "iq"), ("dp",)),
    ("Shusaku", ("qd", "pq", "cp"), ()),
)
"""Name, stones of who has it, and stones that the opponent must have. Shusaku's are three 3-4 points, each turned by a
quarter from the one before. Sanrensei holds a nirensei, which is not told then."""
TERRITORY = {(3, 3), (3, 4)}
INFLUENCE = {(4, 4), (4, 5)}
"""Lines of corner points that are played for one or the other. 3-5 is played for both."""


def _point(text: str) -> int:
    return (ord(text[1]) - 97) * 19 + ord(text[0]) - 97


@cache
def _formations() -> tuple[tuple[str, frozenset[int], frozenset[int]], ...]:
    """Return all formations in all orientations."""
    found: dict[tuple[str, frozenset[int], frozenset[int]], None] = {}
    for name, own, other in FORMATIONS:
        for image in symmetries(19):
            turned = [frozenset(image[_point(text)] for text in points) for points in (own, other)]
            found[name, turned[0], turned[1]] = None
    return tuple(found)


def names(black: frozenset[int], white: frozenset[int], size: int = 19) -> tuple[str, ...]:
    """Return the names of formations of both sides, such as "Black nirensei"; there are none on other sizes."""
    found: dict[str, None] = {}
    if size == 19:
        for side, own, other in (("Black", black, white), ("White", white, black)):
            mine = {name: None for name, stones, against in _formations() if stones <= own and against <= other}
            if "sanrensei" in mine:
                mine.pop("nirensei", None)
            found.update({f"{side} {name}": None for name in mine})
    return tuple(found)


def lean(black: frozenset[int], white: frozenset[int], size: int = 19) -> str:
    """Return whether more corner stones of both sides are for territory, or for influence, or neither."""
    score = 0
    for point in black | white:
        row, col = divmod(point, size)
        lines = sorted((min(row, size - 1 - row) + 1, min(col, size - 1 - col) + 1))
        score += ((lines[0], lines[1]) in INFLUENCE) - ((lines[0], lines[1]) in TERRITORY)
    return "influence" if score > 0 else "territory" if score < 0 else "balanced"
