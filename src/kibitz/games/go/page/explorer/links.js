// Games of a store in a few words, and as links that open them. Knows addresses of the explorer, and no board.

import { h, versus } from "../../../../web/page/shell/dom.js";
import { gameAddress } from "../api.js";

/** Return a player as a list tells of one. */
export const player = (name, rank, otherwise) => `${name ?? otherwise}${rank ? ` ${rank}` : ""}`;

/** Return what a list tells of a game; `when` is what it says of the move that is meant. */
export function gameWords(game, when) {
  const about = [game.date, game.event].filter(Boolean).join(" · ");
  return [
    versus(player(game.black, game.black_rank, "Black"), player(game.white, game.white_rank, "White")),
    h("span", { cls: "quiet" }, [when, game.result].filter(Boolean).join(" · ")),
    about ? h("span", { cls: "quiet about-game" }, about) : null,
  ];
}

/** Return a list of games of a store, each a link that opens it at a move; `when(game)` names that. */
export const gameLinks = (store, found, when) => h("ol", { cls: "found-games" }, found.map((each) =>
  h("li", {}, h("a", { cls: "button", href: gameAddress(store, each.game, each.move) }, gameWords(each, when(each))))));
