// A game's own panels beside the board: each is a tab with notes, which may have drawings.

import { makeBoard } from "../board/board.js";
import { h, redrawing } from "../shell/dom.js";
import { isCovered, shownPosition } from "./model.js";

/**
 * Return a note: a title, a text with its first words in bold, a drawing. A title alone is a heading of what follows.
 * @param {{ title?: string, lead?: string, text?: string, tone?: string, picture?: import("../board/picture.js").PictureJson }} note
 * @param {string} name of the game
 */
function noteView({ title = "", lead = "", text = "", tone = "", picture }, name) {
  if (!lead && !text && !picture) return h("h2", {}, title);
  const words = lead || text ? h("p", {}, lead ? h("b", {}, lead, " ") : null, text) : null;
  const board = picture ? makeBoard() : null;
  if (picture) board?.show(picture, { name, titles: true });
  return h("section", { cls: `panel-note ${tone}` }, title ? h("h3", {}, title) : null, words, board?.el);
}

/** Return what keeps the panels of a game up to date; `side` are the tabs, where new ones stand before `before`. */
export function panelsView(side, before) {
  const made = new Map(), covered = [{ text: "Covered: press “Show my cards” at your turn.", tone: "quiet" }];

  /** Add the tab of a panel; returns what fills it. */
  function add(title) {
    const el = h("div", { cls: "stack", tabindex: "0", role: "group", "aria-label": title });
    side.add({ id: `panel ${title}`, label: title, panel: el }, before);
    made.set(title, redrawing(el, ([notes, name]) => notes.map((each) => noteView(each, name))));
  }

  return {
    update(model) {
      const { panels = [] } = shownPosition(model), { name } = model.table.game;
      for (const { title, notes } of panels) {
        if (!made.has(title)) add(title);
        made.get(title)([isCovered(model) ? covered : notes, name]);
      }
      for (const title of made.keys()) side.offer(`panel ${title}`, panels.some((each) => each.title === title));
    },
  };
}
