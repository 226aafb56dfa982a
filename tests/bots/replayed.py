"""Recorded dialogues with outside programs, replayed by a small process of their own.

A dialogue is a text: lines that the program was sent begin with "> ", lines that it answered with "< ". The process
answers as recorded, as soon as it is sent what the program was sent, and ends with an error at anything else.
"""

from __future__ import annotations

from pathlib import Path

from bots.programs import write_script

_REPLAY = """
import json

def same(heard, wanted):
    try:
        return json.loads(heard) == json.loads(wanted)
    except ValueError:
        return heard == wanted

for line in LINES:
    kind, text = line[:1], line[2:]
    if kind == "<":
        say(text)
    elif kind == ">":
        heard = sys.stdin.readline().rstrip("\\n")
        note("heard", heard)
        if not same(heard, text):
            sys.exit(f"Heard {heard!r}, not {text!r}") if heard != "quit" else sys.exit(0)
sys.stdin.read()
"""


def replayed(folder: Path, dialogue: str) -> str:
    """Write a program that replays a dialogue, and return its command line."""
    lines = [line for line in dialogue.splitlines() if line[:2] in ("> ", "< ", "<", ">")]
    return write_script(folder, f"LINES = {lines!r}\n{_REPLAY}")
