// The analysis beside the board: how the position stands, the moves with values and words, the expected line,
// the graph of the game, and what the theory of a game says.

import { button, h, say, segmented, shown, toggle } from "../shell/dom.js";
import { factsView } from "./facts.js";
import { graphView } from "./graph.js";
import { analysisHere, isContest, shownPosition } from "../table/model.js";
import { hasNames } from "../table/stage.js";
import { keep } from "../shell/shell.js";
import * as values from "../shell/values.js";

const MAX_LISTED_MOVES = 6; // before "All moves"
const MAX_LINE_MOVES = 12; // of the expected line, in words

/** Return the moves with values; the rows are made once and filled again, so that nothing flickers. */
function movesTable(act) {
  const body = h("ol", { cls: "values" }), more = button("", () => { all = !all; fill(); }, "plain");
  let rows = [], found = null, all = false, isSettled = false; // settled: the values of all moves are proved

  function row() {
    const made = { steps: null, label: h("b"), value: h("span"), words: h("span", { cls: "value-words" }) };
    const attrs = { onpointerenter: () => act.spot(made.steps), onpointerleave: () => act.spot(null) };
    made.el = h("li", attrs, made.label, made.value, made.words);
    body.append(made.el);
    return made;
  }

  function show(to, each, top) {
    const tone = found.best.includes(each.move) ? "chosen" : values.tone(each.value, top, found.unit);
    to.steps = each.steps;
    say(to.label, each.label);
    say(to.value, values.words(each.value, found.unit, each.exact));
    to.value.className = `value ${tone} ${each.exact && !isSettled ? "exact" : ""}`;
    say(to.words, each.words);
  }

  function fill() {
    const ranked = [...found.moves].sort((a, b) => b.value - a.value), listed = all ? ranked : ranked.slice(0, MAX_LISTED_MOVES);
    while (rows.length < listed.length) rows.push(row());
    for (const gone of rows.splice(listed.length)) gone.el.remove();
    listed.forEach((each, i) => show(rows[i], each, ranked[0].value));
    shown(more, ranked.length > MAX_LISTED_MOVES);
    say(more, all ? "Fewer moves" : `All ${ranked.length} moves`);
  }

  return {
    el: h("div", {}, body, more),
    update(analysis) {
      found = analysis;
      isSettled = found.moves.every(({ exact }) => exact);
      fill();
    },
  };
}

/** Return the play expected, in words. No move is broken between two lines of text. */
function expected(line) {
  if (!line.length) return "";
  const whole = ({ label }) => label.replaceAll(" ", "\u00a0").replace("–", "\u2060–\u2060");
  const labels = line.slice(0, MAX_LINE_MOVES).map(whole);
  return `Expected: ${labels.join(", ")}${line.length > MAX_LINE_MOVES ? " …" : ""}`;
}

/** Return the choices of what is shown on the board; made anew for another kind of board. */
function boardChoices(act) {
  const shows = h("div", { cls: "shows" });
  let offered = "", hasSigns = false;

  function offer(model, overlay) {
    const { picture } = shownPosition(model), { show } = model;
    const named = [picture, ...Object.values(picture.views)].some(hasNames);
    const signed = Boolean(overlay?.under?.length || overlay?.over?.length || overlay?.legend?.length);
    hasSigns ||= signed;
    const state = JSON.stringify([named, hasSigns]);
    if (state === offered) return;
    offered = state;
    const change = (name) => (value) => {
      act.show({ [name]: value });
      keep("show", show);
    };
    const names = named ? [["names", "Names"]] : []; // elsewhere they stand along the board
    const marks = [["values", "Values"], ["line", "Best line"], ...names, ["none", "Nothing"]];
    const now = marks.some(([value]) => value === show.marks) ? show.marks : "values";
    shows.replaceChildren(segmented("Show on moves", marks, now, change("marks")));
    if (hasSigns) shows.append(toggle("Show markers on the board", show.overlay, change("overlay")));
  }

  return { shows, offer };
}

export function analysisView(act) {
  const graph = graphView(act), table = movesTable(act), facts = factsView(), choices = boardChoices(act);
  const power = toggle("Analyse the position on the board", false, (on) => act.analyse(on));
  const wait = h("p", { cls: "quiet" }, "Analysis is off until the game between two people is over.");
  const standing = h("p", { cls: "standing" }), depth = h("p", { cls: "quiet" });
  const reason = h("p"), line = h("p", { cls: "line-words" });
  const head = h("div", { cls: "stack close" }, standing, reason, line, depth);
  const body = h("div", { cls: "stack" }, choices.shows, table.el, facts.el);
  const graphPart = h("figure", { cls: "graph-part" }, h("figcaption", { cls: "quiet" }, "Evaluation by move"), graph.el);

  function show(found, position, names) {
    const stands = values.standing(found.value, found.unit, found.exact, position.to_move, names);
    say(standing, stands || "The game is over");
    say(depth, found.exact ? "Proved." : found.done ? "Search finished." : "Searching …");
    say(reason, found.words);
    say(line, expected(found.line));
    table.update(found);
  }

  return {
    el: h("div", { cls: "stack" }, power, wait, head, graphPart, body),
    update(model) {
      const position = shownPosition(model), found = analysisHere(model), { analysing } = model;
      const overlay = found?.overlay ?? position.overlay ?? null;
      choices.offer(model, overlay);
      const later = isContest(model.table);
      power.querySelector("input").checked = analysing;
      power.querySelector("input").disabled = later;
      shown(wait, later);
      for (const part of [head, body]) shown(part, analysing);
      shown(graphPart, model.graph.length > 1);
      if (model.graph.length > 1) graph.update(model);
      if (found) show(found, position, model.table.seats.map((seat) => seat.name));
      else if (!analysing || !standing.textContent) say(standing, "Analysing …");
      for (const part of [head, body]) part.classList.toggle("stale", !found); // of the position before
      if (overlay) facts.update(overlay, model.table.game.name, model.show.overlay);
    },
  };
}
