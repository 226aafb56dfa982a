// A game of Go gone over by the model: how likely it held each move, and which were the biggest surprises.

import { button, h } from "../../../../web/page/shell/dom.js";
import { isContest } from "../../../../web/page/table/model.js";
import { askingModel, choice } from "./predict.js";
import { atTable } from "../api.js";
import { percent } from "../../../../web/page/shell/values.js";

/** Return how often a player played what the model expected. */
function expected({ n, first, five }, player, table) {
  if (!n) return null;
  const words = `moves of ${table.seats[player].name} were its first choice, ${five} among its first five`;
  return h("div", {}, h("b", { cls: `ink${player}` }, `${first} of ${n}`), h("span", { cls: "quiet" }, words));
}

/** Return a move that surprised the model; a click shows the position before it. */
function surprise(each, table, act) {
  const move = table.moves[each.ply - 1], name = table.seats[move.player].name, { best } = each;
  const words = `The model gives it ${percent(best.share)}, and the move played ${percent(each.share)}`;
  const better = { best: best.name, best_label: best.name, best_steps: [best.name], best_words: `${words}.`, lead: "Expected" };
  return h("li", { cls: "verdict" }, h("button", { type: "button", onclick: () => act.jump(each.ply - 1, better) },
    h("span", { cls: "verdict-head" },
      h("b", { cls: `ink${move.player}` }, `${each.ply}. ${name}: ${move.label}`),
      h("span", { cls: "tag" }, percent(each.share)), h("span", { cls: "quiet" }, choice(each.rank))),
    h("span", { cls: "verdict-words" }, h("span", { cls: "quiet" }, "Expected: "),
      `${best.name}, ${percent(best.share)}`)));
}

/** Return the part of a review that the model makes, for games of Go. */
export function likelyView(act) {
  const start = button("Find surprising moves", ask), question = askingModel("Reviewing the game");
  const about = "How likely a model of professional play thought each move, and which it did not expect.";
  const intro = h("p", { cls: "quiet" }, about);
  const told = h("div", { cls: "stack close" });
  let model = null, key = null;

  async function ask() {
    const { table } = model, mine = key;
    start.disabled = true;
    const found = await question.ask(() => atTable(model.id).whole());
    if (found && mine === key) told.replaceChildren(...(found.words ? [h("p", {}, found.words)] : shownOf(found, table)));
    start.disabled = false;
  }

  function shownOf(found, table) {
    const by = new Map(found.moves.map((each) => [each.ply, each]));
    const words = !found.moves.length ? "The first move on an empty board, and passes, are not predicted."
      : found.surprises.length ? "Least likely moves first. Click one to see the position before it."
        : "The model would have played every move.";
    return [
      h("p", { cls: "quiet" }, `By ${found.about}, ${found.moves.length} moves. ${found.note}`.trim()),
      h("div", { cls: "accuracy" }, found.players.map((each, i) => expected(each, i, table)).filter(Boolean)),
      h("p", { cls: "quiet" }, words),
      h("ol", { cls: "verdicts" }, found.surprises.map((ply) => surprise(by.get(ply), table, act))),
    ];
  }

  return {
    el: h("section", { cls: "stack likely-part", "aria-label": "Surprising moves" },
      h("h2", {}, "Surprising moves"), intro, h("div", { cls: "row" }, start), question.el, told),
    update(given) {
      model = given;
      const { table } = model, of = table.moves.map((move) => move.text).join(" ");
      if (of !== key) told.replaceChildren();
      key = of;
      start.disabled = !model.connected || table.ply === 0 || isContest(table);
    },
  };
}
