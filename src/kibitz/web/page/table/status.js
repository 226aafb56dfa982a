// The status line, which says what is happening and offers a button for it; and the row of tools below it.

import { button, h, render, say, shown } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { isBetweenTwo, isCovered, mayMark } from "./model.js";
import { inShort, many, words } from "../shell/values.js";

const MESSAGE_MS = 8000; // how long a refusal or notice is shown

const MAIN_ACTIONS = ["back", "restart", "agree", "settle"];
const WISHES = {
  undo: "take back a move", redo: "redo a move", restart: "play another game", settle: "end the game as marked",
};

/**
 * Return what is happening: a sentence, a detail, the available actions as [[button label, action name], ...], and
 * whether an agent is thinking.
 * @returns {any[]}
 */
function situation(model) {
  const { table, thinking } = model, name = table.seats[table.to_move].name, plays = table.you.length > 0;
  if (model.looking !== null) {
    const better = model.hint?.ply === model.looking ? `${model.hint.lead ?? "Better"}: ${told(model.hint)}` : null;
    const plain = "You are viewing an earlier position.";
    return [`Move ${model.looking} of ${table.ply}`, better ?? plain, [["Back to the game", "back"]]];
  }
  if (table.asked) return asked(table);
  if (table.outcome) return [table.outcome.words, "", plays ? [["Play again", "restart"]] : []];
  if (table.settling) return settling(model);
  if (table.paused) return ["Paused", `${name} to move.`, plays ? [["Resume", "resume"]] : []];
  if (table.seats[table.to_move].kind === "agent") return machine(model, name, thinking);
  const again = table.moves.at(-1)?.player === table.to_move && table.ply > 0;
  const hint = model.hint?.ply === table.ply && !isCovered(model) ? `Hint: ${told(model.hint)}` : null;
  return [`${name} ${again ? "moves again" : "to move"}`, hint ?? (company(table) || remark(model)), []];
}

/** Return the status while the players agree on the result. */
function settling(model) {
  const { ask, words: result } = model.table.settling;
  const marks = mayMark(model), more = `${result}, as marked now.${marks ? " To continue playing, undo." : ""}`;
  return [marks ? ask : "The players are agreeing on the result", more, marks ? [["Agree", "settle"]] : []];
}

/** Return what one of two people would like to do, which the other must agree to. */
function asked({ asked: { what, seat }, seats, you, settling: open }) {
  const wish = WISHES[what];
  if (you.includes(1 - seat)) {
    const result = open ? `${open.words}.` : "";
    return [`${seats[seat].name} would like to ${wish}`, result, [["Agree", "agree"], ["Decline", "decline"]]];
  }
  const waits = `You asked to ${wish}`, sees = `${seats[seat].name} asked to ${wish}`;
  const other = `${seats[1 - seat].name} has not replied yet.`;
  return you.includes(seat) ? [waits, other, [["Withdraw", "decline"]]] : [sees, other, []];
}

/** Return which players are absent, and the number of spectators, in words. */
function company({ here, seats, you, watching, link }) {
  const away = link ? seats.filter((_, player) => !here[player]).map((seat) => `${seat.name} is not connected.`) : [];
  const others = you.length ? watching : watching - 1;
  const crowd = others > 0 ? [`${many(others, "spectator")}.`] : [];
  return [...(you.length ? [] : ["You are watching."]), ...away, ...crowd].join(" ");
}

function machine(model, name, thinking) {
  const ready = "Compiling the engine. This happens once and takes a few seconds.";
  if (thinking?.compiling) return [`${name} is getting ready`, ready, [], true];
  const detail = thinking ? [
    thinking.depth ? `depth ${thinking.depth}` : "", thinking.nodes ? `${inShort(thinking.nodes)} positions` : "",
    thinking.value === null || thinking.value === undefined ? "" : words(thinking.value, thinking.unit, false),
  ].filter(Boolean).join(" · ") : "";
  return [`${name} is thinking`, detail, model.table.you.length ? [["Move now", "now"]] : [], true];
}

const told = ({ label, words: why }) => `${label}. ${why ?? ""}`;

/** Return the agent's remarks on its last move. */
function remark({ thought, table }) {
  const last = table.moves.at(-1);
  if (!thought?.note || thought.ply !== table.ply - 1 && thought.ply !== table.ply) return "";
  return last && table.seats[last.player].kind === "agent" ? `${table.seats[last.player].name}: ${thought.note}` : "";
}

export function statusView(act) {
  const line = h("p", { cls: "status-line" }), detail = h("p", { cls: "status-detail" });
  const row = h("div", { cls: "row" });
  const refusal = h("p", { cls: "refusal", role: "alert" });
  const el = h("section", { cls: "status", "aria-label": "Now" },
    line, row, h("div", { cls: "status-more" }, detail, refusal));
  let timer = 0;

  function flash(words, cls) {
    refusal.className = cls;
    say(refusal, words);
    clearTimeout(timer);
    timer = setTimeout(() => say(refusal, ""), MESSAGE_MS);
  }

  function choice([label, action], { ply }) {
    const direct = { back: () => act.jump(ply), restart: act.restart, settle: act.settle };
    return button(label, direct[action] ?? (() => act.simple(action)), MAIN_ACTIONS.includes(action) ? "primary" : null);
  }

  return {
    el,
    update(model) {
      const [sentence, more, choices, isBusy = false] = situation(model);
      say(line, sentence);
      say(detail, more);
      el.classList.toggle("busy", isBusy);
      render(row, choices.map((each) => choice(each, model.table)));
    },
    /** Show why something was refused, for a few seconds. */
    refuse: (words) => flash(words, "refusal"),
    /** Show a notice. */
    note: (words) => flash(words, "refusal notice"),
  };
}

export function toolsView(act) {
  const el = h("section", { cls: "tools", "aria-label": "Tools" });
  return {
    el,
    update(model) {
      const { table } = model, people = table.seats.filter((seat) => seat.kind === "person").length;
      const live = model.connected && model.looking === null, isOver = Boolean(table.outcome);
      const mayHint = !isOver && !table.settling && table.seats[table.to_move].kind === "person" && !isCovered(model);
      const tool = (name, label, isOn, onclick = () => act.simple(name)) =>
        button([icon(name), label], onclick, "tool", { disabled: !live || !isOn });
      shown(el, table.you.length > 0);
      render(el, tool("undo", "Undo", table.ply > 0), tool("redo", "Redo", table.redo),
        people && !isBetweenTwo(table) ? tool("hint", "Hint", mayHint) : null,
        people ? tool("resign", "Resign", !isOver, act.resign) : tool("pause", "Pause", !isOver && !table.paused),
        tool("restart", "New game", true, act.restart));
    },
  };
}
