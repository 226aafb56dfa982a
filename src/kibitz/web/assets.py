"""The files of the page: kept by browsers, whose next visit asks for none of them again until one has changed.

Under one versioned address lie the page's own files, those of the boards (picture/: tokens,
board.css and fonts) and two files of each game (games/NAME/board.css and board.svg).
"""

from __future__ import annotations

import mimetypes
from hashlib import blake2b
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import kibitz.picture
from kibitz.core import registry
from kibitz.core.errors import BadOption
from kibitz.core.page import PlainPage

FOLDER = Path(__file__).parent / "static"
PICTURE_FOLDER = Path(kibitz.picture.__file__).parent
PICTURE_KINDS = (".css", ".woff2", ".txt")
"""What browsers may have of the picture folder: style sheets, fonts and their licences, no sources."""
mimetypes.add_type("text/javascript", ".js")  # some systems say text/plain, and no browser runs that as a module
mimetypes.add_type("font/woff2", ".woff2")
_KEPT = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """The files of a folder under an address with a version in it: what is found there never changes."""

    def __init__(self, folder: Path, kinds: tuple[str, ...] = ()) -> None:
        super().__init__(directory=folder, check_dir=False)
        self.kinds = kinds
        """How names of files must end; any name will do if there are none."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file that may be kept. Raise HTTPException."""
        if self.kinds and not path.endswith(self.kinds):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _KEPT
        return response


def _style(page: PlainPage[Any, Any]) -> bytes:
    """Return a game's board.css; nothing if the platform's is enough."""
    return b"" if page.style is None else page.style.read_bytes()


def _art(page: PlainPage[Any, Any]) -> bytes:
    """Return a game's board.svg; nothing if it uses no symbols."""
    return b"" if page.art is None else page.art.read_bytes()


_GAME_FILES = {"board.css": ("text/css", _style), "board.svg": ("image/svg+xml", _art)}


async def _game_file(request: Request) -> Response:
    """Return one of the two files that a game's boards are drawn with."""
    name, file = request.path_params["game"], request.path_params["file"]
    try:
        page = registry.page(name)
        kind, read = _GAME_FILES[file]
    except (BadOption, KeyError):
        raise HTTPException(404) from None
    return Response(read(page), media_type=kind, headers={"Cache-Control": _KEPT})


ROUTES = (
    Route("/assets/{version}/games/{game}/{file}", _game_file),
    Mount("/assets/{version}/picture", Assets(PICTURE_FOLDER, PICTURE_KINDS)),
    Mount("/assets/{version}", Assets(FOLDER)),
)


def version() -> str:
    """Return a text that changes whenever a file of the page does."""
    digest = blake2b(digest_size=8)
    for folder, kinds in ((FOLDER, None), (PICTURE_FOLDER, PICTURE_KINDS)):
        for path in sorted(folder.rglob("*.*")):
            if kinds is None or path.suffix in kinds:
                digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    for name, page in registry.pages().items():
        digest.update(f"{name}\0".encode() + _style(page) + b"\0" + _art(page) + b"\0")
    return digest.hexdigest()


def index(status: int = 200) -> Response:
    """Return the one page there is, which finds its files under their version."""
    try:
        text = (FOLDER / "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return PlainTextResponse("The page is not installed; the interface for programs is.", status)
    return HTMLResponse(text.replace('"/assets/', f'"/assets/{version()}/'), status)
