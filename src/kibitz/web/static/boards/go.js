// Drawing a board of Go: one unit from line to line, points at whole numbers. Knows the scene of kind "go".

import { newId, s } from "../dom.js";
import { target } from "./focus.js";

const EDGE = 0.68; // of the board beyond its outermost lines
const NAMES = 0.74; // more of it where the lines are named
const COLOURS = { X: "black", O: "white" };
const HALF = 0.47; // of a stone
const UNSURE = 0.2; // a point that leans less to one side is nobody's

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

function lastMark({ stones, size, last }) {
  if (last === null || stones[last] === ".") return null;
  const { x, y } = at(size, last);
  return s("circle", { cls: `last-stone on-${COLOURS[stones[last]]}`, cx: x, cy: y, r: 0.2 });
}

/** Mark the point that a ko forbids. */
function koMark({ size, ko }) {
  if (ko === null) return null;
  const { x, y } = at(size, ko);
  return s("rect", { cls: "ko", x: x - 0.2, y: y - 0.2, width: 0.4, height: 0.4 });
}

/** Mark who owns the empty points, and those of dead stones, at the end. */
function owners({ size, stones, owners: owned, dead }) {
  if (!owned) return [];
  return [...owned].flatMap((mark, point) => {
    if (mark === "." || (stones[point] !== "." && !dead.includes(point))) return [];
    const { x, y } = at(size, point);
    return s("rect", { cls: `owned ${COLOURS[mark]}`, x: x - 0.14, y: y - 0.14, width: 0.28, height: 0.28, rx: 0.04 });
  });
}

function words(scene, point, how) {
  const name = named(scene, point), mark = scene.stones[point];
  if (mark === ".") return name;
  const state = how.marking ? (scene.dead.includes(point) ? ", dead" : ", alive") : "";
  return `${name}, ${COLOURS[mark]} stone${state}`;
}

/** Return a point that can be played, marked or edited; stones too, so that arrow keys go straight. */
function spot(scene, point, how, maker) {
  const place = at(scene.size, point), { x, y } = place, empty = scene.stones[point] === ".";
  const ghost = empty && how.playable ? maker.stone(how.mover ? "O" : "X", place, "ghost") : null;
  const hit = s("rect", { cls: "hit", x: x - 0.5, y: y - 0.5, width: 1, height: 1 });
  const made = target(named(scene, point), words(scene, point, how), place, "point", hit, ghost);
  if (how.marking) made.el.setAttribute("aria-pressed", String(scene.dead.includes(point)));
  return made;
}

function draw(scene, how, before) {
  const maker = stoneMaker(), same = before?.size === scene.size ? before : null;
  const all = Array.from(scene.stones, (_, point) => point);
  const stones = all.filter((point) => scene.stones[point] !== ".").map((point) => {
    const cls = `${same && same.stones[point] === "." ? "fresh" : ""} ${scene.dead.includes(point) ? "dead" : ""}`;
    return maker.stone(scene.stones[point], at(scene.size, point), cls);
  });
  const reach = how.marking ? all.filter((point) => scene.stones[point] !== ".")
    : how.playable || how.editing ? all : [];
  const spots = reach.map((point) => spot(scene, point, how, maker));
  return {
    nodes: [
      maker.defs, ground(scene, Boolean(how.sides)),
      s("g", { "aria-hidden": "true" }, stones, owners(scene), koMark(scene), lastMark(scene)),
      s("g", {}, spots.map((each) => each.el)),
    ],
    spots: spots.map((each) => each.spot),
  };
}

function places(scene) {
  return new Map(Array.from(scene.stones, (_, point) =>
    [named(scene, point), { ...at(scene.size, point), room: 0.46, taken: scene.stones[point] !== "." }]));
}

/** Draw the stone that a first touch would play, with lines that tell where it is under the finger. */
function ghost(scene, { x, y }, mover) {
  const maker = stoneMaker(), most = scene.size - 1;
  return [maker.defs, s("path", { cls: "aim", d: `M${x} 0V${most}M0 ${y}H${most}` }),
    maker.stone(mover ? "O" : "X", { x, y }, "held")];
}

/** Return how likely a model holds the points: discs, with the probability in percent on the best few. */
function heat(size, { points, chosen }) {
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

/** Return who will own the points: squares, the larger the surer; none under a stone that will stay. */
function expected({ size, stones, owners: owned }, shares) {
  return shares.flatMap((share, point) => {
    const mark = share > 0 ? "X" : "O", wide = 0.08 + 0.38 * Math.abs(share);
    if (Math.abs(share) < UNSURE || stones[point] === mark || (owned?.[point] ?? ".") !== ".") return [];
    const { x, y } = at(size, point), fields = { x: x - wide / 2, y: y - wide / 2, width: wide, height: wide };
    return s("rect", { cls: `owned expected ${COLOURS[mark]}`, ...fields, rx: 0.04 });
  });
}

/** Return what a model says of a position: `heat` and `owners`, where it was asked for them. */
export function layer(scene, found) {
  const squares = found.owners ? expected(scene, found.owners) : [];
  return { under: [], signs: [...squares, ...(found.heat ? heat(scene.size, found.heat) : [])] };
}

function frame({ size }, room) {
  const out = EDGE + (room ? NAMES : 0);
  return [-out, -out, size - 1 + out + EDGE, size - 1 + out + EDGE];
}

/** Return the names of the lines, and where they stand. */
export function sides({ sides: { across, down } }) {
  const out = -EDGE - 0.3;
  return [...across.map((text, i) => ({ x: i, y: out, text })), ...down.map((text, i) => ({ x: out, y: i, text }))];
}

export const go = { frame, sides, draw, places, layer, ghost, unit: 76, sideFont: 0.6 };
