"""The command line run inside the test process, without starting another one."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.cli import main


def run_bytes(*args: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `kibitz ARGS` with input, and return its exit status and output."""
    words = [str(word) for word in args]
    streams = {"stdin": io.BytesIO(given), "stdout": io.BytesIO(), "stderr": io.BytesIO()}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FORCE_COLOR", "COLUMNS"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "argv", ["kibitz", *words])
        for name, raw in streams.items():
            patch.setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", write_through=True))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = {name: raw.getvalue() for name, raw in streams.items()}  # before the streams are closed
    code = ended.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(words, code, printed["stdout"], printed["stderr"])


def run(*args: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run `kibitz ARGS` as run_bytes does, with text instead of bytes."""
    ran = run_bytes(*args, given=given.encode())
    return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
