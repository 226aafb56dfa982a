// Setting up a game: who plays, who starts, on which board, with how much time.
// Knows the catalogue entry of a game; what is valid beyond names and numbers the server says.

import * as api from "./api.js";
import { makeBoard } from "./boards/board.js";
import { field, h, say, segmented, select, shown } from "./dom.js";
import { optionFields } from "./options.js";
import { go, keep, kept, title, trouble } from "./shell.js";

const MODES = [["machine", "Against a machine"], ["people", "Two people here"], ["watch", "Watch two machines"]];
const TIMES = [
  ["0.3", "0.3 seconds"], ["1", "1 second"], ["3", "3 seconds"], ["10", "10 seconds"], ["30", "30 seconds"],
  ["", "As long as it likes"],
];
const LIMITS = [["", "No limit"], ["10", "10 seconds"], ["30", "30 seconds"], ["60", "1 minute"], ["300", "5 minutes"]];
const LONGEST_NAME = 30;

/** Return a field for a name. */
function nameField(label, value, oninput) {
  const input = h("input", {
    type: "text", maxlength: LONGEST_NAME, required: true, value, autocomplete: "off", spellcheck: "false", oninput,
  });
  return { el: field(label, input), value: () => input.value.trim(), valid: () => input.value.trim().length > 0 };
}

/** Return a choice of an agent: the levels in a row, the others by name. */
function agentField(label, agents, first) {
  const levels = agents.filter((agent) => /^level\d+$/.test(agent.spec));
  const others = agents.filter((agent) => !levels.includes(agent));
  let chosen = agents.find((agent) => agent.spec === first) ?? agents[0];
  const about = h("p", { cls: "quiet about" });
  const numbers = levels.map((agent) => [agent.spec, agent.spec.slice("level".length)]);
  const row = segmented(label, numbers, chosen.spec, choose, "levels");
  const named = select([["", "or by name …"], ...others.map((agent) => [agent.spec, agent.label])], "", {
    "aria-label": `${label}, by name`, onchange: () => named.value && choose(named.value),
  });

  function choose(spec) {
    chosen = agents.find((agent) => agent.spec === spec);
    for (const radio of row.querySelectorAll("input")) radio.checked = radio.value === spec;
    named.value = others.includes(chosen) ? spec : "";
    say(about, [chosen.label, chosen.about].filter(Boolean).join(": "));
  }

  choose(chosen.spec);
  return { el: h("div", { cls: "agent" }, row, others.length ? named : null, about), value: () => chosen.spec };
}

/** Return a picture of the board with the options chosen, drawn by the server. */
function preview(game, start) {
  const board = makeBoard(), error = h("div", { "aria-live": "polite" });
  const initials = game.players.map((name) => name[0]);
  let asked = 0;

  /** Draw it; returns whether there is such a board. */
  async function update(options) {
    const mine = ++asked;
    try {
      const found = await api.position(game.name, options, start);
      if (mine !== asked) return true;
      board.show(found.scene, { label: "The board", initials, mover: found.to_move, animate: false });
      error.replaceChildren();
      return true;
    } catch (problem) {
      if (mine === asked) error.replaceChildren(trouble(problem.message));
      return false;
    }
  }

  return { el: h("div", { cls: "preview" }, board.el, error), update };
}

/** Return the fields for players and time, and what they say. `changed` is called when something may be missing. */
function playerFields(game, before, changed) {
  const you = nameField("Your name", kept("name", ""), changed);
  const friend = nameField("Second player's name", "", changed);
  const agent = agentField("Opponent: level", game.agents, before.agent ?? "level3");
  const one = agentField("First machine: level", game.agents, before.one ?? "level3");
  const two = agentField("Second machine: level", game.agents, before.two ?? "level5");
  const people = h("div", { cls: "pair" }, you.el, friend.el), machines = h("div", { cls: "pair" }, one.el, two.el);
  const orders = [["first", ""], ["second", ""], ["lot", "By lot"]];
  const starts = segmented("Who starts", orders, "first", (value) => { order = value; });
  const seconds = field("Time per move of a machine", select(TIMES, before.seconds ?? "1"));
  const limit = field("Time per move; who runs out of it loses", select(LIMITS, ""));
  let mode = before.mode ?? "machine", order = "first";
  const modes = segmented("Play", MODES, mode, (value) => { mode = value; refit(); changed(); });

  function refit() {
    shown(people, mode !== "watch");
    shown(friend.el, mode === "people");
    shown(agent.el, mode === "machine");
    shown(machines, mode === "watch");
    shown(seconds, mode !== "people");
    shown(limit, mode === "people");
    say(starts.querySelector("[value=first] + span"), mode === "machine" ? "You" : "First");
    say(starts.querySelector("[value=second] + span"), mode === "machine" ? "Opponent" : "Second");
  }

  /** Return who sits where; by lot if so wished. */
  function seats() {
    const person = (who) => ({ kind: "person", name: who.value() });
    const machine = (who) => ({ kind: "agent", spec: who.value() });
    const pair = mode === "watch" ? [machine(one), machine(two)]
      : [person(you), mode === "people" ? person(friend) : machine(agent)];
    const turned = order === "second" || (order === "lot" && Math.random() < 0.5);
    return turned ? pair.reverse() : pair;
  }

  refit();
  return {
    above: [modes, people, agent.el, machines, starts], below: [seconds, limit], seats,
    named: () => mode === "watch" || (you.valid() && (mode !== "people" || friend.valid())),
    seconds() {
      const time = (mode === "people" ? limit : seconds).querySelector("select").value;
      return time ? Number(time) : null;
    },
    /** Keep what was chosen for the next time. */
    remember() {
      if (you.value()) keep("name", you.value());
      const chosen = { mode, agent: agent.value(), one: one.value(), two: two.value() };
      keep(`setup.${game.name}`, { ...chosen, seconds: seconds.querySelector("select").value });
    },
  };
}

export async function page(root, [name], query) {
  const game = await api.game(name), start = query.get("text");
  title(game.title);
  const given = Object.fromEntries([...query].filter(([key]) => key !== "text"));
  const options = optionFields(game.options, given, refresh);
  const players = playerFields(game, kept(`setup.${name}`, {}), check);
  const picture = preview(game, start), error = h("div", { "aria-live": "polite" });
  const submit = h("button", { cls: "primary large" }, "Start");
  let fits = true;

  const board = start ? h("p", { cls: "quiet" }, "The game begins from the position shown.") : options.el;
  const form = h("form", { cls: "setup stack", novalidate: true, onsubmit: begin },
    players.above, board, players.below, error, h("div", { cls: "row" }, submit));
  root.append(h("div", { cls: "split" },
    h("div", {}, h("h1", {}, game.title), h("p", { cls: "blurb" }, game.blurb), form), picture.el));

  const chosen = () => (start ? options.given() : options.value());

  /** Start can be pressed only when all that is asked for is there. */
  function check() {
    submit.disabled = !(players.named() && options.valid() && fits);
    submit.title = players.named() ? "" : "Enter a name first.";
  }

  async function refresh() {
    check();
    if (!options.valid()) return;
    fits = await picture.update(chosen());
    check();
  }

  async function begin(event) {
    event.preventDefault();
    submit.disabled = true;
    players.remember();
    const wish = { game: name, options: chosen(), seats: players.seats(), seconds: players.seconds(), start };
    try {
      go(`/play/${(await api.newTable(wish)).id}`);
    } catch (problem) {
      error.replaceChildren(trouble(problem.message));
      check();
    }
  }

  await refresh();
}
