"""The files of the page: kept by browsers, whose next visit asks for none of them again until one has changed."""

from __future__ import annotations

import mimetypes
from hashlib import blake2b
from pathlib import Path

from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
mimetypes.add_type("text/javascript", ".js")  # some systems say text/plain, and no browser runs that as a module
_KEPT = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """The files under an address with a version in it: what is found there never changes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file that may be kept."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _KEPT
        return response


def version() -> str:
    """Return what is another text as soon as a file of the page is another."""
    digest = blake2b(digest_size=8)
    for path in sorted(FOLDER.rglob("*.*")):
        digest.update(f"{path.relative_to(FOLDER)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def index(status: int = 200) -> Response:
    """Return the one page there is, which finds its files under their version."""
    try:
        text = (FOLDER / "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return PlainTextResponse("The page is not installed; the interface for programs is.", status)
    return HTMLResponse(text.replace('"/assets/', f'"/assets/{version()}/'), status)
