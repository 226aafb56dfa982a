// A board of any kind in an element of the page: draws scenes, the analysis under them and the marks over them.
// Knows no rules: which elements can be played, and everything else, is in the scene from the server.

import { s } from "../dom.js";
import { coins } from "./coins.js";
import { dots } from "./dots.js";
import { roving } from "./focus.js";
import { uttt } from "./uttt.js";

const KINDS = { coins, dots, uttt };
const UNIT_PIXELS = 150; // so large may one unit of a small board become

/**
 * Make an empty board. `play(move)` is called with the text of a move, or in an editor with the key of any element.
 * Every kind of board gives: frame(scene), draw(scene, how, before) with its spots, places(scene) of its moves, and
 * layer(scene, layer): what lies under the board, and the signs on it.
 */
export function makeBoard(play = () => {}) {
  const quiet = (cls) => s("g", { cls, "aria-hidden": "true" });
  const under = quiet("under"), base = s("g"), signs = quiet("signs"), over = quiet("over");
  const svg = s("svg", { cls: "board", tabindex: "-1" }, under, base, signs, over);
  const focus = roving(svg, play);
  let now = null, before = null, places = new Map(), marked = {};

  /** Draw a scene. `how`: playable, mover, initials, names, label, editing. */
  function show(scene, how = {}) {
    const kind = KINDS[scene.kind], hadFocus = focus.holds();
    const fresh = before?.kind === scene.kind && how.animate !== false ? before : null;
    const drawn = kind.draw(scene, { initials: ["", ""], names: ["", ""], ...how }, fresh);
    frame(kind.frame(scene));
    svg.setAttribute("class", `board ${scene.kind} turn${how.mover ?? 0} ${how.playable ? "playable" : ""}`);
    svg.setAttribute("role", drawn.spots.length ? "group" : "img");
    svg.setAttribute("aria-label", how.label ?? "Board");
    base.replaceChildren(...drawn.nodes);
    places = kind.places(scene);
    now = before = scene;
    focus.take(drawn.spots, hadFocus);
  }

  function frame([x, y, width, height]) {
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    svg.style.aspectRatio = `${width} / ${height}`;
    svg.style.maxWidth = `${Math.round(width * UNIT_PIXELS * (now?.kind === "uttt" ? 0.8 : 1))}px`;
    svg.style.setProperty("--tall", height / width);
  }

  /** Colour the structure of a position, or clear it with null. */
  function layer(found) {
    const drawn = found && now ? KINDS[now.kind].layer?.(now, found) : null;
    under.replaceChildren(...(drawn?.under ?? []));
    signs.replaceChildren(...(drawn?.signs ?? []));
  }

  /** Mark moves: values [{move, text, tone}], line [move], hint, spot. */
  function marks(wanted = {}) {
    marked = wanted;
    const { values = [], line = [], hint = null, spot = null } = wanted, unit = pixels();
    const put = (move, draw) => {
      const place = places.get(move);
      return place ? [draw({ ...place, font: fontSize(place.room, unit) })] : [];
    };
    over.replaceChildren(
      ...values.flatMap((value) => put(value.move, (place) => pill(place, value.text, value.tone))),
      ...line.flatMap((move, i) => put(move, (place) => step(place, i))),
      ...(spot ? put(spot, (place) => ring(place, "spot")) : []),
      ...(hint ? put(hint, (place) => ring(place, "hint")) : []),
    );
  }

  /** Return how many pixels a unit of the drawing has on the screen. */
  function pixels() {
    const { width, height } = svg.viewBox.baseVal;
    return Math.min(svg.clientWidth / width, svg.clientHeight / height) || UNIT_PIXELS;
  }

  new ResizeObserver(() => { if (now) marks(marked); }).observe(svg);
  return { el: svg, show, layer, marks };
}

/** Return the size of a text on a move: well readable in pixels, as far as there is room for it. */
function fontSize(room, unit) {
  const wanted = Math.min(17, Math.max(12, unit * 0.13));
  return Math.min(wanted / unit, room);
}

/** Draw a short text on a move. */
function pill({ x, y, font }, text, tone) {
  const height = font * 1.45, width = Math.max(height, font * (0.7 + 0.6 * text.length));
  return s("g", { cls: `pill ${tone}` },
    s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }),
    s("text", { x, y, "font-size": font }, text));
}

/** Draw the number of a move of the expected line. */
function step({ x, y, font }, i) {
  return s("g", { cls: "step" }, s("circle", { cx: x, cy: y, r: font * 0.85 }),
    s("text", { x, y, "font-size": font }, String(i + 1)));
}

const ring = ({ x, y, font }, cls) => s("circle", { cls, cx: x, cy: y, r: font * 1.25 });
