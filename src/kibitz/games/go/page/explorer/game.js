// One game of a store, stepped through. What each move changes on the board comes from the server.

import { address } from "../../../../web/page/shell/api.js";
import { button, h, say, shown, toggle } from "../../../../web/page/shell/dom.js";
import { inStore, packed } from "../api.js";
import { player } from "./links.js";
import { choice, predictionView } from "../predict/predict.js";
import { keep, kept } from "../../../../web/page/shell/shell.js";
import { stepperView } from "../../../../web/page/shell/icons.js";
import { percent } from "../../../../web/page/shell/values.js";

const COLOURS = ["Black", "White"];

/** Return the mark on each point after `ply` moves. */
function boardAfter(game, ply) {
  const points = Array(game.size * game.size).fill(".");
  const apply = (changes) => { for (const [point, mark] of changes) points[point] = mark; };
  apply(game.start);
  for (const move of game.moves.slice(0, ply)) apply(move.changes);
  return points;
}

/** Return the player to move after `ply` moves. */
function toMove(game, ply) {
  if (ply < game.moves.length) return game.moves[ply].player;
  return ply ? 1 - game.moves[ply - 1].player : 0;
}

/** Return the text of a position as the rest of the page knows it. */
function positionText({ size }, points, mover) {
  const rows = Array.from({ length: size }, (_, row) => points.slice(row * size, (row + 1) * size).join(""));
  return `${packed(rows)} ${"XO"[mover]}`;
}

/** Show a game on a board. Calls `close()` to go back, `from(points)` to search, `moved(ply)` after each step. */
export function gameView(board, { close, from, moved }) {
  const names = h("h2"), about = h("p", { cls: "quiet" }), place = h("output", { cls: "quiet place" });
  const slider = h("input", { type: "range", min: 0, "aria-label": "Move", oninput: () => go(slider.valueAsNumber) });
  const play = h("a", { cls: "button" }, "Open position");
  const opinion = predictionView({ spot: (each) => board.spot(each?.point ?? null), changed: told, both: true });
  const want = { opinion: kept("opinion", false), heat: kept("heat", true) };
  const change = (name) => (on) => {
    want[name] = on;
    keep(name, on);
    go(ply);
  };
  const said = h("p", { cls: "told-line", role: "status" }), warm = toggle("Show on the board", want.heat, change("heat"));
  const ask = h("div", { cls: "row switches" }, toggle("Show predictions", want.opinion, change("opinion")), warm);
  const el = h("section", { cls: "card stack", "aria-label": "Game" }, h("div", {}, names, about),
    stepperView((by) => go(ply + by), place).el, slider,
    h("p", { cls: "quiet" }, "Use the arrow keys to step through the game."),
    h("div", { cls: "row" }, button("Search from here", () => from(points), "primary"), play,
      button("Back to search", close)),
    ask, said, opinion.el);
  let game = null, ply = 0, match = null, matched = 0, points = [];

  function go(to) {
    ply = Math.max(0, Math.min(to, game.moves.length));
    points = boardAfter(game, ply);
    const mover = toMove(game, ply);
    if (want.opinion) opinion.show(inStore(game.store, game.number), ply, `${game.store} ${game.number} ${ply}`);
    else opinion.clear();
    shown(warm, want.opinion);
    draw();
    say(said, verdict());
    say(place, `${ply} of ${game.moves.length}`);
    slider.value = String(ply);
    const options = { size: game.size, komi: game.komi };
    play.href = address("position", "go", options, positionText(game, points, mover));
    moved(ply);
  }

  function draw() {
    const last = game.moves[ply - 1], warms = want.opinion && want.heat;
    const now = last ? `Move ${ply}: ${COLOURS[last.player]} ${last.name}` : "The start";
    board.show(game.size, points, {
      last: last?.point ?? null, next: game.moves[ply]?.point ?? null, match: ply === matched ? match : null,
      label: `${now} of ${names.textContent}`, heat: warms ? opinion.over() : [],
      chosen: warms ? opinion.chosen().map((each) => each.point) : [],
    });
  }

  /** Draw and say what the model has answered. */
  function told() {
    if (!game) return;
    draw();
    say(said, verdict());
  }

  /** Return where the move that was played next ranks. */
  function verdict() {
    const answer = want.opinion ? opinion.answer() : null, next = game.moves[ply];
    if (!answer?.candidates) return "";
    if (!next) return "The record ends here.";
    const who = `${COLOURS[next.player]} ${next.point === null ? "passed" : `played ${next.name}`}`;
    if (next.point === null) return `${who}. Passes are not predicted.`;
    const found = answer.candidates.find((each) => each.name === next.name), first = answer.candidates[0];
    if (!found) return `${who}, which the model thought impossible.`;
    if (found.rank === 1) return `${who}: the model's first choice, ${percent(found.share)}.`;
    const expected = `It expected ${first.name}, ${percent(first.share)}.`;
    return `${who}: the model's ${choice(found.rank)}, ${percent(found.share)}. ${expected}`;
  }

  function onKey(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog, [role=tablist]");
    const to = { ArrowRight: ply + 1, ArrowLeft: ply - 1, Home: 0, End: Infinity }[event.key];
    if (!game || typing || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(to);
  }

  document.addEventListener("keydown", onKey);
  return {
    el,
    /** Open a game after a move, where a pattern was found in a rectangle. */
    open(found, at, where = null) {
      game = found;
      matched = at;
      match = where && { top: where[0], left: where[1], height: where[2], width: where[3] };
      say(names, `${player(game.black, game.black_rank, "Black")} – ${player(game.white, game.white_rank, "White")}`);
      const facts = [game.date, game.event, game.result, game.handicap ? `handicap ${game.handicap}` : null,
        game.komi !== null && game.komi !== undefined ? `komi ${game.komi}` : null];
      say(about, facts.filter(Boolean).join(" · "));
      slider.max = String(game.moves.length);
      go(at);
    },
    shut: () => { game = null; },
    end: () => document.removeEventListener("keydown", onKey),
  };
}
