// One line that says what happens now, with the one thing to do about it; and the row of tools under it.

import { h, say, shown } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { isBetweenTwo, isCovered, mayMark } from "./model.js";
import { inShort, many, words } from "../shell/values.js";

const MESSAGE_MS = 8000; // how long a refusal or notice is shown

const WISHES = {
  undo: "take back a move", redo: "redo a move", restart: "play another game", settle: "end the game as marked",
};

/** Return what happens: [sentence, detail, button label, action name], perhaps with a second label and name. */
function situation(model) {
  const { table, thinking } = model, name = table.seats[table.to_move].name, plays = table.you.length > 0;
  if (model.looking !== null) {
    const better = model.hint?.ply === model.looking ? `${model.hint.lead ?? "Better"}: ${told(model.hint)}` : null;
    const plain = "You are viewing an earlier position.";
    return [`Move ${model.looking} of ${table.ply}`, better ?? plain, "Back to the game", "back"];
  }
  if (table.asked) return asked(table);
  if (table.outcome) return [table.outcome.words, "", plays ? "Play again" : null, "restart"];
  if (table.settling) return settling(model);
  if (table.paused) return ["Paused", `${name} to move.`, plays ? "Resume" : null, "resume"];
  if (table.seats[table.to_move].kind === "agent") return machine(model, name, thinking);
  const again = table.moves.at(-1)?.player === table.to_move && table.ply > 0;
  const hint = model.hint?.ply === table.ply && !isCovered(model) ? `Hint: ${told(model.hint)}` : null;
  return [`${name} ${again ? "moves again" : "to move"}`, hint ?? (company(table) || remark(model)), null, null];
}

/** Return what is left to agree on at the end. */
function settling(model) {
  const { ask, words: result } = model.table.settling;
  const marks = mayMark(model), more = `${result}, as marked now.${marks ? " To continue playing, undo." : ""}`;
  return [marks ? ask : "The players are agreeing on the result", more, marks ? "Agree" : null, "settle"];
}

/** Return what one of two people would like to do, which the other must agree to. */
function asked({ asked: { what, seat }, seats, you, settling: open }) {
  const wish = WISHES[what];
  if (you.includes(1 - seat)) {
    const result = open ? `${open.words}.` : "";
    return [`${seats[seat].name} would like to ${wish}`, result, "Agree", "agree", "Decline", "decline"];
  }
  const waits = `You asked to ${wish}`, sees = `${seats[seat].name} asked to ${wish}`;
  const other = `${seats[1 - seat].name} has not replied yet.`;
  return you.includes(seat) ? [waits, other, "Withdraw", "decline"] : [sees, other, null, null];
}

/** Return who is not here, and who looks on. */
function company({ here, seats, you, watching, link }) {
  const away = link ? seats.filter((_, player) => !here[player]).map((seat) => `${seat.name} is not connected.`) : [];
  const others = you.length ? watching : watching - 1;
  const crowd = others > 0 ? [`${many(others, "spectator")}.`] : [];
  return [...(you.length ? [] : ["You are watching."]), ...away, ...crowd].join(" ");
}

function machine(model, name, thinking) {
  const ready = "Compiling the engine. This happens once and takes a few seconds.";
  if (thinking?.compiling) return [`${name} is getting ready`, ready, null, null];
  const detail = thinking ? [
    thinking.depth ? `depth ${thinking.depth}` : "", thinking.nodes ? `${inShort(thinking.nodes)} positions` : "",
    thinking.value === null || thinking.value === undefined ? "" : words(thinking.value, thinking.unit, false),
  ].filter(Boolean).join(" · ") : "";
  return [`${name} is thinking`, detail, model.table.you.length ? "Move now" : null, "now"];
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
  const button = h("button", { type: "button", onclick: () => press(what) });
  const second = h("button", { type: "button", hidden: true, onclick: () => press(instead) });
  const refusal = h("p", { cls: "refusal", role: "alert" });
  const el = h("section", { cls: "status", "aria-label": "Now" },
    line, h("div", { cls: "row" }, button, second), h("div", { cls: "status-more" }, detail, refusal));
  let what = null, instead = null, timer = 0, ply = 0;

  function flash(words, cls) {
    refusal.className = cls;
    say(refusal, words);
    clearTimeout(timer);
    timer = setTimeout(() => say(refusal, ""), MESSAGE_MS);
  }

  function press(action) {
    if (action === "back") act.jump(ply);
    else if (action === "restart") act.restart();
    else if (action === "settle") act.settle();
    else if (action) act.simple(action);
  }

  return {
    el,
    update(model) {
      const [sentence, more, label, action, otherLabel, otherAction] = situation(model);
      [what, instead, ply] = [action, otherAction, model.table.ply];
      say(line, sentence);
      say(detail, more);
      el.classList.toggle("busy", what === "now" || Boolean(model.thinking?.compiling));
      shown(button, Boolean(label));
      button.classList.toggle("primary", ["back", "restart", "agree", "settle"].includes(what));
      if (label) say(button, label);
      shown(second, Boolean(otherLabel));
      if (otherLabel) say(second, otherLabel);
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
  const restart = tool("restart", "New game", act.restart), pause = tool("pause", "Pause", () => act.simple("pause"));
  const el = h("section", { cls: "tools", "aria-label": "Tools" }, undo, redo, hint, pause, resign, restart);
  return {
    el,
    update(model) {
      const { table } = model, people = table.seats.filter((seat) => seat.kind === "person").length;
      shown(el, table.you.length > 0);
      const live = model.connected && model.looking === null;
      undo.disabled = !live || table.ply === 0;
      redo.disabled = !live || !table.redo;
      hint.disabled = !live || Boolean(table.outcome ?? table.settling) || table.seats[table.to_move].kind !== "person"
        || isCovered(model);
      resign.disabled = !live || Boolean(table.outcome);
      restart.disabled = !live;
      pause.disabled = !live || Boolean(table.outcome) || table.paused;
      shown(hint, people > 0 && !isBetweenTwo(table));
      shown(resign, people > 0);
      shown(pause, people === 0);
    },
  };
}
