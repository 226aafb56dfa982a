// What a model predicts of a position: the likeliest moves, what speaks for each, and games in which it was played.
// All numbers come from the server.

import { button, h, pointed, render, say, shareBar, shown } from "../../../../web/page/shell/dom.js";
import { gameLinks } from "../explorer/links.js";
import { windowView } from "../explorer/window.js";
import { asking } from "../../../../web/page/shell/shell.js";
import { percent } from "../../../../web/page/shell/values.js";

const COMPILING = "Loading the model. The first time, it is compiled, which takes up to a minute.";
const RANKS = ["first", "second", "third", "fourth", "fifth"];

/** Return which choice of the model a move is. */
export function choice(rank) {
  const teen = rank % 100 > 10 && rank % 100 < 14, end = teen ? "th" : ["th", "st", "nd", "rd"][rank % 10] ?? "th";
  return `${RANKS[rank - 1] ?? `${rank}${end}`} choice`;
}

/** Return a line for questions to the model. */
export const askingModel = (busy) => asking(busy, COMPILING);

/** Return the games that have a pattern, as links that open them at the move. */
function gamesList({ store, title, games, whole, rows, words }) {
  if (!games.length) return [h("p", { cls: "quiet" }, words)];
  const smaller = "No game has the whole pattern. These match this part of it:";
  return [
    whole ? null : h("p", { cls: "quiet" }, smaller), whole ? null : h("div", { cls: "part-window" }, windowView(rows)),
    h("h3", {}, `Games with this move: ${title.toLowerCase()}`),
    gameLinks(store, games, ({ move }) => `move ${move}`),
  ].filter(Boolean);
}

/** Return a reason with what it adds. */
function reason([text, weight]) {
  const sign = weight < 0 ? "−" : "+";
  return h("li", {}, h("b", { cls: weight < 0 ? "against" : "for" }, `${sign}${Math.abs(weight).toFixed(1)}`),
    h("span", {}, text));
}

/** Return what speaks for a candidate. `games()` asks for examples, at once if the move was asked for. */
function explanation(each, isPlayed, games, atOnce) {
  const found = h("div", { cls: "stack close" }), question = askingModel("Searching games");
  const more = button("Show games with this pattern", look);

  async function look() {
    shown(more, false);
    const answer = await question.ask(games);
    if (answer) found.replaceChildren(...gamesList(answer));
  }

  if (atOnce) look();
  const rank = `${choice(each.rank)}, ${percent(each.share)}`;
  const by = each.by_patterns === null ? "Reasons"
    : `The pattern model gives it ${percent(each.by_patterns)}. Its reasons`;
  return h("section", { cls: "why stack close", "aria-label": `Why ${each.name}` },
    h("h2", {}, `${each.name}${isPlayed ? ", played" : ""}: ${rank}`),
    h("div", { cls: "why-parts" },
      each.rows ? h("div", { cls: "why-window" }, windowView(each.rows),
        h("small", { cls: "quiet" }, "The player to move is black.")) : null,
      h("div", {}, h("p", { cls: "quiet" }, each.reasons.length ? `${by}:` : "The model gives no reason."),
        h("ul", { cls: "reasons" }, each.reasons.map(reason)))),
    each.rows ? h("div", { cls: "row" }, more) : null, question.el, found);
}

/**
 * Show what a model predicts. `spot(candidate)` marks one on the board, `changed()` is called when there is something
 * else to draw, `both` has the played move and the first choice explained without being asked.
 */
export function predictionView({ spot, changed, both = false }) {
  const question = askingModel("Asking the model");
  const about = h("p", { cls: "quiet" }), list = h("ol", { cls: "likely-moves" });
  const sums = "Each number is what the reason adds to the score of the move; +0.7 doubles its probability.";
  const whys = h("div", { cls: "stack" }), note = h("p", { cls: "quiet" }, sums);
  let key = null, source = null, ply = 0, now = null, chosen = [];

  async function askFor(from, at, of) {
    const answer = await question.askInTurn(() => from.opinion(at));
    if (of !== key) return;
    if (!answer) return [about, list].forEach((part) => part.replaceChildren());
    now = answer;
    const open = both ? [now.played, now.candidates?.[0].name] : [];
    chosen = [...new Set(open.filter((name) => now.candidates?.some((each) => each.name === name)))];
    fill(false);
    changed();
  }

  function row(each) {
    const isPlayed = each.name === now.played, attrs = pointed(() => spot(each), () => spot(null));
    const parts = [h("span", { cls: "quiet rank" }, `${each.rank}.`), h("b", {}, each.name), shareBar(each.share),
      h("span", { cls: "share" }, percent(each.share)), isPlayed ? h("span", { cls: "tag" }, "played") : null];
    return h("li", {}, button(parts, () => choose(each), null, { "aria-pressed": String(chosen.includes(each.name)), ...attrs }));
  }

  function choose(each) {
    chosen = chosen.length === 1 && chosen[0] === each.name ? [] : [each.name];
    fill(true);
    changed();
  }

  /** Show what was predicted, and why the moves chosen were; `atOnce`: with games that have them. */
  function fill(atOnce) {
    const [from, at] = [source, ply], some = chosenOnes().toSorted((a, b) => b.rank - a.rank);
    say(about, (now.words ?? `By ${now.about}, trained on professional games. ${now.note}`).trim());
    render(list, (now.candidates ?? []).map(row));
    whys.replaceChildren(...some.map((each) =>
      explanation(each, each.name === now.played, () => from.games(at, each.name), atOnce)));
    shown(note, some.length > 0);
    for (const part of [about, list]) part.classList.remove("stale");
    list.inert = false;
  }

  /** Return the candidates that are being explained. */
  const chosenOnes = () => now?.candidates?.filter((each) => chosen.includes(each.name)) ?? [];

  shown(note, false);
  return {
    el: h("div", { cls: "stack prediction" }, question.el, about, list, whys, note),
    /** Ask about a position, which the key stands for. */
    show(from, at, of) {
      if (of === key) return;
      [source, ply, key, now] = [from, at, of, null];
      for (const part of [about, list]) part.classList.add("stale");
      list.inert = true; // its rows are those of the position before
      whys.replaceChildren();
      shown(note, false);
      spot(null);
      askFor(from, at, of);
    },
    /** Show nothing. */
    clear() {
      if (key === null) return;
      key = now = null;
      question.drop();
      for (const part of [about, list, whys]) part.replaceChildren();
      shown(note, false);
    },
    /** Return the answer about the position that was asked for last, once it is there. */
    answer: () => now,
    /** Return the shapes that show it on the board. */
    over: () => now?.overlay?.over ?? [],
    chosen: chosenOnes,
  };
}
