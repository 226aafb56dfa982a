// The start page: the games with a picture of each, and the games played last.

import * as api from "../shell/api.js";
import { makeBoard } from "../board/board.js";
import { h } from "../shell/dom.js";
import { rows } from "./saved.js";
import { title } from "../shell/shell.js";
import { warmUpLine } from "./warmup.js";

function card([game, cover]) {
  const board = makeBoard();
  if (cover) board.show(cover, { name: game.name, label: `A position of ${game.title}` });
  return h("article", { cls: "card game-card" },
    h("a", { cls: "picture", href: `/new/${game.name}`, tabindex: "-1", "aria-hidden": "true" }, board.el),
    h("div", { cls: "card-words" },
      h("h2", {}, game.title),
      h("p", { cls: "blurb" }, game.blurb),
      h("div", { cls: "row" },
        h("a", { cls: "button primary", href: `/new/${game.name}`, "aria-label": `Play ${game.title}` }, "Play"),
        game.problems ? h("a", { cls: "button", href: `/problems/${game.name}` }, "Problems") : null,
        game.links.map(([label, href]) => h("a", { cls: "button", href }, label)),
        game.editor ? h("a", { cls: "button", href: `/edit/${game.name}` }, "Set up a position") : null)));
}

export async function page(root) {
  title("");
  root.classList.add("middle");
  const [games, tables] = await Promise.all([api.games(), api.tables().catch(() => [])]);
  const covers = await Promise.all(games.map((game) => api.cover(game.name).catch(() => null)));
  root.append(
    h("div", { cls: "hero" }, h("h1", {}, "Play, watch, analyse"),
      h("p", {}, "Board games against people or engines, with the reasons for every move."), warmUpLine()),
    h("div", { cls: "cards" }, games.map((game, i) => card([game, covers[i]]))));
  if (tables.length) {
    root.append(h("section", { cls: "recent" },
      h("div", { cls: "row spread" }, h("h2", {}, "Recent games"), h("a", { href: "/games" }, "All games")),
      rows(tables.slice(0, 5))));
  }
}
