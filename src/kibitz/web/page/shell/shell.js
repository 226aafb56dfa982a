// What all pages share: the title, the quiet banner, the voice for screen readers, and going to another page.
// Knows the frame in index.html, not what the pages show.

import { h, say, shown } from "./dom.js";

const element = (id) => document.getElementById(id);

/** Go to another page of ours without loading anew. */
export function go(url, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", url);
  dispatchEvent(new Event("kibitz:route"));
}

/** Set the title of the window. */
export const title = (text) => { document.title = text ? `${text} · kibitz` : "kibitz"; };

/** Say something to people who hear the page. */
export const announce = (text) => say(element("live"), text);

/** Show a quiet line at the top of every page, or take it away with null. */
export function banner(text) {
  const el = element("banner");
  shown(el, text !== null);
  say(el, text ?? "");
}

/** Return a sentence about something that went wrong, in a box of its own. */
export const trouble = (text) => h("p", { cls: "trouble", role: "alert" }, text);

/** Keep a small choice in this browser. */
export function keep(name, value) {
  try { localStorage.setItem(`kibitz.${name}`, JSON.stringify(value)); } catch { /* private windows may refuse */ }
}

/** Return a choice kept in this browser. */
export function kept(name, otherwise) {
  try { return JSON.parse(localStorage.getItem(`kibitz.${name}`) ?? "null") ?? otherwise; } catch { return otherwise; }
}
