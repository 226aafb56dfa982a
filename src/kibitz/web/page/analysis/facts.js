// Facts about a position that need no search, in words, and a legend of the signs on the board.

import { makeIcon } from "../board/assets.js";
import { h, redrawing } from "../shell/dom.js";

/** Return a view of an overlay's facts and legend, for boards of the game with this name. */
export function factsView() {
  const list = h("dl", { cls: "facts" }), signs = h("ul", { cls: "legend" });
  const drawSigns = redrawing(signs, ([legend, name]) =>
    legend.map(([shapes, words]) => h("li", {}, makeIcon(shapes, name), words)));
  const drawFacts = redrawing(list, (facts) => facts.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)]));
  return {
    el: h("div", {}, signs, list),
    /** Show the words of an overlay, and its legend where its signs are on the board. */
    update(overlay, name, signed = true) {
      const { facts = [], legend = [] } = overlay ?? {};
      drawSigns([signed ? legend : [], name]);
      drawFacts(facts);
    },
  };
}
