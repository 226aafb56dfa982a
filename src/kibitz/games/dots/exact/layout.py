"""The workspace of the exact solver: one array of words, and the offset of everything in it.

root.py fills it for a position, kernel.py searches in it; runs_kernel.py has accessors for the data of a string, a
coin or a run. It is one array because a recursive search runs faster with one argument than with ten. Each thread has
a workspace of its own; the table is shared. Imports nothing, so that it can be used without numba.
"""

from __future__ import annotations

MAX_CORE_STRINGS = 63  # maximum number of strings of a core: one word of bits, without the sign
GROUND = 64  # the number of the ground among the coins of a workspace
LENGTH_LIMIT = 130  # every chain and loop is shorter than this
IMAGES = 8  # hashes of each position: one for each symmetry of the board, some of them twice where there are fewer

ENDS = 0  # [2*string + 0 or 1] the coins of a string
COIN_STRINGS = ENDS + 2 * 64  # [coin] its strings as bits; none for the ground
HASHES = COIN_STRINGS + 65  # [8*string + image] the hash of a string under each symmetry
TWINS = HASHES + IMAGES * 64  # number of pairs of strings with the same ends; of each, both bits and the later bit
CHAINS = TWINS + 1 + 2 * 64  # [length] how many isolated chains have this length
LOOPS = CHAINS + LENGTH_LIMIT  # [length] how many isolated loops have this length
CHAIN_KEYS = LOOPS + LENGTH_LIMIT  # [2*length + 0 or 1] two words that each isolated chain adds to a position's key
LOOP_KEYS = CHAIN_KEYS + 2 * LENGTH_LIMIT  # the same for loops
ISOLATED_KEY = LOOP_KEYS + 2 * LENGTH_LIMIT  # two words: the sum of the keys of all isolated chains and loops
MAX_PLIES = MAX_CORE_STRINGS + LENGTH_LIMIT + 2  # a ply cuts a string of the core or opens one of the isolated runs
PLY_HASHES = ISOLATED_KEY + 2  # [8*ply + image] the hashes of the core on each ply of the search
LONG_CHAINS = PLY_HASHES + IMAGES * MAX_PLIES  # [i] the lengths of the long isolated chains; see endgame_value()
LONG_LOOPS = LONG_CHAINS + LENGTH_LIMIT  # [i] the lengths of the long isolated loops, ascending; see endgame_value()
ENDGAME_VALUES = LONG_LOOPS + LENGTH_LIMIT  # [i] scratch; see endgame_value()
FLAGS = ENDGAME_VALUES + LENGTH_LIMIT  # the techniques in use, see below
THREADS = FLAGS + 1  # the number of threads that search together
NODES = THREADS + 1  # positions searched
NODE_LIMIT = NODES + 1  # positions that may be searched
ROOT_MOVES_DONE = NODE_LIMIT + 1  # root moves finished in the current test
WORKSPACE_LENGTH = ROOT_MOVES_DONE + 1  # the length of a workspace

# The techniques, as bits of FLAGS. Each can be switched off to measure its effect.
TABLE = 1  # remember bounds of positions
CORNERS = 2  # try only one of several strings with the same ends, such as the two outer lines of a corner
OPENERS = 4  # try one opening move per chain; in a chain of two boxes, the middle string
ISOLATE = 8  # remove isolated chains and loops from the core, keep only their lengths, and open only the shortest
FORMULA = 16  # value a position of isolated chains and loops by its formula
PARITY = 32  # a value has the parity of the boxes left
ALL = TABLE | CORNERS | OPENERS | ISOLATE | FORMULA | PARITY
