// A row of tabs over panels: arrow keys go from tab to tab. Independent of the panels' content.

import { h, newId, shown } from "./dom.js";

/**
 * Return tabs for {id, label, panel, opened}; `opened` is called when the panel is shown. More can be added later,
 * each before another.
 */
export function tabs(label, entries) {
  const made = [];
  const row = h("div", { cls: "tabs", role: "tablist", "aria-label": label, onkeydown: move });
  const el = h("section", { cls: "panel card", "aria-label": label }, row);
  let chosen = entries[0].id;

  function make({ id, label: name, panel, opened }) {
    const tabId = newId("tab");
    const attrs = { type: "button", role: "tab", id: tabId, "aria-controls": `${tabId}-panel`, onclick: () => open(id) };
    const tab = h("button", attrs, name);
    const holder = h("div", { role: "tabpanel", id: `${tabId}-panel`, "aria-labelledby": tabId, tabindex: "-1" }, panel);
    return { id, tab, holder, opened };
  }

  /** Add a tab before another one, or at the end. */
  function add(entry, before = null) {
    const one = make(entry), at = made.findIndex(({ id }) => id === before), next = made[at];
    made.splice(at < 0 ? made.length : at, 0, one);
    row.insertBefore(one.tab, next?.tab ?? null);
    el.append(one.holder);
    show();
  }

  function show() {
    for (const { id, tab, holder } of made) {
      tab.setAttribute("aria-selected", String(id === chosen));
      tab.tabIndex = id === chosen ? 0 : -1;
      holder.hidden = id !== chosen;
    }
  }

  function open(id) {
    chosen = id;
    show();
    made.find((each) => each.id === id)?.opened?.();
  }

  function move(event) {
    const there = made.filter(({ tab }) => !tab.hidden), here = there.findIndex(({ tab }) => tab === event.target);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: there.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = there[(to + there.length) % there.length];
    open(next.id);
    next.tab.focus();
  }

  /** Show or hide a tab. */
  function offer(id, there) {
    shown(made.find((each) => each.id === id).tab, there);
    if (!there && chosen === id) open(made[0].id);
  }

  for (const entry of entries) add(entry);
  return { el, open, offer, add };
}
