"""Build a wheel that carries compiled kernels, so that nothing is compiled after it is installed.

python -m tools.make.wheel [--out DIR]     x86-64 Linux only; about five minutes

Every kernel that playing, analysing, predicting, vectorised play, and searching and mining records use is compiled once
for each processor of kibitz.compiled.objects.SHIPPED_CPUS, in a process of its own, by doing these things.
The build hook, tools/make/wheel_hook.py, puts the object files into the wheel and gives it its platform tag.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kibitz.compiled.objects import SHIPPED_CPUS
from tools.make.wheel_hook import FOLDER

ROOT = Path(__file__).parents[2]
WORK = """
import sys

from kibitz.compiled import gear, objects

objects.host = lambda: sys.argv[1]  # named as shipped kernels are
objects.shipped_file = lambda *_: None
gear.MAX_PLAIN_SECONDS = 0.0

import kibitz
from kibitz.cli.extend import WARMUP
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.search.agents import agent_table, make_agent

SHORT = Budget(seconds=0.3)

for name in ("battleline", "dots", "go", "uttt"):
    game = kibitz.game(name)
    table = agent_table(name)
    for spec in dict.fromkeys((*table.entries, table.analyst, *table.warmup)):
        agent, state = make_agent(game, spec), game.start()
        agent.prepare()
        for ply in range(3):
            agent.choose(state.view(state.to_move), SHORT)
            state = state.play(state.legal_moves()[ply])
        agent.close()
    for work in (registry.package(name).get(WARMUP) or {}).values():
        work()
    games = kibitz.vector.make(name, n=2)
    games.reset()
    games.step(games.sample())
print(len(list((objects.cache_root() / "objects").glob("*.o"))), "kernels for", sys.argv[1])
"""


def main() -> None:
    """Compile the kernels, and build the wheel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel; default: dist")
    given = parser.parse_args()
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        sys.exit("Kernels are shipped for x86-64 Linux only; pip wheel . builds a wheel without them.")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        shipped = Path(scratch) / "shipped"
        for cpu in SHIPPED_CPUS:
            cache = Path(scratch) / f"cache-{cpu}"
            flags = {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": "", "KIBITZ_CACHE_DIR": str(cache)}
            subprocess.run([sys.executable, "-c", WORK, cpu], env={**os.environ, **flags}, check=True)
            folder = shipped / f"{sys.platform}-{cpu}"
            folder.mkdir(parents=True)
            for kernel in (cache / "objects").glob("*.o"):
                kernel.rename(folder / kernel.name)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(given.out)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, FOLDER: str(shipped)}, check=True)
    print(f"Built in {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()
