"""The compiled search: which games ever had the stones of a pattern, and when, if ever, all its points were right.

A guise is the pattern turned, mirrored or with its colours swapped; a placement is a guise with its top left corner on
a point. A placement is a hit at most once in a game, the first time that it fits.

Games are searched in blocks of 512. An index has a bit per game for each point and colour: whether such a stone was
ever there. What the stones of a placement have in common leaves only the candidates: games that may have it. For such
a game it is noted when each point first changed, and how. For most candidates that settles the matter: the pattern is
complete with its last stone, unless another point was taken before. If a point changed more than once, the points are
visited in turn, and each that is wrong moves the time on to when it is next right, until all are right or one never is
again.

Time is counted in steps. Step 0 is the position at the start, after any setup; each move begins a new step, and so does
each setup later in the game.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Int32Array, Int64Array, Ints
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.records.layout import NOT_A_MOVE, TAKEN, colour_of, point_of
from kibitz.games.go.records.search.guises import Guises
from kibitz.games.go.rules.board import BLACK, EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

WORDS, BITS = 8, 64
GAMES_PER_BLOCK = WORDS * BITS
"""The games of a block are the bits of eight words, a line of the cache."""
FOUND, NEXT, END, NEEDED = range(4)
"""The words of PatternSearch.counts: hits found, the next block to search, the block to stop at, and the room needed
for its hits if there was too little."""
COLOUR, SEVERAL, NO_MOVE, STEP_SHIFT = 3, 4, 8, 4
"""An event is the step of a change << STEP_SHIFT, with its colour, whether its point changes again (only for the first
event of a point), and whether it was anything but a move."""
NO_STEP, UNSURE = 1 << 24, -1
NEVER = NO_STEP << STEP_SHIFT
"""The event of a point that does not change (again): at a step beyond the end of any game."""
HITS, WINS, DECIDED, AT_ONCE = range(4)
"""The rows of Tallies.counts."""


class StoredGames(NamedTuple):
    """All games of a store, with the index."""

    changes: Ints  # uint16, see layout.py
    first: Ints  # int64 [game + 1]: where each game's changes begin; the last entry is where they end
    stones: Ints  # int64 [block, WORDS * (2 * point + colour - BLACK) + word]: bits of games that ever had this stone


class Histories(NamedTuple):
    """The changes of one game as events. int32."""

    first: Ints  # [point]: its first event, or NEVER
    later: Ints  # [i]: the second and later events of all points, in order
    points: Ints  # [i]: the points of `later`
    moves: Ints  # [step]: the number of moves made
    stones: Ints  # [step]: the number of stones on the board, or -1 after setup
    fitting: Ints  # [step]: the first candidate that fits, or -1


class Candidates(NamedTuple):
    """The placements to try in each game of a block. int32."""

    counts: Ints  # [game of the block]
    placements: Ints  # [game of the block, i]: guise << POINT_BITS | place
    common: Ints  # int64 [word]: the games that had all stones of a placement
    steps: Ints  # [i]: the steps at which the candidates of one game fit
    following: Ints  # [i]: the next one that fits at the same step, or -1


class HitColumns(NamedTuple):
    """Hits. Arrays [hit]."""

    game: Int32Array
    move: Int32Array  # number of moves played when the pattern first appeared
    guise: Int32Array
    place: Int32Array  # the point of the guise's top left corner


class Tallies(NamedTuple):
    """Figures of all hits. int64; a label is colour * cells + cell, as in the pattern."""

    labels: Ints  # [guise, colour * cells + cell]: the label of a move inside a guise
    winners: Ints  # uint8 [game]: 0 if there is none
    x_colours: Ints  # [guise]: the colour of X
    wanted: int  # the colour in the pattern that must move next, or EMPTY for any
    counts: Int64Array  # [figure, label]: hits that continued there; won by that player, or by either; played at once
    wins: Int64Array  # [2]: hits in games won by X, and by O


class PatternSearch(NamedTuple):
    """The pattern searched for, work space, and what was found."""

    guises: Guises
    candidates: Candidates
    histories: Histories
    hits: HitColumns
    tallies: Tallies
    counts: Int64Array  # FOUND, NEXT, END, NEEDED


class MoveRange(NamedTuple):
    """The range of moves after which a pattern counts."""

    low: int
    high: int


class GameSlice(NamedTuple):
    """A game: its number, the range of its steps to search, and how many later events it has."""

    number: int
    low: int
    high: int
    later: int


@entry
def index_stones(changes: Ints, first: Ints, stones: Ints) -> None:
    """Fill StoredGames.stones, which must be zeros."""
    for game in range(len(first) - 1):
        block, word, bit = game // GAMES_PER_BLOCK, game // BITS % WORDS, game % BITS
        for i in range(first[game], first[game + 1]):
            point, colour = point_of(changes[i]), colour_of(changes[i])
            if point != PASS and colour != EMPTY:
                stones[block, WORDS * (2 * point + colour - BLACK) + word] |= 1 << bit


@entry
def search_blocks(s: PatternSearch, games: StoredGames, chosen: Ints, limits: MoveRange) -> None:
    """Search the chosen games of the blocks from counts[NEXT] up to counts[END]. chosen: bits, int64 [block, word].

    Stop early if there may be too little room for the hits of a block.
    """
    while s.counts[NEXT] < s.counts[END]:
        block = s.counts[NEXT]
        s.counts[NEEDED] = _collect(s, games.stones, chosen, block)
        if s.counts[FOUND] + s.counts[NEEDED] > len(s.hits.game):
            return
        if s.counts[NEEDED]:
            for i in range(GAMES_PER_BLOCK):
                if s.candidates.counts[i]:
                    _search_game(s, games, GAMES_PER_BLOCK * block + i, s.candidates.counts[i], limits)
        s.counts[NEXT] += 1


@jit
def _collect(s: PatternSearch, stones: Ints, chosen: Ints, block: int) -> int:
    """Write the candidates of a block: placements whose stones were all there at some time; return their number."""
    g, found, common = s.guises, s.candidates, s.candidates.common
    total = 0
    for game in range(GAMES_PER_BLOCK):
        found.counts[game] = 0
    for guise in range(len(g.ranges)):
        for row in range(g.ranges[guise, 0], g.ranges[guise, 1] + 1):
            for col in range(g.ranges[guise, 2], g.ranges[guise, 3] + 1):
                place, i, some = row * g.size + col, 0, 0
                for word in range(WORDS):
                    common[word] = chosen[block, word]
                    some |= common[word]
                while i < g.stones and some:
                    stone = 2 * (place + g.offsets[guise, i]) + g.values[guise, i] - BLACK
                    i, some = i + 1, 0
                    for word in range(WORDS):
                        common[word] &= stones[block, WORDS * stone + word]
                        some |= common[word]
                if some:
                    total += _add_candidates(found, guise << POINT_BITS | place)
    return total


@jit
def _add_candidates(found: Candidates, placement: int) -> int:
    """Add a placement to the candidates of the games in `common`; return their number."""
    added = 0
    for word in range(WORDS):
        bits = found.common[word]
        while bits:
            game = BITS * word + lowest(bits)
            bits &= bits - 1
            found.placements[game, found.counts[game]] = placement
            found.counts[game] += 1
            added += 1
    return added


@jit
def _search_game(s: PatternSearch, games: StoredGames, number: int, candidates: int, limits: MoveRange) -> None:
    """Report the hits of a game among its candidates."""
    game = _write_histories(s, games, number, limits)
    if game.low > game.high:
        return
    tries, found = s.candidates, 0
    row, has_sequence = number % GAMES_PER_BLOCK, s.guises.sequence.shape[1] > 0
    for i in range(candidates):
        placement = tries.placements[row, i]
        guise, place = placement >> POINT_BITS, placement & PASS
        step = UNSURE if has_sequence else _only_fit(s, game, guise, place)
        if step == UNSURE:
            step = _first_fit(s, games, game, guise, place)
        if step != NO_STEP:
            tries.placements[row, found], tries.steps[found] = placement, step
            found += 1
    _report_in_order(s, games, game, found)


@jit
def _report_in_order(s: PatternSearch, games: StoredGames, game: GameSlice, found: int) -> None:
    """Report the first candidates of a game in the order of their steps."""
    tries, fitting, row = s.candidates, s.histories.fitting, game.number % GAMES_PER_BLOCK
    if found == 0:
        return
    for step in range(game.low, game.high + 1):
        fitting[step] = -1
    for i in range(found - 1, -1, -1):
        tries.following[i] = fitting[tries.steps[i]]
        fitting[tries.steps[i]] = i
    for step in range(game.low, game.high + 1):
        i = fitting[step]
        while i >= 0:
            placement = tries.placements[row, i]
            _report(s, games, game, placement >> POINT_BITS, placement & PASS, step)
            i = tries.following[i]


@jit
def _write_histories(s: PatternSearch, games: StoredGames, number: int, limits: MoveRange) -> GameSlice:
    """Write the events of a game, and return the range of steps at which the pattern may fit."""
    h, least, most = s.histories, s.guises.stones, s.guises.most_stones
    for point in range(len(h.first)):
        h.first[point] = NEVER
    step, move, later, is_in_setup, had_setup = 0, 0, 0, True, False
    on_board, first_enough, last_enough = 0, 0 if least == 0 else NO_STEP, 0  # stones; steps with a fitting number
    h.moves[0], h.stones[0] = 0, 0
    for i in range(games.first[number], games.first[number + 1]):
        change = int(games.changes[i])
        if change & SETUP:
            step += 0 if is_in_setup else 1
            is_in_setup = had_setup = True
        elif change & TAKEN == 0:
            step, move, is_in_setup = step + 1, move + 1, False
        h.moves[step] = move
        point, colour = point_of(change), colour_of(change)
        if point != PASS:
            on_board += 1 if colour != EMPTY else -1
            event = step << STEP_SHIFT | (NO_MOVE if change & NOT_A_MOVE else 0) | colour
            if h.first[point] == NEVER:
                h.first[point] = event
            else:
                h.first[point] |= SEVERAL
                h.later[later], h.points[later] = event, point
                later += 1
        h.stones[step] = -1 if had_setup else on_board
        if on_board >= least and first_enough == NO_STEP:
            first_enough = step
        if on_board <= most:
            last_enough = step
    low, high = (0, step) if had_setup else (first_enough, last_enough)
    while low <= high and h.moves[low] < limits.low:
        low += 1
    while high >= low and h.moves[high] > limits.high:
        high -= 1
    return GameSlice(number, low, high, later)


@jit
def _only_fit(s: PatternSearch, game: GameSlice, guise: int, place: int) -> int:
    """Return the first step at which a candidate fits, NO_STEP, or UNSURE if points that changed again matter.

    It cannot fit before all points with stones have changed, nor after a point that never changes again got wrong.
    """
    first, g, step, several = s.histories.first, s.guises, game.low, 0
    for i in range(g.stones):
        event = first[place + g.offsets[guise, i]]
        step = max(step, event >> STEP_SHIFT)
        several |= event
    if step > game.high:
        return NO_STEP
    if g.most_stones == g.stones == s.histories.stones[step] and several & SEVERAL == 0:
        return step  # a whole board without other stones
    for i in range(g.stones, g.constrained):
        event = first[place + g.offsets[guise, i]]
        if event >> STEP_SHIFT <= step:
            if event & SEVERAL == 0 and (event & COLOUR ^ g.values[guise, i]) & g.masks[guise, i]:
                return NO_STEP
            several |= event
    return UNSURE if several & SEVERAL else step


@jit
def _first_fit(s: PatternSearch, games: StoredGames, game: GameSlice, guise: int, place: int) -> int:
    """Return the first step at which a placement fits and its moves were played in order, or NO_STEP."""
    h, g = s.histories, s.guises
    step, i, right = game.low, 0, 0  # how many points in a row are right at this step
    while step <= game.high:
        if right == g.constrained:
            if g.sequence.shape[1] == 0 or _ends_sequence(s, games, game, guise, place, step):
                return step
            step, right = _next_change(s, game, guise, place, step), 0
            continue
        point, mask, value = place + g.offsets[guise, i], g.masks[guise, i], g.values[guise, i]
        event, at, colour = int(h.first[point]), 0, EMPTY
        while event >> STEP_SHIFT <= step:
            colour = event & COLOUR
            event, at = _event_after(h, game, point, event, at)
        if (colour ^ value) & mask == 0:
            i, right = i + 1 if i + 1 < g.constrained else 0, right + 1
            continue
        while event != NEVER and (event & COLOUR ^ value) & mask:
            event, at = _event_after(h, game, point, event, at)
        step, right = event >> STEP_SHIFT, 0
    return NO_STEP


@jit
def _event_after(h: Histories, game: GameSlice, point: int, event: int, at: int) -> tuple[int, int]:
    """Return the event of a point after this one, or NEVER, and where in `later` to go on. at: 0 after the first."""
    if at > 0 or event & SEVERAL:
        while at < game.later:
            at += 1
            if h.points[at - 1] == point:
                return int(h.later[at - 1]), at
    return NEVER, at


@jit
def _next_change(s: PatternSearch, game: GameSlice, guise: int, place: int, step: int) -> int:
    """Return the next step at which a point of a placement changes, or NO_STEP."""
    h, found = s.histories, NO_STEP
    for i in range(s.guises.offsets.shape[1]):
        point = place + s.guises.offsets[guise, i]
        event, at = int(h.first[point]), 0
        while event >> STEP_SHIFT <= step:
            event, at = _event_after(h, game, point, event, at)
        found = min(found, event >> STEP_SHIFT)
    return found


@jit
def _next_inside(s: PatternSearch, game: GameSlice, guise: int, place: int, step: int) -> tuple[int, int]:
    """Return the event of the next move inside a placement, or NEVER, and its cell."""
    h, g, found, cell = s.histories, s.guises, NEVER, 0
    for i in range(g.offsets.shape[1]):
        point = place + g.offsets[guise, i]
        event, at = int(h.first[point]), 0
        while event != NEVER and (event >> STEP_SHIFT <= step or event & NO_MOVE):
            event, at = _event_after(h, game, point, event, at)
        if event < found:
            found, cell = event, int(g.cells[guise, i])
    return found, cell


@jit
def _next_anywhere(games: StoredGames, number: int, step: int) -> tuple[int, int]:
    """Return what _next_inside does for the whole board."""
    last = _last_change(games, number, step)
    for i in range(last + 1, games.first[number + 1]):
        change = int(games.changes[i])
        if change & NOT_A_MOVE == 0 and point_of(change) != PASS:
            # only whether the move was the next one matters
            return (step + 1 if i == last + 1 else step + 2) << STEP_SHIFT | colour_of(change), point_of(change)
    return NEVER, 0


@jit
def _report(s: PatternSearch, games: StoredGames, game: GameSlice, guise: int, place: int, step: int) -> None:
    """Add a hit and count its continuation, unless that must have another colour.

    The continuation is the next move inside the placement, whatever is played elsewhere before it.
    """
    h, g, t = s.histories, s.guises, s.tallies
    cells = g.offsets.shape[1]
    if cells == g.size * g.size:
        then, cell = _next_anywhere(games, game.number, step)
    else:
        then, cell = _next_inside(s, game, guise, place, step)
    colour, winner = then & COLOUR, int(t.winners[game.number])
    label = t.labels[guise, colour * cells + cell]
    if t.wanted != EMPTY and (then == NEVER or label // cells != t.wanted):
        return
    if then != NEVER:
        t.counts[HITS, label] += 1
        t.counts[WINS, label] += 1 if winner == colour else 0
        t.counts[DECIDED, label] += 1 if winner else 0
        t.counts[AT_ONCE, label] += 1 if then >> STEP_SHIFT == step + 1 else 0
    if winner:
        t.wins[0 if winner == t.x_colours[guise] else 1] += 1
    hits, n = s.hits, s.counts[FOUND]
    hits.game[n], hits.move[n], hits.guise[n], hits.place[n] = game.number, h.moves[step], guise, place
    s.counts[FOUND] = n + 1


@jit
def _ends_sequence(s: PatternSearch, games: StoredGames, game: GameSlice, guise: int, place: int, step: int) -> bool:
    """Return whether the last moves inside a placement, up to a step, are its numbered moves, in order."""
    g, start = s.guises, games.first[game.number]
    height, width = g.shapes[guise, 0], g.shapes[guise, 1]
    top, left = place // g.size, place % g.size
    back, wanted = _last_change(games, game.number, step), 0
    while wanted < g.sequence.shape[1]:
        if back < start:
            return False
        change = int(games.changes[back])
        back -= 1
        point = point_of(change)
        down, across = point // g.size - top, point % g.size - left
        is_inside = point != PASS and 0 <= down < height and 0 <= across < width
        if is_inside and change & TAKEN == 0:
            if change & SETUP or 4 * (down * width + across) + colour_of(change) != g.sequence[guise, wanted]:
                return False
            wanted += 1
    return True


@jit
def _last_change(games: StoredGames, number: int, step: int) -> int:
    """Return the index of the last change of a step, or of the one before the game's first if it has none."""
    at, is_in_setup = 0, True
    for i in range(games.first[number], games.first[number + 1]):
        change = int(games.changes[i])
        if change & SETUP:
            at += 0 if is_in_setup else 1
            is_in_setup = True
        elif change & TAKEN == 0:
            at, is_in_setup = at + 1, False
        if at > step:
            return i - 1
    return int(games.first[number + 1]) - 1
