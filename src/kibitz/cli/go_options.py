"""All commands of kibitz go: those on records in go.py, and those on what is mined from them."""

from __future__ import annotations

from kibitz.cli.go import app
from kibitz.cli.go_gtp import gtp
from kibitz.cli.go_mine import clusters, match, mine, patterns, templates
from kibitz.cli.go_openings import fuseki, joseki
from kibitz.cli.go_players import similar
from kibitz.cli.go_predict import evaluate, predict, train
from kibitz.cli.go_preset import preset

for _command in (
    mine, patterns, templates, clusters, match, fuseki, joseki, similar, preset, train, predict, evaluate, gtp,
):  # fmt: skip
    app.command()(_command)

__all__ = ["app"]
