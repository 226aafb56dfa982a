// A new tournament: which game, which agents, how many games, how much time. The server checks the limits.

import * as api from "../shell/api.js";
import { FORMATS, start, tournaments } from "./api.js";
import { button, field, h, newId, render, say, segmented, select, shown } from "../shell/dom.js";
import { checkedOptions } from "../shell/options.js";
import { asking, go, keep, kept, title } from "../shell/shell.js";
import { many } from "../shell/values.js";

const TIMES = [
  ["", "Default"], ["0.05", "0.05 seconds"], ["0.1", "0.1 seconds"], ["0.3", "0.3 seconds"],
  ["1", "1 second"], ["3", "3 seconds"], ["5", "5 seconds"],
];
const OPENINGS = [["0", "Start position"], ["5", "5 balanced positions"], ["10", "10 balanced positions"],
  ["25", "25 balanced positions"], ["50", "50 balanced positions"]];
const DEFAULT_AGENTS = ["level1", "level3", "level5"];

const isLevel = (agent) => agent.group === "levels";

/** Return the number of pairs that meet in a tournament of this format. */
function pairs(format, agents) {
  return format === "gauntlet" ? agents - 1 : (agents * (agents - 1)) / 2;
}

/** Return the control to choose agents: levels as buttons, others in a list, and the chosen ones below. */
function agentsField(agents, before, most, changed) {
  const levels = agents.filter(isLevel), others = agents.filter((agent) => !isLevel(agent));
  const known = before.filter((spec) => agents.some((agent) => agent.spec === spec));
  const chosen = known.length > 1 ? known : [...DEFAULT_AGENTS];
  const place = (spec) => agents.findIndex((agent) => agent.spec === spec);
  const list = h("ol", { cls: "chosen" }), full = h("p", { cls: "quiet" });
  const name = newId("levels");
  const boxes = levels.map((agent) => h("input", {
    type: "checkbox", name, value: agent.spec, "aria-label": agent.label,
    onchange: (event) => (event.target.checked ? add(agent.spec) : remove(agent.spec)),
  }));
  const row = h("fieldset", { cls: "segmented levels" }, h("legend", {}, "Levels, weakest to strongest"),
    h("div", { cls: "segments" }, levels.map((agent, i) =>
      h("label", { title: agent.about }, boxes[i], h("span", {}, agent.spec.slice("level".length))))));
  const named = select([], "", { "aria-label": "Other players", onchange: () => add(named.value) });

  function add(spec) {
    if (spec && !chosen.includes(spec) && chosen.length < most) chosen.push(spec);
    chosen.sort((one, other) => place(one) - place(other));
    redraw();
  }

  function remove(spec) {
    if (chosen.includes(spec)) chosen.splice(chosen.indexOf(spec), 1);
    redraw();
  }

  function line(spec) {
    const agent = agents.find((each) => each.spec === spec);
    return h("li", {}, h("b", {}, agent.label), h("span", { cls: "quiet" }, agent.about),
      button("Remove", () => { remove(spec); named.focus(); }, "plain", { "aria-label": `Remove ${agent.label}` }));
  }

  function redraw() {
    for (const box of boxes) {
      box.checked = chosen.includes(box.value);
      box.disabled = !box.checked && chosen.length >= most;
    }
    const left = others.filter((agent) => !chosen.includes(agent.spec)).map((agent) => [agent.spec, agent.label]);
    named.replaceChildren(...select([["", "Others …"], ...left], "").children);
    named.value = "";
    render(list, chosen.map(line));
    say(full, chosen.length >= most ? `At most ${most} players.` : "");
    changed();
  }

  const el = h("div", { cls: "agent" }, h("div", { cls: "agent-choice" }, row, named), list, full);
  const label = (spec) => agents.find((each) => each.spec === spec).label;
  return { el, value: () => [...chosen], draw: redraw, label };
}

/** Return all fields that depend on the game. */
function gameFields(game, limits, before, changed) {
  const options = checkedOptions(game, before.options ?? {}, () => changed());
  const known = game.agents.filter((agent) => agent.group !== "bots");
  const agents = agentsField(known, before.agents ?? [], limits.agents, refit);
  let format = before.format ?? "round-robin";
  const formats = segmented("Format", Object.entries(FORMATS), format, (value) => { format = value; refit(); });
  const challenger = select([], "", { onchange: changed });
  const who = field("Challenger (plays everyone else)", challenger);
  const games = h("input", {
    type: "number", min: 1, max: limits.games, step: 1, value: before.games ?? 20, oninput: changed,
  });
  const seconds = select(TIMES, before.seconds ?? "");
  const openings = select(OPENINGS, before.openings ?? "10", { onchange: changed });

  /** Offer the chosen agents as challengers. */
  function refit() {
    const was = challenger.value || agents.value().at(-1);
    challenger.replaceChildren(...select(agents.value().map((spec) => [spec, agents.label(spec)]), was).children);
    challenger.value = agents.value().includes(was) ? was : agents.value()[0] ?? "";
    shown(who, format === "gauntlet");
    changed();
  }

  const note = h("p", { cls: "quiet" }, "From the start position, deterministic engines repeat the same game.");
  agents.el.prepend(h("h2", {}, "Players"));
  const el = h("div", { cls: "stack" }, h("div", { cls: "card stack" }, agents.el),
    h("div", { cls: "card stack" }, h("h2", {}, "Games"), h("div", { cls: "pair" }, formats, who),
      h("div", { cls: "pair" }, field("Games per pair (colours swapped)", games), field("Time per move", seconds),
        field("Start from", openings, note))),
    h("div", { cls: "card stack" }, h("h2", {}, "Board"), options.el));
  return {
    el, init: agents.draw,
    /** Return the request for the server. */
    value() {
      const chosen = agents.value(), first = challenger.value;
      const order = format === "gauntlet" ? [first, ...chosen.filter((spec) => spec !== first)] : chosen;
      const time = seconds.value ? Number(seconds.value) : null;
      return { game: game.name, options: options.chosen(), agents: order, format, games: games.valueAsNumber,
        seconds: time, nodes: null, openings: Number(openings.value), seed: null };
    },
    /** Return what is missing, in words, or null. */
    lacking() {
      const n = agents.value().length;
      if (n < 2) return "Choose at least two players.";
      if (format === "match" && n !== 2) return "A match needs exactly two players.";
      const isWhole = games.checkValidity() && Number.isInteger(games.valueAsNumber);
      if (!isWhole) return `Enter a whole number of games, 1 to ${limits.games}.`;
      const isOdd = openings.value !== "0" && games.valueAsNumber % 2;
      if (isOdd) return "The number of games must be even: each position is played once with each colour.";
      return options.lacking() || null;
    },
    remember() {
      const { agents, format, games, options } = this.value();
      const chosen = { agents, format, games, options, seconds: seconds.value, openings: openings.value };
      keep(`arena.${game.name}`, chosen);
    },
  };
}

export async function page(root, found, query) {
  title("New tournament");
  root.classList.add("middle");
  const [games, { limits }] = await Promise.all([api.games(), tournaments()]);
  const asked = games.find((game) => game.name === query.get("game")) ?? games[0];
  const place = h("div"), starting = asking(), sum = h("p", { cls: "sum", role: "status" });
  const submit = h("button", { cls: "primary large" }, "Start tournament");
  let fields = null;
  const choice = segmented("Game", games.map((game) => [game.name, game.title]), asked.name, choose);
  const form = h("form", { cls: "stack arena-form", novalidate: true, onsubmit: begin },
    choice, place, starting.el, h("div", { cls: "row arena-start" }, submit, sum));
  root.append(h("h1", {}, "New tournament"), form);

  function choose(name) {
    fields = gameFields(games.find((game) => game.name === name), limits, kept(`arena.${name}`, {}), check);
    place.replaceChildren(fields.el);
    fields.init();
  }

  /** Show the number of games; enable Start only if nothing is missing. */
  function check() {
    if (!fields) return;
    const lacking = fields.lacking(), { agents, format, games: each } = fields.value();
    const all = pairs(format, agents.length) * each, far = all > limits.games;
    submit.disabled = Boolean(lacking) || far;
    say(sum, lacking ?? (far ? `${all} games are too many. The limit is ${limits.games}.`
      : `${many(agents.length, "player")}, ${many(all, "game")}.`));
  }

  async function begin(event) {
    event.preventDefault();
    submit.disabled = true;
    fields.remember();
    say(sum, "Starting …");
    const id = await starting.ask(() => start(fields.value()));
    if (id) go(`/arena/${id}`);
    else check();
  }

  choose(asked.name);
}
