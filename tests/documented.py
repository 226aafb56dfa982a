"""The fenced blocks of README.md, SECURITY.md and docs/, and how to run the commands in them.

A comment before a block is a directive:
<!-- not run: REASON -->   only parse its commands
<!-- run with: OPTIONS --> append these options to its commands; they override earlier ones
<!-- file: NAME -->        the block is the text of this file, which later blocks of the page use
"""

from __future__ import annotations

import argparse
import io
import lzma
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest
import typer

from games.go.go_games import FEW_GAMES, mined_few_games
from inside import run
from kibitz.arena import cluster, runner
from kibitz.core.errors import KibitzError

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- (?P<directive>not run|run with|file): (?P<argument>.+?) -->\n\s*)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
FOLDERS = ("bench", "deploy", "docs", "docsite", "examples", "src", "tests", "tools")
NAMED = re.compile(
    rf"`((?:{'|'.join(FOLDERS)})/[^`\s]*|[\w/-]+\.py|[a-z][\w.-]*/[\w/-]+\.(?:css|js|json|md|svg|toml))`", re.ASCII
)
"""The name of a file or folder of the repository, possibly without its parent folders: `search/baseline.py`."""
DURATION = re.compile(r"\b\d[\d.,]* (?:s|ms|µs)\b")
FEW = ["--store", "few"]
FIRST_GAME = FEW_GAMES.read_text(encoding="utf-8").partition("\n")[0].split(";")[:172]
"""The first of the games, with its 170 moves before a misprint."""
SMALL = {
    "analyse": ["--time", "0.02"],
    "arena run": ["--games", "2", "--jobs", "1", "--time", "0.002"],
    "arena sprt": ["--games", "4", "--jobs", "1", "--nodes", "500", "--openings", "2"],
    **{f"go {name}": FEW for name in ("clusters", "match", "mine", "patterns", "preset", "sql", "templates")},
    "play": ["--time", "0.002"],
    "review": ["--nodes", "100"],
    "serve": ["--show-config"],
    "uttt perft": ["--depth", "3"],
    "uttt stats": ["--games", "500", "--strong", "1", "--nodes", "500"],
    "uttt temperature": ["--games", "1", "--jobs", "1"],
}
"""Command -> options that make it short, if the page does not show its output."""
PATIENT = {"analyse": ["--time", "600"]}
"""Command -> options that let a busy machine print what a page shows, which is solved long before."""


@dataclass(frozen=True)
class Block:
    """A fenced block, with its directive."""

    page: Path
    line: int
    language: str
    code: str
    directive: str
    argument: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command, and the output that the page shows; "..." stands for omitted lines."""

    words: list[str]
    shown: list[str]

    @property
    def given(self) -> str:
        """The input that is typed while it runs."""
        return "".join(f"{line[2:]}\n" for line in self.shown if line.startswith("> "))


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start("code")), match["language"], textwrap.dedent(match["code"]),
              match["directive"] or "", match["argument"] or "")
        for match in BLOCK.finditer(text)
    ]  # fmt: skip


def named_files(page: Path) -> list[str]:
    """Return the files and folders of the repository that a page names, except placeholders and files it creates."""
    made = {block.argument for block in blocks(page) if block.directive == "file"}
    names: list[str] = NAMED.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return [name.rstrip("/") for name in names if "NAME" not in name and name not in made]


def ends_of_paths() -> set[str]:
    """Return every suffix of the path of every file and folder of the repository: a/b.py and b.py."""
    paths = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return {*FOLDERS, *("/".join(path.parts[start:]) for path in paths for start in range(len(path.parts)))}


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block: all its lines, or those after a $, with the output that follows each."""
    lines = block.code.replace("\\\n", " ").splitlines()
    marked = lines[0].startswith("$ ")
    words, shown = list[str](), list[str]()
    for line in lines:
        if not marked or line.startswith("$ "):
            if words:
                yield Command(words, shown)
            words, shown = shlex.split(line.removeprefix("$ "), comments=True), []
        else:
            shown.append(line)
    if words:
        yield Command(words, shown)


def execute(command: Command, more: list[str], patch: pytest.MonkeyPatch) -> str:
    """Run a command, kibitz itself in this process, and return what it printed."""
    words = list(command.words)
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        patch.setenv(*words.pop(0).split("=", 1))
    words = [re.sub("^~(?=/)", os.environ["HOME"], word) for word in words]
    if words[0] == "kibitz" and words[1:3] != ["go", "gtp"]:  # which needs a standard input of its own
        line, limits = " ".join(words[1:]) + " ", PATIENT if command.shown else SMALL
        more = [*next((found for name, found in limits.items() if line.startswith(f"{name} ")), []), *more]
        patch.setattr(cluster, "local_executor", threads)
        ran = run(*words[1:], *more, given=command.given)
    elif words[:2] == ["python", "-m"]:
        return run_module(words[2], [*words[3:], *more], patch)
    else:
        assert words[0] in ("kibitz", "python", "python3"), f"{words[0]} is not run here: say why"
        ran = subprocess.run([*words, *more], input=command.given, capture_output=True, text=True)
    assert ran.returncode == 0 or command.shown, f"{shlex.join(words)}: {ran.stderr or ran.stdout}"
    return ran.stdout


@contextmanager
def threads(jobs: int, quiet: bool = False) -> Iterator[Executor]:
    """Yield an executor in this process: worker processes would have to import everything first."""
    with ThreadPoolExecutor(jobs) as pool:
        yield pool
    while runner._open:  # agents that would end with their process
        runner._open.popitem()[1].close()


def run_module(module: str, words: list[str], patch: pytest.MonkeyPatch) -> str:
    """Run `python -m MODULE WORDS` in this process and return what it printed."""
    patch.delitem(sys.modules, module, raising=False)  # it runs as another one, __main__
    patch.setattr(sys, "argv", [module, *words])
    with redirect_stdout(io.StringIO()) as printed:
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"it ended with {ended.code}") from None
    return printed.getvalue()


def check_shown(shown: list[str], printed: str) -> None:
    """Assert that a page shows what was printed, apart from blank lines, trailing blanks and durations."""
    if any(line.startswith(("> ", "< ")) for line in shown):
        shown = [line[2:] for line in shown if line.startswith("< ")]
    wanted = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in _plain(shown))
    assert re.fullmatch(wanted, "".join(f"{line}\n" for line in _plain(printed.splitlines()))), f"it printed\n{printed}"


def _plain(lines: list[str]) -> list[str]:
    return [DURATION.sub("TIME", line.rstrip()) for line in lines if line.strip()]


class Parsed(Exception):
    """A program has parsed its arguments."""


def parse(command: Command, patch: pytest.MonkeyPatch) -> None:
    """Assert that a program of ours accepts its arguments, without running it."""
    words = [word for word in command.words if not re.fullmatch(r"[A-Z_]+=.*", word)]
    if words[0] == "kibitz":
        parse_kibitz(words[1:])
    elif words[:2] == ["python", "-m"]:
        parse_module(words[2], words[3:], patch)
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no target {words[1]}"


def parse_kibitz(words: list[str]) -> None:
    from kibitz.cli.app import app

    command: Any = typer.main.get_command(app)
    context = command.make_context("kibitz", list(words))
    while hasattr(command, "get_command"):
        command, words = command.get_command(context, words[0]), words[1:]
        assert command is not None, "there is no such command"
        # with its parent, from which it inherits -h: commands remember their help option, and tests share them
        context = command.make_context(command.name, list(words), parent=context)


def parse_module(module: str, words: list[str], patch: pytest.MonkeyPatch) -> None:
    known = argparse.ArgumentParser.parse_args

    def parse_args(parser: argparse.ArgumentParser) -> NoReturn:
        known(parser)
        raise Parsed

    patch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
    patch.delitem(sys.modules, module, raising=False)
    patch.setattr(sys, "argv", [module, *words])
    try:
        runpy.run_module(module, run_name="__main__")
    except Parsed:
        return
    except KibitzError as error:
        if "pip install" in str(error):  # it looks for an extra before its arguments
            return
    pytest.fail(f"{module} reads no arguments")


def furnish(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Fill a folder with what the pages assume: records, bots, kibitz on the path, a home."""
    programs = folder / "bin"
    programs.mkdir()
    for name, start in (("python", ""), ("python3", ""), ("kibitz", "-m kibitz")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {start} "$@"\n')
        (programs / name).chmod(0o755)
    patch.setenv("PATH", str(programs), prepend=":")
    patch.setenv("HOME", str(folder))
    patch.setenv("KIBITZ_DATA_DIR", str(folder / "data"))
    patch.chdir(folder)
    for name in ("docs", "bench", "tools"):
        (folder / name).symlink_to(ROOT / name)
    records = FEW_GAMES.read_bytes()
    (folder / "game.sgf").write_text(";".join(FIRST_GAME) + ")")
    (folder / "pro.sgf.xz").write_bytes(lzma.compress(records, preset=0))
    shutil.copytree(mined_few_games().folder, folder / "few")
    for name in ("games", "my_games"):
        (folder / name).mkdir()
        (folder / name / "games.sgf").write_bytes(records)
    for name in ("games", "kgs"):
        shutil.make_archive(name, "zip", folder / "games")
    for name in ("mybot", "mybot-old"):
        (folder / name).write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} docs/example_bot.py\n")
        (folder / name).chmod(0o755)
