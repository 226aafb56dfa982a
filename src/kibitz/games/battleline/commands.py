"""kibitz battleline: judge claims and formations, show a table of the Deep Barca paper, train the champion."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import Annotated

import typer

from kibitz.cli.options import AsJson
from kibitz.cli.training import Folder, Jobs, Seed, show_training
from kibitz.core.errors import BadOption, BadText
from kibitz.core.untrusted import JsonObject
from kibitz.games.battleline.rules import formations
from kibitz.games.battleline.rules.cards import Card, card_text, check_distinct, parse_cards
from kibitz.games.battleline.rules.formations import FormationScore, Proof

app = typer.Typer()

AtFlag = Annotated[str, typer.Option("--flag", metavar="CARDS", help='Cards beside the flag: Mud, Fog or "Mud Fog".')]
ALL_CARDS = "all"


class FirstSide(StrEnum):
    """Which of two complete sides was completed first."""

    mine = "mine"
    theirs = "theirs"


@app.callback()
def root() -> None:
    """Commands for Battle Line."""


@app.command()
def claim(
    mine: Annotated[str, typer.Option(metavar="CARDS", help='The side that claims, such as "r8 r9 r10".')],
    theirs: Annotated[str, typer.Option(metavar="CARDS", help='The other side, such as "b4 AL".')] = "",
    visible: Annotated[str, typer.Option(metavar="CARDS", help="Other face-up cards; ALL for all Troops.")] = "",
    flag: AtFlag = "",
    first: Annotated[FirstSide | None, typer.Option(help="The side completed first, if both are complete.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge a claim: show its proof, or the cards that could still beat it."""
    fog, mud = _parse_flag(flag)
    my, their = parse_cards(mine), parse_cards(theirs)
    all_visible = visible.strip().lower() == ALL_CARDS
    others = () if all_visible else parse_cards(visible)
    check_distinct((*my, *their, *others), " among --mine, --theirs and --visible")
    for name, side in (("--mine", my), ("--theirs", their)):
        try:
            formations.check_side(side, mud)
        except BadText as error:
            raise BadText(f"{name}: {error}") from None
    unseen = frozenset[int]() if all_visible else formations.unseen_troops((*my, *their, *others))
    proof = formations.prove(my, their, unseen, fog, mud, first is FirstSide.mine)
    if first is None and proof.mine is not None and proof.mine == proof.theirs and not proof.cards:
        raise BadOption(
            f"Both sides are complete and tie with {proof.mine}, so the side completed first wins: "
            "add --first mine or --first theirs."
        )
    if as_json:
        verdict = {"claim": proof.claim, "mine": _score_json(proof.mine), "theirs": _score_json(proof.theirs)}
        typer.echo(json.dumps({**verdict, "cards": [*map(card_text, proof.cards)], "why": proof.why}))
    else:
        _print_proof(my, their, proof, fog, mud)


@app.command()
def rank(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help='A complete side, such as "r9 CC SB".')],
    flag: AtFlag = "",
    as_json: AsJson = False,
) -> None:
    """Show the score of a formation, with the best choice of its wild cards."""
    fog, mud = _parse_flag(flag)
    score = formations.score(parse_cards(cards), fog, mud)
    typer.echo(json.dumps(_score_json(score)) if as_json else str(score))


@app.command()
def table1(as_json: AsJson = False) -> None:
    """Show Table 1 of the Deep Barca paper (a 9 against a 4) beside the figures computed here."""
    from kibitz.games.battleline.players.deep_barca.table1 import NOTE, flag_chance
    from kibitz.games.battleline.players.deep_barca.table1 import table1 as rows

    if as_json:
        lines = [
            {**row._asdict(), "printed": dict(zip(("make", "beaten", "win"), row.printed, strict=True))}
            for row in rows()
        ]
        typer.echo(json.dumps({"rows": lines, "flag": flag_chance(), "note": NOTE}))
        return
    from kibitz.cli.show import console

    console.print(f"{'':14}{'make':>8}{'paper':>7}{'beaten':>9}{'paper':>7}{'win':>7}{'paper':>7}")
    for row in rows():
        ours = zip((row.make, row.beaten, row.win), row.printed, strict=True)
        figures = "".join(f"{found:9.3f}{printed:7.2f}" for found, printed in ours)
        console.print(f"{row.rank + ' ' + str(row.sum):13}{figures}")
    console.print(f"The flag: {flag_chance():.3f}")
    console.print(NOTE, style="dim")


@app.command()
@app.command("learn", hidden=True)  # its name in version 0.1
def train(
    folder: Folder,
    seed: Seed = None,
    rounds: Annotated[int | None, typer.Option(help="Rounds of self-play, each followed by a fit.")] = None,
    games: Annotated[int | None, typer.Option(help="Games per round, half of them without Tactics.")] = None,
    keep: Annotated[int | None, typer.Option(help="Number of latest rounds whose games to train on.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes over all positions in each fit.")] = None,
    rate: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="A,B...",
            help="Noise levels. Each game picks one, the maximum random amount added to the rating of a move.",
        ),
    ] = None,
    playouts: Annotated[int | None, typer.Option(help="Playouts per turn; 0 to play without search.")] = None,
    against: Annotated[str | None, typer.Option(help="Opponent in every other game with search.")] = None,
    start: Annotated[
        str | None, typer.Option(help="Net to start from: nothing for a new one, learned for the shipped one.")
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Train the champion's net by self-play, round by round. An interrupted run continues where it stopped."""
    from kibitz.games.battleline.players.train import rounds as training

    options = {
        "seed": seed, "rounds": rounds, "games": games, "keep": keep, "epochs": epochs, "rate": rate, "start": start,
        "noise": None if noise is None else _parse_noise(noise), "playouts": playouts, "against": against,
    }  # fmt: skip
    given: JsonObject = {name: value for name, value in options.items() if value is not None}
    wanted = training.ChampionTraining(**given) if given else None
    import_module("kibitz.games.battleline.players.train.fit")  # reports missing packages before the folder is made
    settings = training.open_folder(folder, wanted)
    show_training(f"kibitz battleline train {folder}", jobs, partial(training.learn, folder, settings))


def _parse_noise(text: str) -> tuple[float, ...]:
    """Parse --noise: numbers separated by commas. Raise BadOption for other text."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadOption(f"--noise {text!r} must be numbers separated by commas, such as 0,0.01.") from None


def _parse_flag(text: str) -> tuple[bool, bool]:
    """Parse --flag; return whether it names Fog, and whether Mud. Raise BadOption for an unknown or repeated word."""
    words = text.replace(",", " ").lower().split()
    for word in words:
        if word not in ("fog", "mud"):
            raise BadOption(f"--flag {text!r}: {word!r} cannot lie beside a flag; only Fog and Mud can.")
    if len(set(words)) < len(words):
        raise BadOption(f"--flag {text!r} names one card twice: there is one Fog and one Mud.")
    return "fog" in words, "mud" in words


def _score_json(score: FormationScore | None) -> dict[str, object] | None:
    return None if score is None else {"rank": formations.RANKS[score.rank], "sum": score.sum}


def _print_proof(mine: tuple[Card, ...], theirs: tuple[Card, ...], proof: Proof, fog: bool, mud: bool) -> None:
    """Print both sides with their scores, and the verdict."""
    from rich.text import Text

    from kibitz.cli.show import console

    cap = formations.cap_of(mud)
    completed = [*map(card_text, theirs), *(f"({card_text(card)})" for card in proof.cards)]
    my_row = ("mine", [*map(card_text, mine)], str(proof.mine or "not complete"))
    their_row = ("theirs", completed, str(proof.theirs or "never complete") if proof.mine else "")
    for name, cards, verdict in (my_row, their_row):
        slots = "".join(f"{card:>7}" for card in cards + ["."] * (cap - len(cards)))
        console.print(Text.assemble((f"{name:7}", "dim"), slots, "   ", (verdict, "bold")))
    if fog or mud:
        names = " and ".join(name for name, is_here in (("Fog", fog), ("Mud", mud)) if is_here)
        console.print(Text(f"with {names} at the flag", "dim"))
    answer = ("Claimed. ", "bold green") if proof.claim else ("No claim. ", "bold red")
    console.print(Text.assemble(answer, proof.why))
