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
const OTHER_SIGNS = {
  region: [["r", "", "region", -9, -9, 18, 18, 2]], ".": [["p", "", "lines", 0, 0, "M-11 0H11M0-11V11"]],
};
const toolSign = (name) => makeIcon(OTHER_SIGNS[name] ?? signs(name, { x: 0, y: 0 }, 22), "go");

/** Return the tools that set points; `change` is called with the one chosen. */
export function toolsView(chosen, change) {
  const name = newId("tool");
  const one = (/** @type {[key: string, label: string, title?: string]} */ [key, label, title]) => h("label", { title },
    h("input", { type: "radio", name, value: key, checked: key === chosen, onchange: () => change(key) }),
    h("span", {}, toolSign(key), label));
  return h("fieldset", { cls: "palette" }, h("legend", {}, "Click on the board to place"), h("div", {}, TOOLS.map(one)));
}

/** Filters of games: name, label, and the type of the input with its attributes, or the choices. */
const FILTERS = /** @type {[string, string, string | string[][], object?][]} */ ([
  ["player", "Player", "text", { maxlength: 100 }], ["event", "Event", "text", { maxlength: 100 }],
  ["since", "From year", "text", { maxlength: 20, inputmode: "numeric" }],
  ["until", "To year", "text", { maxlength: 20, inputmode: "numeric" }],
  ["result", "Result", RESULTS], ["rank", "Rank at least", "text", { maxlength: 10 }],
  ["handicap", "Handicap", "number", { min: 0, max: 99 }], ["low", "From move", "number", { min: 0, max: 999 }],
  ["high", "To move", "number", { min: 0, max: 999 }],
]);

/** Return the fields of a search. `given` are values from before, by name; `submit` searches. */
export function formView(given, stores, { submit, clear, back, store }) {
  const offered = stores.map((each) => [each.name, `${each.title} (${many(each.games, "game")})`]);
  const which = select(offered, given.store, { onchange: () => store(which.value) });
  const anchor = select(ANCHORS, given.anchor ?? ""), next = select(NEXT, given.next ?? "");
  const isOn = (value) => String(value) === "true", isChecked = (control) => control.querySelector("input").checked;
  const fixed = toggle("Fix colours", isOn(given.fixed), () => {});
  const ordered = toggle("In this move order only", isOn(given.ordered), submit);
  const played = h("div", { cls: "row" }, button("Take back", back), ordered);
  const controls = FILTERS.map(([name, , kind, attrs]) => {
    const value = given[name] ?? "";
    return typeof kind === "string" ? h("input", { type: kind, value, autocomplete: "off", spellcheck: "false", ...attrs })
      : select(kind, value);
  });
  const filters = h("details", { open: FILTERS.some(([name]) => (given[name] ?? "") !== "") },
    h("summary", {}, "Filter games"),
    h("div", { cls: "filters" }, FILTERS.map(([, label], i) => field(label, controls[i]))));
  const el = h("form", { cls: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    stores.length > 1 ? field("Search in", which) : null,
    h("div", { cls: "filters" }, field("Where", anchor), field("Next move", next)), filters,
    h("div", { cls: "row" }, h("button", { cls: "primary" }, "Search"), button("Clear", clear), fixed), played);

  /** Return what a control holds; null for a number that was not given. */
  const valueOf = (control) => (control.type !== "number" ? control.value.trim()
    : control.value === "" ? null : control.valueAsNumber);

  return {
    el,
    value() {
      const { low, high, ...others } = Object.fromEntries(FILTERS.map(([name], i) => [name, valueOf(controls[i])]));
      return {
        store: which.value || stores[0]?.name, anchor: anchor.value || null, next: next.value,
        fixed: isChecked(fixed), ordered: isChecked(ordered), low, high, filters: others,
      };
    },
    valid: () => el.reportValidity(),
    /** Offer what can be done with moves that were played, if there are any. */
    played: (count) => shown(played, count > 0),
  };
}

/** Return an area to drop files on, and the element for their results. `drop(files)` imports them. */
export function dropView(open, drop) {
  const take = () => { drop([...files.files]); files.value = ""; };
  const files = h("input", { type: "file", multiple: true, onchange: take });
  const said = h("div", { cls: "drop-said", role: "status" });
  const el = h("section", { cls: "card stack drop", "aria-label": "Your game records" },
    h("h2", {}, "Your game records"),
    h("p", { cls: "quiet" },
      "Drop records (SGF, GIB, NGF, UGF) or archives (zip, tar, gz, xz) here. They stay on this machine."),
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
