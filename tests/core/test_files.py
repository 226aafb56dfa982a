"""Files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from kibitz.core.files import open_atomically, write_atomically


def test_a_file_is_there_when_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    write_atomically(path, "first é\n")
    with open_atomically(path) as file:
        file.write(b"second")
        assert path.read_text(encoding="utf-8") == "first é\n"
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_finished_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    write_atomically(path, "first")
    with pytest.raises(TypeError), open_atomically(path) as file:
        file.write(b"sec" + None)  # type: ignore[operator]  # what is to go wrong
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(NotADirectoryError):
        write_atomically(path / "below", "")
