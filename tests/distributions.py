"""Distributions written to a folder as pip would install them, and found there by this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from kibitz.core import installed, registry


@contextmanager
def installing(folder: Path) -> Iterator[Path]:
    """Make this process find distributions in a folder, created if necessary, while the block runs."""
    folder.mkdir(parents=True, exist_ok=True)
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        _clear_registry_caches()
        yield folder
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[name]
    _clear_registry_caches()


def _clear_registry_caches() -> None:
    for cached in (installed.entries, registry._load, registry.faults, registry.page, registry.page_faults):
        cached.cache_clear()
    registry.warn_once.cache_clear()


def plant(
    folder: Path,
    name: str,
    version: str,
    *,
    games: Mapping[str, str] | None = None,
    bots: Mapping[str, str] | None = None,
    modules: Mapping[str, str] | None = None,
) -> None:
    """Install a distribution: entry points by name, and files by their path in the folder."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    groups = {"kibitz.games": games or {}, "kibitz.bots": bots or {}}
    lines = [
        line for group, found in groups.items() for line in [f"[{group}]", *(f"{k} = {v}" for k, v in found.items())]
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for path, text in (modules or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
