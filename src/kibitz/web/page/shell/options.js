// The options of a game as fields of a form, built from the game's catalogue entry. The server checks which values are
// valid.

import { position } from "./api.js";
import { field, h, newId, select } from "./dom.js";
import { asking } from "./shell.js";

const CONTROLS = {
  int: (option, value, oninput) => h("input", {
    type: "number", min: option.least, max: option.most, step: "1", required: true, value, oninput,
  }),
  number: (option, value, oninput) => h("input", {
    type: "number", min: option.least, max: option.most, step: option.step ?? "any", required: true, value, oninput,
  }),
  choice: ({ choices, labels }, value, onchange) =>
    select(choices.map((each) => [each, labels?.[each] ?? each]), value, { onchange }),
  flag: (option, value, onchange) =>
    h("input", { type: "checkbox", role: "switch", checked: String(value) === "true", onchange }),
  text: (option, value, oninput) => h("textarea", { rows: "4", spellcheck: "false", oninput }, value ?? ""),
};
CONTROLS.file = CONTROLS.text;

/** Return a switch with an explanation below it. */
function flagField(option, control) {
  const about = note(option);
  if (about) control.setAttribute("aria-describedby", about.id = newId("note"));
  return h("div", {}, h("label", { cls: "switch" }, control, label(option)), about);
}

const isLong = (option) => option.kind === "file" || option.kind === "text";
const label = (option) => option.label ?? option.name;

/** Return what the catalogue says about an option; a number, and choices with labels, say enough by themselves. */
function note(option) {
  const told = option.about && !["int", "number"].includes(option.kind) && !option.labels;
  return told ? h("p", { cls: "quiet" }, option.about) : null;
}

/** Return the value of a control. */
function read(option, control) {
  if (option.kind === "int" || option.kind === "number") return control.valueAsNumber;
  return option.kind === "flag" ? control.checked : control.value;
}

/** Return whether a field that needs a number has none. */
const isBlank = ([option, control]) => Number.isNaN(read(option, control));

/** Return a collapsed field for a long text, which can also be filled from a file. */
function folded(option, control, open, onchange) {
  const picker = h("input", { type: "file", accept: ".json,application/json,text/plain", onchange: load });
  async function load() {
    if (!picker.files[0]) return;
    control.value = await picker.files[0].text();
    onchange();
  }
  return h("details", { open }, h("summary", {}, label(option)), h("div", { cls: "stack" },
    field("Text", control, note(option)), option.kind === "file" ? field("Or choose a file", picker) : null));
}

/** Return the fields of all options. `given` are values from the address. */
export function optionFields(options, given, onchange) {
  const made = options.filter((option) => CONTROLS[option.kind])
    .map((option) => [option, CONTROLS[option.kind](option, given[option.name] ?? option.default, onchange)]);
  const values = (some) => Object.fromEntries(some.map(([option, control]) => [option.name, read(option, control)]));
  const isEmpty = ([option, control]) => read(option, control) === "";
  const kinds = (fits) => made.filter(([option]) => fits(option)), fine = ({ advanced }) => advanced;
  const labelled = ([option, control]) => field(label(option), control, note(option));
  const fields = (some) => h("div", { cls: "options" }, some.map(labelled));
  const flags = (some) => h("div", { cls: "flags" }, some.map(([option, control]) => flagField(option, control)));
  const summary = "Advanced rules";
  const folds = () => h("details", {}, h("summary", {}, summary), h("div", { cls: "stack" }, both(true)));
  const isPlain = (option) => !isLong(option) && option.kind !== "flag", isFlag = (option) => option.kind === "flag";
  const some = (list, make) => (list.length ? make(list) : null);
  const both = (rare) => [
    some(kinds((option) => isPlain(option) && fine(option) === rare), fields),
    some(kinds((option) => isFlag(option) && fine(option) === rare), flags),
  ];
  return {
    el: h("div", { cls: "stack" },
      both(false),
      some(kinds(fine), folds),
      kinds(isLong).map(([option, control]) => folded(option, control, Boolean(given[option.name]), onchange))),
    /** Return what to do before the server can be asked; empty if nothing. */
    lacking() {
      const blank = made.find(isBlank);
      return blank ? `Enter a number for ${label(blank[0])}.` : "";
    },
    /** Return the options chosen; texts left empty are left out. */
    value: () => values(made.filter((each) => !isEmpty(each))),
    /** Return the options that the address gave, as the kinds they have. */
    given: () => values(made.filter(([option]) => option.name in given)),
  };
}

/**
 * Return the fields of a game's options, whose values the server checks. `changed(answer)` is called at every change,
 * and again with the position to begin with once the server has answered; `start` is that position if it is given.
 */
export function checkedOptions(game, given, changed, start = null) {
  const fields = optionFields(game.options, given, check), asked = asking();
  const chosen = () => (start ? fields.given() : fields.value());

  async function check() {
    asked.drop();
    changed(null);
    if (!fields.lacking()) changed(await asked.ask(() => position(game.name, chosen(), start)) ?? null);
  }

  return { el: fields.el, chosen, check, lacking: () => fields.lacking() || asked.fault() };
}
