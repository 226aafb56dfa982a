"""kibitz battleline: a referee for claims and formations, a table of the paper on Deep Barca, and training."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import AsJson
from kibitz.core.errors import BadOption, BadText
from kibitz.games.battleline.commands.train import train

if TYPE_CHECKING:
    from kibitz.games.battleline.rules.cards import Card
    from kibitz.games.battleline.rules.formations import FormationScore, Proof

app = typer.Typer()

AtFlag = Annotated[str, typer.Option("--flag", metavar="WORDS", help="Mud, Fog, both, or nothing.")]
ALL_CARDS = "all"


class FirstSide(StrEnum):
    """The side completed first, of two complete ones."""

    mine = "mine"
    theirs = "theirs"


@app.callback()
def root() -> None:
    """Commands for Battle Line."""


@app.command()
def claim(
    mine: Annotated[str, typer.Option(metavar="CARDS", help='The side that claims, as "r8 r9 r10".')],
    theirs: Annotated[str, typer.Option(metavar="CARDS", help='The other side, as "b4 AL".')] = "",
    visible: Annotated[str, typer.Option(metavar="CARDS", help="Other face-up cards; ALL for all Troops.")] = "",
    flag: AtFlag = "",
    first: Annotated[FirstSide | None, typer.Option(help="The side completed first, if both are complete.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge a claim: show its proof, or the cards that could still beat it."""
    from kibitz.games.battleline.rules.cards import check_once, parse_cards
    from kibitz.games.battleline.rules.formations import check_side, prove, unseen_troops

    fog, mud = _flag(flag)
    my, their = parse_cards(mine), parse_cards(theirs)
    everything = visible.strip().lower() == ALL_CARDS
    seen = () if everything else parse_cards(visible)
    check_once((*my, *their, *seen), " among --mine, --theirs and --visible")
    for name, side in (("--mine", my), ("--theirs", their)):
        try:
            check_side(side, mud)
        except BadText as error:
            raise BadText(f"{name}: {error}") from None
    unseen = frozenset[int]() if everything else unseen_troops((*my, *their, *seen))
    proof = prove(my, their, unseen, fog, mud, first is FirstSide.mine)
    if first is None and proof.mine is not None and proof.mine == proof.theirs and not proof.cards:
        raise BadOption(f"Both sides are complete and have {proof.mine}. Add --first mine or --first theirs.")
    if as_json:
        verdict = {"claim": proof.claim, "mine": _score(proof.mine), "theirs": _score(proof.theirs)}
        typer.echo(json.dumps({**verdict, "cards": _texts(proof.cards), "why": proof.why}))
    else:
        _show(my, their, proof, fog, mud)


@app.command()
def rank(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help='A complete side, as "r9 CC SB".')],
    flag: AtFlag = "",
    as_json: AsJson = False,
) -> None:
    """Show the score of a formation, with the best choice of its wild cards."""
    from kibitz.games.battleline.rules.cards import parse_cards
    from kibitz.games.battleline.rules.formations import score

    fog, mud = _flag(flag)
    found = score(parse_cards(cards), fog, mud)
    typer.echo(json.dumps(_score(found)) if as_json else str(found))


@app.command()
def table1(as_json: AsJson = False) -> None:
    """Show Table 1 of the paper on Deep Barca, a 9 against a 4, beside the figures computed here."""
    from kibitz.games.battleline.players.deep_barca.table1 import NOTE, flag1
    from kibitz.games.battleline.players.deep_barca.table1 import table1 as rows

    if as_json:
        lines = [
            {**row._asdict(), "printed": dict(zip(("make", "beaten", "win"), row.printed, strict=True))}
            for row in rows()
        ]
        typer.echo(json.dumps({"rows": lines, "flag": flag1(), "note": NOTE}))
        return
    from kibitz.cli.show import console

    console.print(f"{'':14}{'make':>8}{'paper':>7}{'beaten':>9}{'paper':>7}{'win':>7}{'paper':>7}")
    for row in rows():
        ours = zip((row.make, row.beaten, row.win), row.printed, strict=True)
        figures = "".join(f"{found:9.3f}{printed:7.2f}" for found, printed in ours)
        console.print(f"{row.rank + ' ' + str(row.sum):13}{figures}")
    console.print(f"The flag: {flag1():.3f}")
    console.print(NOTE, style="dim")


app.command()(train)
app.command("learn", hidden=True)(train)  # its name in version 0.1


def _flag(text: str) -> tuple[bool, bool]:
    """Return whether Fog and Mud lie at a flag. Raise BadOption for other words."""
    words = text.replace(",", " ").lower().split()
    for word in words:
        if word not in ("fog", "mud"):
            raise BadOption(f"--flag {text!r}: {word!r} cannot lie beside a flag; only Fog and Mud can.")
    if len(set(words)) < len(words):
        raise BadOption(f"--flag {text!r} names one card twice: there is one Fog and one Mud.")
    return "fog" in words, "mud" in words


def _score(score: FormationScore | None) -> dict[str, object] | None:
    from kibitz.games.battleline.rules.formations import RANKS

    return None if score is None else {"rank": RANKS[score.rank], "sum": score.sum}


def _texts(cards: tuple[Card, ...]) -> list[str]:
    from kibitz.games.battleline.rules.cards import card_text

    return [card_text(card) for card in cards]


def _show(mine: tuple[Card, ...], theirs: tuple[Card, ...], proof: Proof, fog: bool, mud: bool) -> None:
    """Print both sides with their scores, and the verdict."""
    from rich.text import Text

    from kibitz.cli.show import console

    cap = 4 if mud else 3
    sides = (
        ("mine", [*_texts(mine)], proof.mine, "not complete"),
        ("theirs", [*_texts(theirs), *(f"({card})" for card in _texts(proof.cards))], proof.theirs, "never complete"),
    )
    for name, cards, worth, otherwise in sides:
        slots = "".join(f"{card:>7}" for card in cards + ["."] * (cap - len(cards)))
        verdict = "" if worth is None and proof.mine is None and name == "theirs" else str(worth or otherwise)
        console.print(Text.assemble((f"{name:7}", "dim"), slots, "   ", (verdict, "bold")))
    weather = " and ".join(word for word, there in (("Fog", fog), ("Mud", mud)) if there)
    if weather:
        console.print(Text(f"with {weather} at the flag", "dim"))
    answer = ("Claimed. ", "bold green") if proof.claim else ("No claim. ", "bold red")
    console.print(Text.assemble(answer, proof.why))
