// The end of a game: who won, by how much, and what to do next.

import { button, h, say, shown } from "../shell/dom.js";

/** Return whether the score says who won; it does not after a resignation, say. */
const decides = (scores, winner) =>
  Boolean(scores) && Math.sign(scores[0] - scores[1]) === (winner === 0 ? 1 : winner === 1 ? -1 : 0);

export function resultDialog(act) {
  const heading = h("h2", { id: "result-heading" }), score = h("p", { cls: "final" });
  const choose = (label, action, cls = "") => button(label, () => { el.close(); action(); }, cls);
  const again = choose("Play again", () => act.restart(), "primary");
  const el = h("dialog", { cls: "result", "aria-labelledby": "result-heading" }, heading, score,
    h("div", { cls: "row centre" }, again, choose("Review", () => act.review()), choose("Leave", () => act.quit())),
    button("View board", () => el.close(), "plain"));

  return {
    el,
    show({ table }) {
      const { winner, words } = table.outcome;
      shown(again, table.you.length > 0);
      say(heading, words);
      heading.className = winner === null ? "" : `ink${winner}`;
      const [first, second] = (table.scores ?? []).map((n, player) => h("span", { cls: `ink${player}` }, String(n)));
      score.replaceChildren(...(decides(table.scores, winner) ? [first, " : ", second] : []));
      if (!el.open) el.showModal();
    },
  };
}
