// The board of a table with its evaluation bar: the position shown, what the analysis adds to it, and the moves that
// are made by buttons.

import { makeBoard } from "../board/board.js";
import { COVERED } from "../board/picture.js";
import { button, h, redrawing, render, say, shown, toggle } from "../shell/dom.js";
import { analysisHere, isCovered, laidHere, mayMark, mayMove, ownSeats, shownPly, shownPosition } from "./model.js";
import * as values from "../shell/values.js";

const MAX_NUMBERED_MOVES = 8; // of the expected line, on the board

/** Return the board's label for screen readers; the picture's own label follows it. */
function label(model) {
  const { table } = model, end = table.outcome ?? table.settling;
  const names = table.seats.map((seat) => seat.name).join(" against ");
  return `${names}, after ${shownPly(model)} moves${end ? `. ${end.words}` : ""}`;
}

/** Return the moves that are made by buttons, each with its label. */
const buttonsOf = ({ buttons, moves }) =>
  buttons.map(({ move, label: words }) => ({ move, words: words || moves.get(move)?.label || "" }));

export function stageView(act) {
  const prompt = h("p", { cls: "prompt", role: "status" });
  const board = makeBoard({
    play: act.play, hold, reveal: act.reveal, say: (words) => say(prompt, settles ? "" : words),
    refuse: act.refuse,
  });
  const sure = button("", () => { if (waits) act.play(waits); }, "primary");
  const confirm = h("p", { cls: "row centre", hidden: true }, sure), buttons = h("div", { cls: "row centre board-buttons" });
  const views = h("div", { cls: "row centre board-views" }); // other ways to draw a position, such as Strings and coins
  const drawViews = redrawing(views, ([labels, chosen]) =>
    labels.map((each) => toggle(each, each === chosen, (on) => act.keep({ view: on ? each : "" }))));
  const bar = h("div", { cls: "bar off", role: "img", "aria-label": "Evaluation" }, h("div", { cls: "bar-first" }));
  const below = h("div", { cls: "row centre below-board" }, prompt, buttons, confirm, views);
  const el = h("section", { cls: "stage", "aria-label": "Board" }, bar, board.el, below);
  let drawn = null, waits = null, settles = false, offered = [];

  /** Show a button that plays the move that a finger aims at. */
  function hold(move, words) {
    waits = move;
    shown(confirm, move !== null);
    if (move) say(sure, `Play ${words}`);
  }

  /** Redraw the position if it, or how it is shown, has changed. */
  function show(model, position, found) {
    const { picture } = position, { name } = model.table.game, covered = isCovered(model);
    const playable = (mayMove(model) || mayMark(model)) && !covered;
    settles = Boolean(model.table.settling); // then the status says what to do
    const how = { name, playable, covered, label: label(model) };
    if (picture !== drawn?.picture) board.display(picture, { ...how, animate: drawn !== null });
    else if (Object.keys(how).some((key) => how[key] !== drawn.how[key])) board.set(how);
    drawn = { picture, how };
    board.view(model.show.view in picture.views ? model.show.view : null);
    const labels = covered ? [] : Object.keys(picture.views).filter((each) => each !== COVERED);
    shown(views, labels.length > 0);
    drawViews([labels, model.show.view]);
    if (covered) say(prompt, `${model.table.seats[model.table.to_move].name}, it is your turn. Make sure nobody else is looking.`);
    showButtons(model, picture, found, playable);
  }

  /** Offer the moves that are not made on the board, with their values. */
  function showButtons(model, picture, found, playable) {
    const hint = model.hint?.ply === shownPly(model) ? model.hint.move : null;
    const isOffered = ownSeats(model.table).length > 0 && !model.table.outcome && !isCovered(model);
    const told = new Map(shownValues(model, picture, found).map((each) => [each.move, each]));
    offered = isOffered ? buttonsOf(picture) : [];
    shown(buttons, offered.length > 0);
    render(buttons, offered.map(({ words, move }) => {
      const { text = "", tone = "" } = told.get(move) ?? {};
      return button([words, h("span", { cls: `value ${tone}` }, text)], () => act.play(move), move === hint ? "hinted" : null,
        { disabled: !playable });
    }));
  }

  /** Press the button that a key stands for: the only one that starts with this letter, if its label is one word. */
  function press(key) {
    const found = drawn.how.playable ? offered.filter(({ words }) => words.toLowerCase().startsWith(key)) : [];
    if (found.length === 1 && /^\p{L}+$/u.test(found[0].words)) act.play(found[0].move);
  }

  function update(model) {
    const position = shownPosition(model), found = analysisHere(model), laid = laidHere(model);
    show(model, position, found);
    el.classList.toggle("past", model.looking !== null);
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

  return { el, update, press };
}

/**
 * Return the marks on the board: the hint, the move pointed at, and values, line or names, whichever is chosen.
 * @returns {any[]} as board.marks() takes them
 */
function marks(model, picture, found) {
  const laid = laidHere(model), wanted = onTheMoves(model, picture, found);
  const hint = model.hint?.ply === shownPly(model) ? [["hint", model.hint.steps]] : [];
  const spots = new Map([...(laid?.spots ?? []), ...(model.spot ? [model.spot] : [])].map((steps) => [String(steps), steps]));
  const own = [...hint, ...[...spots.values()].map((steps) => ["spot", steps])];
  if (wanted === "names") return [...names(picture), ...own];
  if (wanted === "line") return [...line(found), ...own];
  return [...shownValues(model, picture, found).map(({ steps, text, tone }) => ["value", steps, text, tone]), ...own];
}

/** Return what is marked on the board: "names", "line", "values" or "none". */
function onTheMoves(model, picture, found) {
  const { marks: wanted } = model.show;
  if (wanted === "names" && picture && hasNames(picture)) return "names";
  if (!found || laidHere(model)?.over.length) return "none"; // two sets of numbers on one board are unreadable
  return wanted === "names" ? "values" : wanted;
}

/** Return the values to show of the moves, if any. */
const shownValues = (model, picture, found) => (onTheMoves(model, picture, found) === "values" ? valued(found) : []);

const line = ({ line: steps = [] }) =>
  steps.slice(0, MAX_NUMBERED_MOVES).map((step, i) => ["line", step.steps, String(i + 1)]);

/** Return the moves with their values in short, the best first. The server puts the chosen one before its equals. */
function valued({ moves = [], unit, best = [] }) {
  const ranked = values.ranked(moves);
  return ranked.map(({ move, steps, value, exact, score }) => {
    const tone = move === moves[0].move ? "best" : best.includes(move) ? "good" : values.tone(value, ranked[0].value, unit);
    const text = values.short(value, unit, exact);
    return { move, steps, text: typeof score === "number" ? `${text}\n${values.short(score, null, false)}` : text, tone };
  });
}

/** Return whether the moves of a picture can be named on it: each has one place, and no names stand along the edge. */
export function hasNames({ ground, moves }) {
  const isSide = ({ style }) => style.split(" ").includes("side");
  return moves.size > 0 && !ground.some(isSide) && [...moves.values()].every(({ steps }) => steps.length === 1);
}

const names = ({ moves, places }) =>
  [...moves.values()].map(({ label: words, steps }) => ["value", steps, words || places.get(steps[0])?.label || ""]);
