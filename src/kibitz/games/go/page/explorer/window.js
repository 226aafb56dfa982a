// Marks of points, and small boards: windows of points as the server tells their rows. X is black, O white, . empty.
// In a pattern * is anything, x black or empty, o white or empty. In a window * is the move, ? a point that does not
// matter, # beyond the edge, a blank outside the shape.

import { makeDrawing } from "../../../../web/page/board/assets.js";

/** @import { ShapeArray } from "../../../../web/page/board/picture.js" */

export const MARKS = {
  X: "black", O: "white", ".": "empty", "*": "anything", x: "black or empty", o: "white or empty",
};
export const STONE = 0.478; // radius of a stone, as a share of the distance between two lines
const WINDOW_MARKS = { ...MARKS, "*": "the move", "?": "anything", "#": "edge" };
const UNIT = 36; // between two lines of a window
const MAX_SPOKEN_ROWS = 8; // of larger windows the points are not read out one by one

/** Return what a point must be, as shapes; `unit` is the distance between two lines. @returns {ShapeArray[]} */
export function signs(mark, { x, y, key = "" }, unit) {
  const far = 0.26 * unit, colour = mark.toUpperCase() === "X" ? "black" : "white", small = 0.22 * unit;
  if (mark === "X" || mark === "O") return [["u", key, `stone ${colour}`, x, y, `go-${colour}`, STONE * unit]];
  if (mark === "x" || mark === "o") {
    const parts = [["c", "", "maybe", 0, 0, 0.4 * unit], ["u", "", `stone ${colour}`, 0, 0, `go-${colour}`, small]];
    return [["g", key, "", x, y, parts]];
  }
  if (mark === "*") return [["p", key, "cross", x, y, `M${-far} ${-far}L${far} ${far}M${-far} ${far}L${far} ${-far}`]];
  if (mark !== "?") return [];
  return [["c", "", "blank", x, y, 0.42 * unit], ["t", "", "blank", x, y, "?", 0.8 * unit]];
}

/** Return what a window says, row by row. */
export function spoken(rows) {
  if (rows.length > MAX_SPOKEN_ROWS) return "A large window";
  return rows.map((row) => [...row].filter((mark) => mark !== " ").map((mark) => WINDOW_MARKS[mark]).join(" ")).join(", ");
}

/** Return a window of points as a small board. */
export function windowView(rows) {
  const wood = [], lines = [], unit = UNIT, half = unit / 2;
  const marks = rows.flatMap((row, down) => [...row].flatMap((mark, across) => {
    if (mark === " " || mark === "#") return [];
    const x = across * unit, y = down * unit;
    const to = (dx, dy) => (rows[down + dy]?.[across + dx] === "#" ? 0 : half); // lines end where the board does
    wood.push(`M${x - half - 0.2} ${y - half - 0.2}h${unit + 0.4}v${unit + 0.4}h${-unit - 0.4}z`);
    lines.push(`M${x - to(-1, 0)} ${y}H${x + to(1, 0)}M${x} ${y - to(0, -1)}V${y + to(0, 1)}`);
    return signs(mark, { x, y }, unit);
  }));
  const viewBox = `${-half} ${-half} ${rows[0].length * unit} ${rows.length * unit}`;
  return makeDrawing("go", [["p", "", "wood", 0, 0, wood.join("")], ["p", "", "lines", 0, 0, lines.join("")], ...marks],
    { class: "window", viewBox, role: "img", "aria-label": spoken(rows) });
}
