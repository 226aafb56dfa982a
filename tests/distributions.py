"""Distributions written to a folder as pip would install them: metadata, entry points and modules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


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
