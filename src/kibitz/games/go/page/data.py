"""The folders of a server's data folder that hold stores of Go games."""

from __future__ import annotations

from functools import partial

from kibitz.games.go.records.store import MANIFEST, open_all
from kibitz.web.extend import DataFolder

_store = partial(DataFolder, plural="stores of Go", one="a store of Go", mark=MANIFEST, open_all=open_all)
FOLDERS = (_store("go", 2), _store("go-own", 2), _store("stores", 3))
