// A board of any kind in an element of the page: draws scenes, the analysis under them and the marks over them.
// Knows no rules: which elements can be played, and everything else, is in the scene from the server.

import { h, s, shown } from "../dom.js";
import { battleline } from "./battleline.js";
import { coins } from "./coins.js";
import { crescent, dots } from "./dots.js";
import { roving } from "./focus.js";
import { go } from "./go.js";
import { uttt } from "./uttt.js";

const KINDS = { battleline, coins, dots, go, uttt };
const UNIT_PIXELS = 150; // so large may one unit of a small board become
const SMALLEST = 11; // pixels of a text; on a board too small for it, or
const MANY = 60; // with more moves than these, poor moves have no values
const SIDE = 0.18; // the room for the names of rows and columns, in units
const FINGER = 30; // pixels: where points lie closer, a touch shows a stone and a second one plays it

/**
 * Make an empty board. `play(move)` is called with the text of a move, or in an editor with the key of any element.
 * Every kind of board gives: frame(scene, room at the left and on top), sides(scene) with the names that stand there,
 * draw(scene, how, before) with its spots, places(scene, how) of its moves, and layer(scene, layer, how): what lies
 * under the board, and the signs on it. Where a move is made in steps, it also gives press(own, scene, key), which
 * returns a move when one is complete, cancel(own), and extra(scene, how, redraw): what stands beside the board. `own`
 * is what such a board remembers, and a part of `how`. If its places are small, it gives ghost(scene, place, mover), a
 * move that waits for a second touch, which held(move) is told of, and of null when it waits no more; unit, the most
 * pixels of one, and sideFont.
 * @param {(key: string) => void} [play]
 * @param {(key: string | null) => void} [held]
 */
export function makeBoard(play = () => {}, held = () => {}) {
  const quiet = (cls) => s("g", { cls, "aria-hidden": "true" });
  const under = quiet("under"), base = s("g"), signs = quiet("signs"), over = quiet("over"), sides = quiet("sides");
  const wait = quiet("wait");
  const svg = s("svg", { cls: "board", tabindex: "-1" }, under, base, sides, signs, over, wait);
  const extra = h("div", { cls: "board-extra" }), own = {};
  const focus = roving(svg, press);
  let now = null, before = null, places = new Map(), marked = {}, named = [], how = {}, waits = null;

  /** Play, or take a step of a move, or where a finger is too broad for the places wait for a second touch. */
  function press(key, by) {
    const kind = KINDS[now.kind];
    const sure = by !== "touch" || !kind.ghost || !how.playable || pixels() >= FINGER || waits === key
      || places.get(key).taken;
    hold(sure ? null : key);
    if (!sure) return;
    const move = kind.press ? kind.press(own, now, key) : key;
    if (move) play(move);
    if (kind.press) redraw();
  }

  function hold(key) {
    if (key !== waits) held(key);
    waits = key;
    wait.replaceChildren(...(key === null ? [] : KINDS[now.kind].ghost(now, places.get(key), how.mover)));
  }

  /** Draw the same scene again, with what was picked meanwhile. */
  function redraw() {
    show(now, { ...how, animate: false });
    marks(marked);
  }

  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && KINDS[now?.kind]?.cancel?.(own)) redraw();
  });

  /** Draw a scene. `how`: playable, mover, initials, names, label, editing, sides (rows and columns are named). */
  function show(scene, wanted = {}) {
    how = { initials: ["", ""], names: ["First", "Second"], ...wanted, own };
    const kind = KINDS[scene.kind], hadFocus = focus.holds();
    const fresh = before?.kind === scene.kind && how.animate !== false ? before : null;
    const drawn = kind.draw(scene, how, fresh);
    named = how.sides && scene.sides ? kind.sides(scene) : [];
    frame(kind.frame(scene, named.length ? SIDE : 0), kind.unit ?? UNIT_PIXELS);
    svg.setAttribute("class", `board ${scene.kind} turn${how.mover ?? 0} ${how.playable ? "playable" : ""}`);
    svg.setAttribute("role", drawn.spots.length ? "group" : "img");
    svg.setAttribute("aria-label", how.label ?? "Board");
    base.replaceChildren(...drawn.nodes);
    places = kind.places(scene, how);
    now = before = scene;
    hold(null);
    extra.replaceChildren(...(kind.extra?.(scene, how, redraw) ?? []));
    nameSides();
    focus.take(drawn.spots, hadFocus);
  }

  function frame([x, y, width, height], unit) {
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    svg.style.aspectRatio = `${width} / ${height}`;
    svg.style.maxWidth = `min(100%, ${Math.round(width * unit)}px)`;
    svg.style.setProperty("--tall", height / width);
  }

  /** Write the names of rows and columns along the board. */
  function nameSides() {
    const font = Math.min(13 / pixels(), KINDS[now.kind].sideFont ?? 0.34);
    sides.replaceChildren(...named.map(({ x, y, text }) => s("text", { x, y, "font-size": font }, text)));
  }

  /** Colour the structure of a position, or clear it with null. */
  function layer(found) {
    const drawn = found && now ? KINDS[now.kind].layer?.(now, found, how) : null;
    under.replaceChildren(...(drawn?.under ?? []));
    signs.replaceChildren(...(drawn?.signs ?? []));
  }

  /** Mark moves: values [{move, text, tone, loony}], line [move], hint, spot. */
  function marks(wanted = {}) {
    marked = wanted;
    const { values = [], line = [], hint = null, spot = null } = wanted, unit = pixels();
    const few = values.length <= MANY;
    const fits = ({ move, tone }) => tone !== "poor" || (few && places.get(move)?.room * unit >= SMALLEST);
    const put = (move, draw) => {
      const place = places.get(move);
      return place ? [draw({ ...place, font: fontSize(place.room, unit) })] : [];
    };
    shown(signs, !values.length || ["battleline", "go"].includes(now?.kind)); // elsewhere the values tell the same
    const seen = new Set(), alone = ({ move }) => { // of moves that begin with the same step the best is marked
      const { key = move } = places.get(move) ?? {};
      return !seen.has(key) && seen.add(key);
    };
    over.replaceChildren(
      ...values.filter(alone).filter(fits).flatMap((value) => put(value.move, (place) => pill(place, value))),
      ...line.flatMap((move, i) => put(move, (place) => step(place, i))),
      ...(spot ? put(spot, (place) => (place.ends ? stroke(place) : ring(place, "spot"))) : []),
      ...(hint ? put(hint, (place) => ring(place, "hint")) : []),
    );
  }

  /** Return how many pixels a unit of the drawing has on the screen. */
  function pixels() {
    const { width, height } = svg.viewBox.baseVal;
    return Math.min(svg.clientWidth / width, svg.clientHeight / height) || UNIT_PIXELS;
  }

  function fit() {
    if (!now) return;
    nameSides();
    marks(marked);
  }

  new ResizeObserver(fit).observe(svg);
  return { el: svg, extra, show, layer, marks };
}

/** Return what to write into boxes: initials of names, or those of the colours where the initials are the same. */
export function initialsOf(names, colours) {
  const own = names.map((name) => [...name][0]?.toUpperCase() ?? "");
  return own[0] === own[1] ? colours.map((name) => name[0]) : own;
}

/** Return the size of a text on a move: well readable in pixels, as far as there is room for it. */
function fontSize(room, unit) {
  const wanted = Math.min(17, Math.max(12, unit * room * 0.5));
  return Math.min(wanted / unit, room);
}

/** Draw a short text on a move. */
function pill({ x, y, font }, { text, tone, loony = false }) {
  const height = font * 1.45, width = Math.max(height, font * (0.7 + 0.6 * text.length));
  return s("g", { cls: `pill ${tone}` },
    s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }),
    s("text", { x, y, "font-size": font }, text),
    loony ? crescent({ x: x + width / 2, y: y - height / 2 }, font * 0.36) : null);
}

/** Draw the number of a move of the expected line. */
function step({ x, y, font }, i) {
  return s("g", { cls: "step" }, s("circle", { cx: x, cy: y, r: font * 0.85 }),
    s("text", { x, y, "font-size": font }, String(i + 1)));
}

/** Draw a broad stroke along a line. */
const stroke = ({ ends: [x1, y1, x2, y2] }) => s("line", { cls: "spot along", x1, y1, x2, y2 });

const ring = ({ x, y, font }, cls) => s("circle", { cls, cx: x, cy: y, r: font * 1.25 });
