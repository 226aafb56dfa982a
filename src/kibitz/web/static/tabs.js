// A row of tabs over panels: arrow keys go from tab to tab. Knows nothing of what the panels hold.

import { h, newId, shown } from "./dom.js";

/** Return tabs for [[label, panel, opened?], ...]; `opened` is called when a panel is shown. */
export function tabs(label, entries) {
  const made = entries.map(([name, panel], i) => {
    const id = newId("tab");
    const attrs = { type: "button", role: "tab", id, "aria-controls": `${id}-panel`, onclick: () => open(i) };
    const tab = h("button", attrs, name);
    const holder = h("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, tabindex: "-1" }, panel);
    return { tab, holder };
  });
  const all = made.map((each) => each.tab);
  const row = h("div", { cls: "tabs", role: "tablist", "aria-label": label, onkeydown: move }, all);

  function open(chosen) {
    made.forEach(({ tab, holder }, i) => {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      holder.hidden = i !== chosen;
    });
    entries[chosen][2]?.();
  }

  function move(event) {
    const there = made.filter(({ tab }) => !tab.hidden), here = there.findIndex(({ tab }) => tab === event.target);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: there.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = there[(to + there.length) % there.length];
    open(made.indexOf(next));
    next.tab.focus();
  }

  /** Offer a tab, or leave it away. */
  const offer = (which, there) => shown(made[which].tab, there);

  open(0);
  const el = h("section", { cls: "panel card", "aria-label": label }, row, made.map((each) => each.holder));
  return { el, open, offer };
}
