// Marks at places: values, the hint, the expected line, the move pointed at. They follow the rules of picture/marks.py,
// which draws marks in files, except that here marks on a small board stay large enough to read.

import { draw } from "./shapes.js";
import { readShape } from "./picture.js";
import { element } from "./svg.js";

/** @import { Place, ShapeArray } from "./picture.js" */
/** @typedef {[kind: string, places: string[], text?: string, tone?: string]} MarkArray */

export const REFUSAL_MS = 600; // how long a refused press is shown
const MAX_MEASURE = 30; // units: the largest side of a place by which marks are measured
const MIN_MEASURE_PIXELS = 24;
const MIN_SHRINK = 0.6; // how small a value may become to fit into its place

/** @type {Record<string, number>} */
const KINDS = { line: 0, hint: 1, value: 2 };
/** @type {Record<string, number>} */
const TONES = { best: 0, good: 1, fair: 2, "": 3, poor: 4 };
const MAX_POINT_VALUES = 100; // more numbers than this on the points of a board hide the position
const MAX_CROWDED_VALUES = 5; // then, and at places too small for numbers, only the best few values are shown

/**
 * Return the shapes of marks as arrays, from bottom to top.
 * @param {MarkArray[]} marks @param {Map<string, Place>} places
 * @param {number} unit pixels per unit
 * @param {string[]} [picked] the places pressed so far
 * @returns {ShapeArray[]}
 */
export function markShapes(marks, places, unit, picked = []) {
  const at = (/** @type {string} */ key) => [places.get(key) ?? []].flat();
  const all = marks.map((mark) => ({ mark, spot: spotOf(mark, picked) })).filter(({ spot }) => places.has(spot));
  const framed = all.filter(({ mark: [kind] }) => kind === "hint" || kind === "spot");
  const outlines = framed.flatMap(({ mark: [kind, keys], spot }) => [
    ...keys.slice(0, -1).flatMap(at).map((place) => outline("frame", place, 0)),
    ...(kind === "spot" ? at(spot).map((place) => outline("spot", place, 2)) : []),
  ]);
  const shown = chosen(all), dropped = new Set(crowdedOut(shown, places, unit));
  const drawings = shown.filter((each) => !dropped.has(each))
    .flatMap(({ mark, spot }) => at(spot).flatMap((place) => drawing(mark, place, unit)));
  return [...outlines, ...drawings];
}

/**
 * Return the values to leave out for lack of room. If many are equally good, only the chosen one stays: a few of them
 * would look like the only good moves.
 * @param {Stand[]} shown @param {Map<string, Place>} places @param {number} unit
 */
function crowdedOut(shown, places, unit) {
  const isPoint = (/** @type {Stand} */ { mark: [kind], spot }) => kind === "value" && !places.get(spot)?.ends;
  const points = shown.filter(isPoint), sides = points.map(({ spot }) => {
    const { w = 0, h = 0 } = places.get(spot) ?? {};
    return Math.min(w, h) * unit;
  });
  const crowded = points.filter((_, i) => points.length > MAX_POINT_VALUES || sides[i] < MIN_MEASURE_PIXELS)
    .sort((one, other) => rank(one) - rank(other));
  const isEqual = crowded[MAX_CROWDED_VALUES]?.mark[3] === "good";
  return crowded.slice(isEqual ? 1 : MAX_CROWDED_VALUES);
}

/** @typedef {{ mark: MarkArray, spot: string }} Stand a mark and the place where it stands */

/**
 * Return the place where a mark stands; none if its move does not begin with the places picked.
 * @param {MarkArray} mark @param {string[]} picked
 */
function spotOf([kind, keys], picked) {
  if (kind !== "value") return keys.at(-1) ?? "";
  return picked.every((key, i) => keys[i] === key) ? keys[picked.length] ?? "" : "";
}

/** @param {Stand} stand */
const rank = ({ mark: [kind, , , tone = ""] }) => 10 * KINDS[kind] + (TONES[tone] ?? TONES[""]);

/**
 * Return the marks to show, one at each place, in the order of the list. A hint takes over the value at its place.
 * @param {Stand[]} marks
 */
function chosen(marks) {
  const numbered = marks.map((each, i) => ({ ...each, i })).filter(({ mark: [kind] }) => kind in KINDS);
  /** @type {Map<string, Stand & { i: number }>} */
  const shown = new Map();
  for (const each of numbered.sort((one, other) => rank(one) - rank(other))) {
    const first = shown.get(each.spot), [kind, , text, tone] = each.mark;
    if (!first) shown.set(each.spot, each);
    else if (kind === "value" && first.mark[0] === "hint" && !first.mark[2]) {
      shown.set(each.spot, { ...each, mark: ["hint", first.mark[1], text, tone] });
    }
  }
  return [...shown.values()].sort((one, other) => one.i - other.i);
}

/**
 * @param {string} style @param {Pick<Place, "x" | "y" | "w" | "h" | "ends">} place @param {number} inset
 * @returns {ShapeArray}
 */
function outline(style, { x, y, w, h, ends }, inset) {
  if (ends) return ["l", "", style, ends[0], ends[1], ends[2] - ends[0], ends[3] - ends[1]];
  return ["r", "", style, x - w / 2 + inset, y - h / 2 + inset, w - 2 * inset, h - 2 * inset, 8];
}

/** @param {MarkArray} mark @param {Place} place @param {number} unit @returns {ShapeArray[]} */
function drawing([kind, , text = "", tone = ""], { w, h, ends, mark: [x, y] }, unit) {
  const measure = ends ? MAX_MEASURE : Math.min(MAX_MEASURE, w, h);
  const r = 0.42 * Math.max(measure, MIN_MEASURE_PIXELS / unit);
  const diamond = (/** @type {number} */ k) => `M0 ${-k}L${k} 0 0 ${k} ${-k} 0Z`;
  if (kind === "hint" && !text) {
    return [["p", "", "hint-frame", x, y, diamond(1.45 * r)], ["p", "", "hint", x, y, diamond(r)]];
  }
  if (kind === "line") return [["c", "", "step", x, y, 1.1 * r], ["t", "", "step", x, y, text, 1.2 * r]];
  const value = pill(text, `pill ${tone}`.trim(), x, y, r, ends ? Infinity : Math.max(w, MIN_MEASURE_PIXELS / unit));
  const half = Number(value[0][5]) / 2; // of the box's width
  return kind === "hint" ? [["p", "", "hint around", x, y, diamond(half + 0.7 * r)], ...value] : value;
}

/**
 * @param {string} text @param {string} style @param {number} x @param {number} y @param {number} r @param {number} room
 * @returns {ShapeArray[]}
 */
function pill(text, style, x, y, r, room) {
  const [first, second = ""] = text.split("\n"), high = (second ? 3.2 : 2.2) * r;
  const wide = Math.max(high, r * (0.9 + 0.7 * Math.max(first.length, 0.8 * second.length)));
  const k = Math.max(MIN_SHRINK, Math.min(1, room / wide));
  /** @type {ShapeArray} */
  const box = ["r", "", style, x - (k * wide) / 2, y - (k * high) / 2, k * wide, k * high, 0.5 * k * r];
  /** @type {(line: string, down: number, size: number) => ShapeArray} */
  const write = (line, down, size) => ["t", "", style, x, y + down * k * r, line, size * k * r];
  if (second) return [box, write(first, -0.55, 1.3), write(second, 0.75, 0.9)];
  return first ? [box, write(first, 0, 1.15)] : [box];
}

/** Return the drawing of a press that is refused: a frame with a dotted cross. @param {Place} place */
export function drawRefusal({ x, y, w, h, ends }) {
  const dx = ends ? 14 : 0.3 * w, dy = ends ? 14 : 0.3 * h;
  const frame = draw(readShape(outline("refused", { x, y, w, h, ends }, 1.5)));
  const cross = `M${x - dx} ${y - dy}l${2 * dx} ${2 * dy}m0 ${-2 * dy}l${-2 * dx} ${2 * dy}`;
  return element("g", {}, frame, element("path", { class: "refused", d: cross }));
}
