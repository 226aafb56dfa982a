"""What Ultimate Tic-Tac-Toe adds to arena reports: the 2014 study and the temperature functions."""

from __future__ import annotations

from kibitz.arena.extend import ReportSection
from kibitz.games.uttt.study.paper import Study, compare_study, study_json
from kibitz.games.uttt.study.paper_html import study_section
from kibitz.games.uttt.study.sweep import Sweep, find_sweep, sweep_json
from kibitz.games.uttt.study.sweep_html import sweep_section


def _show_study(study: Study) -> None:
    from kibitz.games.uttt.study.show import show_study  # only a terminal needs it

    show_study(study)


def _show_sweep(sweep: Sweep) -> None:
    from kibitz.games.uttt.study.show import show_sweep

    show_sweep(sweep)


SECTIONS = (
    ReportSection("study_2014", compare_study, study_json, study_section, _show_study),
    ReportSection("temperatures", find_sweep, sweep_json, sweep_section, _show_sweep),
)
