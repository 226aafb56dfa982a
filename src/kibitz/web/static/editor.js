// A position by itself: looked at from a link, or changed in the editor. Every click is a change that the server
// makes; what it answers is shown, also when the position is not possible yet.

import * as api from "./api.js";
import { makeBoard } from "./boards/board.js";
import { button, copyButton, field, h, say, segmented, select, shown } from "./dom.js";
import { factsView } from "./facts.js";
import { optionFields } from "./options.js";
import { announce, title, trouble } from "./shell.js";

const NEXT_OWNER = { 0: 1, 1: null, 2: 0 }; // of a finished box: a click goes round
const ANY_BOARD = 9;

/** Return the number of a point of Go. */
const place = (name, { size, sides: { across } }) =>
  (size - Number(name.slice(1))) * size + across.indexOf(name[0]);

/** Return what a click on an element of the board changes. */
function clicked(key, scene, mark) {
  const [what, number] = key.split(" ");
  if (scene.kind === "go") return { point: key, stone: scene.stones[place(key, scene)] === "XO"[mark] ? null : mark };
  if (what === "cell") return { cell: Number(number), mark: scene.cells[number] === mark ? "" : mark };
  if (what !== "box") return { line: key };
  const owner = scene.boxes ? scene.boxes[number] : scene.coins[number].owner;
  return { box: Number(number), owner: NEXT_OWNER[owner] };
}

/** Return the tools of the editor. `send(step)` makes a change. */
function toolsView(game, send) {
  const players = game.players.map((name, i) => [i, name]);
  const turn = segmented("To move", players, 0, (player) => send({ to_move: player }));
  const marks = segmented("A click sets", [["X", "X"], ["O", "O"]], "X", (value) => { mark = value; });
  const kinds = [[0, "Black"], [1, "White"], [null, "Nothing"]];
  const stones = segmented("A click sets", kinds, 0, (value) => { stone = value; });
  const choice = select([], "", { onchange: () => send({ forced: number() === ANY_BOARD ? null : number() }) });
  const forced = field("Board to play in", choice), number = () => Number(choice.value);
  let mark = "X", stone = 0, kind = "";

  /** Offer the forced board of a game that has one. */
  function showForced({ names, open, forced: asked }) {
    const offered = [[ANY_BOARD, "any"], ...Array.from({ length: 9 }, (_, i) => [i, names[9 * i].split(",")[0]])];
    if (!choice.options.length) choice.append(...offered.map(([value, label]) => h("option", { value }, label)));
    choice.value = asked ?? (open.length === 1 ? open[0] : ANY_BOARD);
  }

  return {
    el: h("div", { cls: "edit-tools" },
      marks, stones, turn, forced, button("Clear the board", () => send({ clear: true }))),
    mark: () => (kind === "go" ? stone : mark),
    update({ scene, to_move }) {
      for (const radio of turn.querySelectorAll("input")) radio.checked = Number(radio.value) === to_move;
      kind = scene.kind;
      shown(stones, kind === "go");
      for (const part of [marks, forced]) shown(part, kind === "uttt");
      if (scene.kind === "uttt") showForced(scene);
    },
  };
}

/** Make a link work or not. */
function enable(link, on, href) {
  if (on) link.href = href;
  else link.removeAttribute("href");
  link.setAttribute("aria-disabled", String(!on));
}

export async function page(root, [mode, name], query) {
  const game = await api.game(name), editing = mode === "edit", asked = query.get("text") ?? "";
  const initials = game.players.map((each) => each[0]);
  title(editing ? `Set up ${game.title}` : game.title);
  const given = Object.fromEntries([...query].filter(([key]) => key !== "text"));
  const fields = optionFields(game.options, given, resize);
  let options = fields.given(), position = asked, found = null, answered = Promise.resolve(true);

  /** Ask when all that was asked before is answered: a quick click changes what the one before it made. */
  const inTurn = (question) => (answered = answered.then(() => ask(question)));
  const change = (step) => inTurn(() => api.edit(name, options, position, step()));
  const read = (words, on) => (editing ? api.edit(name, on, words, null) : api.position(name, on, words));
  const load = (words) => inTurn(() => read(words, options));
  const address = (to) => api.address(to, name, options, position);
  const board = makeBoard(editing ? (key) => change(() => clicked(key, found.scene, tools.mark())) : undefined);
  const tools = toolsView(game, (step) => change(() => step)), facts = factsView();
  const verdict = h("p", { cls: "status-line" }), error = h("div", { "aria-live": "polite" });
  const play = h("a", { cls: "button primary" }, "Play from here");
  const other = h("a", { cls: "button" }, editing ? "Look at it" : "Edit");
  shown(other, editing || game.editor);
  const text = h("input", { type: "text", spellcheck: "false", onchange: () => load(text.value) });
  const link = copyButton("Copy link", () => location.origin + address(found?.problem ? "edit" : "position"));
  const size = h("details", {}, h("summary", {}, "Board"), fields.el);

  const side = h("div", { cls: "card stack" }, verdict, editing ? tools.el : null, error,
    h("div", { cls: "row" }, play, other, link), field("Position as text", text), editing ? size : null, facts.el);
  root.classList.add("beside");
  root.append(h("h1", {}, editing ? `Set up ${game.title}` : `A position of ${game.title}`),
    h("div", { cls: "split board-first" }, h("div", { cls: "stage" }, board.el), side));

  /** Take another board, an empty one. */
  function resize() {
    if (!fields.valid()) return;
    const wish = fields.value();
    inTurn(async () => {
      const answer = await read("", wish);
      options = wish;
      return answer;
    });
  }

  /** Ask the server for a position; returns whether there is one. */
  async function ask(question) {
    try {
      show(await question());
      return true;
    } catch (problem) {
      error.replaceChildren(trouble(problem.message));
      return false;
    }
  }

  function show(answer) {
    found = answer;
    position = text.value = answer.position;
    const { problem = null, outcome, to_move, layer, scene } = answer;
    const players = { mover: to_move, initials, names: game.players };
    board.show(scene, { editing, sides: true, label: "Board", animate: !editing, ...players });
    board.layer(editing ? null : layer);
    facts.update(editing && layer ? { facts: layer.facts } : layer);
    tools.update(answer);
    error.replaceChildren(...(problem ? [trouble(problem)] : []));
    const turn = `${game.players[to_move]} to move`;
    say(verdict, problem ? "Not a possible position yet" : outcome ? outcome.words : turn);
    announce(verdict.textContent);
    enable(play, !problem && !outcome, address("new"));
    enable(other, !problem, address(editing ? "position" : "edit"));
    if (editing) history.replaceState(null, "", address("edit"));
  }

  if (await load(asked)) return;
  const why = error.textContent;
  await load("");
  error.replaceChildren(trouble(why));
  text.value = asked;
}
