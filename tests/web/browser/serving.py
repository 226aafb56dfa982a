"""kibitz serve as a real process, for tests in a real browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

from clocks import PATIENCE, wait_until
from kibitz.games.go.records.importing import import_records

NO_CHROMIUM = "no Chromium"
"""Why a test of the page is skipped."""


class Server:
    """kibitz serve in a process of its own, which may be killed and started again."""

    def __init__(self, data: Path, *flags: str, games: Path | None = None, cache: Path | None = None) -> None:
        """Start it.

        games: a folder with distributions of games, as tests/distributions.py plants them.
        cache: a cache folder other than the user's.
        """
        self.data, self.flags, self.port, self.games = data, flags, 0, games
        self.environment = {} if cache is None else {"KIBITZ_CACHE_DIR": str(cache)}
        self.process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, at the port it had before."""
        command = [sys.executable, "-m", "kibitz", "serve", "--no-open", "--no-warmup", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--data", str(self.data), *self.flags],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200", "PYTHONPATH": os.pathsep.join(self._path()), **self.environment},
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert "http://127.0.0.1:" in said, said
        self.port = int(said.split("127.0.0.1:")[1].split("/")[0])
        wait_until(self._answers, "the server's first answer")

    def _answers(self) -> bool:
        try:
            httpx.get(f"{self.url}/api/games", timeout=PATIENCE)
        except httpx.TransportError:
            return False
        return True

    def _path(self) -> list[str]:
        given = os.environ.get("PYTHONPATH")
        return [*([given] if given else []), *([str(self.games)] if self.games else [])]

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End it."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def table(self, game: str, seats: list[dict[str, str]], **more: Any) -> str:
        """Make a table; return the address of its page."""
        wish = {"game": game, "options": {}, "seats": seats, "seconds": 0.2, "start": None, "moves": None} | more
        answer = httpx.post(f"{self.url}/api/tables", json=wish, headers={"origin": self.url}, timeout=PATIENCE)
        assert answer.status_code == 201, answer.text
        return f"{self.url}/play/{answer.json()['id']}"


def serve_records(folder: Path, records: str) -> Server:
    """Return a server with a collection of some records."""
    (folder / "some.sgf").write_text(records)
    import_records([folder / "some.sgf"], folder / "go")
    return Server(folder)
