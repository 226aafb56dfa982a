"""Levels 1 to 5 play the same moves before their kernels are compiled, without importing numba."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.compiled import gear
from kibitz.compiled.jit import IS_PLAIN

MOVES = """
import json, sys
import kibitz
from kibitz.compiled import gear

LEVELS = range(1, 6)

def moves(name, plies):
    game, chosen = kibitz.game(name), {}
    for level in LEVELS:
        agent, state, chosen[str(level)] = kibitz.agent(game, f"level{level}"), game.start(), []
        for ply in range(plies):
            agent.reset(ply)
            chosen[str(level)].append(game.move_text(agent.choose(state.view(state.to_move)).move))
            for skip in (7 * ply, 3 * ply + 1):
                legal = state.legal_moves()
                state = state.play(legal[skip % len(legal)])
    return chosen
"""
PLAIN = """
gear.MAX_PLAIN_SECONDS = 1e9
print(json.dumps([moves(sys.argv[1], int(sys.argv[2])), "numba" in sys.modules]))
"""
PLIES = {"uttt": 12, "dots": 12, "battleline": 2, "go": 2}


@pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
@pytest.mark.parametrize("game", PLIES)
def test_plain_and_compiled_choose_alike(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", MOVES + PLAIN, game, str(PLIES[game])]
    environment = {**os.environ, "KIBITZ_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    plain, has_numba = json.loads(ran.stdout)
    assert not has_numba
    assert not list(tmp_path.rglob("*.o"))
    monkeypatch.setattr(gear, "MAX_PLAIN_SECONDS", 0.0)
    compiled: dict[str, object] = {}
    exec(MOVES, compiled)
    assert compiled["moves"](game, PLIES[game]) == plain  # type: ignore[operator]  # defined in MOVES
    assert ran.stderr == ""
