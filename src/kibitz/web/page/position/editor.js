// A single position: shown from a link, or changed in the editor. The server carries out every edit; its result is
// shown even if the position is not valid yet.

import * as api from "../shell/api.js";
import { makeBoard } from "../board/board.js";
import { makeIcon } from "../board/assets.js";
import { button, copyButton, field, h, redrawing, render, say, segmented, select, shown } from "../shell/dom.js";
import { factsView } from "../analysis/facts.js";
import { optionFields } from "../shell/options.js";
import { announce, asking, title } from "../shell/shell.js";

const MAX_SEGMENTS = 4;

/** Return the tools and settings of an editor. `send(step)` makes a change. */
function toolsView(game, send) {
  const tools = h("div"), settings = h("div", { cls: "stack close" });
  let tool = "";

  const offer = redrawing(tools, (list) => {
    if (!list.some(([name]) => name === tool)) tool = list[0]?.[0] ?? "";
    const choices = list.map(([name, label, shapes]) => [name, [shapes.length ? makeIcon(shapes, game.name) : null, label]]);
    return list.length > 1 ? [segmented("Click to place", choices, tool, (name) => { tool = name; })] : [];
  });

  /** Return a choice: a row of buttons if there are few values, else a list. */
  function setting({ name, label, choices }, chosen) {
    const set = (value) => send({ setting: name, value });
    if (choices.length <= MAX_SEGMENTS) return segmented(label, choices, chosen[name], set);
    return field(label, select(choices, chosen[name], { onchange: (event) => set(event.target.value) }));
  }

  return {
    el: h("div", { cls: "edit-tools" }, tools, settings, button("Clear board", () => send({ clear: true }))),
    tool: () => tool,
    update({ tools: list, settings: given, chosen }) {
      offer(list);
      render(settings, given.map((each) => setting(each, chosen)));
    },
  };
}

/** Enable or disable a link. */
function enable(link, on, href) {
  if (on) link.href = href;
  else link.removeAttribute("href");
  link.setAttribute("aria-disabled", String(!on));
}

export async function page(root, [mode, name], query) {
  const game = await api.game(name), editing = mode === "edit", asked = query.get("text") ?? "";
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
  const board = makeBoard(editing ? { press: (place) => change(() => ({ tool: tools.tool(), place })) } : {});
  const tools = toolsView(game, (step) => change(() => step)), facts = factsView();
  const verdict = h("p", { cls: "status-line" }), wrong = asking();
  const play = h("a", { cls: "button primary" }, "Play from here");
  const other = h("a", { cls: "button" }, editing ? "View position" : "Edit");
  shown(other, editing || game.editor);
  const text = h("input", { type: "text", spellcheck: "false", onchange: () => load(text.value) });
  const link = copyButton("Copy link", () => location.origin + address(found?.problem ? "edit" : "position"));
  const size = h("details", {}, h("summary", {}, "Board"), fields.el);

  const side = h("div", { cls: "card stack" }, verdict, editing ? tools.el : null, wrong.el,
    h("div", { cls: "row" }, play, other, link), field("Position as text", text), editing ? size : null, facts.el);
  root.classList.add("beside");
  root.append(h("h1", {}, editing ? `Set up ${game.title}` : `A position of ${game.title}`),
    h("div", { cls: "split board-first" }, h("div", { cls: "stage" }, board.el), side));

  /** Change to another board, which is empty. */
  function resize() {
    if (fields.lacking()) return;
    const wish = fields.value();
    inTurn(async () => {
      const answer = await read("", wish);
      options = wish;
      return answer;
    });
  }

  /** Send a request to the server and show the position it returns; return whether that succeeded. */
  async function ask(question) {
    const answer = await wrong.ask(question);
    if (answer) show(answer);
    return Boolean(answer);
  }

  function show(answer) {
    found = answer;
    position = text.value = answer.position;
    const { problem = null, outcome, to_move, overlay, picture } = answer;
    board.show(picture, { name, label: "Board", animate: !editing, titles: true });
    board.overlay(editing ? null : overlay);
    facts.update(overlay, name, !editing);
    if (editing) tools.update(answer);
    wrong.tell(problem ?? "");
    const turn = `${game.players[to_move]} to move`;
    say(verdict, problem ? "Not a legal position yet" : outcome ? outcome.words : turn);
    announce(verdict.textContent);
    enable(play, !problem && !outcome, address("new"));
    enable(other, !problem, address(editing ? "position" : "edit"));
    if (editing) history.replaceState(null, "", address("edit"));
  }

  if (await load(asked)) return;
  const why = wrong.fault();
  await load("");
  wrong.tell(why);
  text.value = asked;
}
