// The move list: a click shows the position after a move; the game itself does not change.

import { button, h, pointed, redrawing, say } from "../shell/dom.js";
import { shownPly } from "./model.js";
import { stepperView } from "../shell/icons.js";

const SIGNS = { blunder: "??", mistake: "?", inaccuracy: "?!" };

export function movesView(act) {
  const place = h("span", { cls: "quiet place" }), stepper = stepperView(act.step, place);
  const scroller = h("div", { cls: "scroller", tabindex: "0", role: "group", "aria-label": "List of moves" });
  let here = null;

  function chip(move, ply, verdict, current) {
    const listeners = pointed(() => act.spot(move.text), () => act.spot(null)), sign = h("b", { cls: "sign" }, SIGNS[verdict]);
    return h("li", {}, button([h("span", { cls: "chip-number" }, String(ply)), h("span", {}, move.label), sign],
      () => act.jump(ply), `chip ink${move.player}`, { title: verdict, "aria-current": String(current), ...listeners }));
  }

  const draw = redrawing(scroller, ([moves, ply, verdicts]) => (moves.length
    ? [h("ol", { cls: "chips" }, moves.map((move, i) => chip(move, i + 1, verdicts[i + 1] ?? "", i + 1 === ply)))]
    : [h("p", { cls: "quiet" }, "No moves yet.")]));

  return {
    el: h("div", { cls: "moves" }, stepper.el, scroller),
    update(model) {
      const ply = shownPly(model), { ply: total, moves } = model.table;
      draw([moves, ply, Object.fromEntries((model.review?.moves ?? []).map((each) => [each.ply, each.verdict]))]);
      say(place, `${ply} of ${total}`);
      for (const each of stepper.back) each.disabled = ply === 0;
      for (const each of stepper.ahead) each.disabled = ply === total;
      if (ply !== here && ply > 0) reveal(scroller.querySelector("[aria-current=true]"));
      here = ply;
    },
  };
}

/** Scroll the list, and only the list, to an entry. */
function reveal(el) {
  const frame = el.closest(".scroller"), above = el.offsetTop - frame.scrollTop;
  const hidden = above < 0 || above + el.offsetHeight > frame.clientHeight;
  if (hidden) frame.scrollTop = el.offsetTop - frame.clientHeight / 2;
}
