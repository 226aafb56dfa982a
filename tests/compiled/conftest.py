"""New processes without delay, for tests of the kernel cache: forks of one that has imported numba, but no kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Forked = Callable[..., list[Any]]

FORKS = """
import io, json, os, sys
from contextlib import redirect_stdout

import numba

import kibitz.compiled.compiler.bodies
import kibitz.compiled.jit
import kibitz.compiled.notice

numba.njit(lambda x: x)(1)  # what numba does only once
for line in sys.stdin:
    folder, words, times = json.loads(line)
    for _ in range(times):
        if os.fork() == 0:
            break
    else:
        for _ in range(times):
            if os.wait()[1]:
                print('"failed"', flush=True)
        continue
    os.chdir(folder)
    os.environ["KIBITZ_CACHE_DIR"] = os.path.join(folder, "cache")
    sys.path.insert(0, folder)
    sys.argv = ["-c", *words]
    with redirect_stdout(io.StringIO()) as printed:
        import planted.caller
    print(printed.getvalue(), end="", flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    """A function that runs planted.caller of a folder in new processes and returns the JSON that each printed."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, answers = process.stdin, process.stdout

        def run_forks(folder: Path, *args: str, times: int = 1) -> list[Any]:
            print(json.dumps([str(folder), args, times]), file=requests, flush=True)
            return [json.loads(answers.readline()) for _ in range(times)]

        yield run_forks
        requests.close()
