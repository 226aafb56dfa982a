// What is searched for beside the drawing: tools for the points, where it may lie, colours, filters, the store.

import { button, field, h, newId, select, shown, toggle } from "../../../../web/page/shell/dom.js";
import { makeIcon } from "../../../../web/page/board/assets.js";
import { signs } from "./window.js";
import { many } from "../../../../web/page/shell/values.js";

/** @type {[key: string, label: string, title?: string][]} */
const TOOLS = [
  ["region", "Region", "Drag to draw the region, or click two corners"], ["X", "Black"], ["O", "White"], [".", "Empty"],
  ["*", "Anything"], ["x", "Black or empty"], ["o", "White or empty"],
];
const ANCHORS = [
  ["", "As drawn"], ["corner", "In a corner"], ["side", "At a side"], ["centre", "In the centre"],
  ["full", "The whole board"], ["anywhere", "Anywhere"],
];
const RESULTS = [["", "Any"], ["B", "Black won"], ["W", "White won"], ["draw", "Draw"], ["none", "No result"]];
const NEXT = [["", "Either"], ["X", "Black"], ["O", "White"]];

/** @type {Record<string, import("../../../../web/page/board/picture.js").ShapeArray[]>} */
const OTHER_SIGNS = { region: [["r", "", "region", -9, -9, 18, 18, 2]], ".": [["p", "", "lines", 0, 0, "M-11 0H11M0-11V11"]] };
const toolSign = (name) => makeIcon(OTHER_SIGNS[name] ?? signs(name, { x: 0, y: 0 }, 22), "go");

/** Return the tools that set points; `change` is called with the one chosen. */
export function toolsView(chosen, change) {
  const name = newId("tool");
  const one = (/** @type {[key: string, label: string, title?: string]} */ [key, label, title]) => h("label", { title },
    h("input", { type: "radio", name, value: key, checked: key === chosen, onchange: () => change(key) }),
    h("span", {}, toolSign(key), label));
  return h("fieldset", { cls: "palette" }, h("legend", {}, "Click on the board to place"), h("div", {}, TOOLS.map(one)));
}

const input = (type, value, more = {}) =>
  h("input", { type, value: value ?? "", autocomplete: "off", spellcheck: "false", ...more });

/** Return the fields of a search. `given` are values from before; `submit` searches. */
export function formView(given, stores, { submit, clear, back, store }) {
  const offered = stores.map((each) => [each.name, `${each.title} (${many(each.games, "game")})`]);
  const which = select(offered, given.store, { onchange: () => store(which.value) });
  const anchor = select(ANCHORS, given.anchor ?? "");
  const next = select(NEXT, given.next ?? ""), fixed = toggle("Fix colours", Boolean(given.fixed), () => {});
  const ordered = toggle("In this move order only", Boolean(given.ordered), submit);
  const played = h("div", { cls: "row" }, button("Take back", back), ordered);
  const moves = [input("number", given.low, { min: 0, max: 999 }), input("number", given.high, { min: 0, max: 999 })];
  const old = given.filters ?? {};
  const texts = {
    player: input("text", old.player, { maxlength: 100 }),
    since: input("text", old.since, { maxlength: 20, inputmode: "numeric" }),
    until: input("text", old.until, { maxlength: 20, inputmode: "numeric" }),
    rank: input("text", old.rank, { maxlength: 10 }), event: input("text", old.event, { maxlength: 100 }),
  };
  const result = select(RESULTS, old.result ?? ""), handicap = input("number", old.handicap, { min: 0, max: 99 });
  const filters = h("details", { open: Object.values(old).some((value) => value !== null && value !== "") },
    h("summary", {}, "Filter games"), h("div", { cls: "filters" },
      field("Player", texts.player), field("Event", texts.event), field("From year", texts.since),
      field("To year", texts.until), field("Result", result), field("Rank at least", texts.rank),
      field("Handicap", handicap), field("From move", moves[0]), field("To move", moves[1])));
  const go = h("button", { cls: "primary" }, "Search");
  const el = h("form", { cls: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    stores.length > 1 ? field("Search in", which) : null,
    h("div", { cls: "filters" }, field("Where", anchor), field("Next move", next)), filters,
    h("div", { cls: "row" }, go, button("Clear", clear), fixed), played);
  const number = (control) => (control.value === "" ? null : control.valueAsNumber);
  return {
    el,
    value: () => ({
      store: which.value || stores[0]?.name, anchor: anchor.value || null, next: next.value,
      fixed: fixed.querySelector("input").checked, ordered: ordered.querySelector("input").checked,
      low: number(moves[0]), high: number(moves[1]),
      filters: {
        ...Object.fromEntries(Object.entries(texts).map(([key, control]) => [key, control.value.trim()])),
        result: result.value, handicap: number(handicap),
      },
    }),
    valid: () => el.reportValidity(),
    /** Offer what can be done with moves that were played, if there are any. */
    played: (count) => shown(played, count > 0),
  };
}

/** Return a place to drop files, and what became of them. `drop(files)` adds them. */
export function dropView(open, drop) {
  const take = () => { drop([...files.files]); files.value = ""; };
  const files = h("input", { type: "file", multiple: true, onchange: take });
  const said = h("div", { cls: "drop-said", role: "status" });
  const el = h("section", { cls: "card stack drop", "aria-label": "Your game records" },
    h("h2", {}, "Your game records"),
    h("p", { cls: "quiet" }, "Drop SGF files or archives (zip, tar, gz, xz) here. They stay on this machine."),
    field("Or choose files", files), said);
  for (const name of ["dragover", "dragleave", "drop"]) {
    el.addEventListener(name, (event) => {
      event.preventDefault();
      el.classList.toggle("over", name === "dragover");
      if (name === "drop") drop([...event.dataTransfer.files]);
    });
  }
  shown(el, open);
  return { el, said };
}
