// The end of a game: who won, by how much, and what to do next.

import { button, h, say, shown } from "../shell/dom.js";

/** Return whether the score says who won; it does not after a resignation, say. */
function decides(scores, winner) {
  return Boolean(scores) && Math.sign(scores[0] - scores[1]) === (winner === 0 ? 1 : winner === 1 ? -1 : 0);
}

export function resultDialog(act) {
  const heading = h("h2"), detail = h("p", { cls: "quiet" }), score = h("p", { cls: "final" });
  const choose = (action) => () => { el.close(); action(); };
  const again = button("Play again", choose(() => act.restart()), "primary");
  const el = h("dialog", { cls: "result", "aria-labelledby": "result-heading" }, heading, score, detail,
    h("div", { cls: "row centre" },
      again, button("Review", choose(() => act.review())),
      button("Leave", choose(() => act.quit()))),
    button("View board", () => el.close(), "plain"));
  heading.id = "result-heading";

  return {
    el,
    show({ table }) {
      const { winner, words } = table.outcome;
      shown(again, table.you.length > 0);
      say(heading, winner === null || winner === undefined ? "It's a tie" : `${table.seats[winner].name} wins`);
      heading.className = winner === null || winner === undefined ? "" : `ink${winner}`;
      const [first, second] = (table.scores ?? []).map((n, player) => h("span", { cls: `ink${player}` }, String(n)));
      score.replaceChildren(...(decides(table.scores, winner) ? [first, " : ", second] : []));
      const reason = words.startsWith(`${heading.textContent}, `) ? words.slice(heading.textContent.length + 2) : words;
      say(detail, reason[0].toUpperCase() + reason.slice(1));
      if (!el.open) el.showModal();
    },
  };
}
