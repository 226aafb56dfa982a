// The two players at a table: colour, name, score, clock, and whose turn it is. A person's name can be changed, and
// another person can be invited by a link.

import * as api from "../shell/api.js";
import { copyField, h, say, shown } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { shownPosition } from "./model.js";
import { heldAt, invitation } from "../shell/tokens.js";
import { clock } from "../shell/values.js";

export const MAX_NAME_LENGTH = 30;
const UNNAMED = "first"; // what the first side is called in a game that has no names for its sides

/** Return a name with a pencil beside it; `rename(name)` is called with another one. */
function nameView(rename) {
  const words = h("span", { cls: "seat-name" });
  const pencil = h("button", { type: "button", cls: "pencil", onclick: open }, icon("pencil"));
  const input = h("input", {
    type: "text", maxlength: MAX_NAME_LENGTH, "aria-label": "Name", autocomplete: "off", spellcheck: "false",
    hidden: true, onkeydown: press, onblur: () => close(true),
  });

  function open() {
    input.value = words.textContent;
    for (const part of [words, pencil]) shown(part, false);
    shown(input, true);
    input.focus();
    input.select();
  }

  function close(keeps) {
    if (input.hidden) return;
    const wish = input.value.trim(), held = document.activeElement === input;
    shown(input, false);
    for (const part of [words, pencil]) shown(part, true);
    if (held) pencil.focus();
    if (keeps && wish && wish !== words.textContent) rename(wish);
  }

  function press(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault(); // or Enter would press the pencil, which has the focus then
    close(event.key === "Enter");
  }

  return {
    el: h("div", { cls: "seat-top" }, words, pencil, input),
    update({ kind, name }, about, own) {
      say(words, name);
      words.title = about;
      pencil.setAttribute("aria-label", `Rename ${name}`);
      pencil.title = "Rename";
      shown(pencil, kind === "person" && own && input.hidden);
    },
  };
}

function seat(player, act) {
  const name = nameView((wish) => act.rename(player, wish));
  const score = h("span", { cls: "score" }), side = h("span"), time = h("span"), strength = h("span");
  const note = h("div", { cls: "seat-note" });
  const el = h("div", { cls: `seat seat${player}` }, h("span", { cls: "stone", "aria-hidden": "true" }),
    h("div", { cls: "seat-words" }, name.el, h("div", { cls: "time" }, side, time, strength), note), score);
  return { el, name, score, side, time, strength, note };
}

/** Return a player's clock: the time used, or with a limit, the time left for this move. */
function time(table, player, ahead) {
  const used = table.moves.reduce((sum, move) => sum + (move.player === player ? move.seconds : 0), 0);
  if (table.outcome || table.paused || table.to_move !== player) return clock(used);
  const running = Math.max(0, (Date.now() + ahead - table.clock.since) / 1000);
  const limited = table.clock.limit !== null && table.seats[player].kind === "person";
  return limited ? `${clock(Math.ceil(table.clock.limit - running))} left` : clock(used + running);
}

export function seatsView(act) {
  const seats = [seat(0, act), seat(1, act)];
  const el = h("section", { cls: "seats", "aria-label": "Players" }, seats.map((each) => each.el));
  let table = null, position = null, ahead = 0, known = [];

  function tick() {
    if (table) seats.forEach((each, player) => say(each.time, time(table, player, ahead)));
  }

  /** Show who plays, and for an agent, how it plays. */
  function show(each, player) {
    const { kind, spec } = table.seats[player], agent = known.find((one) => kind === "agent" && one.spec === spec);
    const { scores, notes = [], to_move } = position, { outcome, game: { players } } = table;
    const about = agent ? `${agent.about} (${agent.means})` : players[player];
    each.name.update(table.seats[player], about, table.you.includes(player));
    say(each.strength, agent?.group === "levels" ? ` · ${agent.about.split(".")[0].toLowerCase()}` : "");
    say(each.note, notes[player] ?? "");
    say(each.score, scores ? String(scores[player]) : players[player]);
    each.score.classList.toggle("word", !scores);
    say(each.side, scores && players[0] !== UNNAMED ? `${players[player]} · ` : "");
    each.el.classList.toggle("turn", outcome ? outcome.winner === player : to_move === player);
    each.el.classList.toggle("away", !table.here[player] && table.link && !outcome);
  }

  const timer = setInterval(tick, 500);
  return {
    el,
    update(model) {
      if (!table) api.game(model.table.game.name).then((game) => { known = game.agents; seats.forEach(show); }, () => {});
      if (table !== model.table) ahead = model.table.now ? model.table.now - Date.now() : 0;
      [table, position] = [model.table, shownPosition(model)];
      seats.forEach(show);
      tick();
    },
    end: () => clearInterval(timer),
  };
}

/** Return the invitation link for the other player, shown until that player joins. */
export function inviteView() {
  const link = copyField("Send this link to the other player");
  const el = h("section", { cls: "card invite", "aria-label": "Invitation", hidden: true },
    link.el,
    h("p", { cls: "quiet" }, "Whoever opens it plays against you. To invite spectators, share the address of this page."));
  return {
    el,
    update(model) {
      const { invite } = heldAt(model.id), { here, seats, you, outcome } = model.table;
      const missing = seats.some((seat, player) => seat.kind === "person" && !here[player] && !you.includes(player));
      if (invite) link.input.value = invitation(model.id, invite);
      shown(el, Boolean(invite) && missing && !outcome);
    },
  };
}
