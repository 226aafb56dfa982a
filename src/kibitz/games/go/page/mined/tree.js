// Openings and joseki as trees: the board shows the moves that lead to a node, and letters where games went on.

import { gameAddress, mined, searchAddress } from "../api.js";
import { button, h, say, shown } from "../../../../web/page/shell/dom.js";
import { exploreBoard } from "../explorer/board.js";
import { continuationsView } from "../explorer/found.js";
import { announce, asking } from "../../../../web/page/shell/shell.js";
import { inFull, percent } from "../../../../web/page/shell/values.js";

const WORDS = {
  fuseki: "The first moves of games. Rotated and mirrored openings count as one.",
  joseki: "Moves in one corner, whatever happens elsewhere. The player who moves first is shown as black. Where one side " +
    "moves twice in a row, the opponent played elsewhere (tenuki).",
};

/** Show a tree: `which` is "fuseki" or "joseki", `moved(wish)` is called with the place in it. */
export function treeView(which, about, wish, moved) {
  const { store } = about, question = asking(), facts = h("p", { cls: "standing" }), more = h("p", { cls: "quiet" });
  const trail = h("ol", { cls: "trail" });
  const search = h("a", { cls: "button primary" }, "Search games"), game = h("a", { cls: "button" }, "Open a game");
  const back = button("Take back", () => go(line.slice(0, -1))), start = button("Back to start", () => go([]));
  const board = exploreBoard({ press, stretch: () => {}, tool: () => "X" });
  const table = continuationsView(({ code }) => go([...line, code]), board.spot, {
    none: "Too few games continued from here.", label: (words) => `${words}: continue from there`,
    note: (each) => [each.tenuki ? "after tenuki" : null, ...(each.names ?? [])].filter(Boolean).join(", "),
  });
  let line = (wish.line ?? "").split(",").filter(Boolean).map(Number), node = null;

  function press(point, painting = false) {
    const next = node?.children.find((each) => each.point === point);
    if (next && !painting) go([...line, next.code]);
  }

  function show() {
    const { children, region, size } = node, marks = [...node.board];
    const numbers = new Map(node.line.map(({ point }, i) => [point, i + 1]).filter(([point]) => marks[point] !== "."));
    board.draw(size, marks, region, children, numbers, `Board of ${size} lines with the moves of a tree`);
    const [what, first] = which === "fuseki" ? ["games", "Black"] : ["corners", "first player"];
    const won = node.decided ? `, ${first} won ${percent(node.won / node.decided)}` : "";
    say(facts, `${inFull(node.count)} ${what}${won}`);
    const years = node.first_year ? `${node.first_year}–${node.last_year}` : null;
    const lean = node.lean && node.lean !== "balanced" ? `leans to ${node.lean}` : node.lean;
    say(more, [node.names.join(", "), lean, years].filter(Boolean).join(" · "));
    trail.replaceChildren(...node.line.map((each, i) => h("li", {}, button(
      `${i + 1}. ${each.tenuki ? "– " : ""}${each.name}`, () => go(line.slice(0, i + 1)), "plain"))));
    shown(trail, node.line.length > 0);
    search.href = searchAddress(store, node.search);
    game.href = gameAddress(store, node.game, which === "fuseki" ? node.line.length : 0);
    shown(game, node.game !== null && node.line.length > 0);
    for (const each of [back, start]) each.disabled = !node.line.length;
    table.update({ continuations: children });
  }

  async function go(to) {
    const told = await question.ask(() => mined(`/${which}`, { store, line: to.join(",") }));
    if (!told) return;
    [line, node] = [to, told];
    show();
    moved({ line: line.join(",") });
    announce(facts.textContent);
  }

  const side = h("div", { cls: "stack" }, h("p", { cls: "quiet" }, WORDS[which]), trail, h("div", {}, facts, more),
    h("div", { cls: "row" }, back, start, search, game), question.el, table.el);
  return { el: h("div", { cls: "tree" }, board.el, side), open: () => go(line) };
}
