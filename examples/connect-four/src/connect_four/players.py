"""The evaluation of Connect Four in plain Python, and ten levels that use it."""

from connect_four.rules import LINES, State
from kibitz.core.parts import AgentEntry, AgentTable, Evaluation, Evaluations
from kibitz.search.defaults import SEARCHES


def lines(state: State) -> int:
    """Count the discs in each line that only one player holds, squared: the mover's less the opponent's."""
    total = 0
    for line in LINES:
        mine, theirs = (sum(state.cells[cell] == p for cell in line) for p in (state.to_move, 1 - state.to_move))
        if not mine or not theirs:
            total += mine**2 - theirs**2
    return total


EVALUATIONS = Evaluations({"lines": Evaluation(lines, 20.0)})
_LEVELS = ["random", *(f"alphabeta(depth={depth})" for depth in (1, 2, 3, 4, 6, 8, 10, 12)), "champion"]
AGENTS = AgentTable(
    {
        **{name: SEARCHES[name] for name in ("random", "alphabeta", "selective", "plain-alphabeta", "plain-mcts")},
        "champion": AgentEntry("selective", "Champion", "Looks ahead as far as its time allows."),
        **{f"level{i}": AgentEntry(spec) for i, spec in enumerate(_LEVELS, 1)},
    },
    analyst="selective(every=true)",
    warmup=("alphabeta(depth=1)", "selective(depth=1)"),
)
