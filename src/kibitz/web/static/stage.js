// The board of a table with its evaluation bar: the position shown, what the analysis adds to it, and the moves that
// are made by buttons.

import { makeBoard } from "./board/board.js";
import { button, h, say, shown, toggle } from "./dom.js";
import { analysisHere, isCovered, laidHere, mayMark, mayMove, ownSeats, shownPly, shownPosition } from "./model.js";
import * as values from "./values.js";

const LINE_SHOWN = 8; // so many moves of the expected line are numbered on the board
const MANY_MOVES = 60; // where there are more, only the best few have their values on the board
const FEW_VALUES = 5;

/** Return what the board is, for screen readers; the picture says the rest. */
function label(model) {
  const { table } = model, end = table.outcome ?? table.settling;
  const names = table.seats.map((seat) => seat.name).join(" against ");
  return `${names}, after ${shownPly(model)} moves${end ? `. ${end.words}` : ""}`;
}

/** Return a row of buttons for moves that are not made on the board. `play(move)` makes one. */
function buttonsView(play) {
  const el = h("div", { cls: "row centre board-buttons" });
  let made = [];
  return {
    el,
    /** Press the button that a key stands for: the first letter of a label of one word. Returns whether there is one. */
    press(key) {
      const found = made.find(({ words, el: each }) => !each.disabled && /^\w+$/.test(words) && isLetter(words, key));
      if (found) play(found.move);
      return Boolean(found);
    },
    update(buttons, on, hint) {
      shown(el, buttons.length > 0);
      const same = made.length === buttons.length
        && made.every((each, i) => each.words === buttons[i].label && each.move === buttons[i].move);
      if (!same) {
        made = buttons.map(({ label: words, move }) => ({ words, move, el: button(words, () => play(move)) }));
        el.replaceChildren(...made.map((each) => each.el));
      }
      for (const each of made) {
        each.el.disabled = !on;
        each.el.classList.toggle("hinted", each.move === hint?.move);
      }
    },
  };
}

/** Return switches for the other ways to draw a position, such as Strings and coins. `choose(label)` shows one. */
function viewsView(choose) {
  const el = h("div", { cls: "row centre board-views" });
  let offered = "";
  return {
    el,
    update(labels, chosen) {
      shown(el, labels.length > 0);
      const state = JSON.stringify([labels, chosen]);
      if (state === offered) return;
      offered = state;
      el.replaceChildren(...labels.map((each) => toggle(each, each === chosen, (on) => choose(on ? each : ""))));
    },
  };
}

const isLetter = (words, key) => words[0].toLowerCase() === key;

export function stageView(act) {
  const prompt = h("p", { cls: "prompt", role: "status" });
  const board = makeBoard({
    play: act.play, hold, reveal: act.reveal, say: (words) => say(prompt, words),
    refuse: act.refuse,
  });
  const sure = button("", () => { if (waits) act.play(waits); }, "primary");
  const confirm = h("p", { cls: "row centre", hidden: true }, sure), buttons = buttonsView(act.play);
  const views = viewsView((view) => act.draw(view));
  const bar = h("div", { cls: "bar off", role: "img", "aria-label": "Evaluation" }, h("div", { cls: "bar-first" }));
  const el = h("section", { cls: "stage", "aria-label": "Board" }, bar, board.el, prompt, buttons.el, confirm, views.el);
  let drawn = null, waits = null;

  /** Offer to play a move that was touched once. */
  function hold(move, words) {
    waits = move;
    shown(confirm, move !== null);
    if (move) say(sure, `Play ${words}`);
  }

  /** Draw the position anew if it, or how it is shown, has changed. */
  function show(model, position) {
    const { picture } = position, { name } = model.table.game, covered = isCovered(model);
    const playable = (mayMove(model) || mayMark(model)) && !covered;
    const how = { name, playable, covered, label: label(model) };
    if (picture !== drawn?.picture) board.display(picture, { ...how, animate: drawn !== null });
    else if (Object.keys(how).some((key) => how[key] !== drawn.how[key])) board.set(how);
    drawn = { picture, how };
    board.view(model.show.view in picture.views ? model.show.view : null);
    views.update(Object.keys(picture.views), model.show.view);
    const hint = model.hint?.ply === shownPly(model) ? model.hint : null;
    buttons.update(ownSeats(model.table).length && !model.table.outcome ? picture.buttons : [], playable, hint);
  }

  function update(model) {
    const position = shownPosition(model);
    show(model, position);
    el.classList.toggle("past", model.looking !== null);
    const found = analysisHere(model), laid = laidHere(model);
    showBar(found, model, position.to_move);
    const seen = model.analysing && model.show.overlay ? found?.overlay ?? position.overlay ?? null : null;
    board.overlay(laid ? { ...seen, over: [...(seen?.over ?? []), ...laid.over] } : seen);
    board.marks(marks(model, board.shown, found));
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

  return { el, update, press: buttons.press };
}

/**
 * Return the marks on the board: the hint, the move pointed at, and what was chosen of values, line and names.
 * @returns {any[]} as board.marks() takes them
 */
function marks(model, picture, found) {
  const laid = laidHere(model), { marks: wanted } = model.show;
  const hint = model.hint?.ply === shownPly(model) ? [["hint", model.hint.steps]] : [];
  const spots = new Map([...(laid?.spots ?? []), ...(model.spot ? [model.spot] : [])].map((steps) => [String(steps), steps]));
  const own = [...hint, ...[...spots.values()].map((steps) => ["spot", steps])];
  if (wanted === "names" && picture && hasNames(picture)) return [...names(picture), ...own];
  if (!found || laid?.over.length || wanted === "none") return own; // two sets of numbers on one board tell nothing
  return [...(wanted === "line" ? line(found) : valued(found)), ...own];
}

const line = ({ line: steps = [] }) =>
  steps.slice(0, LINE_SHOWN).map((step, i) => ["line", step.steps, String(i + 1)]);

function valued({ moves = [], unit, best = [] }) {
  const top = Math.max(...moves.map((each) => each.value));
  const ranked = [...moves].sort((a, b) => b.value - a.value);
  return (moves.length > MANY_MOVES ? ranked.slice(0, FEW_VALUES) : ranked).map(({ move, steps, value, exact }) => {
    const tone = best.includes(move) ? "best" : values.tone(value, top, unit);
    return ["value", steps, values.short(value, unit, exact), tone];
  });
}

/** Return whether the moves of a picture can be named on it: each has one place, and no names stand along the edge. */
export function hasNames({ ground, moves }) {
  const isSide = ({ style }) => style.split(" ").includes("side");
  return moves.size > 0 && !ground.some(isSide) && [...moves.values()].every(({ steps }) => steps.length === 1);
}

const names = ({ moves, places }) =>
  [...moves.values()].map(({ label: words, steps }) => ["value", steps, words || places.get(steps[0])?.label || ""]);
