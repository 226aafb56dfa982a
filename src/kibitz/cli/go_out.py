"""Patterns written to files in the formats of other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.patterns.mine.export import gnugo_db, mm_input, pachi_spat, svg_sheet, table_file, write_lines
from kibitz.patterns.mine.listing import Wanted, list_patterns
from kibitz.patterns.mine.matching import Matcher
from kibitz.patterns.mine.mined import Kind, Mined
from kibitz.patterns.store import Store

ENDS = (".csv", ".parquet", ".svg", ".db", ".spat", ".mm")


def write_patterns(store: Store, mined: Mined, kind: Kind, wanted: Wanted, path: Path, games: int) -> int:
    """Write patterns in the format that the name's end says; return how many.

    Raises BadOption for another end, or if the format has no room for the kind.
    """
    end = path.suffix.lower()
    if end not in ENDS:
        raise BadOption(f"{path.name} must end in one of {', '.join(ENDS)}.")
    if end in (".db", ".spat", ".mm") and kind.source != "moves":
        raise BadOption(f"A file {end} holds patterns around moves; add --source moves.")
    if end in (".csv", ".parquet"):
        return table_file(mined, kind, wanted, path)
    if end == ".mm":
        gathered = mined.gathered(kind)
        which = np.flatnonzero(store.column("sizes") == kind.size)[:games].tolist()
        write_lines(path, mm_input(store, [Matcher(kind, gathered)], which, wanted.min_count))
        return int((gathered.tally.counts[:, 0] >= wanted.min_count).sum())
    listed = list_patterns(store, mined, kind, wanted)
    if end == ".svg":
        write_lines(path, [svg_sheet(listed)])
    elif end == ".spat":
        write_lines(path, pachi_spat(kind, listed))
    else:
        write_lines(path, gnugo_db(listed))
        return sum(one.stones > 0 for one in listed)
    return len(listed)
