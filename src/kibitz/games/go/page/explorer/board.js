// The board of the explorer: a region is drawn and its points are set, or a game is looked at.
// Knows the marks of a pattern: X black, O white, . empty, * anything, x black or empty, o white or empty.

import { h, s } from "../../../../web/page/shell/dom.js";
import { roving, target } from "./focus.js";
import { at, ground, heat as heatOf, named, sides, stoneMaker } from "./goban.js";

const MARKS = {
  X: "black", O: "white", ".": "empty", "*": "anything", x: "black or empty", o: "white or empty",
};
const OUT = 1.42, EDGE = 0.68;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Return the letter of a continuation; none for those after the last letter. */
export const letter = (i) => LETTERS[i] ?? "";

/** Draw what a point must be. */
export function sign(mark, place, maker) {
  const { x, y } = place;
  if (mark === "X" || mark === "O") return maker.stone(mark, place);
  if (mark === "x" || mark === "o") {
    const small = maker.stone(mark.toUpperCase(), place, "", 0.22);
    return s("g", {}, s("circle", { cls: "maybe", cx: x, cy: y, r: 0.4 }), small);
  }
  return mark === "*" ? s("path", { cls: "any", d: `M${x - 0.26} ${y - 0.26}l.52 .52m0-.52l-.52 .52` }) : null;
}

/** Return the rectangle over two points. */
export function spanned(size, a, b) {
  const from = at(size, a), to = at(size, b);
  return {
    top: Math.min(from.y, to.y), left: Math.min(from.x, to.x),
    height: Math.abs(from.y - to.y) + 1, width: Math.abs(from.x - to.x) + 1,
  };
}

const box = ({ top, left, height, width }, cls) =>
  s("rect", { cls, x: left - 0.5, y: top - 0.5, width, height, rx: 0.12 });

/** Dim what lies outside a region. */
function shade(size, { top, left, height, width }) {
  const inner = `M${left - 0.5} ${top - 0.5}v${height}h${width}v${-height}z`;
  const most = size - 1 + OUT + EDGE;
  return s("path", { cls: "shade", "fill-rule": "evenodd", d: `M${-OUT} ${-OUT}h${most}v${most}h${-most}z${inner}` });
}

/** Draw a continuation as a letter on its point. */
function tag({ point, colour }, text, size) {
  const { x, y } = at(size, point);
  return s("g", { cls: `tag-point ${colour === "X" ? "black" : "white"}` },
    s("rect", { x: x - 0.36, y: y - 0.36, width: 0.72, height: 0.72, rx: 0.14 }),
    s("text", { x, y, "font-size": 0.58 }, text));
}

/** Draw the number of a move on its stone. */
function played({ x, y }, mark, number) {
  const cls = `move-number number-on-${mark === "X" ? "black" : "white"}`;
  return s("text", { cls, x, y, "font-size": 0.5 }, String(number));
}

/**
 * Make a board. `press(point)` sets or plays a point, `stretch(a, b, done)` draws a region, `tool()` tells which is
 * wanted: "region" or another.
 */
export function exploreBoard({ press, stretch, tool }) {
  const base = s("g"), over = s("g", { cls: "over", "aria-hidden": "true" });
  const svg = s("svg", { cls: "explore-board", tabindex: "-1" }, base, over);
  const focus = roving(svg, (key, by) => { if (by === null) chosen(Number(key)); });
  const el = h("div", { cls: "stage" }, svg);
  let size = 19, down = null, corner = null, editing = true;

  /** Take a point by keyboard or a touch: set it, or let it be one of two corners. */
  function chosen(point) {
    if (tool() !== "region") return press(point);
    if (corner === null) {
      corner = point;
      stretch(point, point, false);
    } else {
      stretch(corner, point, true);
      corner = null;
    }
  }

  function pointAt(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const near = (n) => Math.max(0, Math.min(size - 1, Math.round(n)));
    return near(y) * size + near(x);
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !editing) return;
    down = { first: pointAt(event), last: pointAt(event), moved: false };
    if (tool() === "region") svg.setPointerCapture(event.pointerId);
    else if (event.pointerType === "mouse") press(down.first);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!down) return;
    const point = pointAt(event);
    if (point === down.last) return;
    Object.assign(down, { last: point, moved: true });
    if (tool() === "region") stretch(down.first, point, false);
    else if (event.pointerType === "mouse") press(point, true);
  });
  svg.addEventListener("pointercancel", () => { down = null; });
  svg.addEventListener("pointerup", (event) => {
    if (!down) return;
    const { first, last, moved } = down;
    down = null;
    if (tool() === "region" && moved) {
      corner = null;
      stretch(first, last, true);
    } else if (tool() === "region" || event.pointerType !== "mouse") chosen(first);
  });

  function frame(scene) {
    size = scene.size;
    const wide = size - 1 + OUT + EDGE;
    svg.setAttribute("viewBox", `${-OUT} ${-OUT} ${wide} ${wide}`);
    svg.style.aspectRatio = "1";
    svg.style.maxWidth = `${Math.round(wide * 76)}px`;
  }

  /** Name the lines, in letters that are neither tiny nor huge. */
  function along(scene) {
    const names = sides(scene).map(({ x, y, text }) => s("text", { x, y }, text));
    return s("g", { cls: "sides", "aria-hidden": "true", "font-size": font() }, names);
  }

  const pixels = () => Math.min(svg.clientWidth, svg.clientHeight) / svg.viewBox.baseVal.width || 40;
  const font = () => Math.min(0.6, 13 / pixels());
  new ResizeObserver(() => svg.querySelector(".sides")?.setAttribute("font-size", font())).observe(svg);

  /**
   * Show a pattern: `points` are the marks, `region` where it is looked for, `continuations` where games went on,
   * `numbers` point -> number of a move that was played, `label` what the board is.
   */
  function draw(scene, points, region, continuations, numbers, label = "Board to draw a pattern on") {
    const hadFocus = focus.holds(), maker = stoneMaker();
    editing = true;
    frame(scene);
    const { top, left, height, width } = region;
    const inside = (point) => {
      const { x, y } = at(size, point);
      return y >= top && y < top + height && x >= left && x < left + width;
    };
    const found = new Map(continuations.map((each, i) => [each.point, { ...each, text: letter(i) }]).reverse());
    const spots = points.map((mark, point) => {
      const place = at(size, point), next = found.get(point);
      const where = `${named(scene, point)}, ${MARKS[mark]}${inside(point) ? "" : ", outside the region"}` +
        (numbers.has(point) ? `, move ${numbers.get(point)}` : "");
      const label = next?.text ? `${where}, continuation ${next.text}` : where;
      return target(String(point), label, place, "point",
        s("rect", { cls: "hit", x: place.x - 0.5, y: place.y - 0.5, width: 1, height: 1 }));
    });
    const signs = points.map((mark, point) => sign(mark, at(size, point), maker)).filter(Boolean);
    base.replaceChildren(maker.defs, ground(scene, true), along(scene), s("g", { "aria-hidden": "true" }, signs),
      shade(size, region), s("g", {}, spots.map((each) => each.el)));
    over.replaceChildren(box(region, "region"),
      ...[...numbers].map(([point, number]) => played(at(size, point), points[point], number)),
      ...[...found.values()].filter((each) => each.text).map((each) => tag(each, each.text, size)));
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", label);
    svg.classList.toggle("stretching", tool() === "region");
    focus.take(spots.map((each) => each.spot), hadFocus);
  }

  /** Show a position of a game: `last`, `next` are points, `match` the rectangle of the pattern, `heat` a model's. */
  function show(scene, points, { last, next, match, label, heat = null }) {
    const maker = stoneMaker();
    editing = false;
    frame(scene);
    const stones = points.flatMap((mark, point) => (mark === "." ? [] : maker.stone(mark, at(size, point))));
    base.replaceChildren(maker.defs, ground(scene, true), along(scene), s("g", {}, stones));
    const ring = (point, cls, r = 0.2) => s("circle", { cls, cx: at(size, point).x, cy: at(size, point).y, r });
    const on = (point) => (points[point] === "X" ? "last-stone on-black" : "last-stone on-white");
    over.replaceChildren(...(match ? [box(match, "region")] : []),
      ...(heat ? heatOf(size, heat) : []),
      ...(last !== null && points[last] !== "." ? [ring(last, on(last))] : []),
      ...(next !== null ? [heat ? ring(next, "next-point over-heat", 0.5) : ring(next, "next-point")] : []));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    svg.classList.remove("stretching");
    focus.take([], false);
  }

  /** Mark one point for a moment, as its row of a table is pointed at. */
  function spot(point) {
    over.querySelector(".spot")?.remove();
    if (point === null) return;
    const { x, y } = at(size, point);
    over.append(s("circle", { cls: "spot", cx: x, cy: y, r: 0.52 }));
  }

  return { el, draw, show, spot, forget: () => { corner = null; } };
}
