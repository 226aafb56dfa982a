// What can be said of a position without searching: facts in words, and what the colours on the board stand for.

import { h } from "./dom.js";

const entry = (sign, words) => h("li", {}, h("span", { cls: `swatch ${sign}`, "aria-hidden": "true" }), words);

/** Return what the colours and signs of a layer stand for. */
function legend({ runs = [], joints = [], loony = [], safe = [] }) {
  const named = (run) => `${run.long ? "long " : ""}${run.kind} of ${run.length}`;
  return [
    ...runs.map((run) => entry(`hue${run.tone}`, named(run))),
    ...(joints.length ? [entry("joint-sign", "joint")] : []),
    ...(loony.length ? [entry("loony-sign", "loony line")] : []),
    ...(safe.length && runs.length ? [entry("safe-sign", "safe line")] : []),
  ];
}

export function factsView() {
  const list = h("dl", { cls: "facts" }), signs = h("ul", { cls: "legend" });
  let drawn = "";
  return {
    el: h("div", {}, signs, list),
    update(layer) {
      const state = JSON.stringify(layer ?? null);
      if (state === drawn) return;
      drawn = state;
      signs.replaceChildren(...legend(layer ?? {}));
      const words = (fact) => [h("dt", {}, fact.label), h("dd", {}, fact.text)];
      list.replaceChildren(...(layer?.facts ?? []).flatMap(words));
    },
  };
}
