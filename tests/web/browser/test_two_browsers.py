"""Two people at two browsers: one invites the other by a link, a third looks on."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from web.browser.fixtures import NewPerson
from web.browser.looking import OPEN, click, expect_moves
from web.browser.serving import Server


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


def play_out(players: list[Page]) -> None:
    """Let whoever may move draw the first line there is, until both see the result."""
    board = "svg.board"
    while not all(page.get_by_role("dialog").count() for page in players):
        for page in players:
            spot = page.locator(OPEN).first
            if page.get_by_role("dialog").count() or not spot.count():
                continue
            before = page.locator(board).first.get_attribute("aria-label")
            click(spot)
            for each in players:
                expect(each.locator(board).first).not_to_have_attribute("aria-label", before or "")


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
    play_out([ann, bob])
    for page in (ann, bob, eve):
        expect(page.get_by_role("dialog")).to_contain_text(re.compile("(Ann|Bob) wins|It's a tie"))
    ann.get_by_role("dialog").get_by_role("button", name="Play again").click()
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
    play_out([ann, bob])
    expect(bob.get_by_role("dialog")).to_be_visible()
