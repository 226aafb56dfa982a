// Building elements: HTML and SVG, and a few small controls made of them.
// Independent of games and the server. Text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** The attributes and listeners that elements were made with. @type {WeakMap<Node, Record<string, any>>} */
const given = new WeakMap();

const isNothing = (value) => value === null || value === undefined || value === false;

/** Replace the attributes and listeners of an element. */
function dress(el, attrs) {
  const old = given.get(el) ?? {}, gone = Object.fromEntries(Object.keys(old).map((name) => [name, null]));
  const all = { ...gone, ...attrs };
  given.set(el, all);
  for (const [name, value] of Object.entries(all)) if (value !== (old[name] ?? null)) set(el, name, value, name in old);
  return el;
}

/** Set an attribute, the style or a listener of an element. */
function set(el, name, value, isKnown) {
  const attribute = name === "cls" ? "class" : name;
  if (name.startsWith("on")) {
    if (!isKnown) el.addEventListener(name.slice(2), (event) => given.get(el)?.[name]?.(event));
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value ?? {})) el.style.setProperty(property, text);
  } else if (isNothing(value)) el.removeAttribute(attribute);
  else el.setAttribute(attribute, value === true ? "" : value);
  if (isKnown && (name === "checked" || name === "value")) el[name] = value; // people may have changed it
}

function fill(el, attrs, children) {
  dress(el, attrs).append(...children.flat(Infinity).filter((child) => !isNothing(child)));
  return el;
}

/** Return an HTML element. `cls` is its class, `style` has properties, `onclick` and the like are its listeners. */
export const h = (tag, attrs = {}, ...children) => fill(document.createElement(tag), attrs, children);

/** Return an SVG element. */
export const s = (tag, attrs = {}, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);

/**
 * Replace the children of an element. Existing children are updated to match the new ones where possible, so that the
 * focus stays and nothing flickers. Properties that were set on an element by hand stay, too.
 */
export function render(el, ...children) {
  const next = [...h("template", {}, children).childNodes];
  next.forEach((node, i) => {
    const there = el.childNodes[i];
    if (there) patch(there, node);
    else el.append(node);
  });
  while (el.childNodes.length > next.length) el.lastChild.remove();
}

/** Update a node to match a new one, or replace it by the new one. */
function patch(old, fresh) {
  const isMade = given.has(old) && given.has(fresh);
  if (old.nodeName !== fresh.nodeName || (old.nodeType === Node.ELEMENT_NODE && !isMade)) old.replaceWith(fresh);
  else if (isMade) {
    dress(old, given.get(fresh));
    render(old, ...fresh.childNodes);
  } else if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
}

/** Set the text of an element, leaving it alone if nothing changes (live regions would speak again). */
export function say(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

/** Show or hide an element. */
export const shown = (el, visible) => { el.toggleAttribute("hidden", !visible); };

/**
 * Return a button. `label` is a text, or the button's content.
 * @type {(label: any, onclick: (event: Event) => void, cls?: string | null, attrs?: object) => HTMLButtonElement}
 */
export const button = (label, onclick, cls = null, attrs = {}) =>
  h("button", { type: "button", cls, onclick, ...attrs }, label);

/** Return a select of [[value, label], ...]. */
export function select(choices, chosen, attrs = {}) {
  const option = ([value, label]) => h("option", { value, selected: value === chosen }, label);
  return h("select", attrs, choices.map(option));
}

let ids = 0;
/** Return an id that no other element has. */
export const newId = (stem) => `${stem}-${++ids}`;

/**
 * Return a labelled control: the label above, an optional note below.
 * @param {string} label @param {HTMLElement} control @param {HTMLElement | null} [note]
 */
export function field(label, control, note = null) {
  const id = newId("field"), more = note && { "aria-describedby": `${id}-note` };
  if (note) dress(note, { ...given.get(note), id: `${id}-note` });
  dress(control, { ...given.get(control), id, ...more });
  return h("div", { cls: "field" }, h("label", { for: id }, label), control, note);
}

/** Return a file input that fills a textarea with the text of the chosen file, then calls `loaded`. */
export function fileInput(textarea, loaded = () => {}, accept = "") {
  async function load({ target: { files: [file] } }) {
    if (!file) return;
    textarea.value = await file.text();
    loaded();
  }
  return h("input", { type: "file", accept, onchange: load });
}

/** Return a group of radio buttons that look like one control. `choices`: [[value, label], ...]. */
export function segmented(legend, choices, value, onchange, cls = "") {
  const name = newId("choice");
  return h("fieldset", { cls: `segmented ${cls}` }, h("legend", {}, legend), h("div", { cls: "segments" },
    choices.map(([key, label]) => h("label", {},
      h("input", { type: "radio", name, value: key, checked: key === value, onchange: () => onchange(key) }),
      h("span", {}, label)))));
}

/** Return a checkbox that looks like a switch. */
export function toggle(label, checked, onchange) {
  return h("label", { cls: "switch" },
    h("input", { type: "checkbox", role: "switch", checked, onchange: (event) => onchange(event.target.checked) }),
    h("span", {}, label));
}

/** Return a button that copies the result of `text()` and confirms it. */
export function copyButton(label, text) {
  const el = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text());
      say(el, "Copied");
    } catch {
      say(el, "Copying is blocked");
    }
    setTimeout(() => say(el, label), 1600);
  });
  return el;
}

/** Return a labelled text that can be copied, with the input that holds it. */
export function copyField(label) {
  const input = h("input", { type: "text", readonly: true, spellcheck: "false", onfocus: () => input.select() });
  return { el: h("div", { cls: "copied" }, field(label, input), copyButton("Copy", () => input.value)), input };
}

/** Return listeners that call `enter` when the pointer or focus enters an element, and `leave` when it leaves. */
export const pointed = (enter, leave) =>
  ({ onpointerenter: enter, onpointerleave: leave, onfocusin: enter, onfocusout: leave });

/** Return a bar filled to a share from 0 to 1. */
export const shareBar = (share) =>
  h("span", { cls: "share-bar", "aria-hidden": "true" }, h("span", { style: { width: `${100 * share}%` } }));

/** Return a function that fills an element with what `draw(state)` returns, but only if the state has changed. */
export function redrawing(el, draw) {
  let drawn = "";
  return (state) => {
    const text = JSON.stringify(state);
    if (text === drawn) return;
    drawn = text;
    render(el, draw(state));
  };
}

/** Return the names of two opponents with a dash between them. */
export const versus = (one, other) =>
  h("span", { cls: "names" }, one, h("span", { cls: "versus" }, " – "), other);

/** Return the names of the first and second player in their colours. */
export const opponents = (first, second) =>
  versus(h("span", { cls: "ink0" }, first), h("span", { cls: "ink1" }, second));

/** Download a text as a file. */
export function download(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Ask for confirmation in a dialog; resolve to true if the answer is yes. */
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { cls: "ask", "aria-label": question, onclose: close }, h("p", {}, question),
      h("form", { method: "dialog", cls: "row" },
        h("button", { value: "no" }, "Cancel"), h("button", { value: "yes", cls: "primary" }, yes)));
    function close() {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    }
    document.body.append(dialog);
    dialog.showModal();
  });
}
