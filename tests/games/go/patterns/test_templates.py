"""Templates and clusters of mined patterns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import random_games
from games.go.naive import mining as naive
from games.go.patterns.mined_games import FINAL, MOVES, add, least_text
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.clusters import find_clusters
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.patterns.shapes import parse_shape
from kibitz.games.go.patterns.tallies import Sightings, Tally
from kibitz.games.go.patterns.templates import templates


def brute_templates(least: Iterable[str], known: set[str], forms: int, wild: int) -> set[str]:
    """Return the least form of each template of 3x3 windows, by filling every point of the least form of each."""
    found = set()
    for text in least:
        for places in combinations(range(9), wild):
            if forms == 8 and 4 in places:
                continue
            base = list(text)
            if any(base[place] == "#" for place in places):
                continue
            filled = []
            for signs in product(".XO", repeat=wild):
                for place, sign in zip(places, signs, strict=True):
                    base[place] = sign
                filled.append("".join(base))
            if all(text in known for text in filled):
                for place in places:
                    base[place] = "?"
                found.add(min(naive.forms(naive.square(base), forms == 16)))
    return found


@pytest.mark.parametrize(("kind", "wild"), [(MOVES, 1), (FINAL, 1), (FINAL, 2)])
def test_templates_are_those_of_a_plain_search(tmp_path: Path, kind: Kind, wild: int) -> None:
    games = random_games(10, 25)
    store = add(tmp_path, games)
    mine(store, [kind])
    counts = naive.played(games, 9, "3x3") if kind is MOVES else naive.final(games, 9, "3x3", True)
    known = {form for text in counts for form in naive.forms(naive.square(text), kind is FINAL)}
    with Mined(store.folder) as mined:
        found = templates(kind, mined.load(kind).tally, wild)
    texts = []
    for at in range(len(found)):
        texts.append(min(naive.forms(naive.square("".join(found.rows(at))), kind is FINAL)))
        covered = {least_text(found.shape, key, kind is FINAL) for key in found.covered[at].tolist()}
        assert len(covered) == found.patterns[at]
        assert sum(counts[text] for text in covered) == found.counts[at]
    assert len(set(texts)) == len(texts) > 50
    assert set(texts) == brute_templates(counts, known, kind.forms, wild)


def test_at_most_3906_templates_of_3x3() -> None:
    shape = parse_shape("3x3")
    keys = np.array(sorted({shape.canonical(shape.key([at // 3**i % 3 for i in range(9)])) for at in range(3**9)}))
    assert len(keys) == 1444
    tally = Tally(False)
    tally.add(keys, Sightings.blank(len(keys)), np.zeros(1, np.int16))
    assert len(templates(Kind("final", "3x3", 16), tally)) == 3906


def test_clusters() -> None:
    counts = np.array([1, 1, 2, 1000, 1200, 900, 1, 2], np.int32)
    stones = np.array([10, 11, 10, 2, 2, 3, 1, 1])
    classes = np.zeros((8, len(MEANINGS)), np.int32)
    classes[3:6, list(MEANINGS).index("cut")] = 5
    found, cluster_of = find_clusters(counts, stones, classes, 3)
    assert [sorted(counts[cluster_of == at].tolist()) for at in range(3)] == [[900, 1000, 1200], [1, 1, 2], [1, 2]]
    assert [(c.patterns, c.windows, c.meaning) for c in found] == [(3, 3100, "cut"), (3, 4, ""), (2, 3, "")]
    assert find_clusters(counts[:0], stones[:0], classes[:0])[0] == []
    with pytest.raises(BadOption):
        find_clusters(counts, stones, classes, 0)
