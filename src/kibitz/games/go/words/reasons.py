"""What a move of Go does, in a player's words: captures, saves, atari, ladders, cuts, life and death, openings.

A statement is made only if the rules, or reading that goes through every answer, prove it; what is unclear is left
out. Nothing here judges whether the move is good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from kibitz.core.game import Move
from kibitz.games.go.rules import Board, Colour, GoState, Point, other
from kibitz.games.go.words.bits import Field, Mask, Stones, stones_of
from kibitz.games.go.words.corners import SIZE, corners_at_hand
from kibitz.games.go.words.groups import connected, cut_apart, groups_of
from kibitz.games.go.words.ladders import MIN_LADDER_PLIES, LadderReading, is_netted, read_attack, read_defence
from kibitz.games.go.words.life import decide, find_areas
from kibitz.games.go.words.openings import corner_words, open_area_words

MAX_REASONS = 3
MIN_GROUP = 3
"""Smaller groups are not said to live or die."""
MIN_ROOM, ROOM_DISTANCE = 12, 3
"""Call stones saved only if their group has this much room: empty points that are up to ROOM_DISTANCE lines
from its liberties and not beside an enemy stone. Others are only out of atari."""
MIN_JOSEKI, MIN_JOSEKI_SHARE = 10, 0.05
"""A move is called joseki if it was played this often in the same corner position, and in this share of the games."""
BREAKER_DISTANCE = 3
"""A move further than this from a chain breaks a ladder; a nearer one saves the chain."""

_Ranked: TypeAlias = tuple[int, str]
"""A clause and its rank: the lower, the more important."""


def reasons(state: GoState, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return up to MAX_REASONS clauses about a move, most important first; `line` is ignored. Raise IllegalMove."""
    after = state.play(move)
    if move == state.game.pass_move:
        return ("passes, which ends the game" if after.passes == 2 else "passes",)
    found = sorted(_clauses(state, move, after), key=lambda ranked: ranked[0])
    return tuple(clause for _, clause in found[:MAX_REASONS])


def _clauses(state: GoState, move: Point, after: GoState) -> Iterator[_Ranked]:
    """Yield clauses on what placing a stone does."""
    stones, colour = stones_of(state.board), 1 + state.to_move
    point = stones.field.bit(move)
    placed = stones.place(point, colour)
    if placed is None:
        yield 0, f"takes off {_stones(len(state.board.place(move, colour).lost))} of its own"
        return
    captured, ko = placed.captured.bit_count(), placed.ko(point)
    if captured:
        yield 10 - min(captured, 9), f"captures {_stones(captured)}"
    if ko:
        opponent, where = state.game.players[after.to_move], state.game.move_text(stones.field.points(ko)[0])
        yield 10, f"takes a ko, so that {opponent} may not play {where} now"
    if not state.game.suicide:
        yield from _life(stones, point, colour)
    saved = list(_saved(stones, point, colour, placed.stones, ko))
    yield from saved
    yield from _attacked(stones, point, colour, placed.stones, ko)
    if not saved and not ko:
        yield from _exposed(placed.stones, point)
    cut = cut_apart(stones, point, colour)
    if cut:
        yield 22, f"cuts {_groups(cut)} apart"
    joined = connected(stones, point, colour)
    if joined:
        yield 24, f"connects {_groups(joined)}"
    yield from _joseki(state.board, move, colour)
    for words in corner_words(state.board, move, colour):
        yield 40, words
    for words in open_area_words(state.board, move):
        yield 42, words


def _life(stones: Stones, point: Mask, colour: Colour) -> Iterator[_Ranked]:
    """Yield which groups the move kills, or gives life."""
    for area in find_areas(stones):
        if area.target.bit_count() >= MIN_GROUP:
            verdict = decide(area, point, colour)
            if verdict is not None:
                verb = "kills" if verdict.kills else "makes life for"
                yield 5, f"{verb} {_stones(verdict.stones)}"


@lru_cache(maxsize=32)
def _endangered(stones: Stones, colour: Colour) -> tuple[tuple[Mask, LadderReading], ...]:
    """Return the chains of a colour that the opponent, if to move, captures at once or in a ladder."""
    weak = [c for c in stones.field.parts(stones.of(colour)) if stones.liberties(c).bit_count() <= 2]
    found = ((chain, read_attack(stones, chain & -chain)) for chain in weak)
    return tuple((chain, reading) for chain, reading in found if reading is not None and reading.captured)


def _saved(stones: Stones, point: Mask, colour: Colour, after: Stones, ko: Mask) -> Iterator[_Ranked]:
    """Yield which chains the move saves from capture, or tries to save in vain."""
    saved = broken = relieved = 0
    for chain, threat in _endangered(stones, colour):
        reading, size = read_attack(after, chain & -chain, ko), chain.bit_count()
        if reading is None:
            continue
        if not reading.captured:
            if threat.is_ladder and not point & _near(stones.field, chain):
                broken += size
            elif _has_room(after, chain, colour) and not is_netted(after, chain & -chain, ko):
                saved += size
            elif stones.liberties(chain).bit_count() == 1:
                relieved += size
        elif point & stones.liberties(chain) and after.liberties(after.chain(point)).bit_count() == 2:
            how = "a ladder catches" if reading.is_ladder else "the opponent can still capture"
            yield 18, f"runs with {_stones(size)}, but {how} {'it' if size == 1 else 'them'}"
    if saved:
        yield 12 - min(saved, 4), f"saves {_stones(saved)}"
    if relieved:
        yield 16, f"gets {_stones(relieved)} out of atari"
    if broken:
        yield 13, f"breaks the ladder that threatens {_stones(broken)}"


def _has_room(stones: Stones, chain: Mask, colour: Colour) -> bool:
    """Return whether the group of a chain has MIN_ROOM."""
    field = stones.field
    (group,) = groups_of(stones, colour).touching(chain & -chain)
    room = stones.liberties(group)
    for _ in range(ROOM_DISTANCE):
        room |= field.spread(room) & stones.empty
    return (room & ~field.spread(stones.of(other(colour)))).bit_count() >= MIN_ROOM


def _near(field: Field, mask: Mask) -> Mask:
    """Return the points up to BREAKER_DISTANCE lines from a mask."""
    for _ in range(BREAKER_DISTANCE):
        mask |= field.spread(mask)
    return mask


def _attacked(stones: Stones, point: Mask, colour: Colour, after: Stones, ko: Mask) -> Iterator[_Ranked]:
    """Yield which chains of the opponent the move puts in atari, and whether they can escape."""
    attacked = [
        chain
        for chain in after.field.parts(after.of(other(colour)), after.field.spread(point))
        if after.liberties(chain).bit_count() == 1 and stones.liberties(chain).bit_count() > 1
    ]
    readings = [(chain, read_defence(after, chain & -chain, ko)) for chain in attacked]
    caught = [(chain.bit_count(), r.line) for chain, r in readings if r is not None and r.captured]
    if caught:
        size, line = sum(size for size, _ in caught), max((line for _, line in caught), key=len)
        if len(line) >= MIN_LADDER_PLIES:
            yield 11, f"the ladder works: {_stones(size)} cannot escape"
        else:
            how = " in a snapback" if len(line) == 2 and line[1] == point else ""
            yield 11 - min(size, 5), f"catches {_stones(size)}{how}"
    elif len(attacked) > 1:
        yield 20, f"double atari on {' and '.join(_stones(chain.bit_count()) for chain in attacked)}"
    elif attacked:
        ((chain, reading),) = readings
        yield 21, f"puts {_stones(chain.bit_count())} in atari"
        if reading is not None and reading.is_ladder:
            yield 19, "the ladder does not work"


def _exposed(after: Stones, point: Mask) -> Iterator[_Ranked]:
    """Yield whether the opponent can capture the stone just played, and what is connected to it."""
    chain, reading = after.chain(point), read_attack(after, point)
    if reading is None or not reading.captured:
        return
    size = _stones(chain.bit_count())
    if after.liberties(chain).bit_count() == 1:
        yield 23, f"leaves {size} of its own in atari"
    else:
        yield 26, f"leaves {size} of its own to be captured{' in a ladder' if reading.is_ladder else ''}"


def _joseki(board: Board, move: Point, colour: Colour) -> Iterator[_Ranked]:
    """Yield how often the move was played in this corner position, if it was often, and how it did."""
    if board.size != SIZE or not any(board.points):
        return
    corners = corners_at_hand()
    found = None if corners is None else corners.figures(board, move, colour)
    if found is not None and found.has_stones and found.times >= max(MIN_JOSEKI, MIN_JOSEKI_SHARE * found.total):
        won = f", won {found.wins / found.decided:.0%}" if found.decided else ""
        yield 38, f"joseki: played {found.times:,} of {found.total:,} times here{won}"


def _stones(n: int) -> str:
    return "a stone" if n == 1 else f"{n} stones"


def _groups(n: int) -> str:
    return f"{('two', 'three', 'four')[n - 2]} groups"
