// A button that starts a game against the patterns of a store.

import { newTable } from "../../../web/page/shell/api.js";
import { button, h, shown } from "../../../web/page/shell/dom.js";
import { asking, go, kept } from "../../../web/page/shell/shell.js";

const ABOUT = "It plays what was played most often in the patterns on the board, and shows the pattern.";

/** Return the button, hidden until `offer` names a store that has an opponent. You play Black. */
export function opponentView() {
  const starting = asking("Starting a game …");
  const start = button("", begin), el = h("div", { cls: "stack" }, start, starting.el);
  let seat = null, board = 19;
  start.title = ABOUT;
  shown(el, false);

  async function begin() {
    start.disabled = true;
    const seats = [{ kind: "person", name: kept("name", "") || "You" }, { kind: "agent", spec: seat }];
    const wish = { game: "go", options: { size: board }, seats, seconds: null };
    const made = await starting.ask(() => newTable(wish));
    start.disabled = false;
    if (made) go(`/play/${made.id}`);
  }

  return {
    el,
    /** Offer to play against a store with this title, on boards of its size. */
    offer({ title, opponent, size }) {
      [seat, board] = [opponent, size];
      start.textContent = `Play against ${title[0].toLowerCase()}${title.slice(1)}`;
      shown(el, Boolean(opponent));
    },
  };
}
