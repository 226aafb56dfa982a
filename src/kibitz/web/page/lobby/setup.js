// Setting up a game: who plays, who starts, on which board, with how much time.
// Works from the game's catalogue entry; the server checks everything beyond names and numbers.

import * as api from "../shell/api.js";
import { makeBoard } from "../board/board.js";
import { field, h, say, segmented, select, shown } from "../shell/dom.js";
import { checkedOptions } from "../shell/options.js";
import { MAX_NAME_LENGTH } from "../table/seats.js";
import { asking, go, keep, kept, title } from "../shell/shell.js";
import { FRIEND } from "../shell/tokens.js";
import { warmUpLine } from "./warmup.js";

const MODES = [
  ["machine", "Against an engine"], ["people", "Two people, one screen"], ["link", "A friend, by link"],
  ["watch", "Watch two engines"],
];
const TIMES = [
  ["0.3", "0.3 seconds"], ["1", "1 second"], ["3", "3 seconds"], ["10", "10 seconds"], ["30", "30 seconds"],
  ["", "No limit"],
];
const LIMITS = [["", "No limit"], ["10", "10 seconds"], ["30", "30 seconds"], ["60", "1 minute"], ["300", "5 minutes"]];

/** Return an input field for a name. */
function nameField(label, value, oninput) {
  const input = h("input", {
    type: "text", maxlength: MAX_NAME_LENGTH, required: true, value, autocomplete: "off", spellcheck: "false", oninput,
  });
  return { el: field(label, input), value: () => input.value.trim() };
}

/** Return a control to choose an agent: the levels in a row, the others by name. */
function agentField(label, agents, first) {
  const levels = agents.filter((agent) => agent.group === "levels");
  const others = agents.filter((agent) => !levels.includes(agent));
  let chosen = agents.find((agent) => agent.spec === first) ?? agents[0];
  const words = h("span"), means = h("code"), about = h("p", { cls: "quiet about" }, words, " ", means);
  const numbers = levels.map((agent) => [agent.spec, agent.spec.slice("level".length)]);
  const row = segmented(label, numbers, chosen.spec, choose, "levels");
  const named = select([["", "Others …"], ...others.map((agent) => [agent.spec, agent.label])], "", {
    "aria-label": `${label}: others`, onchange: () => named.value && choose(named.value),
  });

  function choose(spec) {
    chosen = agents.find((agent) => agent.spec === spec);
    for (const radio of row.querySelectorAll("input")) radio.checked = radio.value === spec;
    named.value = others.includes(chosen) ? spec : "";
    say(words, `${chosen.label}: ${chosen.about}`);
    say(means, chosen.means);
  }

  choose(chosen.spec);
  const all = h("div", { cls: "agent-choice" }, row, others.length ? named : null);
  return { el: h("div", { cls: "agent" }, all, about), value: () => chosen.spec };
}

/** Return the fields for players and time, and functions to read them. `changed` is called when they change. */
function playerFields(game, before, changed) {
  const you = nameField("Your name", kept("name", ""), changed);
  const friend = nameField("Second player's name", "", changed);
  const agent = agentField("Opponent's level", game.agents, before.agent ?? "level3");
  const one = agentField("First engine's level", game.agents, before.one ?? "level3");
  const two = agentField("Second engine's level", game.agents, before.two ?? "level5");
  const people = h("div", { cls: "pair" }, you.el, friend.el), machines = h("div", { cls: "pair" }, one.el, two.el);
  const orders = [["first", ""], ["second", ""], ["lot", "Random"]];
  const starts = segmented("First to move", orders, "first", (value) => { order = value; });
  const seconds = select(TIMES, before.seconds ?? "1"), limit = select(LIMITS, "");
  const secondsField = field("Engine time per move", seconds), limitField = field("Time limit per move", limit);
  let mode = before.mode ?? "machine", order = "first";
  const modes = segmented("Play", MODES, mode, (value) => { mode = value; refit(); changed(); });

  const isBetweenPeople = () => mode === "people" || mode === "link";

  function refit() {
    shown(people, mode !== "watch");
    shown(friend.el, mode === "people");
    shown(agent.el, mode === "machine");
    shown(machines, mode === "watch");
    shown(secondsField, !isBetweenPeople());
    shown(limitField, isBetweenPeople());
    const yours = mode === "machine" || mode === "link";
    say(starts.querySelector("[value=first] + span"), yours ? "You" : "First");
    say(starts.querySelector("[value=second] + span"), mode === "link" ? "Friend" : yours ? "Opponent" : "Second");
  }

  /** Return the seats, in random order if so chosen, and with a link, this browser's own seat. */
  function seats() {
    const person = (name) => ({ kind: "person", name }), machine = (field) => ({ kind: "agent", spec: field.value() });
    const others = {
      machine: machine(agent), people: person(friend.value()), link: person(FRIEND), watch: machine(two),
    };
    const pair = [mode === "watch" ? machine(one) : person(you.value()), others[mode]], link = mode === "link";
    const swapped = order === "second" || (order === "lot" && Math.random() < 0.5);
    return { seats: swapped ? pair.reverse() : pair, link, mine: link ? Number(swapped) : null };
  }

  refit();
  return {
    above: [modes, people, agent.el, machines, h("div", { cls: "pair" }, starts, secondsField, limitField)], seats,
    named: () => mode === "watch" || (you.value() && (mode !== "people" || friend.value())),
    seconds() {
      const time = (isBetweenPeople() ? limit : seconds).value;
      return time ? Number(time) : null;
    },
    /** Store the choices for the next time. */
    remember() {
      if (you.value()) keep("name", you.value());
      keep(`setup.${game.name}`,
        { mode, agent: agent.value(), one: one.value(), two: two.value(), seconds: seconds.value });
    },
  };
}

export async function page(root, [name], query) {
  const game = await api.game(name), start = query.get("text");
  title(game.title);
  const given = Object.fromEntries([...query].filter(([key]) => key !== "text"));
  const options = checkedOptions(game, given, show, start);
  const players = playerFields(game, kept(`setup.${name}`, {}), check);
  const picture = makeBoard(), starting = asking();
  const submit = h("button", { cls: "primary large" }, "Start game");
  const lacking = h("span", { cls: "quiet", role: "status" });

  const board = start ? h("p", { cls: "quiet" }, "The game starts from this position.") : options.el;
  const form = h("form", { cls: "stack", novalidate: true, onsubmit: begin },
    players.above, board, warmUpLine(name), starting.el, h("div", { cls: "row" }, submit, lacking));
  root.append(h("div", { cls: "split" },
    h("div", {}, h("h1", {}, game.title), h("p", { cls: "blurb" }, game.blurb), form), h("div", { cls: "preview" }, picture.el)));

  /** Enable Start only when all fields are filled in. */
  function check() {
    const missing = options.lacking() || (players.named() ? "" : "Enter a name.");
    submit.disabled = missing !== "";
    say(lacking, missing);
  }

  /** Show the board with the chosen options, drawn by the server. */
  function show(found) {
    check();
    if (found) picture.show(found.picture, { name, label: "The board", animate: false });
  }

  async function begin(event) {
    event.preventDefault();
    submit.disabled = true;
    players.remember();
    const { seats, link, mine } = players.seats();
    const wish = { game: name, options: options.chosen(), seats, seconds: players.seconds(), start, link };
    const made = await starting.ask(() => api.newTable(wish, mine));
    if (made) go(`/play/${made.id}`);
    else check();
  }

  await options.check();
}
