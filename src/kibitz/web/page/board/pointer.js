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
 * @param {Iterable<Place>} places @param {(key: string) => boolean} isOpen
 * @param {Point} point in units
 * @param {number} unit pixels per unit
 * @param {number} [reach] in pixels
 * @returns {Place | undefined}
 */
export function hitPlace(places, isOpen, point, unit, reach = REACH_PIXELS) {
  const near = [...places].map((place) => ({ place, open: isOpen(place.key), far: distance(place, point) * unit }))
    .filter(({ open, far }) => far <= (open ? reach : CLOSED_PIXELS));
  const lines = near.some(({ place, open }) => open && place.ends);
  const cost = (/** @type {{ open: boolean, far: number }} */ { open, far }) => far + (open ? 0 : CLOSED_PIXELS);
  return near.filter(({ place, open }) => open || place.ends || !lines)
    .sort((a, b) => cost(a) - cost(b) || a.place.w * a.place.h - b.place.w * b.place.h)[0]?.place;
}

/**
 * The functions that the pointer calls.
 * @typedef {object} PointerEvents
 * @property {() => Iterable<Place>} places
 * @property {(key: string) => boolean} isOpen
 * @property {(key: string, byTouch: boolean) => boolean} canDrag
 * @property {(key: string, byTouch: boolean) => void} press
 * @property {(key: string | null) => void} hover by mouse only: a finger hovers over nothing
 * @property {(key: string, dx: number, dy: number, over: string) => void} drag in units from where it was, and the
 *   place nearest to the pointer
 * @property {(from: string, to: string | null) => void} drop
 * @property {(target: EventTarget | null) => Place | undefined} find
 */

/** Handles the pointers over one board. */
export class Pointer {
  /** @type {{ key: string, x: number, y: number, id: number, dragging: boolean } | null} */
  #down = null;
  #pressedAt = -Infinity;

  /** @param {SVGSVGElement} svg @param {PointerEvents} on */
  constructor(svg, on) {
    this.svg = svg;
    this.on = on;
  }

  /** Start listening. */
  listen() {
    const { svg } = this;
    svg.addEventListener("pointerdown", (event) => this.#begin(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#end(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.#down) this.on.hover(null); // a finger leaves after every touch
    });
    svg.addEventListener("click", (event) => { // by a screen reader: no pointer was pressed
      const place = this.on.find(event.target);
      if (place && event.timeStamp - this.#pressedAt > CLICK_FOLLOWS_MS) this.on.press(place.key, false);
    });
  }

  /** Cancel the current press or drag. */
  cancel() {
    const down = this.#down;
    this.#down = null;
    if (down?.dragging) this.on.drop(down.key, null);
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
    return hitPlace(this.on.places(), this.on.isOpen, point, pixelsPerUnit(this.svg), reach)?.key;
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
      if (event.pointerType === "mouse") this.on.hover(this.#hit(event) ?? null);
      return;
    }
    if (event.pointerId !== down.id) return;
    if (event.pointerType === "mouse" && event.buttons === 0) { // released outside the board
      this.cancel();
      return;
    }
    const dx = event.clientX - down.x, dy = event.clientY - down.y;
    if (!down.dragging) {
      if (Math.hypot(dx, dy) <= DRAG_PIXELS || !this.on.canDrag(down.key, event.pointerType === "touch")) return;
      down.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
    }
    const unit = pixelsPerUnit(this.svg);
    this.on.drag(down.key, dx / unit, dy / unit, this.#hit(event, Infinity) ?? down.key);
  }

  /** @param {PointerEvent} event */
  #end(event) {
    const down = this.#down, key = this.#hit(event);
    if (!down || event.pointerId !== down.id) return;
    this.#down = null;
    this.#pressedAt = event.timeStamp;
    if (down.dragging) this.on.drop(down.key, key === down.key ? null : key ?? null);
    else if (key === down.key) this.on.press(key, event.pointerType === "touch");
  }
}
