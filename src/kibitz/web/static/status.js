// One line that says what happens now, with the one thing to do about it; and the row of tools under it.

import { h, say, shown } from "./dom.js";
import { icon } from "./icons.js";
import { count, words } from "./values.js";

const STAYS = 8000; // milliseconds

/** Return what happens: [sentence, detail, button label, action name]. */
function situation(model) {
  const { table, thinking } = model, name = table.seats[table.to_move].name;
  if (model.looking !== null) {
    const better = model.hint?.ply === model.looking ? `Better: ${told(model.hint)}` : null;
    const plain = "An earlier position. The game itself is as it was.";
    return [`Move ${model.looking} of ${table.ply}`, better ?? plain, "Back to the game", "back"];
  }
  if (table.outcome) return [table.outcome.words, "", "Play again", "restart"];
  if (table.paused) return ["Paused", `${name} is to move.`, "Go on", "resume"];
  if (table.seats[table.to_move].kind === "agent") return machine(model, name, thinking);
  const again = table.moves.at(-1)?.player === table.to_move && table.ply > 0;
  const hint = model.hint?.ply === table.ply ? `Hint: ${told(model.hint)}` : null;
  return [`${name} ${again ? "moves again" : "to move"}`, hint ?? remark(model), null, null];
}

function machine(model, name, thinking) {
  const ready = "Its engine is compiled for this machine. This happens once and takes some seconds.";
  if (thinking?.compiling) return [`${name} is getting ready`, ready, null, null];
  const detail = thinking ? [
    thinking.depth ? `depth ${thinking.depth}` : "", thinking.nodes ? `${count(thinking.nodes)} positions` : "",
    thinking.value === null || thinking.value === undefined ? "" : words(thinking.value, thinking.unit, false),
  ].filter(Boolean).join(" · ") : "";
  return [`${name} is thinking`, detail, "Move now", "now"];
}

const told = ({ label, words: why }) => `${label}. ${why ?? ""}`;

/** Return what the machine says of its last move. */
function remark({ thought, table }) {
  const last = table.moves.at(-1);
  if (!thought?.note || thought.ply !== table.ply - 1 && thought.ply !== table.ply) return "";
  return last && table.seats[last.player].kind === "agent" ? `${table.seats[last.player].name}: ${thought.note}` : "";
}

export function statusView(act) {
  const line = h("p", { cls: "status-line" }), detail = h("p", { cls: "status-detail" });
  const button = h("button", { type: "button", onclick: press });
  const refusal = h("p", { cls: "refusal", role: "alert" });
  const el = h("section", { cls: "status", "aria-label": "Now" },
    line, button, h("div", { cls: "status-more" }, detail, refusal));
  let what = null, timer = 0, ply = 0;

  function flash(words, cls) {
    refusal.className = cls;
    say(refusal, words);
    clearTimeout(timer);
    timer = setTimeout(() => say(refusal, ""), STAYS);
  }

  function press() {
    if (what === "back") act.jump(ply);
    else if (what === "restart") act.restart();
    else if (what) act.simple(what);
  }

  return {
    el,
    update(model) {
      const [sentence, more, label, action] = situation(model);
      [what, ply] = [action, model.table.ply];
      say(line, sentence);
      say(detail, more);
      el.classList.toggle("busy", what === "now" || Boolean(model.thinking?.compiling));
      shown(button, Boolean(label));
      button.classList.toggle("primary", what === "back" || what === "restart");
      if (label) say(button, label);
    },
    /** Say why something was refused; it goes away by itself. */
    refuse: (words) => flash(words, "refusal"),
    /** Say something that is good to know. */
    note: (words) => flash(words, "refusal notice"),
  };
}

function tool(name, label, onclick) {
  return h("button", { type: "button", cls: "tool", onclick }, icon(name), label);
}

export function toolsView(act) {
  const undo = tool("undo", "Undo", () => act.simple("undo")), redo = tool("redo", "Redo", () => act.simple("redo"));
  const hint = tool("hint", "Hint", () => act.simple("hint")), resign = tool("resign", "Resign", act.resign);
  const restart = tool("restart", "Restart", act.restart), pause = tool("pause", "Pause", () => act.simple("pause"));
  return {
    el: h("section", { cls: "tools", "aria-label": "Tools" }, undo, redo, hint, pause, resign, restart),
    update(model) {
      const { table } = model, people = table.seats.filter((seat) => seat.kind === "person").length;
      const live = model.connected && model.looking === null;
      undo.disabled = !live || table.ply === 0;
      redo.disabled = !live || !table.redo;
      hint.disabled = !live || Boolean(table.outcome) || table.seats[table.to_move].kind !== "person";
      resign.disabled = !live || Boolean(table.outcome);
      restart.disabled = !live;
      pause.disabled = !live || Boolean(table.outcome) || table.paused;
      shown(hint, people > 0);
      shown(resign, people > 0);
      shown(pause, people === 0);
    },
  };
}
