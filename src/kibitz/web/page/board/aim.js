// Previews of a press: the ghost of a move under the mouse or the focus, and for a finger, which covers what it points
// at, an enlarged view beside it.

import { draw } from "./shapes.js";
import { element, pixelsPerUnit } from "./svg.js";

/** @import { Picture, Place } from "./picture.js" */

const LENS_PIXELS = 112; // width of the enlarged view
const LENS_ENLARGES = 1.8;
const LENS_GAP_PIXELS = 34; // between the point and the view, so that a finger covers neither

/** The ghost and the lens of one board. */
export class Aim {
  /**
   * @param {SVGSVGElement} svg @param {SVGGElement} ghosts
   * @param {SVGGElement} scene all that the lens shows, ghosts included
   */
  constructor(svg, ghosts, scene) {
    this.svg = svg;
    this.ghosts = ghosts;
    this.scene = scene;
    this.lens = element("g", { class: "lens", "aria-hidden": "true" });
    svg.append(this.lens);
  }

  /**
   * Show the ghost of a place, or nothing. Shapes of the style `aim` are for a finger only.
   * @param {Picture | null} picture @param {Place | undefined} place @param {boolean} byTouch
   */
  ghost(picture, place, byTouch) {
    const shapes = (place && picture?.ghosts[place.ghost]) ?? [];
    this.ghosts.replaceChildren(...shapes.map(draw));
    this.ghosts.toggleAttribute("data-aim", byTouch && shapes.length > 0);
    if (place) this.ghosts.setAttribute("transform", `translate(${place.x} ${place.y})`);
  }

  /** Show a place enlarged, or nothing. @param {Picture | null} picture @param {Place | undefined} place */
  enlarge(picture, place) {
    this.lens.replaceChildren();
    if (!place || !picture) return;
    const unit = pixelsPerUnit(this.svg), side = LENS_PIXELS / unit, gap = LENS_GAP_PIXELS / unit, { x, y } = place;
    const [left, top, width] = picture.frame, part = side / LENS_ENLARGES;
    const at = {
      x: Math.min(Math.max(x - side / 2, left), left + width - side),
      y: y - gap - side >= top ? y - gap - side : y + gap, width: side, height: side,
    };
    const view = { ...at, viewBox: `${x - part / 2} ${y - part / 2} ${part} ${part}` };
    this.lens.append(element("rect", { class: "lens-ground", ...at }), element("svg", view, copyOf(this.scene)),
      element("rect", { class: "lens-frame", ...at }));
  }
}

/**
 * Return a still copy of a drawing. A <use> would not work: style rules that depend on the board do not apply in it.
 * @param {SVGGElement} scene
 */
function copyOf(scene) {
  const copy = /** @type {SVGGElement} */ (scene.cloneNode(true));
  for (const el of copy.querySelectorAll("[data-leave]")) el.remove();
  for (const el of copy.querySelectorAll("[data-key]")) {
    el.removeAttribute("data-key");
    el.removeAttribute("data-enter");
  }
  return copy;
}
