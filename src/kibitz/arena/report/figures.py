"""The report of a tournament as JSON, CSV and HTML files. A pure function of its records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kibitz.arena.extend import REPORT_SECTIONS, ReportSection
from kibitz.arena.report.html import page
from kibitz.arena.results import Results, Standing, WinRate, compute
from kibitz.arena.runner import check_games, count_pairs
from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Tournament
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import write_atomically
from kibitz.core.record import GameRecord
from kibitz.core.untrusted import JsonObject


@dataclass(frozen=True)
class Report:
    """One or more tournaments of the same game, taken together."""

    results: Results
    records: tuple[GameRecord, ...]
    planned: int
    """Number of games in the complete tournaments."""
    truncated: int
    """Number of truncated lines; their games are not counted."""
    complete: bool
    """Whether each tournament has played all its games or decided its sequential test."""
    sections: tuple[tuple[ReportSection, Any], ...] = ()
    """The game's own sections, each with its figures or None if it does not apply to these results."""


def read_report(folders: Sequence[Path]) -> Report:
    """Read the tournaments in these folders, complete or not; return their common report.

    Raise BadText if a file is damaged, BadOption if the tournaments differ in game or options.
    """
    stores = [TournamentFolder(folder) for folder in folders]
    tournaments = [store.tournament() for store in stores]
    games_played = {(t.game, json.dumps(t.make_game().options, sort_keys=True)) for t in tournaments}
    if len(games_played) > 1:
        raise BadOption("The tournaments are of different games or options; report each of them separately.")
    stored = [store.games() for store in stores]
    for store, tournament, games in zip(stores, tournaments, stored, strict=True):
        check_games(store, tournament.pairings(), games.records)
    records = tuple(record for games in stored for record in games.records.values())
    results = compute(records, [agent for t in tournaments for agent in t.agents])
    return Report(
        results=results,
        records=records,
        planned=sum(len(t.pairings()) for t in tournaments),
        truncated=sum(len(games.truncated) for games in stored),
        complete=all(is_complete(t, games.records) for t, games in zip(tournaments, stored, strict=True)),
        sections=tuple(
            (section, section.find(results)) for section in registry.package(results.game).get(REPORT_SECTIONS) or ()
        ),
    )


def is_complete(tournament: Tournament, records: Mapping[str, GameRecord]) -> bool:
    """Return whether every game was played, or the tournament's sequential test is decided."""
    test = count_pairs(tournament, records.values())
    return len(records) == len(tournament.pairings()) or bool(test and test.verdict)


def write_report(report: Report, folder: Path, title: str) -> list[Path]:
    """Write results.json, results.csv and report.html to a folder and return their paths.

    Raise BadText if the folder cannot be written.
    """
    planned = None if report.complete else report.planned
    added = [section.html(figures) for section, figures in report.sections if figures is not None]
    files = {
        "results.json": json.dumps(results_json(report), indent=1, ensure_ascii=False) + "\n",
        "results.csv": results_csv(report.results),
        "report.html": page(report.results, report.records, planned, title, added),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text)
    except OSError as error:
        raise BadText(f"Cannot write the report to {folder}: {error.strerror}.") from None
    return [folder / name for name in files]


def results_json(report: Report) -> JsonObject:
    """Return the contents of results.json."""
    results = report.results
    return {
        "game": results.game,
        "options": results.options,
        "games": len(report.records),
        "planned": report.planned,
        "complete": report.complete,
        "standings": [standing_json(standing) for standing in results.standings],
        "crosstable": [[None if rate is None else rate_json(rate) for rate in row] for row in results.crosstable],
        "lengths": list(results.lengths),
        "replayed_ties": results.replayed,
        **{section.key: None if figures is None else section.json(figures) for section, figures in report.sections},
    }


def standing_json(standing: Standing) -> JsonObject:
    """Return one agent's results as a JSON object."""
    return {
        "agent": standing.agent,
        "elo": round(standing.rating.elo, 1) + 0.0,  # turns -0.0 into 0.0
        "elo_margin": round(standing.rating.margin, 1),
        **rate_json(standing.total),
        "as_first": rate_json(standing.as_first),
        "as_second": rate_json(standing.as_second),
        "forfeits": standing.forfeits,
        "mean_ms": round(standing.mean_ms, 3),
        "median_ms": round(standing.median_ms, 3),
        "p99_ms": round(standing.p99_ms, 3),
    }


def rate_json(rate: WinRate) -> JsonObject:
    """Return a win rate with its interval as a JSON object."""
    low, high = (round(bound, 4) for bound in rate.interval)
    return {"games": rate.games, **asdict(rate), "rate": round(rate.share, 4), "low": low, "high": high}


def results_csv(results: Results) -> str:
    """Return the standings as CSV, with column names in the first line."""
    rows = []
    for standing in results.standings:
        row = {key: value for key, value in standing_json(standing).items() if not isinstance(value, dict)}
        for side, rate in (("first", standing.as_first), ("second", standing.as_second)):
            row |= {f"{side}_games": rate.games, f"{side}_rate": round(rate.share, 4)}
        rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
