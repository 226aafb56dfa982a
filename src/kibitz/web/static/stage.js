// The board of a table with its evaluation bar: the position shown, and what the analysis adds to it.

import { initialsOf, makeBoard } from "./boards/board.js";
import { button, h, say, shown } from "./dom.js";
import { analysisHere, isCovered, laidHere, mayMark, mayMove, ownSeats, shownPly, shownPosition } from "./model.js";
import * as values from "./values.js";

const LINE_SHOWN = 8; // so many moves of the expected line are numbered on the board

/** Return whose side is drawn below when the game is over: a player's own, or the first player's. */
const ownSide = (table) => (ownSeats(table).length === 1 ? ownSeats(table)[0] : 0);

function label(model, scene) {
  const { table } = model, scores = scene.scores ? `, ${scene.scores[0]} to ${scene.scores[1]}` : "";
  const end = table.outcome ?? table.settling;
  const turn = end ? end.words : `${table.seats[shownPosition(model).to_move].name} to move`;
  return `${table.game.title} after ${shownPly(model)} moves${scores}. ${turn}`;
}

export function stageView(act) {
  const board = makeBoard(act.play, hold);
  const sure = button("", () => { if (waits) act.play(waits); }, "primary");
  const confirm = h("p", { cls: "row centre", hidden: true }, sure);
  const bar = h("div", { cls: "bar off", role: "img", "aria-label": "Evaluation" }, h("div", { cls: "bar-first" }));
  const el = h("section", { cls: "stage", "aria-label": "Board" }, bar, board.el, board.extra, confirm);
  let drawn = "", waits = null;

  /** Offer to play a move that was touched once. */
  function hold(move) {
    waits = move;
    shown(confirm, move !== null);
    if (move) say(sure, `Play ${move}`);
  }

  function update(model) {
    const position = shownPosition(model), ply = shownPly(model);
    const scene = model.show.dual && position.scene.dual ? position.scene.dual : position.scene;
    const covered = isCovered(model), playable = mayMove(model) && !covered, marking = mayMark(model);
    const names = model.table.seats.map((seat) => seat.name);
    const below = model.table.outcome ? ownSide(model.table) : undefined;
    const state = JSON.stringify([scene, playable, marking, covered, below, model.table.seats]);
    if (state !== drawn) {
      board.show(scene, {
        playable, marking, sides: true, mover: position.to_move, initials: initialsOf(names, model.table.game.players),
        plainCoins: Boolean(position.scene.dual),
        covered, below, reveal: act.reveal,
        names, label: label(model, scene), animate: drawn !== "",
      });
      drawn = state;
    }
    el.classList.toggle("past", model.looking !== null);
    const found = analysisHere(model);
    showBar(found, model, position.to_move);
    const seen = model.analysing && model.show.structure ? found?.layer ?? position.layer ?? null : null;
    board.layer(laidHere(model) ? { ...seen, ...laidHere(model) } : seen);
    board.marks(marks(model, scene, found, ply));
  }

  function showBar(found, model, mover) {
    if (found) bar.classList.remove("off");
    else if (!model.analysing) bar.classList.add("off"); // else it waits for the value of the position after a move
    if (!found) return;
    bar.firstChild.style.width = `${100 * (found.points ?? 0.5)}%`;
    const names = model.table.seats.map((seat) => seat.name);
    const told = values.standing(found.value, found.unit, found.exact, mover, names);
    bar.setAttribute("aria-label", `Evaluation: ${told || found.words}`);
  }

  return { el, update };
}

function marks(model, scene, found, ply) {
  const hint = model.hint?.ply === ply ? model.hint.move : null;
  const { marks: wanted } = model.show, { spot } = model;
  if (wanted === "names" && model.table.scene.kind === "coins") return { values: named(scene), hint, spot };
  if (!found || laidHere(model)?.heat) return { hint, spot }; // two sets of numbers on one board tell nothing
  if (wanted === "line") return { line: (found.line ?? []).slice(0, LINE_SHOWN).map((step) => step.move), hint, spot };
  return { values: wanted === "none" ? [] : valued(found, scene), hint, spot };
}

function valued({ moves = [], unit, best = [], layer }, scene) {
  const top = Math.max(...moves.map((each) => each.value)), lines = scene.lines ?? scene.strings ?? [];
  const loony = new Set((layer?.loony ?? []).map((index) => lines[index]?.move));
  return moves.map(({ move, value, exact }) => {
    const tone = best.includes(move) ? "chosen" : values.tone(value, top, unit);
    return { move, text: values.short(value, unit, exact), tone, loony: loony.has(move) };
  });
}

/** Return the names of the open strings. */
function named(scene) {
  const open = scene.strings.filter((string) => string.owner === null);
  return open.map((line) => ({ move: line.move, text: line.label ?? "", tone: "plain" }));
}
