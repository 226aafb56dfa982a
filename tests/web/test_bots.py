"""Outside programs at tables: those that the operator names, by their names, and no others."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.programs import write_script
from kibitz.core import registry
from kibitz.core.agent import Budget, Watch
from kibitz.core.errors import BadOption, KibitzError
from kibitz.web import bots
from kibitz.web.server.engines import Thinker
from web.talking import ANN, TestClient, agent, at_new_table, create, hear, hear_table, move, tell

EXAMPLE = f"exec:{sys.executable} {Path(__file__).parents[2] / 'docs' / 'example_bot.py'}"
GNU_GO = "gtp:gnugo --mode gtp --level 1"


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Offer nothing to the tests after this one."""
    yield
    bots.allow({})


def test_a_program_is_listed_by_its_name_and_plays(client: TestClient) -> None:
    bots.allow({"dots": {"Example": EXAMPLE}})
    told = client.get("/api/games")
    (dots,) = (game for game in told.json()["games"] if game["name"] == "dots")
    listed = [each for each in dots["agents"] if each["group"] == "bots"]
    assert [(each["spec"], each["label"]) for each in listed] == [("bot:Example", "Example")]
    assert "example_bot" not in told.text
    with at_new_table(client, seats=[ANN, agent("bot:Example")]) as (made, socket):
        table = hear(socket, "table")
        assert [seat["name"] for seat in table["seats"]] == ["Ann", "Example"]
        move(socket, 0, "0")
        assert hear_table(socket, 2)["outcome"] is None
    assert client.get(f"/api/tables/{made}/record").json()["agents"] == ["human", "bot:Example"]


@pytest.mark.skipif(not (shutil.which("gnugo") or Path("/usr/games/gnugo").exists()), reason="GNU Go is not here")
def test_gnu_go_plays_go_at_a_table(client: TestClient) -> None:
    bots.allow({"go": {"GNU Go": GNU_GO}})
    with at_new_table(client, game="go", options={"size": 9}, seats=[ANN, agent("bot:GNU Go")]) as (_, socket):
        hear(socket, "table")
        move(socket, 0, "E5")
        hear_table(socket, 2)
        move(socket, 2, "C7")
        texts = [each["text"] for each in hear_table(socket, 4)["moves"]]
    assert len(set(texts)) == 4, texts  # a new process was told the whole position


def test_who_is_not_offered_cannot_be_played(client: TestClient) -> None:
    bots.allow({"dots": {"Example": EXAMPLE}})
    wrong = [("dots", spec) for spec in ("bot:Other", EXAMPLE, f" {EXAMPLE}", "bot:")]
    for game, spec in (*wrong, ("uttt", "bot:Example")):
        answer = client.post("/api/tables", json={"game": game, "options": {}, "seats": [ANN, agent(spec)]})
        assert answer.status_code == 400, spec


def test_a_program_that_is_gone_is_reported(client: TestClient) -> None:
    bots.allow({"dots": {"Example": EXAMPLE}})
    made = create(client, seats=[ANN, agent("bot:Example")])
    bots.allow({})
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        tell(socket, "move", ply=0, move="0")  # not move(): the notice may come before the table
        assert "Example is no longer available here" in hear(socket, "notice")["words"]


def test_a_file_of_programs(tmp_path: Path) -> None:
    path = tmp_path / "bots.toml"
    with pytest.raises(BadOption, match=r"Cannot read the bots file .*: No such file"):
        bots.read(path)
    path.write_text(f'[dots]\n"My bot" = {EXAMPLE!r}\n')
    assert bots.read(path) == {"dots": {"My bot": EXAMPLE}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[chess]\n", "'chess' is not a table named after a game. Use [battleline]"),
        ("dots = 3\n", "'dots' is not a table named after a game"),
        ("[dots]\nX = 3\n", "3 is not an outside program. It must begin with one of"),
        ("[dots]\nX = 'level3'\n", "'level3' is not an outside program"),
        ("[dots]\nX = 'exec:'\n", "names no program: write exec:COMMAND"),
        (
            "[dots]\nX = 'gtp:gnugo'\n",
            "'gtp' in 'gtp:gnugo' is not a kind of bot for Dots-and-Boxes; the kinds",
        ),
        ("[dots]\n' X' = 'exec:cat'\n", "a name must have 1 to 40 printable characters"),
        ("[dots\n", "is not valid TOML"),
        ("\xff", "is not valid TOML"),
    ],
)
def test_mistakes_in_the_file_are_reported(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bots.toml"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(BadOption, match=re.escape(said)):
        bots.read(path)


def test_an_analyst_that_fails_is_called_by_its_name(tmp_path: Path) -> None:
    command = write_script(tmp_path, "sys.exit('no memory')")
    bots.allow({"go": {"Mine": f"gtp:{command}"}})
    state = registry.game("go", size=5).start()
    with pytest.raises(KibitzError, match=r"^Mine ended with exit code 1: no memory") as caught:
        Thinker(state.game, "bot:Mine").analyse(state, Budget(nodes=1), Watch())
    assert command not in str(caught.value)
