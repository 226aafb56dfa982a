// What players of a card game count: where every card is, which flags can be claimed and why, which cards would help.
// Knows the scene of kind "battleline" and its layer; elsewhere there is nothing to show.

import { isTroop, nameOf, shape } from "./boards/battleline_cards.js";
import { h, s, shown } from "./dom.js";
import { analysisHere, isCovered, shownPosition } from "./model.js";

const PLACES = {
  board: "on the board", discard: "discarded", mine: "in your hand", theirs: "in the other hand", deck: "on the deck",
  unseen: "unseen",
};
const SIGNS = { discard: "×", mine: "●", theirs: "!", deck: "▾" };
const NOTHING = "Nobody has a complete side at an open flag. The analysis adds chances and the cards that would help.";

const sign = (colour, cls) =>
  s("svg", { cls, viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" }, shape(colour, 0, 0, 1));
const hush = (words) => h("span", { cls: "hush" }, words);

/** Return the table of all Troops: a row for each colour, a column for each value. */
function cardTable({ table }) {
  const seen = new Set(table.flatMap(({ cells }) => cells));
  const cell = (place, colour, value) =>
    h("td", { cls: `at-${place} c-${colour[0]}`, title: `${colour} ${value}: ${PLACES[place]}` },
      h("span", { "aria-hidden": "true" }, SIGNS[place] ?? String(value)), hush(PLACES[place]));
  const row = ({ colour, cells }) => h("tr", {},
    h("th", { scope: "row" }, sign(colour[0], `colour-sign c-${colour[0]}`), hush(colour)),
    cells.map((place, i) => cell(place, colour, i + 1)));
  const entry = (place) => h("li", {},
    h("span", { cls: `swatch at-${place} c-b`, "aria-hidden": "true" }, SIGNS[place] ?? ""), PLACES[place]);
  return [
    h("table", { cls: "card-table" }, h("caption", { cls: "hush" }, "Where the Troops are"),
      h("thead", {}, h("tr", {}, h("td"), table[0].cells.map((_, i) => h("th", { scope: "col" }, String(i + 1))))),
      h("tbody", {}, table.map(row))),
    h("ul", { cls: "legend" }, Object.keys(PLACES).filter((place) => seen.has(place)).map(entry)),
  ];
}

/** Return a card as a small sign in a line of text. */
function chip(id, tactics) {
  const name = nameOf(id, tactics);
  if (!isTroop(id)) return h("span", { cls: "card-chip c-tactics" }, name);
  return h("span", { cls: `card-chip c-${id[0]}`, title: name },
    h("span", { "aria-hidden": "true" }, id.slice(1)), sign(id[0]), hush(name));
}

function chips(label, cards, tactics) {
  if (!cards.length) return null;
  return h("p", { cls: "outs" }, h("span", { cls: "quiet" }, label), cards.map((id) => chip(id, tactics)));
}

/** Return whether a player can claim a flag, with the proof or the counter-example. */
function proof({ claim, mine, why, cards }, name, tactics) {
  const verdict = `${name} ${claim ? "can" : "cannot"} claim it with ${mine}.`;
  return h("div", { cls: claim ? "proof sure" : "proof" }, h("p", {}, h("b", {}, verdict), ` ${why}`),
    chips(claim ? "Best for the other side" : "Would beat it", cards, tactics));
}

/** Return what can be said of one open flag. */
function flagEntry(flag, { tactics }, names, layer) {
  const chance = layer?.chances?.[flag.number - 1], helps = layer?.outs?.[String(flag.number)]?.[0];
  const proofs = flag.claims.flatMap((claim, player) => (claim ? [proof(claim, names[player], tactics)] : []));
  if (!proofs.length && chance === undefined) return [];
  const odds = chance === undefined ? null : ` ${Math.round(100 * chance)} % for ${names[layer.player]}`;
  return [h("li", {}, h("h3", {}, `Flag ${flag.number}`, odds && h("span", { cls: "quiet" }, odds)), proofs,
    helps ? [chips("Would prove the claim", helps.wins, tactics), chips("Would help", helps.helps, tactics)] : null)];
}

/** Return the panel; `offer(there)` is told whether there is anything to show. */
export function cardsView(offer) {
  const covered = h("p", { cls: "quiet" }, "The cards are covered: press “Show my cards” at your turn.");
  const table = h("div"), flags = h("ol", { cls: "flag-list" }), none = h("p", { cls: "quiet" }, NOTHING);
  const attrs = { cls: "stack", tabindex: "0", role: "group", "aria-label": "Cards and claims" };
  let drawn = "";
  return {
    el: h("div", attrs, covered, table, h("h2", {}, "Claims"), none, flags),
    update(model) {
      const { scene, layer } = shownPosition(model), hidden = isCovered(model);
      offer(scene.kind === "battleline");
      if (scene.kind !== "battleline") return;
      const found = analysisHere(model)?.layer ?? (model.analysing && !hidden ? layer : null);
      const names = model.table.seats.map((seat) => seat.name);
      const state = JSON.stringify([scene.table, scene.flags, found, hidden, names]);
      if (state === drawn) return;
      drawn = state;
      const claimable = scene.flags.filter((flag) => flag.owner === null);
      const entries = claimable.flatMap((flag) => flagEntry(flag, scene, names, found));
      table.replaceChildren(...(hidden ? [] : cardTable(scene)));
      flags.replaceChildren(...entries);
      shown(covered, hidden);
      shown(none, !entries.length);
    },
  };
}
