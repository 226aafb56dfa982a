// Moves of Battle Line made in steps, and what stands beside the board: what to do next, how the hand is sorted,
// the Tactics of both. Which steps make which move is in the scene; no rule is here.

import { h, say, shown } from "../dom.js";
import { nameOf } from "./battleline_cards.js";

const STAGES = {
  play: "Choose a card", draw: "Draw a card: choose a deck", claim: "Claim a flag, or say that you are done",
  scout: "Scout: take a card from a deck", return: "Choose a card to put back",
};
const NEXT = {
  flag: "choose a flag", at: "choose a card at a flag", deck: "choose its deck", discard: "press the discard pile",
};

/** Return the steps that can be taken now: those that go on with what is picked, and other beginnings. */
export function open(scene, picked) {
  const fits = scene.legal.filter(({ steps }) => picked.every((step, i) => steps[i] === step));
  const begins = (step) => step.startsWith("card ") || !picked.length;
  return {
    next: new Set(fits.map(({ steps }) => steps[picked.length])),
    first: new Set(scene.legal.map(({ steps }) => steps[0]).filter(begins)),
  };
}

/** Take a step, or take one back; returns the text of a move when one is complete. */
export function press(own, scene, key) {
  const { next } = open(scene, own.picked);
  if (own.picked.includes(key)) own.picked = own.picked.slice(0, own.picked.indexOf(key));
  else own.picked = next.has(key) ? [...own.picked, key] : [key];
  const made = scene.legal.find(({ steps }) => steps.join() === own.picked.join());
  if (made) own.picked = [];
  return made?.move ?? null;
}

/** Forget the steps taken; returns whether there were any. */
export function cancel(own) {
  const had = own.picked?.length > 0;
  own.picked = [];
  return had;
}

/** Return the name of the card that was picked last. */
export const pickedName = (scene, picked) => (picked.length ? nameOf(picked.at(-1).split(" ")[1], scene.tactics) : "");

/** Return what stands beside the board; made once, and filled again with every scene. */
export function extra(scene, how, redraw) {
  const { own } = how;
  own.extra ??= makeExtra(own, redraw);
  own.reveal = how.reveal;
  const { prompt, sort, reveal, told, nodes } = own.extra, mine = scene.hands[how.below ?? scene.below];
  say(prompt, words(scene, how));
  shown(reveal, Boolean(how.covered));
  shown(sort, Boolean(mine) && !how.covered);
  say(sort, own.sort === "value" ? "Sort by colour" : "Sort by value");
  const lines = Object.keys(scene.tactics).length ? [0, 1].map((player) => tacticsWords(scene, how, player)) : [];
  if (told.textContent !== lines.join("")) told.replaceChildren(...lines.map((line) => h("li", {}, line)));
  return nodes;
}

function makeExtra(own, redraw) {
  const turn = () => {
    own.sort = own.sort === "value" ? "colour" : "value";
    redraw();
  };
  const prompt = h("p", { cls: "prompt", role: "status" }), told = h("ul", { cls: "tactics-told" });
  const sort = h("button", { type: "button", cls: "plain", onclick: turn });
  const reveal = h("button", { type: "button", cls: "primary", onclick: () => own.reveal?.() }, "Show my cards");
  const line = h("div", { cls: "row spread" }, prompt, h("div", { cls: "row" }, reveal, sort));
  return { prompt, sort, reveal, told, nodes: [line, told] };
}

function tacticsWords(scene, how, player) {
  const played = scene.played[player].map((id) => nameOf(id, scene.tactics)).join(", ");
  const wait = scene.locked[player] ? "; must wait with Tactics until the other plays one" : "";
  return `${how.names[player]}: ${played ? `played ${played}` : "no Tactics played"}${wait}.`;
}

/** Say what is to be done. */
function words(scene, how) {
  if (how.covered) return `${how.names[scene.viewer]}, it is your turn. Nobody else should look.`;
  if (!how.playable) return "";
  const { picked } = how.own;
  if (!picked.length) {
    const claims = scene.stage !== "claim" && scene.legal.some(({ steps }) => steps[0].startsWith("claim "));
    const more = scene.left > 1 ? `, ${scene.left} more` : "";
    return `${STAGES[scene.stage] ?? ""}${more}${claims ? ", or claim a flag" : ""}.`;
  }
  const kinds = [...new Set([...open(scene, picked).next].map((step) => step.split(" ")[0]))];
  const name = pickedName(scene, picked), about = picked.length === 1 ? scene.tactics[picked[0].slice(5)]?.about : "";
  const todo = kinds.map((kind) => NEXT[kind]).filter(Boolean).join(" or ");
  return `${name[0].toUpperCase()}${name.slice(1)}: ${todo}. ${about ?? ""}`.trim();
}
