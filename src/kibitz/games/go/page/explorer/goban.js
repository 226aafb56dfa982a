// Drawing the boards of the explorer: one unit from line to line, points at whole numbers.

import { newId, s } from "../../../../web/page/shell/dom.js";

const EDGE = 0.68; // of the board beyond its outermost lines
const NAMES = 0.74; // more of it where the lines are named
const COLOURS = { X: "black", O: "white" };
const HALF = 0.47; // of a stone

/** Return where a point lies. */
export const at = (size, point) => ({ x: point % size, y: Math.floor(point / size) });

/** Return the name of a point: what stands along the board. */
export const named = ({ size, sides: { across, down } }, point) =>
  `${across[point % size]}${down[Math.floor(point / size)]}`;

/** Return the wood, the lines and the star points. */
export function ground({ size, stars, sides: names }, wide = Boolean(names)) {
  const out = EDGE + (wide ? NAMES : 0), most = size - 1;
  const lines = Array.from({ length: size }, (_, i) => `M0 ${i}H${most}M${i} 0V${most}`).join("");
  return s("g", { cls: "goban", "aria-hidden": "true" },
    s("rect", { cls: "wood", x: -out, y: -out, width: most + out + EDGE, height: most + out + EDGE, rx: 0.16 }),
    s("path", { cls: "lines", d: lines }), s("rect", { cls: "rim", x: 0, y: 0, width: most, height: most }),
    stars.map((point) => s("circle", { cls: "star", cx: at(size, point).x, cy: at(size, point).y, r: 0.1 })));
}

/** Return the shades that stones of one board are filled with, and a function that draws them. */
export function stoneMaker() {
  const id = newId("stone");
  const shade = (name) => s("radialGradient", { id: `${id}-${name}`, cx: "36%", cy: "30%", r: "75%" },
    s("stop", { offset: "0", cls: `${name}-light` }), s("stop", { offset: "1", cls: `${name}-deep` }));
  const defs = s("defs", {}, shade("black"), shade("white"));
  const stone = (mark, { x, y }, cls = "", r = HALF) => s("circle", {
    cls: `stone-disc ${COLOURS[mark]} ${cls}`, cx: x, cy: y, r, fill: `url(#${id}-${COLOURS[mark]})`,
  });
  return { defs, stone };
}

/** Return how likely a model holds the points: discs, with the probability in percent on the best few. */
export function heat(size, { points, chosen }) {
  const most = points[0]?.share ?? 1;
  const discs = points.map(({ point, share, text }) => {
    const { x, y } = at(size, point), part = Math.sqrt(share / most);
    const opacity = ((text ? 0.72 : 0.5) + 0.28 * part).toFixed(2);
    return s("g", { cls: `heat ${text ? "told" : ""}` },
      text ? s("circle", { cls: "back", cx: x, cy: y, r: 0.45 }) : null,
      s("circle", { cx: x, cy: y, r: text ? 0.45 : 0.1 + 0.28 * part, opacity }),
      text ? s("text", { x, y, "font-size": 0.54 }, text) : null);
  });
  const ring = ({ x, y }) => s("circle", { cls: "heat-chosen", cx: x, cy: y, r: 0.5 });
  return [...discs, ...chosen.map((point) => ring(at(size, point)))];
}

/** Return the names of the lines, and where they stand. */
export function sides({ sides: { across, down } }) {
  const out = -EDGE - 0.3;
  return [...across.map((text, i) => ({ x: i, y: out, text })), ...down.map((text, i) => ({ x: out, y: i, text }))];
}
