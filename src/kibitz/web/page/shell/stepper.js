// The buttons that step through a game, the same wherever one can.

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Return them around `place`, which says where in the game one is. `step(by)` is called with how far to go. */
export function stepperView(step, place) {
  const button = (name, label, by) => {
    const attrs = { type: "button", cls: "icon", "aria-label": label, title: label, onclick: () => step(by) };
    return h("button", attrs, icon(name));
  };
  const back = [button("first", "First position", -Infinity), button("back", "Previous move", -1)];
  const ahead = [button("on", "Next move", 1), button("last", "Last position", Infinity)];
  return { el: h("div", { cls: "row stepper" }, back, place, ahead), back, ahead };
}
