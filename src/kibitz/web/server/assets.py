"""The static files of the page. Browsers cache them for ever; if one changes, all get a new address.

Under one versioned address they have the layout of the source: web/page, picture (tokens,
board.css, fonts) and games/NAME/page (board.css and board.svg of every game, and the scripts
and style sheets of games with pages of their own). So relative imports work both in a browser
and in tools that check the source.
"""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import kibitz.picture
import kibitz.web
from kibitz.core import registry
from kibitz.core.defaults.page import PlainPage
from kibitz.core.errors import BadOption
from kibitz.web.extend import SITE, Site

PAGE_FOLDER = Path(kibitz.web.__file__).parent / "page"
PICTURE_FOLDER = Path(kibitz.picture.__file__).parent
PICTURE_KINDS = (".css", ".woff2", ".txt")
"""Endings of the files served from the picture folder: style sheets, fonts and their licences, but no Python."""
SITE_KINDS = (".css", ".js", ".svg")
"""Endings of the files served from a game's page folder."""
mimetypes.add_type("text/javascript", ".js")  # some systems say text/plain, and no browser runs that as a module
mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("image/svg+xml", ".svg")
_CACHE_FOREVER = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """Serves the files of a folder under a versioned address, to be cached for ever."""

    def __init__(self, folder: Path, kinds: tuple[str, ...] = ()) -> None:
        super().__init__(directory=folder, check_dir=False)
        self.kinds = kinds
        """Allowed endings of file names; empty for any."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, to be cached for ever. Raise HTTPException if it does not exist or may not be served."""
        if self.kinds and not path.endswith(self.kinds):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _CACHE_FOREVER
        return response


def _board_files(page: PlainPage[Any, Any]) -> dict[str, bytes]:
    """Return the contents of a game's board.css and board.svg; empty for a file that the game does not have."""
    files = {"board.css": page.style, "board.svg": page.art}
    return {name: b"" if file is None else file.read_bytes() for name, file in files.items()}


async def _board_file(request: Request) -> Response:
    try:
        files = _board_files(registry.page(request.path_params["game"]))
    except BadOption:
        raise HTTPException(404) from None
    name = request.url.path.rpartition("/")[2]
    media_type = mimetypes.guess_type(name)[0]
    return Response(files[name], media_type=media_type, headers={"Cache-Control": _CACHE_FOREVER})


def routes() -> list[BaseRoute]:
    """Return the routes to all static files."""
    return [
        *(Route(f"/assets/{{version}}/games/{{game}}/page/{name}", _board_file) for name in ("board.css", "board.svg")),
        *(
            Mount(f"/assets/{{version}}/games/{name}/page", Assets(Path(str(site.folder)), SITE_KINDS))
            for name, site in sites().items()
        ),
        Mount("/assets/{version}/picture", Assets(PICTURE_FOLDER, PICTURE_KINDS)),
        Mount("/assets/{version}/web/page", Assets(PAGE_FOLDER)),
    ]


def sites() -> Mapping[str, Site]:
    """Return the pages and addresses that games add to the server, by name of the game."""
    return {name: site for name, package in registry.packages().items() if (site := package.get(SITE))}


def version() -> str:
    """Return a hash of all files of the page, which is part of their address."""
    digest = blake2b(digest_size=8)
    added = [(Path(str(site.folder)), SITE_KINDS) for site in sites().values()]
    for folder, kinds in ((PAGE_FOLDER, ()), (PICTURE_FOLDER, PICTURE_KINDS), *added):
        for path in sorted(folder.rglob("*.*")):
            if path.is_file() and (not kinds or path.suffix in kinds):
                digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    for name, page in registry.pages().items():
        digest.update(f"{name}\0".encode() + b"\0".join(_board_files(page).values()) + b"\0")
    return digest.hexdigest()


def index(status: int = 200) -> Response:
    """Return index.html, with the games' links and versioned addresses filled in, under this status code."""
    try:
        text = (PAGE_FOLDER / "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return PlainTextResponse("The page is not installed; only the API is available.", status)
    links, styles, pages = [], [], dict[str, list[str]]()
    for name, site in sites().items():
        base = f"/assets/games/{name}/page"
        links += [f'<a href="{path}" data-nav="{path}">{escape(label)}</a>' for label, path in site.links.items()]
        styles += [f'<link rel="stylesheet" href="{base}/{file}">' for file in site.styles]
        pages |= {path: [f"{base}/{file}" for file in files] for path, files in site.pages.items()}
    text = text.replace("<!-- links of games -->", "\n      ".join(links))
    text = text.replace("<!-- styles of games -->", "\n  ".join(styles))
    text = text.replace("<!-- pages of games -->", json.dumps(pages))
    return HTMLResponse(text.replace('"/assets/', f'"/assets/{version()}/'), status)
