// Small boards: a window of points as the server tells its rows. Knows the signs: X and O stones, . empty, * the move,
// ? a point that does not matter, # beyond the edge, a blank outside the shape.

import { s } from "../../../../web/page/shell/dom.js";
import { stoneMaker } from "../explorer/goban.js";

const WORDS = { X: "black", O: "white", ".": "empty", "*": "the move", "?": "anything", "#": "edge" };
const MAX_SPOKEN_ROWS = 8; // of larger windows the points are not read out one by one

/** Return the two lines that cross at a point, cut where the board ends. */
function lines(rows, x, y) {
  const half = (dx, dy) => (rows[y + dy]?.[x + dx] === "#" ? 0 : 0.5);
  return `M${x - half(-1, 0)} ${y}H${x + half(1, 0)}M${x} ${y - half(0, -1)}V${y + half(0, 1)}`;
}

function mark(sign, x, y, maker) {
  if (sign === "X" || sign === "O") return maker.stone(sign, { x, y });
  if (sign === "*") return s("path", { cls: "the-move", d: `M${x - 0.26} ${y - 0.26}l.52 .52m0-.52l-.52 .52` });
  if (sign === "?") return [s("circle", { cls: "any-back", cx: x, cy: y, r: 0.42 }), s("text", { x, y }, "?")];
  return null;
}

/** Return what a window says, row by row. */
export function spoken(rows) {
  if (rows.length > MAX_SPOKEN_ROWS) return "A large window";
  return rows.map((row) => [...row].filter((sign) => sign !== " ").map((sign) => WORDS[sign]).join(" ")).join(", ");
}

/** Return a window as a small board. */
export function windowView(rows) {
  const maker = stoneMaker(), on = [], wood = [], signs = [];
  rows.forEach((row, y) => [...row].forEach((sign, x) => {
    if (sign === " " || sign === "#") return;
    wood.push(`M${x - 0.505} ${y - 0.505}h1.01v1.01h-1.01z`);
    on.push(lines(rows, x, y));
    signs.push(mark(sign, x, y, maker));
  }));
  return s("svg", {
    cls: "window", viewBox: `-0.5 -0.5 ${rows[0].length} ${rows.length}`, role: "img", "aria-label": spoken(rows),
  }, maker.defs, s("path", { cls: "wood", d: wood.join("") }), s("path", { cls: "lines", d: on.join("") }), signs);
}
