"""Coverage-guided fuzzing of everything that reads what others wrote: files, lines, messages, options.

    pip install atheris
    python -m tools.fuzz TARGET [--minutes 10] [--seed 1] [--findings DIR]
    python -m tools.fuzz TARGET --again DIR/NAME.input

What kibitz itself writes is mutated, in its bytes or in the values of its JSON, and given to
a target; the coverage of kibitz's own Python code tells which inputs lead somewhere new. To
refuse with a KibitzError is right. Any other exception, an answer that takes more than 2 seconds
twice, more than 256 MB for one input, or memory that grows by 200 MB after the first quarter
of the run, is a finding: its input and traceback are saved, each place once, and the run goes
on. Exits with 1 if there is any. Ctrl-C ends the run early. A crash of the interpreter leaves
its input as crash-* in the folder.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.fuzz.inputs import Target

SLOW = 2.0
"""Seconds that an input may take."""
LARGE, GROWN = 256.0, 200.0
"""MB that one input may take, and by which the process may grow after the first quarter of a run."""
LONGEST = 8192
"""Bytes of an input."""
ODD: list[Any] = [
    None, True, -1, 0, 1, 1.0, 1.5, 1e308, 10**400, 2**63, "", "x", "nan", "9" * 5000, [], [[]], {}, {"a": 1},
]  # fmt: skip
"""What no value of a JSON text should be."""
SHOWN = 15.0
"""Seconds between two lines of progress."""
KIBITZ = Path(__file__).parents[2] / "src" / "kibitz"


TARGETS = {
    "sgf": "tools.fuzz.files",  # records of Go, archives of them; what is read is written and read again
    "positions": "tools.fuzz.files",  # positions of every game, and every notation
    "moves": "tools.fuzz.files",  # moves of every game in random positions
    "records": "tools.fuzz.files",  # game records, tournaments on disk, tables that the page has kept
    "options": "tools.fuzz.files",  # specs of agents, options of games, temperature functions, patterns, filters
    "protocol": "tools.fuzz.talk",  # kibitz engine, answers of exec: bots, both sides of CodinGame's protocol
    "gtp": "tools.fuzz.talk",  # kibitz go gtp, and answers of gtp: bots
    "socket": "tools.fuzz.talk",  # the page's websocket, bodies and addresses of its requests
}
"""Target -> the module with a function of this name, which makes its first inputs and what they are given to."""


class Slow(BaseException):
    """Report an input that takes too long; no `except Exception` may swallow it."""


def compiled_modules() -> list[str]:
    """Return the modules with kernels, whose byte code must stay as it is: numba compiles it."""
    found = []
    for path in KIBITZ.rglob("*.py"):
        if path.parent.name == "compiled" or re.search(r"^@(jit|entry|inlined)", path.read_text("utf-8"), re.MULTILINE):
            found.append(".".join(path.relative_to(KIBITZ.parent).with_suffix("").parts))
    return found


def memory() -> float:
    """Return the memory in use, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Slow in here after some seconds."""

    def raise_slow(number: int, frame: FrameType | None) -> None:
        raise Slow(f"more than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, raise_slow)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Run:
    """One run of a target: what was done so far, and what was found."""

    def __init__(self, name: str, attack: Callable[[bytes], None], seconds: float, folder: Path) -> None:
        self.name, self.attack, self.folder = name, attack, folder
        self.began = self.shown = time.monotonic()
        self.seconds = seconds
        self.executions = 0
        self.grown_from: float | None = None
        """The memory after the first quarter."""
        self.found: dict[str, str] = {}
        """By place: what was found."""
        self.stopped = False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """End the run with the next input."""
        self.stopped = True

    def one(self, data: bytes) -> None:
        """Try one input; end the process when the time is over."""
        before = memory()
        self.try_input(data)
        self.executions += 1
        taken = memory() - before
        if taken > LARGE:
            self.note("memory", f"{taken:.0f} MB for one input", data, "")
        now = time.monotonic()
        if self.grown_from is None and now - self.began > self.seconds / 4:
            self.grown_from = memory()
        if now - self.shown > SHOWN:
            self.shown = now
            print(f"  {self.words()}", flush=True)
        if self.stopped or now - self.began > self.seconds:
            self.end()

    def try_input(self, data: bytes, again: bool = False) -> None:
        """Give an input to the target, and note what it does wrong. One that is slow gets a second chance."""
        try:
            with limited(SLOW):
                self.attack(data)
        except Slow as slow:
            if not again:
                return self.try_input(data, again=True)
            self.note(_place(slow), f"slow: {slow}", data, traceback.format_exc())
        except Exception as fault:
            self.note(_place(fault), f"{type(fault).__name__}: {fault}", data, traceback.format_exc())

    def note(self, place: str, what: str, data: bytes, trace: str) -> None:
        """Keep a finding, the first of its place."""
        if place in self.found:
            return
        self.found[place] = what
        name = f"{self.name}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
        (self.folder / f"{name}.input").write_bytes(data)
        (self.folder / f"{name}.txt").write_text(f"{place}\n{what}\n\n{trace}", "utf-8", "backslashreplace")
        print(f"  found at {place}: {ascii(what)[:200]} ({name})", flush=True)

    def words(self) -> str:
        """Return how it stands."""
        spent = time.monotonic() - self.began
        told = re.findall(r"cov: (\d+)", (self.folder / "log").read_text("utf-8", "replace"))
        covered = f", {int(told[-1]):,} edges covered" if told else ""
        speed = f"{self.executions / spent:,.0f} a second"
        return (
            f"{self.name}: {self.executions:,} executions in {spent / 60:.1f} minutes ({speed}){covered}, "
            f"{memory():.0f} MB, {len(self.found)} findings"
        )

    def end(self) -> None:
        """Tell everything and end the process, which the fuzzer would never do by itself."""
        if self.grown_from is not None and memory() - self.grown_from > GROWN:
            self.note("memory in all", f"grew from {self.grown_from:.0f} to {memory():.0f} MB", b"", "")
        print(self.words())
        for place, what in self.found.items():
            print(f"  {place}: {ascii(what)[:200]}")
        if self.found:
            print(f"Inputs and tracebacks are in {self.folder}.")
        sys.stdout.flush()
        clean_up()
        os._exit(1 if self.found else 0)


def _place(fault: BaseException) -> str:
    """Return the kind of a fault and the line of kibitz, or of the target, that it came from."""
    frames = traceback.extract_tb(fault.__traceback__)
    ours = [frame for frame in frames if re.search(r"kibitz/|fuzz_files|fuzz_talk", frame.filename)]
    last = ours[-1] if ours else frames[-1]
    return f"{type(fault).__name__} {Path(last.filename).name}:{last.lineno}"


def load(name: str) -> Target:
    """Return the first inputs of a target, and what an input is given to."""
    made: Target = getattr(importlib.import_module(TARGETS[name]), name)()
    return made


def clean_up() -> None:
    """Remove the files of the inputs."""
    from tools.fuzz.inputs import FOLDER

    shutil.rmtree(FOLDER, ignore_errors=True)


def mutate_json(data: bytes, rng: random.Random) -> bytes | None:
    """Return an input in which a value of some JSON text is another, or gone; None if there is no such text."""
    start = max(data.find(b"{"), 0)
    lines = data[start:].split(b"\n") if rng.random() < 0.7 else [data[start:]]
    at = rng.randrange(len(lines))
    try:
        inside = raw = json.loads(lines[at])
    except (ValueError, RecursionError):
        return None
    while isinstance(inside, dict | list) and inside:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        key, holder = rng.choice(keys), inside
        inside = holder[key]
        if not isinstance(inside, dict | list) or not inside or rng.random() < 0.3:
            if rng.random() < 0.1:
                del holder[key]
            else:
                holder[key] = rng.choice(ODD)
            break
    lines[at] = json.dumps(raw).encode()
    return data[:start] + b"\n".join(lines)


def write_corpus(folder: Path, seeds: list[bytes]) -> list[str]:
    """Write the first inputs, and the words in them for the fuzzer to put elsewhere; return its arguments for both."""
    corpus, words = folder / "corpus", folder / "words"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / f"{number:04d}").write_bytes(seed[:LONGEST])
    known = sorted({word for seed in seeds for word in re.findall(rb"[A-Za-z_][\w-]{1,24}", seed)})[:2000]
    words.write_text("".join(f'"{word.decode()}"\n' for word in known))
    return [str(corpus), f"-dict={words}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, help="where findings go, instead of a new folder")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only try this input, and show what it raises")
    given = parser.parse_args()
    if given.again:
        try:
            load(given.target)[1](given.again.read_bytes())
        finally:
            clean_up()
        return
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        sys.exit("This needs atheris: pip install atheris")
    folder = given.findings or Path(tempfile.mkdtemp(prefix=f"kibitz-fuzz-{given.target}-"))
    folder.mkdir(parents=True, exist_ok=True)
    fuzz(atheris, given.target, given.minutes, given.seed, folder)


def fuzz(atheris: Any, name: str, minutes: float, seed: int, folder: Path) -> None:
    """Fuzz a target until the time is over or somebody stops it."""
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    errors = os.dup(2)
    os.dup2(log, 2)  # the fuzzer's own words, and what servers log
    try:
        with atheris.instrument_imports(include=["kibitz"], exclude=compiled_modules()):
            seeds, attack = load(name)
            for data in seeds:  # all is imported and compiled before anything is timed
                attack(data)
    except BaseException:
        os.dup2(errors, 2)
        raise
    shutil.rmtree(folder / "corpus", ignore_errors=True)
    arguments = write_corpus(folder, seeds)
    run = Run(name, attack, 60 * minutes, folder)
    signal.signal(signal.SIGINT, run.stop)
    print(f"{name}: {len(seeds)} inputs to begin with, {minutes:g} minutes, seed {seed}; log in {folder}", flush=True)
    options = [f"-seed={seed}", f"-max_len={LONGEST}", f"-artifact_prefix={folder}/", "-timeout=0", "-rss_limit_mb=0"]

    def mutate(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        mutated = mutate_json(data, rng) if rng.random() < 0.5 else None
        return mutated[:most] if mutated is not None else atheris.Mutate(data, most)

    atheris.Setup([sys.argv[0], *options, *arguments], run.one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
