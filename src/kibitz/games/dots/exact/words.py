"""The workspace of the exact solver: one array of words, and where everything lies in it.

root.py fills it for a position, kernel.py searches in it. It is
one array because a search that calls itself runs faster with one argument than
with ten. Each thread has a workspace of its own; the table is shared.
"""

from __future__ import annotations

MOST = 63
"""The most strings of a core: one word of bits, without the sign."""
GROUND = 64
"""The number of the ground among the coins of a workspace."""
LENGTHS = 130
"""Chains and loops are shorter than this."""
IMAGES = 8
"""Hashes kept of a position: one for each symmetry of the board, some of them twice where there are fewer."""

ENDS = 0
"""[2*string + 0 or 1] the coins of a string"""
COIN_STRINGS = ENDS + 2 * 64
"""[coin] its strings as bits; none for the ground"""
HASHES = COIN_STRINGS + 65
"""[8*string + image] the hash of a string under each symmetry"""
TWINS = HASHES + IMAGES * 64
"""how many pairs of strings have the same ends, then for each pair its two bits and the bit of the later one"""
CHAINS = TWINS + 1 + 2 * 64
"""[length] how many isolated chains have this length"""
LOOPS = CHAINS + LENGTHS
"""[length] how many isolated loops have this length"""
CHAIN_KEYS = LOOPS + LENGTHS
"""[2*length + 0 or 1] what each isolated chain adds to the two words of a key"""
LOOP_KEYS = CHAIN_KEYS + 2 * LENGTHS
ISOLATED_KEY = LOOP_KEYS + 2 * LENGTHS
"""two words: what all isolated chains and loops add to a key"""
PLIES = MOST + LENGTHS + 2
"""The longest search: every ply cuts a string of the core or opens an isolated run, of which there is one a coin."""
TRAIL = ISOLATED_KEY + 2
"""[8*ply + image] the hashes of the core on each ply of the search"""
SCRATCH = TRAIL + IMAGES * PLIES
"""three stretches of LENGTHS: long chains, long loops, and a row of their values"""
FLAGS = SCRATCH + 3 * LENGTHS
"""which techniques are in use, see below"""
THREADS = FLAGS + 1
"""how many threads search together"""
NODES = THREADS + 1
"""positions looked at"""
LIMIT = NODES + 1
"""positions that may be looked at"""
DONE = LIMIT + 1
"""root moves of the test under way that are done"""
SIZE = DONE + 1

# The techniques, as bits of FLAGS. Each can be switched off to measure what it is worth.
TABLE = 1
"""remember bounds of positions"""
CORNERS = 2
"""of strings with the same ends, such as the two outer lines of a corner, try one"""
OPENERS = 4
"""one opening move for each chain, the middle string of two boxes"""
APART = 8
"""take isolated chains and loops out of the core, known by their lengths alone, and open only the shortest"""
FORMULA = 16
"""value a position of isolated chains and loops by its formula"""
PARITY = 32
"""a value has the parity of the boxes left"""
ALL = TABLE | CORNERS | OPENERS | APART | FORMULA | PARITY
