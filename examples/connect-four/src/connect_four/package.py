"""Connect Four as a game that plugs in."""

from connect_four.page import ConnectFourPage
from connect_four.players import AGENTS, EVALUATIONS
from connect_four.rules import ConnectFour, State
from connect_four.words import reasons
from kibitz.core.package import GamePackage
from kibitz.core.parts import Kernel, Words


def _kernel() -> Kernel[State]:
    from connect_four import kernel  # here, since it imports numba

    return kernel


GAME = GamePackage(
    rules=ConnectFour,
    kernel=_kernel,
    evaluations=lambda: EVALUATIONS,
    agents=lambda: AGENTS,
    words=lambda: Words(reasons),
    page=lambda: ConnectFourPage(ConnectFour),
)
