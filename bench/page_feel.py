"""How the page feels in a real browser, on a warm server.

    python -m bench.page_feel [--moves 40] [--engines 2]

start: from the click on Start until a move is possible. move: from the click on
the board until the move is on it, while so many champions think at other tables
and the own position is being analysed. Both are timed inside the browser.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import threading

from playwright.sync_api import Page, sync_playwright

from tools.page_load import Server, serving

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMED_MOVE = """async () => {
  const board = document.querySelector("svg.board"), spot = document.querySelector(".board [data-key]");
  const before = board.getAttribute("aria-label"), box = spot.getBoundingClientRect();
  const shown = new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (document.querySelector("svg.board").getAttribute("aria-label") === before) return;
      watch.disconnect();
      requestAnimationFrame(() => resolve(performance.now()));
    });
    watch.observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
  });
  const began = performance.now();
  const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  spot.dispatchEvent(new MouseEvent("click", at));
  return (await shown) - began;
}"""
TIMED_START = """async () => {
  const ready = new Promise((resolve) => {
    const look = () => (location.pathname.startsWith("/play/") && document.querySelector(".board [data-key]")
      ? resolve(performance.now()) : requestAnimationFrame(look));
    look();
  });
  const began = performance.now();
  [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Start").click();
  return (await ready) - began;
}"""


def keep_thinking(server: Server, stop: threading.Event) -> None:
    """Have a champion think at a table of its own until told to stop."""

    async def work() -> None:
        table = await asyncio.to_thread(server.table, "uttt", {}, "champion", 300.0)
        async with server.connect(table) as socket:
            await socket.recv()
            await socket.send(json.dumps({"do": "move", "ply": 0, "move": "40"}))
            while not stop.is_set():
                await socket.recv()

    asyncio.run(work())


def told(name: str, times: list[float]) -> None:
    """Print some times."""
    ordered = sorted(times)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    print(
        f"{name}: {len(times)} times, median {statistics.median(times):.0f} ms, p95 {p95:.0f}, most {ordered[-1]:.0f}"
    )


def time_starts(page: Page, address: str, game: str, times: int) -> list[float]:
    """Return how long it took until the first move was possible."""
    found = []
    for _ in range(times):
        page.goto(f"{address}/new/{game}")
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Start", exact=True).and_(page.locator(":enabled")).wait_for()
        found.append(float(page.evaluate(TIMED_START)))
    return found


def time_moves(page: Page, address: str, server: Server, moves: int) -> list[float]:
    """Return how long moves took to be on the board."""
    persons = [{"kind": "person", "name": name} for name in ("Ann", "Bob")]
    table = server.ask("/api/tables", {"game": "dots", "options": {"rows": 9, "cols": 9}, "seats": persons})["id"]
    page.goto(f"{address}/play/{table}")
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_role("tabpanel").get_by_role("switch").or_(page.get_by_role("checkbox")).first.click()
    page.wait_for_timeout(500)
    found = []
    for _ in range(moves):
        found.append(float(page.evaluate(TIMED_MOVE)))
        page.wait_for_timeout(250)
    return found


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--engines", type=int, default=2)
    given = parser.parse_args()
    chromium = next(path for name in CHROMIUM if (path := shutil.which(name)))
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page, address = browser.new_page(), f"http://127.0.0.1:{server.port}"
        for game in ("dots", "uttt"):
            told(f"start {game}", time_starts(page, address, game, 6))
        stop = threading.Event()
        for _ in range(given.engines):
            threading.Thread(target=keep_thinking, args=(server, stop), daemon=True).start()
        page.wait_for_timeout(3000)
        health = server.ask("/health")
        print(f"{health['thinking']} engines think")
        told("move", time_moves(page, address, server, given.moves))
        stop.set()
        browser.close()


if __name__ == "__main__":
    main()
