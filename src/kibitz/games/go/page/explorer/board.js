// The boards of the explorer, drawn by the board of the platform: one to draw a pattern on, and one that shows a game.

import { makeBoard } from "../../../../web/page/board/board.js";
import { readPicture, readShape } from "../../../../web/page/board/picture.js";
import { edit } from "../../../../web/page/shell/api.js";
import { h, shown } from "../../../../web/page/shell/dom.js";
import { MARKS, signs, STONE } from "./window.js";

/** @import { ShapeArray } from "../../../../web/page/board/picture.js" */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Return the letter of a continuation; none for those after the last letter. */
export const letter = (i) => LETTERS[i] ?? "";

/** @type {Map<number, Promise<import("../../../../web/page/board/picture.js").Picture>>} */
const grounds = new Map();

/** Return the picture of an empty board, which is asked for once. */
export function emptyBoard(size) {
  const asked = grounds.get(size) ?? edit("go", { size }, "", null).then(({ picture }) => readPicture(picture));
  grounds.set(size, asked);
  asked.catch(() => grounds.delete(size));
  return asked;
}

/** Return shapes or places by their keys. @template {{ key: string }} T @param {T[]} all */
const byKey = (all) => new Map(all.map((each) => [each.key, each]));

/** Return the rectangle over two points. */
export function spanned(size, a, b) {
  const [ax, ay, bx, by] = [a % size, Math.floor(a / size), b % size, Math.floor(b / size)];
  return { top: Math.min(ay, by), left: Math.min(ax, bx), height: Math.abs(ay - by) + 1, width: Math.abs(ax - bx) + 1 };
}

/** Return the outline of a rectangle of points. @returns {ShapeArray} */
function frameOf({ top, left, height, width }, size, places, unit) {
  const { x, y } = places[top * size + left];
  return ["r", "", "region", x - unit / 2, y - unit / 2, width * unit, height * unit, 0.12 * unit];
}

/** Return what dims all outside a frame. @param {ShapeArray} frame @returns {ShapeArray} */
function shadeAround([, , , x, y, width, height], [left, top, wide, high]) {
  const hole = `M${x} ${y}v${height}h${width}v${-height}z`;
  return ["p", "", "outside", 0, 0, `M${left} ${top}h${wide}v${high}h${-wide}z${hole}`];
}

/** Return a continuation as a letter on its point. @returns {ShapeArray} */
function tag({ x, y }, colour, text, unit) {
  const half = 0.36 * unit, style = `letter ${colour === "X" ? "black" : "white"}`;
  return ["g", "", "", x, y, [["r", "", style, -half, -half, 2 * half, 2 * half, 0.14 * unit],
    ["t", "", style, 0, 0, text, 0.58 * unit]]];
}

/**
 * Make the boards. `press(point, painting)` sets or plays a point, `stretch(a, b, done)` draws a region, `tool()` tells
 * which is wanted: "region" or another.
 */
export function exploreBoard({ press, stretch, tool }) {
  const maySweep = (byTouch) => tool() === "region" || !byTouch;
  const drawn = makeBoard({ press: (key) => chosen(keys.indexOf(key)), sweep, maySweep });
  const replay = makeBoard(), el = h("div", { cls: "stage" }, drawn.el, replay.el);
  let board = drawn, keys = [], corner = null, wanted = 0, spots = [];

  /** Take a point: set it, or let it be one of two corners. */
  function chosen(point) {
    if (tool() !== "region") return press(point);
    const first = corner ?? point, done = corner !== null;
    corner = done ? null : point;
    return stretch(first, point, done);
  }

  /** Draw a region, or paint all points on the way. */
  function sweep(from, to, done) {
    const [a, b] = [from, to].map((key) => keys.indexOf(key));
    if (tool() !== "region") return [a, b].forEach((point) => press(point, true));
    corner = null;
    return stretch(a, b, done);
  }

  /** Show a position on one of the boards, unless something else is shown meanwhile. `make` tells what is on it. */
  async function show(on, size, label, make) {
    const mine = ++wanted, empty = await emptyBoard(size), places = [...empty.places.values()];
    if (mine !== wanted) return;
    keys = [...empty.places.keys()];
    const { points, over, labels = keys } = make(places, places[0].w, empty.frame);
    const shapes = points.flatMap((mark, point) => signs(mark, places[point], places[0].w)).map(readShape);
    const labelled = places.map((place, point) => ({ ...place, label: labels[point] }));
    on.display({ ...empty, places: byKey(labelled), shapes: byKey(shapes), label: "" }, { name: "go", label, animate: false });
    on.overlay({ over });
    board = on;
    for (const each of [drawn, replay]) shown(each.el, each === on);
    el.classList.toggle("stretching", on === drawn && tool() === "region");
    spot(null);
  }

  /**
   * Show a pattern: `points` are the marks, `region` where it is looked for, `continuations` where games went on,
   * `numbers` point -> number of a move that was played, `label` what the board is.
   */
  function draw(size, points, region, continuations, numbers, label = "Board to draw a pattern on") {
    const listed = continuations.slice(0, LETTERS.length).map((each, i) => [each.point, [each.colour, letter(i)]]);
    const found = new Map(listed.reverse()); // the first continuation of a point counts
    const isOutside = (point) => {
      const right = (point % size) - region.left, down = Math.floor(point / size) - region.top;
      return right < 0 || down < 0 || right >= region.width || down >= region.height;
    };
    const words = (key, point) => [
      key, MARKS[points[point]], isOutside(point) && "outside the region",
      numbers.has(point) && `move ${numbers.get(point)}`, found.has(point) && `continuation ${found.get(point)[1]}`,
    ].filter(Boolean).join(", ");
    spots = [];
    return show(drawn, size, label, (places, unit, frame) => {
      const box = frameOf(region, size, places, unit), colour = (point) => MARKS[points[point]];
      const played = [...numbers].map(([point, number]) =>
        ["t", "", `move-number ${colour(point)}`, places[point].x, places[point].y, String(number), 0.5 * unit]);
      const tags = [...found].map(([point, [side, text]]) => tag(places[point], side, text, unit));
      return { points, over: [shadeAround(box, frame), box, ...played, ...tags], labels: keys.map(words) };
    });
  }

  /**
   * Show a position of a game: `last`, `next` are points, `match` the rectangle of the pattern, `heat` shapes and
   * `chosen` points of a model.
   */
  function replayed(size, points, { last, next, match, label, heat = [], chosen = [] }) {
    spots = chosen;
    return show(replay, size, label, (places, unit) => {
      const ring = (point, style, r) => ["c", "", style, places[point].x, places[point].y, r * unit];
      const over = [
        match && frameOf(match, size, places, unit), ...heat,
        last !== null && points[last] !== "." && ring(last, `last fine on-${MARKS[points[last]]}`, STONE / 2),
        next !== null && (heat.length ? ring(next, "next-point over-heat", 0.5) : ring(next, "next-point", 0.2)),
      ];
      return { points, over: over.filter(Boolean) };
    });
  }

  /** Mark one point for a moment, as its row of a table is pointed at. */
  function spot(point) {
    const all = point === null ? spots : [...spots, point];
    board.marks(all.map((each) => ["spot", [keys[each]]]));
  }

  return { el, draw, show: replayed, spot, forget: () => { corner = null; } };
}
