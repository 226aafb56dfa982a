"""Plays in kernels: the functions of record.py, compiled into whatever calls them."""

from __future__ import annotations

from kibitz.compiled.jit import inlined
from kibitz.games.go.sgf import record

move_of, setup_of = inlined(record.move_of), inlined(record.setup_of)
point_of, colour_of = inlined(record.point_of), inlined(record.colour_of)
is_pass, is_setup = inlined(record.is_pass), inlined(record.is_setup)
