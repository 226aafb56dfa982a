// Small drawings beside a board: the signs of a legend, the tools of an editor.

import { loadGame } from "./assets.js";
import { readShape } from "./picture.js";
import { draw } from "./shapes.js";
import { element } from "./svg.js";

/**
 * Return shapes about the middle of a box of 24 by 24 as a drawing that screen readers pass over.
 * @param {import("./picture.js").ShapeArray[]} shapes
 * @param {string} name the game's name: its style sheet and drawings are used
 */
export function makeIcon(shapes, name) {
  void loadGame(name);
  const frame = { class: `board board-icon ${name}`, viewBox: "-12 -12 24 24", "aria-hidden": "true" };
  return element("svg", frame, ...shapes.map((array) => draw(readShape(array))));
}
