"""Battle Line in the arena: a pair of games has one deal."""

from __future__ import annotations

from kibitz.arena.runner import play_pairing
from kibitz.arena.tournament import Tournament
from kibitz.core.record import replay
from kibitz.search.agents import make_agent


def test_both_games_of_a_pair_have_the_same_deal() -> None:
    tournament = Tournament("battleline", ("random", "level1"), {"tactics": False}, "match", 4, 7)
    game = tournament.make_game()
    starts = []
    for pairing in tournament.pairings():
        agents = [make_agent(game, spec) for spec in pairing.agents]
        starts.append(replay(play_pairing(agents, tournament.terms, pairing))[0])
    assert starts[0] == starts[1]
    assert starts[2] == starts[3]
    assert starts[0] != starts[2]
    seats = [pairing.agents for pairing in tournament.pairings()]
    assert seats[0] == seats[1][::-1]


def test_games_without_a_deal_keep_a_seed_each() -> None:
    pairings = Tournament("uttt", ("random", "reflex"), {}, "match", 4, 7).pairings()
    assert len({pairing.seed for pairing in pairings}) == 4
