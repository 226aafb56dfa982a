// Pressing and dragging by mouse, pen and finger. A press hits the nearest place, not the element under it, so a thin
// line is as easy to press as a card, even with a finger.

import { pixelsPerUnit } from "./svg.js";

/** @import { Place } from "./picture.js" */
/** @typedef {{ x: number, y: number }} Point */

const REACH_PIXELS = 22; // a press hits a place this near
const CLOSED_PIXELS = 6; // a place that can be pressed is preferred to a closed one that is nearer by this much
const DRAG_PIXELS = 8; // a press that moves this far is a drag
const CLICK_FOLLOWS_MS = 400; // a click that comes this soon after a press belongs to it

/** Return the distance between a point and a place, in units. @param {Place} place @param {Point} point */
function distance({ x, y, w, h, ends }, point) {
  if (!ends) return Math.hypot(Math.max(0, Math.abs(point.x - x) - w / 2), Math.max(0, Math.abs(point.y - y) - h / 2));
  const [x1, y1, x2, y2] = ends, dx = x2 - x1, dy = y2 - y1;
  const along = ((point.x - x1) * dx + (point.y - y1) * dy) / (dx * dx + dy * dy || 1);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(point.x - x1 - part * dx, point.y - y1 - part * dy);
}

/**
 * Return the place that a press hits: the nearest, or the smaller one if they nest. An open line is hit even if the
 * point lies in a closed box, since lines have no area of their own.
 * @param {import("./controls.js").Controls} controls
 * @param {Point} point in units
 * @param {number} unit pixels per unit
 * @param {number} [reach] in pixels
 * @returns {Place | undefined}
 */
function hitPlace(controls, point, unit, reach = REACH_PIXELS) {
  const places = [...controls.picture?.places.values() ?? []];
  const near = places.map((place) => ({ place, open: controls.isOpen(place.key), far: distance(place, point) * unit }))
    .filter(({ open, far }) => far <= (open ? reach : CLOSED_PIXELS));
  const lines = near.some(({ place, open }) => open && place.ends);
  const cost = (/** @type {{ open: boolean, far: number }} */ { open, far }) => far + (open ? 0 : CLOSED_PIXELS);
  return near.filter(({ place, open }) => open || place.ends || !lines)
    .sort((a, b) => cost(a) - cost(b) || a.place.w * a.place.h - b.place.w * b.place.h)[0]?.place;
}

/** Handles the pointers over one board. */
export class Pointer {
  /** @type {{ key: string, x: number, y: number, id: number, dragging: boolean } | null} */
  #down = null;
  #pressedAt = -Infinity;

  /** @param {SVGSVGElement} svg @param {import("./controls.js").Controls} controls */
  constructor(svg, controls) {
    this.svg = svg;
    this.controls = controls;
  }

  /** Start listening. */
  listen() {
    const { svg } = this;
    svg.addEventListener("pointerdown", (event) => this.#begin(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#end(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.#down) this.controls.hover(null); // a finger leaves after every touch
    });
    svg.addEventListener("click", (event) => { // by a screen reader: no pointer was pressed
      const place = this.controls.places.find(event.target);
      if (place && event.timeStamp - this.#pressedAt > CLICK_FOLLOWS_MS) this.controls.press(place.key, false);
    });
  }

  /** Cancel the current press or drag. */
  cancel() {
    const down = this.#down;
    this.#down = null;
    if (down?.dragging) this.controls.drop(down.key, null);
  }

  /** End a drag since the board changes; a press still counts when it is released. */
  interrupt() {
    if (this.#down?.dragging) this.cancel();
  }

  /** @param {PointerEvent} event @param {number} [reach] in pixels */
  #hit(event, reach) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return undefined;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return hitPlace(this.controls, point, pixelsPerUnit(this.svg), reach)?.key;
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (!event.isPrimary) return;
    this.cancel();
    const key = event.button === 0 ? this.#hit(event) : undefined;
    const { clientX: x, clientY: y, pointerId: id } = event;
    if (key !== undefined) this.#down = { key, x, y, id, dragging: false };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const down = this.#down;
    if (!down) {
      if (event.pointerType === "mouse") this.controls.hover(this.#hit(event) ?? null);
      return;
    }
    if (event.pointerId !== down.id) return;
    if (event.pointerType === "mouse" && event.buttons === 0) { // released outside the board
      this.cancel();
      return;
    }
    const dx = event.clientX - down.x, dy = event.clientY - down.y;
    if (!down.dragging) {
      if (Math.hypot(dx, dy) <= DRAG_PIXELS || !this.controls.canDrag(down.key, event.pointerType === "touch")) return;
      down.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
    }
    const unit = pixelsPerUnit(this.svg);
    this.controls.drag(down.key, dx / unit, dy / unit, this.#hit(event, Infinity) ?? down.key);
  }

  /** @param {PointerEvent} event */
  #end(event) {
    const down = this.#down, key = this.#hit(event);
    if (!down || event.pointerId !== down.id) return;
    this.#down = null;
    this.#pressedAt = event.timeStamp;
    if (down.dragging) this.controls.drop(down.key, key === down.key ? null : key ?? null);
    else if (key === down.key) this.controls.press(key, event.pointerType === "touch");
  }
}
