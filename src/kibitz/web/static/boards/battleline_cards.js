// Drawing the cards of Battle Line: a colour has a shape of its own, so that no colour has to be told apart.
// Knows the short texts of cards, no rules.

import { s } from "../dom.js";

const NAMES = { r: "red", o: "orange", y: "yellow", g: "green", b: "blue", p: "purple" };
const SHORT = { FOG: "Fog", MUD: "Mud", SCOUT: "Sc", REDEPLOY: "Re", DESERTER: "De", TRAITOR: "Tr" };

/** The corners of each shape, from the middle, for a half-width of 1. */
const SHAPES = {
  r: [[0, -1.15], [1, 0], [0, 1.15], [-1, 0]],
  o: [[0, -1.05], [1.1, 0.85], [-1.1, 0.85]],
  y: Array.from({ length: 10 }, (_, i) => {
    const far = i % 2 ? 0.48 : 1.15, turn = (i * Math.PI) / 5;
    return [far * Math.sin(turn), -far * Math.cos(turn)];
  }),
  g: null, // a disc
  b: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  p: [[-0.36, -1.05], [0.36, -1.05], [0.36, -0.36], [1.05, -0.36], [1.05, 0.36], [0.36, 0.36], [0.36, 1.05],
    [-0.36, 1.05], [-0.36, 0.36], [-1.05, 0.36], [-1.05, -0.36], [-0.36, -0.36]],
};

export const isTroop = (id) => /^[roygbp]\d+$/.test(id);
const valueOf = (id) => Number(id.slice(1));

/** Return what people call a card. */
export const nameOf = (id, tactics = {}) => (isTroop(id) ? `${NAMES[id[0]]} ${valueOf(id)}` : tactics[id]?.name ?? id);

/** Return the cards of a hand in the order that is wished for: by "colour" or by "value"; Tactics come last. */
export function sorted(hand, by) {
  const order = "roygbp", troops = hand.filter(isTroop), others = hand.filter((id) => !isTroop(id));
  const colour = (a, b) => order.indexOf(a[0]) - order.indexOf(b[0]), value = (a, b) => valueOf(a) - valueOf(b);
  const [first, then] = by === "value" ? [value, colour] : [colour, value];
  return [...troops.sort((a, b) => first(a, b) || then(a, b)), ...others];
}

/** Draw the shape of a colour around a place. */
export function shape(colour, x, y, r, cls = "shape") {
  const corners = SHAPES[colour];
  if (!corners) return s("circle", { cls, cx: x, cy: y, r });
  return s("polygon", { cls, points: corners.map(([dx, dy]) => `${x + r * dx},${y + r * dy}`).join(" ") });
}

const face = (x, y, w, h) => s("rect", { cls: "face", x, y, width: w, height: h, rx: Math.min(w, h) * 0.11 });

/** Draw a card face up, its left upper corner at (x, y). What matters is in its upper half: others may lie on it. */
export function card(id, { x, y, w, h, cls = "", tactics = {} }) {
  if (!isTroop(id)) return tacticsCard(id, { x, y, w, h, cls, tactics });
  const size = Math.min(w, h * 0.8), colour = id[0], [left, font] = valueOf(id) > 9 ? [0.32, 0.42] : [0.28, 0.5];
  return s("g", { cls: `bl-card c-${colour} ${cls}` }, face(x, y, w, h),
    s("text", { x: x + size * left, y: y + size * 0.3, "font-size": size * font }, String(valueOf(id))),
    shape(colour, x + w - size * 0.22, y + size * 0.3, size * 0.14),
    shape(colour, x + w / 2, y + h - size * 0.36, size * 0.22, "shape large"));
}

function tacticsCard(id, { x, y, w, h, cls, tactics }) {
  const size = Math.min(w, h * 0.8), short = SHORT[id] ?? id;
  const name = (tactics[id]?.name ?? id).split(" "), longest = Math.max(...name.map((word) => word.length));
  const font = Math.min(0.17 * size, (1.38 * w) / longest), low = y + h - size * 0.4 - font * 0.6 * (name.length - 1);
  return s("g", { cls: `bl-card c-tactics ${cls}` }, face(x, y, w, h),
    s("text", { x: x + w / 2, y: y + size * 0.3, "font-size": size * (short.length > 2 ? 0.38 : 0.46) }, short),
    s("g", { cls: "wide" }, name.map((word, i) =>
      s("text", { x: x + w / 2, y: low + 1.2 * font * i, "font-size": font }, word))));
}

/** Draw the back of a card: 0 a Troop, 1 a Tactics card. */
export function back(kind, { x, y, w, h, cls = "" }) {
  const inner = Math.min(w, h) * 0.14;
  return s("g", { cls: `bl-back back${kind} ${cls}` }, face(x, y, w, h),
    s("rect", { cls: "inner", x: x + inner, y: y + inner, width: w - 2 * inner, height: h - 2 * inner, rx: inner / 2 }),
    kind && w < h ? s("text", { x: x + w / 2, y: y + h / 2, "font-size": Math.min(w, h) * 0.5 }, "T") : null);
}
