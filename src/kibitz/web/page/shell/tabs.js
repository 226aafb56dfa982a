// A row of tabs over panels: arrow keys go from tab to tab. Independent of the panels' content.

import { button, h, newId, shown } from "./dom.js";

/**
 * Return tabs for {id, label, panel, opened}; `opened` is called when the panel is shown. More can be added later,
 * each before another.
 */
export function tabs(label, entries) {
  const made = [];
  const row = h("div", { cls: "tabs", role: "tablist", "aria-label": label, onkeydown: move });
  const el = h("section", { cls: "panel card", "aria-label": label }, row);
  let chosen = entries[0].id;

  /** Add a tab before another one, or at the end. */
  function add({ id, label: name, panel, opened = () => {} }, before = null) {
    const tabId = newId("tab"), at = made.findIndex((each) => each.id === before), next = made[at];
    const tab = button(name, () => open(id), null, { role: "tab", id: tabId, "aria-controls": `${tabId}-panel` });
    const holder = h("div", { role: "tabpanel", id: `${tabId}-panel`, "aria-labelledby": tabId, tabindex: "-1" }, panel);
    made.splice(at < 0 ? made.length : at, 0, { id, tab, holder, opened });
    row.insertBefore(tab, next?.tab ?? null);
    el.append(holder);
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
    made.find((each) => each.id === id)?.opened();
  }

  function move(event) {
    const offered = made.filter(({ tab }) => !tab.hidden), at = offered.findIndex(({ tab }) => tab === event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: offered.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = offered[(to + offered.length) % offered.length];
    open(next.id);
    next.tab.focus();
  }

  /** Show or hide a tab. */
  function offer(id, isOffered) {
    shown(made.find((each) => each.id === id).tab, isOffered);
    if (!isOffered && chosen === id) open(made[0].id);
  }

  for (const entry of entries) add(entry);
  return { el, open, offer, add };
}
