// What can be said of a position without searching: facts in words, and what the signs on the board stand for.

import { readShape } from "../board/picture.js";
import { draw } from "../board/shapes.js";
import { h, s } from "../shell/dom.js";

/** Return an entry of a legend: a sign in a box of 24 by 24, as it looks on the board of the game, and its meaning. */
function entry([shapes, words], name) {
  const sign = s("svg", { cls: `board ${name} legend-sign`, viewBox: "-12 -12 24 24", "aria-hidden": "true" },
    shapes.map((shape) => draw(readShape(shape))));
  return h("li", {}, sign, words);
}

/** Return a view of an overlay's facts and legend, for boards of the game with this name. */
export function factsView() {
  const list = h("dl", { cls: "facts" }), signs = h("ul", { cls: "legend" });
  let drawn = "";
  return {
    el: h("div", {}, signs, list),
    /** Show the words of an overlay, and its legend where its signs are on the board. */
    update(overlay, name, signed = true) {
      const { facts = [], legend = [] } = overlay ?? {}, state = JSON.stringify([facts, legend, name, signed]);
      if (state === drawn) return;
      drawn = state;
      signs.replaceChildren(...(signed ? legend : []).map((each) => entry(each, name)));
      list.replaceChildren(...facts.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)]));
    },
  };
}
