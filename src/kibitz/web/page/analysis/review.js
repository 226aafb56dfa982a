// A review of a game: accuracy, the loss of each move, and the turning points; and the graph of a game.

import { button, h, render, s, say, shown } from "../shell/dom.js";
import { shownPly } from "../table/model.js";
import { lost, many } from "../shell/values.js";

const WIDE = 300, HIGH = 72; // of the graph, in units of its own
const MIN_SCORE_SCALE = 20; // points; the graph of a closer game does not use its whole height
const LISTED_VERDICTS = ["blunder", "mistake", "inaccuracy"];

/**
 * Return an entry of a list of verdicts: a move, with tags beside it and lines of text below. A click shows the
 * position before the move, with the `better` move marked.
 */
export function verdict(ply, table, act, { tags, lines, better, cls = "" }) {
  const move = table.moves[ply - 1], name = table.seats[move.player].name;
  const head = h("b", { cls: `ink${move.player}` }, `${ply}. ${name}: ${move.label}`);
  return h("li", { cls: `verdict ${cls}` }, button([h("span", { cls: "verdict-head" }, head, tags),
    lines.map((line) => h("span", { cls: "verdict-words" }, line))], () => act.jump(ply - 1, better)));
}

/** Return the points that a move lost, to follow another loss. */
const points = (loss) => (loss ? `, ${many(loss, "point")}` : "");

/** Return a move that lost something. */
const judgement = (each, table, act, turning, unit) => verdict(each.ply, table, act, {
  cls: each.verdict, better: each,
  tags: [h("span", { cls: "tag" }, each.verdict),
    each.loss ? h("span", { cls: "quiet" }, `loses ${lost(each.loss, unit)}${points(each.score_loss)}`) : null,
    turning ? h("span", { cls: "tag turning" }, "turning point") : null],
  lines: [...(each.words ? [each.words] : []),
    [h("span", { cls: "quiet" }, "Better: "), `${each.best_label}. ${each.best_words}`]],
});

/** Return a player's accuracy, as a number and in words. */
export const tally = (player, number, words) =>
  h("div", {}, h("b", { cls: `ink${player}` }, number), h("span", { cls: "quiet" }, words));

export function reviewView(act) {
  const start = button("Review this game", () => act.review(), "primary");
  const intro = h("p", { cls: "quiet" }, "Analyse every move and find the mistakes.");
  const progress = h("progress", { max: "1", value: "0", "aria-label": "Review" }), told = h("p", { cls: "quiet" });
  const accuracy = h("div", { cls: "accuracy" }), list = h("ol", { cls: "verdicts" });
  const graph = graphView(act);
  let drawn;

  function show(review, table) {
    const turning = new Set(review.turning);
    const listed = review.moves.filter((each) => LISTED_VERDICTS.includes(each.verdict) || turning.has(each.ply));
    render(accuracy, review.accuracy.map((share, player) => {
      const { name } = table.seats[player], loss = review.score_loss[player];
      const words = loss === null ? `accuracy of ${name}` : `accuracy of ${name}, ${loss.toFixed(1)} points lost a move`;
      return share === null ? null : tally(player, `${Math.round(100 * share)} %`, words);
    }));
    render(list, listed.map((each) => judgement(each, table, act, turning.has(each.ply), review.unit)));
    if (review.running) say(told, `${review.done} of ${review.of} moves`);
    else say(told, listed.length ? "Click a move to see the position before it." : "No mistakes found.");
    progress.max = Math.max(1, review.of);
    progress.value = review.done;
  }

  return {
    el: h("div", { cls: "stack" }, intro, h("div", { cls: "row" }, start), progress, told, accuracy, graph.el, list),
    update(model) {
      const { review, table } = model;
      start.disabled = !model.connected || table.ply === 0 || Boolean(review?.running);
      shown(intro, !review);
      shown(progress, Boolean(review?.running));
      for (const part of [told, accuracy, list]) shown(part, Boolean(review));
      graph.el.classList.toggle("unseen", !review || model.graph.length < 2);
      if (review) graph.update(model);
      if (review === drawn) return;
      drawn = review;
      say(start, review && !review.running ? "Review again" : "Review this game");
      if (review) show(review, table);
    },
  };
}

/** Return whether any position of a graph has an expected score. */
export const scored = (graph) => graph.some(([, , , score]) => typeof score === "number");

/** Return the first player's chances, and the score if known, after every move as a graph. A click goes there. */
export function graphView(act) {
  const area = s("path", { cls: "graph-area" }), line = s("path", { cls: "graph-line" });
  const score = s("path", { cls: "graph-score" });
  const here = s("line", { cls: "graph-here", y1: 0, y2: HIGH }), turns = s("g", { cls: "graph-marks" });
  const middle = s("line", { cls: "graph-middle", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 });
  const svg = s("svg", {
    cls: "graph", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Evaluation over the game", onclick: jump,
  }, middle, area, line, score, turns, here);
  let total = 1;

  function jump(event) {
    const frame = svg.getBoundingClientRect();
    act.jump(Math.round(((event.clientX - frame.left) / frame.width) * total));
  }

  return {
    el: svg,
    update(model) {
      total = Math.max(1, model.table.ply);
      const x = (ply) => (ply / total) * WIDE, y = (points) => HIGH * (1 - points);
      const found = model.graph.filter(([, points]) => points !== null);
      const path = found.map(([ply, points]) => `${x(ply).toFixed(1)} ${y(points).toFixed(1)}`).join("L");
      const ends = found.length ? [x(found[0][0]), x(found.at(-1)[0])] : [];
      line.setAttribute("d", path ? `M${path}` : "");
      area.setAttribute("d", path ? `M${ends[0]} ${HIGH / 2}L${path}L${ends[1]} ${HIGH / 2}Z` : "");
      const margins = model.graph.filter(([, , , margin]) => typeof margin === "number");
      const most = Math.max(MIN_SCORE_SCALE, ...margins.map(([, , , margin]) => Math.abs(margin)));
      const drawn = margins.map(([ply, , , margin]) => `${x(ply).toFixed(1)} ${y((1 + margin / most) / 2).toFixed(1)}`);
      score.setAttribute("d", drawn.length ? `M${drawn.join("L")}` : "");
      const turning = found.filter(([ply]) => model.review?.turning?.includes(ply));
      turns.replaceChildren(...turning.map(([ply, points]) => s("circle", { cx: x(ply), cy: y(points), r: 3 })));
      for (const side of ["x1", "x2"]) here.setAttribute(side, x(shownPly(model)));
    },
  };
}
