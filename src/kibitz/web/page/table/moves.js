// The list of moves: a click shows the position after one, the game itself stays as it is.

import { h, pointed, say } from "../shell/dom.js";
import { shownPly } from "./model.js";
import { stepperView } from "../shell/stepper.js";

const SIGNS = { blunder: "??", mistake: "?", inaccuracy: "?!" };

function chip(move, ply, act) {
  const sign = h("b", { cls: "sign" });
  const button = h("button", {
    type: "button", cls: `chip ink${move.player}`, onclick: () => act.jump(ply),
    ...pointed(() => act.spot(move.text), () => act.spot(null)),
  }, h("span", { cls: "chip-number" }, String(ply)), h("span", {}, move.label), sign);
  return { el: h("li", {}, button), button, sign };
}

export function movesView(act) {
  const list = h("ol", { cls: "chips" }), none = h("p", { cls: "quiet" }, "No moves yet.");
  const place = h("span", { cls: "quiet place" }), stepper = stepperView(act.step, place);
  const attrs = { cls: "scroller", tabindex: "0", role: "group", "aria-label": "List of moves" };
  const scroller = h("div", attrs, none, list);
  const el = h("div", { cls: "moves" }, stepper.el, scroller);
  let texts = [], chips = [], here = null;

  /** Keep the chips that still hold, so that the focus stays where it is. */
  function match(moves) {
    let same = 0;
    while (same < moves.length && same < texts.length && texts[same] === moves[same].text) same += 1;
    for (const gone of chips.splice(same)) gone.el.remove();
    for (let i = same; i < moves.length; i++) {
      const made = chip(moves[i], i + 1, act);
      chips.push(made);
      list.append(made.el);
    }
    texts = moves.map((move) => move.text);
  }

  return {
    el,
    update(model) {
      const ply = shownPly(model), total = model.table.ply;
      match(model.table.moves);
      none.hidden = total > 0;
      say(place, `${ply} of ${total}`);
      for (const button of stepper.back) button.disabled = ply === 0;
      for (const button of stepper.ahead) button.disabled = ply === total;
      const judged = new Map((model.review?.moves ?? []).map((each) => [each.ply, each]));
      chips.forEach((each, i) => {
        each.button.setAttribute("aria-current", String(i + 1 === ply));
        const verdict = judged.get(i + 1)?.verdict ?? "";
        say(each.sign, SIGNS[verdict] ?? "");
        each.button.title = verdict;
      });
      if (ply !== here && ply > 0) reveal(chips[ply - 1].el);
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
