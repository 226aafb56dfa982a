// The analysis beside the board: the evaluation, the moves with values and explanations, the expected line,
// the graph of the game, and facts from the game's theory.

import * as api from "../shell/api.js";
import { button, field, h, redrawing, render, say, segmented, select, shown, toggle } from "../shell/dom.js";
import { factsView } from "./facts.js";
import { graphView, scored } from "./review.js";
import { analysisHere, isContest, shownPosition } from "../table/model.js";
import { hasNames } from "../table/stage.js";
import * as values from "../shell/values.js";

const MAX_LISTED_MOVES = 6; // before "All moves"
const MAX_LINE_MOVES = 12; // of the expected line, in words

/** Return the moves with their values. */
function movesTable(act) {
  const body = h("ol", { cls: "values" }), more = button("", () => { all = !all; fill(); }, "plain");
  let found = null, all = false;

  function row(each, top, isSettled) {
    const tone = found.best.includes(each.move) ? "chosen" : values.tone(each.value, top, found.unit);
    return h("li", { onpointerenter: () => act.spot(each.steps), onpointerleave: () => act.spot(null) },
      h("b", {}, each.label),
      h("span", { cls: `value ${tone} ${each.exact && !isSettled ? "exact" : ""}` },
        values.words(each.value, found.unit, each.exact)),
      each.visits ? h("span", { cls: "figures" }, each.score_words, h("span", { cls: "quiet" }, values.many(each.visits, "visit"))) : null,
      h("span", { cls: "value-words" }, each.words,
        each.visits && each.line_words ? h("span", { cls: "quiet" }, ` Then ${each.line_words}`.slice(each.words ? 0 : 1)) : null));
  }

  function fill() {
    const ranked = values.ranked(found.moves), listed = all ? ranked : ranked.slice(0, MAX_LISTED_MOVES);
    const isSettled = ranked.every(({ exact }) => exact); // then it need not be said of each move that it is proved
    render(body, listed.map((each) => row(each, ranked[0].value, isSettled)));
    shown(more, ranked.length > MAX_LISTED_MOVES);
    say(more, all ? "Fewer moves" : `All ${ranked.length} moves`);
  }

  return {
    el: h("div", {}, body, more),
    update(analysis) {
      found = analysis;
      fill();
    },
  };
}

/** Return the expected line in words. No move is broken across two lines of text. */
function expected(line) {
  if (!line.length) return "";
  const whole = ({ label }) => label.replaceAll(" ", "\u00a0").replace("–", "\u2060–\u2060");
  const labels = line.slice(0, MAX_LINE_MOVES).map(whole);
  return `Expected: ${labels.join(", ")}${line.length > MAX_LINE_MOVES ? " …" : ""}`;
}

/** Return the controls that choose what is shown on the board. */
function boardChoices(act) {
  const el = h("div", { cls: "shows" });
  let hasSigns = false;

  const draw = redrawing(el, ([marks, show, signed]) => {
    const change = (name) => (value) => act.keep({ [name]: value });
    const now = marks.some(([value]) => value === show.marks) ? show.marks : "values";
    return [segmented("Show on moves", marks, now, change("marks")),
      signed ? toggle("Show markers on the board", show.overlay, change("overlay")) : null];
  });

  function update(model, overlay) {
    const { picture } = shownPosition(model);
    const isNamed = [picture, ...Object.values(picture.views)].some(hasNames); // elsewhere names stand along the board
    hasSigns ||= Boolean(overlay?.under?.length || overlay?.over?.length || overlay?.legend?.length);
    draw([[["values", "Values"], ["line", "Best line"], ...(isNamed ? [["names", "Names"]] : []), ["none", "Nothing"]],
      model.show, hasSigns]);
  }

  return { el, update };
}

/** Return a choice between the game's own analyst and outside programs, empty where none is offered. */
function analystChoice(act) {
  const el = h("div");
  let asked = null;

  const draw = redrawing(el, ([names, chosen]) => {
    const onchange = ({ target }) => act.chooseAnalyst(target.value);
    const choices = [["", "kibitz"], ...names.map((name) => [name, name])];
    return names.length ? [field("Analysed by", select(choices, chosen, { onchange }))] : [];
  });

  function update(model) {
    const { name } = model.table.game;
    if (asked !== name) {
      asked = name;
      api.game(name).then(({ analysts }) => { model.analysts = analysts; draw([analysts, model.analyst]); }, () => {});
    }
    draw([model.analysts, model.analyst]);
  }

  return { el, update };
}

export function analysisView(act) {
  const graph = graphView(act), table = movesTable(act), facts = factsView(), choices = boardChoices(act);
  const analyst = analystChoice(act);
  const power = toggle("Analyse the position on the board", false, (on) => act.analyse(on));
  const wait = h("p", { cls: "quiet" }, "Analysis is off until the game between two people is over.");
  const standing = h("p", { cls: "standing" }), depth = h("p", { cls: "quiet" });
  const reason = h("p"), line = h("p", { cls: "line-words" });
  const head = h("div", { cls: "stack close" }, standing, reason, line, depth);
  const body = h("div", { cls: "stack" }, choices.el, table.el, facts.el);
  const caption = h("figcaption", { cls: "quiet" }), graphPart = h("figure", { cls: "graph-part" }, caption, graph.el);

  function show(found, position, names) {
    const stands = values.standing(found.value, found.unit, found.exact, position.to_move, names);
    say(standing, [stands || "The game is over", found.score_words].filter(Boolean).join(", "));
    const state = found.exact ? "Proved." : found.done ? "Search finished." : "Searching …";
    say(depth, found.visits ? `${state} ${values.many(found.visits, "visit")}.` : state);
    say(reason, found.words);
    say(line, expected(found.line));
    table.update(found);
  }

  return {
    el: h("div", { cls: "stack" }, power, analyst.el, wait, head, graphPart, body),
    update(model) {
      const position = shownPosition(model), found = analysisHere(model), { analysing } = model;
      const overlay = found?.overlay ?? position.overlay ?? null;
      choices.update(model, overlay);
      analyst.update(model);
      const later = isContest(model.table);
      power.querySelector("input").checked = analysing;
      power.querySelector("input").disabled = later;
      shown(wait, later);
      for (const part of [head, body]) shown(part, analysing);
      shown(graphPart, model.graph.length > 1);
      if (model.graph.length > 1) graph.update(model);
      say(caption, scored(model.graph) ? "Win rate and score (dashed) by move" : "Evaluation by move");
      if (found) show(found, position, model.table.seats.map((seat) => seat.name));
      else if (!analysing || !standing.textContent) say(standing, "Analysing …");
      for (const part of [head, body]) part.classList.toggle("stale", !found); // of the position before
      if (overlay) facts.update(overlay, model.table.game.name, model.show.overlay);
    },
  };
}
