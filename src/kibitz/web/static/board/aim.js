// What shows where a press would go: the ghost of a move below the mouse or the focus, and for a finger, which covers
// what it points at, lines across the board and an enlarged view beside it.

import { draw } from "./shapes.js";
import { element, pixelsPerUnit, setAttributes } from "./svg.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./picture.js").Place} Place */

const LENS_PIXELS = 112; // width of the enlarged view
const LENS_ENLARGES = 2.2;
const LENS_GAP_PIXELS = 34; // between the point and the view, so that a finger covers neither

let boards = 0;

/** The ghost and the lens of one board. */
export class Aim {
  /**
   * @param {SVGSVGElement} svg
   * @param {SVGGElement} ghosts
   * @param {SVGGElement} scene everything that the lens shows
   */
  constructor(svg, ghosts, scene) {
    this.svg = svg;
    this.ghosts = ghosts;
    scene.id ||= `board-scene-${++boards}`;
    this.sceneId = scene.id;
    this.lens = element("g", { class: "lens", "aria-hidden": "true" });
    svg.append(this.lens);
  }

  /** Show the ghost of a place, or nothing. @param {Picture | null} picture @param {Place | undefined} place */
  ghost(picture, place) {
    const shapes = (place && picture?.ghosts[place.ghost]) ?? [];
    this.ghosts.replaceChildren(...shapes.map(draw));
    if (place) this.ghosts.setAttribute("transform", `translate(${place.x} ${place.y})`);
  }

  /**
   * Show a place enlarged, with lines that lead to it, or nothing.
   * @param {Picture | null} picture
   * @param {Place | undefined} place
   */
  enlarge(picture, place) {
    this.lens.replaceChildren();
    if (!place || !picture) return;
    const unit = pixelsPerUnit(this.svg), side = LENS_PIXELS / unit, { x, y } = place;
    const [left, top, width, height] = picture.frame;
    const above = y - LENS_GAP_PIXELS / unit - side;
    const at = {
      x: Math.min(Math.max(x - side / 2, left), left + width - side),
      y: above >= top ? above : y + LENS_GAP_PIXELS / unit, width: side, height: side,
    };
    const part = side / LENS_ENLARGES, lines = `M${x} ${top}v${height}M${left} ${y}h${width}`;
    const view = element("svg", { viewBox: `${x - part / 2} ${y - part / 2} ${part} ${part}` },
      element("use", { href: `#${this.sceneId}` }));
    setAttributes(view, at);
    const box = (/** @type {string} */ name) => element("rect", { class: name, ...at });
    this.lens.append(element("path", { class: "aim", d: lines }), box("lens-ground"), view, box("lens-frame"));
  }
}
