// The icons on buttons, all with the same stroke width, and the buttons that step through a game.

import { button, h, s } from "./dom.js";

const SHAPES = {
  undo: "M9 7 4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 5 5v1.5",
  redo: "m15 7 4.5 4.5L15 16m4-4.5h-9a5 5 0 0 0-5 5v1.5",
  hint: "M9.5 18h5m-4 3h3M9 15c0-1.6-2.5-2.8-2.5-6a5.5 5.5 0 0 1 11 0c0 3.2-2.5 4.4-2.5 6z",
  resign: "M6 21V4m0 .5h11.5l-2.5 4 2.5 4H6",
  restart: "M5 12a7 7 0 1 0 2.3-5.2L5 9m0-5v5h5",
  pause: "M9 5.5v13m6-13v13",
  first: "M18 6.5 11 12l7 5.5zM6.5 6v12",
  back: "M15.5 6 8.5 12l7 6z",
  on: "m8.5 6 7 6-7 6z",
  pencil: "m5 19 .8-3.6L15.6 5.6a1.6 1.6 0 0 1 2.3 0l.5.5a1.6 1.6 0 0 1 0 2.3L8.6 18.2z",
  last: "m6 6.5 7 5.5-7 5.5zM17.5 6v12",
};

/** Return an icon. */
export const icon = (name) =>
  s("svg", { cls: "sign-icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: SHAPES[name] }));

/** Return the steps of a game around `place`, which says where one is. `step(by)` is called with how far to go. */
export function stepperView(step, place) {
  const to = (name, label, by) => button(icon(name), () => step(by), "icon", { "aria-label": label, title: label });
  const back = [to("first", "First position", -Infinity), to("back", "Previous move", -1)];
  const ahead = [to("on", "Next move", 1), to("last", "Last position", Infinity)];
  return { el: h("div", { cls: "row stepper" }, back, place, ahead), back, ahead };
}
