"""The structure of a position: chains, loops, strings, joints, dead boxes, the phase and the long-chain rule.

After Li, Li & Yuan (2012), sections II, IV and V. Reads a position as strings and coins, so it works on every graph;
a box is a coin and an undrawn line a string. Knows nothing of the score and searches nothing: the long-chain rule
here is a count, not a proof.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import GROUND, GROUND_ID, Coin, Graph, String
from kibitz.games.dots.theory import runs as groups
from kibitz.games.dots.theory.runs import LONG_CHAIN, LONG_LOOP, DeadTree, Run, RunCounts, count_runs, find_runs

Phase: TypeAlias = Literal["Start", "Middle", "Final"]


@dataclass(frozen=True)
class Joint:
    """A box of degree 3 or more that is not dead, and what its strings lead to, one entry for each string."""

    box: Coin
    runs: tuple[int, ...]  # numbers of runs; a possible loop is there twice
    grounds: tuple[String, ...]  # the strings to the ground
    joints: tuple[Coin, ...]
    trees: tuple[int, ...]  # numbers of dead trees

    @property
    def degree(self) -> int:
        """The number of undrawn strings of the joint."""
        return len(self.runs) + len(self.grounds) + len(self.joints) + len(self.trees)


@dataclass(frozen=True)
class Handouts:
    """How runs of 1 and 2 boxes can be given away, except loops and possible loops."""

    hard_hearted: tuple[String, ...]
    """The middle string of each run of 2. Where no box is dead it leaves no double-deal."""
    half_hearted: tuple[String, ...]  # the two end strings of each run of 2, which leave one
    single_boxes: tuple[Coin, ...]  # the box of each run of 1


@dataclass(frozen=True)
class LongChainRule:
    """The number of long chains that the player to move wants, and the player whom the present number favours.

    With U strings and B boxes left, a game takes U - B + 1 more turns and one for each double-cross. The player who
    gets the last turn has made the opponent open the first long chain. Each long chain then ends in a double-cross
    and each long loop in two, except that the last of them, taken whole, has one less. So the player to move wants U
    - B + 1 plus the number of long chains to be even. At the start of a grid U - B + 1 is the number of dots, and
    this is the rule of the books (Berlekamp 2000). Loops of 2 and 3, which no grid has, always end in one
    double-cross and count as a long chain does.

    Where there are dead boxes, all of this is about the position after the player
    to move has taken them and still has to move.
    """

    strings: int
    boxes: int
    long_chains: int
    short_loops: int

    @property
    def wants(self) -> Literal["even", "odd"]:
        """The parity of the number of long chains that the player to move wants."""
        return "odd" if (self.strings - self.boxes + 1 + self.short_loops) % 2 else "even"

    @property
    def favours_mover(self) -> bool:
        """Whether the present number of long chains has the parity that the player to move wants."""
        return self.long_chains % 2 == (self.wants == "odd")

    @property
    def number_words(self) -> str:
        """The number of long chains with its verb, to follow "there": "is 1", "are 2", "are none"."""
        return "is 1" if self.long_chains == 1 else f"are {self.long_chains or 'none'}"


@dataclass(frozen=True)
class Structure:
    """The structure of one position."""

    degrees: tuple[int, ...]  # the undrawn sides of each box
    c_boxes: tuple[Coin, ...]  # boxes of degree 1
    dead: tuple[Coin, ...]
    """Boxes that the player to move can take one after the other, ascending; the C-boxes are among them."""
    dead_trees: tuple[DeadTree, ...]
    two_c_shapes: tuple[tuple[Coin, Coin], ...]  # two C-boxes that share their only string: what a double-deal leaves
    runs: tuple[Run, ...]  # in the order of their lowest boxes
    joints: tuple[Joint, ...]
    handouts: Handouts
    counts: RunCounts
    safe_lines: tuple[String, ...]  # lines that give no box away: no box at an end has degree 2 or less
    phase: Phase
    reason: str  # the phase and why, in words
    rule: LongChainRule | None  # None if nothing is left once the dead boxes are taken


def structure_of(state: DotsState) -> Structure:
    """Return the structure of a position."""
    return analyse(state.game.board, state.drawn)


def analyse(graph: Graph, drawn: int) -> Structure:
    """Return the structure of a graph with these lines drawn.

    The phase is Final when no safe line is left; otherwise Middle if there is a run of 3 or more or a loop, else
    Start. It depends on this position alone: when the only long run is taken early, Start comes back.
    """
    undrawn = graph.all_strings & ~drawn
    degrees = groups.degrees_of(graph, undrawn)
    taken = groups.take_boxes(graph, undrawn, range(len(degrees)))
    dead, undrawn_after = tuple(sorted(taken.boxes)), taken.undrawn
    runs = find_runs(graph, undrawn, dead)
    trees = groups.find_trees(graph, undrawn, dead)
    safe_strings = safe_lines(graph, undrawn)
    phase, why = _phase(graph, undrawn, runs, len(safe_strings))
    return Structure(
        degrees=degrees,
        c_boxes=tuple(box for box in dead if degrees[box] == 1),
        dead=dead,
        dead_trees=trees,
        two_c_shapes=tuple((t.boxes[0], t.boxes[1]) for t in trees if len(t.boxes) == 2 and not t.half_open),
        runs=runs,
        joints=tuple(_find_joints(graph, undrawn, degrees, runs, trees)),
        handouts=_handouts(runs),
        counts=count_runs(runs),
        safe_lines=safe_strings,
        phase=phase,
        reason=f"{phase}: {why}",
        rule=long_chain_rule(graph, undrawn_after) if undrawn_after else None,
    )


def safe_lines(graph: Graph, undrawn: int) -> tuple[String, ...]:
    """Return the safe lines, those that give no box away: each box beside one keeps at least two undrawn lines."""
    safe = undrawn
    for mask in graph.masks:
        if (mask & undrawn).bit_count() <= 2:
            safe &= ~mask
    return tuple(groups.bits(safe))


def long_chain_rule(graph: Graph, undrawn: int) -> LongChainRule:
    """Return the long-chain rule for a position in which no box can be taken."""
    counts = count_runs(find_runs(graph, undrawn))
    short_loops = sum(number for size, number in counts.loops.items() if size < LONG_LOOP)
    boxes = groups.boxes_left(graph, ~undrawn)
    return LongChainRule(undrawn.bit_count(), boxes, counts.long_chains, short_loops)


def _find_joints(
    graph: Graph, undrawn: int, degrees: Sequence[int], runs: Sequence[Run], trees: Sequence[DeadTree]
) -> Iterator[Joint]:
    run_of = {box: number for number, run in enumerate(runs) for box in run.boxes}
    tree_of = {box: number for number, tree in enumerate(trees) for box in tree.boxes}
    for box, degree in enumerate(degrees):
        if degree < 3 or box in tree_of:
            continue
        strings = groups.strings_left(graph, undrawn, box)
        others = [graph.other_end(string, box) for string in strings]
        yield Joint(
            box,
            tuple(sorted([run_of[other] for other in others if other in run_of])),
            tuple([string for string, other in zip(strings, others, strict=True) if other == GROUND]),
            tuple(sorted([end for end in others if end != GROUND and end not in run_of and end not in tree_of])),
            tuple(sorted([tree_of[other] for other in others if other in tree_of])),
        )


def _handouts(runs: Iterable[Run]) -> Handouts:
    single, pairs = ([run for run in runs if run.length == n and run.counts_as != "loop"] for n in (1, 2))
    half_hearted = tuple(string for run in pairs for string in (run.strings[0], run.strings[2]))
    return Handouts(tuple(run.strings[1] for run in pairs), half_hearted, tuple(run.boxes[0] for run in single))


def _phase(graph: Graph, undrawn: int, runs: Sequence[Run], safe: int) -> tuple[Phase, str]:
    line = "line" if graph.is_grid else "string"
    if not safe:
        return "Final", f"no safe {line} is left" if undrawn else f"no {line} is left"
    left = f"1 safe {line} is left" if safe == 1 else f"{safe} safe {line}s are left"
    formed = [run for run in runs if run.length >= LONG_CHAIN or run.kind == "loop"]
    if not formed:
        return "Start", f"there is no run of {LONG_CHAIN} or more yet, and {left}"
    longest = max(formed, key=lambda run: run.length)
    return "Middle", f"there is a {longest.name} of {longest.length}, and {left}"


def rule_words(state: DotsState, structure: Structure) -> str:
    """Return a sentence that applies the long-chain rule to a position. structure: that of the position."""
    game, mover = state.game, state.to_move
    me, you = game.players[mover], game.players[1 - mover]
    rule, dead = structure.rule, len(structure.dead)
    if rule is None:
        return f"{me} can take all that is left." if dead else f"No {game.line_word} is left."
    counted = f"there {rule.number_words} {'then' if dead else 'now'}"
    favoured = me if rule.favours_mover else you
    words = f"{me}, to move, wants an {rule.wants} number of long chains: {counted}, which favours {favoured}."
    if dead:
        words = f"When the {f'dead {game.unit} is' if dead == 1 else f'dead {game.units} are'} taken: {words}"
    if any(tree.double_deal for tree in structure.dead_trees):
        words += f" By a double-deal {me} would leave that move to {you}."
    return words


@dataclass(frozen=True)
class Changes:
    """What one move did to the structures. Runs with the same boxes are the same run."""

    formed: tuple[tuple[Run, tuple[Run, ...]], ...]  # each new run, with the earlier runs that have grown into it
    opened: tuple[Run, ...]  # the other runs that are gone: boxes of them are dead or taken
    two_c_shapes: int  # how many 2C-shapes are new


def find_changes(before: Structure, after: Structure) -> Changes:
    """Compare the structures before and after a move; return the runs it formed and opened, and the new 2C-shapes."""
    old_runs, new_runs = ({frozenset(run.boxes) for run in structure.runs} for structure in (before, after))
    lost = [run for run in before.runs if frozenset(run.boxes) not in new_runs]
    new = [run for run in after.runs if frozenset(run.boxes) not in old_runs]
    formed = tuple((run, tuple(old for old in lost if set(old.boxes) <= set(run.boxes))) for run in new)
    grown = [part for _, parts in formed for part in parts]
    opened = tuple(run for run in lost if run not in grown)
    new_two_c_shapes = set(after.two_c_shapes) - set(before.two_c_shapes)
    return Changes(formed, opened, len(new_two_c_shapes))


@dataclass(frozen=True)
class History:
    """The structures of a game, present and past."""

    structures: tuple[Structure, ...]  # of each position, first to last
    changes: tuple[Changes, ...]  # of each move
    formed: RunCounts  # all runs that ever were: present, opened and grown together
    present: RunCounts
    opened: RunCounts
    grown: RunCounts
    joints: tuple[Coin, ...]  # boxes that were, in some position, a joint in which a run met, ascending
    two_c_shapes: tuple[tuple[Coin, Coin], ...]  # those of all positions, in the order in which they came up


def history_of(states: Iterable[DotsState]) -> History:
    """Return the structures of a game, present and past. states: its positions in the order of play."""
    structures = tuple(structure_of(state) for state in states)
    changes = tuple(find_changes(before, after) for before, after in pairwise(structures))
    present = structures[-1].runs if structures else ()
    opened = [run for each in changes for run in each.opened]
    grown = [part for each in changes for _, parts in each.formed for part in parts]
    return History(
        structures,
        changes,
        count_runs([*present, *opened, *grown]),
        count_runs(present),
        count_runs(opened),
        count_runs(grown),
        tuple(sorted({joint.box for s in structures for joint in s.joints if joint.runs})),
        tuple(dict.fromkeys(pair for s in structures for pair in s.two_c_shapes)),
    )


def structure_json(state: DotsState) -> JsonObject:
    """Return the structure of a position as JSON: boxes and lines by their ids, runs and dead trees by number."""
    graph, structure, players = state.game.board, structure_of(state), state.game.players
    handouts, rule, names = structure.handouts, structure.rule, (*graph.coins, GROUND_ID)

    def boxes(coins: Iterable[Coin]) -> list[str]:
        return [names[coin] for coin in coins]  # GROUND is -1, the last name

    def lines(strings: Iterable[String]) -> list[str]:
        return [graph.ids[string] for string in strings]

    def tree_json(tree: DeadTree) -> JsonObject:
        way_out = None if tree.exit is None else graph.ids[tree.exit]
        return {**asdict(tree), "boxes": boxes(tree.boxes), "exit": way_out, "half_open": tree.half_open}

    def run_json(run: Run) -> JsonObject:
        named = {"boxes": boxes(run.boxes), "lines": lines(run.strings), "ends": boxes(run.ends)}
        flags = {"possible_loop": run.possible_loop, "long": run.long, "very_long": run.very_long}
        return {"kind": run.kind, "length": run.length, **named, **flags}

    def joint_json(joint: Joint) -> JsonObject:
        box = {"box": names[joint.box], "degree": joint.degree, "runs": joint.runs}
        return {**box, "ground": lines(joint.grounds), "joints": boxes(joint.joints), "dead_trees": joint.trees}

    whole: JsonObject = {
        "to_move": players[state.to_move],
        "degrees": dict(zip(graph.coins, structure.degrees, strict=True)),
        "c_boxes": boxes(structure.c_boxes),
        "dead_boxes": boxes(structure.dead),
        "dead_trees": [tree_json(tree) for tree in structure.dead_trees],
        "two_c_shapes": [boxes(pair) for pair in structure.two_c_shapes],
        "runs": [run_json(run) for run in structure.runs],
        "joints": [joint_json(joint) for joint in structure.joints],
        "handouts": {
            "hard_hearted": lines(handouts.hard_hearted),
            "half_hearted": lines(handouts.half_hearted),
            "single_boxes": boxes(handouts.single_boxes),
        },
        "counts": asdict(structure.counts),
        "safe_lines": lines(structure.safe_lines),
        "loony_lines": lines(groups.loony_lines(graph, state.drawn)),
        "phase": structure.phase,
        "reason": structure.reason,
        "long_chain_rule": rule
        and {
            "wants": rule.wants,
            "long_chains": rule.long_chains,
            "favours": players[state.to_move if rule.favours_mover else 1 - state.to_move],
        },
        "words": rule_words(state, structure),
    }
    if graph.is_grid:
        whole["coordinates"] = {
            "boxes": {name: divmod(box, graph.cols) for box, name in enumerate(graph.coins)},
            "lines": {name: graph.coordinates(line) for line, name in enumerate(graph.ids)},
        }
    plain: JsonObject = json.loads(json.dumps(whole))  # as a program gets it: lists, and keys that are texts
    return plain
