// The options of a game as fields of a form, built from the game's catalogue entry. The server checks which values are
// valid.

import { position } from "./api.js";
import { field, fileInput, h, newId, select } from "./dom.js";
import { asking } from "./shell.js";

/** How to make the control of each kind of option. */
const CONTROLS = {
  number: ({ kind, least, most, step = kind === "int" ? 1 : "any" }, value, oninput) =>
    h("input", { type: "number", min: least, max: most, step, required: true, value, oninput }),
  choice: ({ choices, labels }, value, onchange) =>
    select(choices.map((each) => [each, labels?.[each] ?? each]), value, { onchange }),
  flag: (option, value, onchange) =>
    h("input", { type: "checkbox", role: "switch", checked: String(value) === "true", onchange }),
  text: (option, value, oninput) => h("textarea", { rows: "4", spellcheck: "false", oninput }, value ?? ""),
};
CONTROLS.int = CONTROLS.number;
CONTROLS.file = CONTROLS.text;

/** Return a switch with an explanation below it. */
function flagField([option, control]) {
  const about = note(option);
  if (about) control.setAttribute("aria-describedby", about.id = newId("note"));
  return h("div", {}, h("label", { cls: "switch" }, control, label(option)), about);
}

const isLong = ([{ kind }]) => kind === "file" || kind === "text";
const isFlag = ([{ kind }]) => kind === "flag";
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

/** Return a collapsible part of the form. */
const folded = (title, open, ...fields) =>
  h("details", { open }, h("summary", {}, title), h("div", { cls: "stack" }, fields));

/** Return the field of a long text, which may also be filled from a file. */
const longField = ([option, control], onchange) => [field("Text", control, note(option)), option.kind === "file"
  ? field("Or choose a file", fileInput(control, onchange, ".json,application/json,text/plain")) : null];

/** Return the fields of all options. `given` are values from the address. */
export function optionFields(options, given, onchange) {
  const made = options.filter((option) => CONTROLS[option.kind])
    .map((option) => [option, CONTROLS[option.kind](option, given[option.name] ?? option.default, onchange)]);
  const values = (some) => Object.fromEntries(some.map(([option, control]) => [option.name, read(option, control)]));

  /** Return the short fields, first those to fill in and then the switches: the advanced ones, or the others. */
  function shortFields(isAdvanced) {
    const some = made.filter((each) => !isLong(each) && each[0].advanced === isAdvanced);
    const flags = some.filter(isFlag).map(flagField);
    const others = some.filter((each) => !isFlag(each))
      .map(([option, control]) => field(label(option), control, note(option)));
    return [["options", others], ["flags", flags]].map(([cls, fields]) => (fields.length ? h("div", { cls }, fields) : null));
  }

  const advanced = shortFields(true);
  return {
    el: h("div", { cls: "stack" }, shortFields(false),
      advanced.some(Boolean) ? folded("Advanced rules", false, advanced) : null,
      made.filter(isLong).map((each) =>
        folded(label(each[0]), Boolean(given[each[0].name]), longField(each, onchange)))),
    /** Return what to do before the server can be asked; empty if nothing. */
    lacking() {
      const blank = made.find(isBlank);
      return blank ? `Enter a number for ${label(blank[0])}.` : "";
    },
    /** Return the options chosen; texts left empty are left out. */
    value: () => values(made.filter(([option, control]) => read(option, control) !== "")),
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
