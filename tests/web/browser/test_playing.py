"""Whole games in the browser: by mouse, by keyboard alone, on a phone; and what one does beside playing."""

from __future__ import annotations

import json
import re
import signal
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from web.browser.fixtures import NewPerson
from web.browser.looking import OPEN, click, expect_moves, press, shapes
from web.browser.serving import Server
from web.talking import ANN, BOB, agent


def result(page: Page) -> Locator:
    return page.get_by_role("dialog")


def play_out(*players: Page) -> int:
    """Let whoever may move press the first place that is open, until all see the result; return how many moves."""
    made = 0
    while not all(result(page).count() for page in players):
        for page in players:
            if len(players) == 1:  # against a machine, which may be thinking
                page.wait_for_selector(f"{OPEN}, dialog[open]", state="attached")  # a line has no height
            spot = page.locator(OPEN).first
            if result(page).count() or not spot.count():
                continue
            before = page.locator("svg.board").first.get_attribute("aria-label")
            click(spot)
            made += 1
            for each in players:
                expect(each.locator("svg.board").first).not_to_have_attribute("aria-label", before or "")
    return made


def test_two_people_play_dots_by_mouse(page: Page, server: Server) -> None:
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None))
    assert play_out(page) == 12
    expect(result(page)).to_contain_text(re.compile("(Ann|Bob) wins|It's a tie"))
    expect(result(page)).to_contain_text(re.compile(r"\d : \d"))
    result(page).get_by_role("button", name="Play again").click()
    expect_moves(page, 0)


@pytest.mark.parametrize(
    ("game", "seats", "options", "width", "least"),
    [
        ("uttt", [ANN, agent("level1")], {}, 1280, 5),
        ("dots", [agent("level1"), ANN], {"rows": 2, "cols": 3}, 360, 1),  # a phone
    ],
)
def test_a_game_against_a_machine(
    page: Page, server: Server, game: str, seats: list[dict[str, str]], options: dict[str, int], width: int, least: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(server.table(game, seats, options=options))
    page.wait_for_selector(OPEN, state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    board = page.locator("svg.board").first.bounding_box()
    assert board is not None
    assert board["width"] >= 280
    assert play_out(page) >= least
    expect(result(page)).to_contain_text(re.compile("(Ann|Level 1) wins|It's a tie"))


def test_a_game_from_the_lobby_by_keyboard_alone(page: Page, server: Server) -> None:
    page.goto(server.url)
    link = page.get_by_role("link", name=re.compile("Dots-and-Boxes")).first
    link.focus()
    page.keyboard.press("Enter")
    start = page.get_by_role("button", name="Start game", exact=True)
    expect(start).to_be_disabled()
    page.get_by_label("Against an engine").focus()
    page.keyboard.press("ArrowRight")  # two people, one screen
    page.get_by_label("Your name").focus()
    page.keyboard.type("Ann")
    page.keyboard.press("Tab")
    page.keyboard.type("Bob")
    expect(start).to_be_enabled()
    for name in ("Rows", "Columns"):
        field = page.get_by_label(re.compile(name, re.IGNORECASE)).first
        field.focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("1")
    start.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(OPEN, state="attached")
    page.locator(".board .place[tabindex='0']").focus()
    for number in range(4):
        for key in ("Home", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            if page.locator(f"{OPEN}:focus").count():
                break
        page.keyboard.press("Enter")
        if number < 3:
            expect_moves(page, number + 1)
    expect(result(page)).to_contain_text("Bob wins")  # the fourth line takes the only box


def test_two_machines_are_watched(page: Page, server: Server) -> None:
    page.goto(server.table("dots", [agent("level2"), agent("level5")], options={"rows": 2, "cols": 2}))
    expect(result(page)).to_contain_text(re.compile("wins|tie"))
    expect_moves(page, 12)


def test_undo_redo_hint_and_looking_back(page: Page, server: Server) -> None:
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None))
    for number in range(3):
        click(page.locator(OPEN).first)
        expect_moves(page, number + 1)
    page.get_by_role("button", name="Undo").click()
    expect_moves(page, 2)
    page.get_by_role("button", name="Redo").click()
    expect_moves(page, 3)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".status-detail")).to_contain_text("Hint:")
    page.get_by_role("tabpanel").locator("button, li").filter(has_text=re.compile("^1")).first.click()
    expect(page.get_by_role("button", name="Back to the game")).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    expect_moves(page, 3)


def test_the_analysis_values_every_move_and_draws_chains(page: Page, server: Server) -> None:
    moves = ["h 0 0", "h 1 0", "h 0 1", "h 1 1", "h 2 0"]
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None, moves=moves))
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_label("Analyse the position on the board").check()
    expect(page.locator(".board .marks rect.pill")).to_have_count(7)
    expect(page.get_by_text("Proved.")).to_be_visible()
    expect(page.locator(".board .marks rect.pill.best")).to_have_count(1)  # its equals are only outlined
    expect(page.locator(".board .under *, .board .over *").first).to_be_attached()
    expect(page.locator(".legend li").first).to_be_visible()
    expect(page.get_by_role("figure", name="Evaluation by move")).to_be_visible()  # moves what is below when it comes
    page.locator("label", has_text="Strings and coins").click()
    expect(page.locator(".board .shapes > [data-key^='coin ']")).to_have_count(4)
    expect(page.locator(".board .marks rect.pill")).to_have_count(7)
    page.locator("label", has_text="Show markers on the board").click()
    expect(page.locator(".board .under *, .board .over *")).to_have_count(0)
    expect(page.locator(".legend li")).to_have_count(0)
    page.locator("label", has_text="Best line").click()
    expect(page.locator(".board .marks circle.step")).not_to_have_count(0)
    page.locator("label", has_text="Nothing").click()
    expect(page.locator(".board .marks *")).to_have_count(0)


def test_a_finished_game_is_reviewed(page: Page, server: Server) -> None:
    moves = ["h 0 0", "v 0 0", "h 1 0", "v 0 1", "v 0 2", "h 0 1"]
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 1, "cols": 2}, seconds=None, moves=moves))
    play_out(page)
    result(page).get_by_role("button", name="Review").click()
    expect(page.locator(".accuracy")).to_contain_text("accuracy of Ann")
    expect(page.locator(".verdicts li").first).to_be_visible()
    page.locator(".verdicts li button").first.click()
    expect(page.get_by_role("button", name="Back to the game")).to_be_visible()


def test_a_reload_shows_the_same_game(page: Page, server: Server) -> None:
    page.goto(server.table("uttt", [ANN, BOB], seconds=None))
    page.wait_for_selector(OPEN, state="attached")
    size = page.locator("svg.board").bounding_box()
    for number in range(2):
        click(page.locator(OPEN).first)
        expect_moves(page, number + 1)
    assert page.locator("svg.board").bounding_box() == size  # drawn again it is as large as before
    page.reload()
    expect_moves(page, 2)


@pytest.mark.complains
def test_a_killed_server_loses_nothing_and_the_page_finds_it_again(page: Page, own_server: Server) -> None:
    page.goto(own_server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None))
    for number in range(4):
        click(page.locator(OPEN).first)
        expect_moves(page, number + 1)
    own_server.stop(signal.SIGKILL)
    expect(page.locator("#banner")).to_contain_text("Connection lost")
    own_server.start()
    expect(page.locator("#banner")).to_be_hidden()
    click(page.locator(OPEN).first)
    expect_moves(page, 5)


def test_two_tabs_of_one_game_show_the_same(page: Page, server: Server) -> None:
    address = server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None)
    other = page.context.new_page()
    page.goto(address)
    other.goto(address)
    click(page.locator(OPEN).first)
    expect_moves(other, 1)
    click(other.locator(OPEN).last)
    expect_moves(page, 2)


def test_a_person_is_renamed_by_keyboard(page: Page, server: Server) -> None:
    page.goto(server.table("dots", [ANN, agent("level3")], options={"rows": 2, "cols": 2}))
    pencil = page.get_by_role("button", name="Rename Ann")
    expect(page.get_by_role("button", name=re.compile("Rename"))).to_have_count(1)  # a machine keeps its own
    pencil.focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Name")
    expect(field).to_be_focused()
    page.keyboard.type("Nobody")
    page.keyboard.press("Escape")
    expect(pencil).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("Anna <b>")
    page.keyboard.press("Enter")
    expect(page.locator(".seat-name").first).to_have_text("Anna <b>")
    expect(page.locator(".status-line")).to_have_text("Anna <b> to move")
    page.reload()
    expect(page.locator(".seat-name").first).to_have_text("Anna <b>")


def test_machines_are_described_in_plain_words(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/dots")
    about = page.locator(".about").first
    expect(about).to_contain_text("Level 3: Easy. Looks two lines ahead")
    expect(about.locator("code")).to_have_text("alphabeta(depth=2)")
    page.get_by_label("Opponent's level: others").select_option("chain-rule")
    expect(about).to_contain_text("Chain rule: Steers the number of long chains")
    page.goto(server.table("dots", [ANN, agent("champion")], options={"rows": 1, "cols": 1}))
    expect(page.locator(".seat-name").last).to_have_text("Champion")
    page.goto(server.table("dots", [ANN, agent("level3")], options={"rows": 1, "cols": 1}))
    expect(page.locator(".seat .time").last).to_contain_text("easy")
    expect(page.locator(".seat-name").last).to_have_attribute("title", re.compile("Looks two lines ahead"))


def test_lines_are_named_by_their_dots_and_shown_on_the_board(page: Page, server: Server) -> None:
    moves = ["h 0 0", "v 1 2"]
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None, moves=moves))
    chips = page.locator(".chip")
    expect(chips).to_have_text(["1a1–b1", "2c2–c3"])
    expect(page.locator(".ground .side")).to_have_text(["a", "b", "c", "1", "2", "3"])
    spot = page.locator(".board .marks .spot")
    expect(spot).to_have_count(0)
    chips.last.focus()
    expect(spot).to_have_attribute("transform", "translate(244 144)")
    expect(spot).to_have_attribute("y2", "100")
    chips.first.hover()
    expect(spot).to_have_attribute("transform", "translate(44 44)")
    expect(spot).to_have_attribute("x2", "100")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".status-detail")).to_have_text(re.compile(r"^Hint: [a-c][1-3]–[a-c][1-3]\. "))
    expect(page.locator(".board .marks .hint")).to_have_count(1)


def test_a_press_that_is_not_possible_is_explained(page: Page, server: Server) -> None:
    page.goto(server.table("uttt", [ANN, BOB], seconds=None, moves=["40"]))
    press(page, "0")
    expect(page.locator(".refusal")).to_have_text("The last move sends O to board 4, not 0.")
    expect(page.locator(".board .marks .refused").first).to_be_attached()
    expect_moves(page, 1)
    press(page, "36")
    expect_moves(page, 2)


def test_a_page_that_missed_a_change_asks_for_the_whole(page: Page, server: Server) -> None:
    """The second table, that after the own move, is lost on its way: the change of the third fits nothing."""
    heard = list[str]()

    def forward(route: WebSocketRoute) -> None:
        far = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            heard.append(str(message))
            if sum('"is":"table"' in each for each in heard) != 2 or '"is":"table"' not in str(message):
                route.send(message)

        far.on_message(pass_on)

    page.route_web_socket(re.compile("/ws/tables/"), forward)
    page.goto(server.table("uttt", [ANN, agent("level1")]))
    click(page.locator(OPEN).first)
    expect_moves(page, 2)
    expect(shapes(page, "mark")).to_have_count(2)
    tables = [json.loads(each) for each in heard if '"is":"table"' in each]
    assert ["change" in each for each in tables[:4]] == [False, True, True, False]  # whole again: one was missed


def test_a_text_board_is_played_by_its_buttons_alone(page: Page, server: Server) -> None:
    """The server's picture is replaced by one of a game that has no picture: text, and a button for each move."""
    sent = list[dict[str, Any]]()
    buttons = [["0", "a1"], ["1", "b1"], ["2", "Pass"], ["3", "Swap"], ["4", "Skip"], ["5", "Roll 2"]]
    places = [["line 0", 50, 20, 100, 40, "a text"]]
    board = {"frame": [0, 0, 100, 100], "ground": [], "places": places, "buttons": buttons}

    def forward(route: WebSocketRoute) -> None:
        far = route.connect_to_server()
        far.on_message(lambda message: route.send(json.dumps(json.loads(message) | {"picture": board, "change": None})))

        def pass_on(message: str | bytes) -> None:
            sent.append(json.loads(message))
            far.send(message)

        route.on_message(pass_on)

    page.route_web_socket(re.compile("/ws/tables/"), forward)
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 2, "cols": 2}, seconds=None))
    expect(page.get_by_role("button", name="a1")).to_be_enabled()
    press(page, "line 0")
    expect(page.locator(".refusal")).to_have_text("Choose a move below the board.")
    for key in "absrp":
        page.keyboard.press(key)
    expect_moves(page, 1)
    assert [each["move"] for each in sent if each["do"] == "move"] == ["2"]


# Two people at two browsers


def invite(page: Page, server: Server, name: str = "Ann") -> str:
    """Set up a game of two boxes with a friend; return the link for the friend."""
    page.goto(f"{server.url}/new/dots")
    page.get_by_role("radio", name="A friend, by link").check(force=True)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Rows").fill("1")
    page.get_by_label("Columns").fill("2")
    page.get_by_role("button", name="Start game", exact=True).click()
    link = page.get_by_label("Send this link to the other player")
    expect(link).to_have_value(re.compile(r"/play/.+#seat="))
    return link.input_value()


def test_two_browsers_play_a_whole_game(person: NewPerson, server: Server) -> None:
    ann, bob, eve = person(), person(), person()
    link = invite(ann, server)
    eve.goto(link.partition("#")[0])
    expect(eve.locator(".status-detail")).to_contain_text("You are watching.")
    assert eve.locator(OPEN).count() == 0
    expect(eve.get_by_role("button", name="Undo")).to_be_hidden()
    bob.goto(link)
    expect(bob).to_have_url(link.partition("#")[0])  # the token is not in the address any more
    expect(ann.get_by_label("Send this link to the other player")).to_be_hidden()
    bob.get_by_role("button", name="Rename Friend").click()
    bob.get_by_role("textbox", name="Name", exact=True).fill("Bob")
    bob.keyboard.press("Enter")
    expect(ann.locator(".seat1")).to_contain_text("Bob")

    click(ann.locator(OPEN).first)
    expect(bob.locator("svg.board").first).to_have_attribute("aria-label", re.compile("after 1 move"))
    ann.get_by_role("button", name="Undo").click()
    expect(bob.locator(".status-line")).to_have_text("Ann would like to take back a move")
    bob.get_by_role("button", name="Decline").click()
    expect(ann.locator(".status-line")).to_have_text("Bob to move")

    bob.reload()  # in the middle of the game
    expect(bob.locator(".status-line")).to_have_text("Bob to move")
    play_out(ann, bob)
    for page in (ann, bob, eve):
        expect(result(page)).to_contain_text(re.compile("(Ann|Bob) wins|It's a tie"))
    result(ann).get_by_role("button", name="Play again").click()
    bob.keyboard.press("Escape")
    expect(bob.locator(".status-line")).to_have_text("Ann would like to play another game")
    played = ann.url
    bob.get_by_role("button", name="Agree").click()
    for page in (ann, bob, eve):  # all go on to a new address, the players with their seats
        expect(page).not_to_have_url(played)
        expect_moves(page, 0)
    expect(bob.locator(".status-line")).to_have_text("Ann to move")
    click(ann.locator(OPEN).first)
    expect(bob.locator(".status-line")).to_have_text("Bob to move")
    eve.goto(played)
    expect(eve.locator(".status-line")).to_contain_text(re.compile("wins|tie"))


def test_who_lost_the_connection_goes_on(person: NewPerson, server: Server) -> None:
    ann, bob = person(), person()
    bob.goto(invite(ann, server))
    click(ann.locator(OPEN).first)
    expect(bob.locator(".status-line")).to_have_text("Friend to move")
    address = bob.url
    bob.goto("about:blank")
    expect(ann.locator(".status-detail")).to_contain_text("Friend is not connected.")
    bob.goto(address)  # without the token, which the browser has kept
    play_out(ann, bob)
    expect(result(bob)).to_be_visible()
