"""Results as JSON and CSV, and the files of a report in a folder. A pure function of results."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.arena.extend import REPORT_SECTIONS, ReportSection
from kibitz.arena.report.html import page
from kibitz.arena.results import Rate, Results, Standing, compute
from kibitz.arena.runner import check_games, count_pairs
from kibitz.arena.store import Store
from kibitz.arena.tournament import Tournament
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.core.record import GameRecord


@dataclass(frozen=True)
class Report:
    """Some tournaments of one game taken together."""

    results: Results
    records: tuple[GameRecord, ...]
    planned: int
    """How many games the tournaments have when they are complete."""
    torn: int
    """Lines that a kill cut off; their games are not counted."""
    complete: bool
    """Whether every game was played, or every test decided."""
    sections: tuple[tuple[ReportSection, Any], ...] = ()
    """What only this game has, each with its figures; None where these results have nothing to do with it."""


def read_report(folders: Sequence[Path]) -> Report:
    """Return the report of the tournaments in these folders, complete or not. Raises BadText or BadOption."""
    stores = [Store(folder) for folder in folders]
    tournaments = [store.tournament() for store in stores]
    kinds = {(t.game, json.dumps(t.make_game().options, sort_keys=True)) for t in tournaments}
    if len(kinds) > 1:
        raise BadOption("The tournaments are of different games or options: report them one by one.")
    found = [store.games() for store in stores]
    for store, tournament, games in zip(stores, tournaments, found, strict=True):
        check_games(store, tournament.pairings(), games.records)
    records = tuple(record for games in found for record in games.records.values())
    agents = tuple(dict.fromkeys(agent for t in tournaments for agent in t.agents))
    results = compute(records, agents)
    return Report(
        results=results,
        records=records,
        planned=sum(len(t.pairings()) for t in tournaments),
        torn=sum(len(games.torn) for games in found),
        complete=all(is_complete(t, games.records) for t, games in zip(tournaments, found, strict=True)),
        sections=tuple((section, section.find(results)) for section in sections_of(results.game)),
    )


def sections_of(game: str) -> Sequence[ReportSection]:
    """Return the sections of reports that a game adds."""
    return registry.package(game).get(REPORT_SECTIONS) or ()


def is_complete(tournament: Tournament, records: Mapping[str, GameRecord]) -> bool:
    """Return whether every game was played, or the test decided."""
    count = count_pairs(tournament, records.values())
    return len(records) == len(tournament.pairings()) or bool(count and count.verdict)


def write_report(report: Report, folder: Path, title: str) -> list[Path]:
    """Write results.json, results.csv and report.html to a folder; return their paths. Raises BadText."""
    planned = None if report.complete else report.planned
    added = [section.html(found) for section, found in report.sections if found is not None]
    files = {
        "results.json": json.dumps(results_json(report), indent=1, ensure_ascii=False) + "\n",
        "results.csv": results_csv(report.results),
        "report.html": page(report.results, report.records, planned, title, added),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            draft = folder / f"{name}.new"
            draft.write_text(text, encoding="utf-8")
            draft.replace(folder / name)
    except OSError as error:
        raise BadText(f"Cannot write the report to {folder}: {error.strerror}.") from None
    return [folder / name for name in files]


def results_json(report: Report) -> dict[str, Any]:
    """Return everything that was computed, ready for JSON."""
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
        **{section.key: None if found is None else section.json(found) for section, found in report.sections},
    }


def standing_json(standing: Standing) -> dict[str, Any]:
    """Return one agent's results, ready for JSON."""
    return {
        "agent": standing.agent,
        "elo": round(standing.rating.elo, 1) + 0.0,  # not -0.0
        "elo_margin": round(standing.rating.margin, 1),
        **rate_json(standing.total),
        "as_first": rate_json(standing.as_first),
        "as_second": rate_json(standing.as_second),
        "forfeits": standing.forfeits,
        "mean_ms": round(standing.mean_ms, 3),
        "median_ms": round(standing.median_ms, 3),
        "p99_ms": round(standing.p99_ms, 3),
    }


def rate_json(rate: Rate) -> dict[str, Any]:
    """Return a rate with its interval, ready for JSON."""
    low, high = rate.interval
    return {
        "games": rate.games,
        "wins": rate.wins,
        "draws": rate.draws,
        "losses": rate.losses,
        "rate": round(rate.share, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def results_csv(results: Results) -> str:
    """Return the standings as a table with a heading."""
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
