// The places of a picture as elements: buttons with labels for screen readers; Tab leads to one of them.
// Arrow keys go to the nearest place in their direction, Home and End to the first and last; Enter and Space press it.
// While a move can be made, they stop only at places that can be pressed.

import { element, setAttributes } from "./svg.js";

/** @import { Place } from "./picture.js" */

/**
 * How places can be used: pressed; only looked at, with their labels as tooltips; or not at all.
 * @typedef {"buttons" | "titles" | "none"} PlaceUse
 */

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const SAME = 1e-6; // units: places that differ by less are in one row
const OFF_COURSE = 1e4; // units: more than any board is wide, so that places within 45 degrees come first

/**
 * Return the place that an arrow key leads to: the nearest within 45 degrees of its direction, else the least off it.
 * @template {Pick<Place, "walk">} T
 * @param {Iterable<T>} places @param {Pick<Place, "walk">} from @param {[number, number]} direction
 */
function nextPlace(places, { walk: [x, y] }, [dx, dy]) {
  /** @type {T | undefined} */
  let best;
  let least = Infinity;
  for (const place of places) {
    const [right, down] = [place.walk[0] - x, place.walk[1] - y];
    const along = right * dx + down * dy, aside = Math.abs(right * dy) + Math.abs(down * dx);
    const cost = Math.hypot(along, aside) + (aside > along + SAME ? OFF_COURSE + 3 * aside : 0);
    if (along > SAME && cost < least) [best, least] = [place, cost];
  }
  return best;
}

/**
 * Return the place nearest to another.
 * @template {Pick<Place, "walk">} T
 * @param {Iterable<T>} places at least one
 * @param {Pick<Place, "walk">} to
 */
function nearestPlace(places, { walk: [x, y] }) {
  const far = (/** @type {T} */ place) => Math.hypot(place.walk[0] - x, place.walk[1] - y);
  return [...places].reduce((best, place) => (far(place) < far(best) ? place : best));
}

/** Compare two places in reading order. @param {Place} one @param {Place} other */
const inReadingOrder = (one, other) =>
  (Math.abs(one.y - other.y) > SAME ? one.y - other.y : one.x - other.x);

/** The places of one board, in the <g> of their layer. */
export class Places {
  /** @type {Map<string, { place: Place, el: SVGElement }>} */
  #shown = new Map();
  /** The place that Tab leads to. @type {Place | null} */
  #current = null;
  /** @type {PlaceUse} */
  #use = "none";

  /** @param {SVGSVGElement} svg @param {SVGGElement} layer @param {import("./controls.js").Controls} controls */
  constructor(svg, layer, controls) {
    this.svg = svg;
    this.layer = layer;
    this.controls = controls;
  }

  /** Start listening to the keyboard. */
  listen() {
    this.svg.addEventListener("keydown", (event) => this.#pressed(event));
    this.svg.addEventListener("focusin", ({ target }) => {
      const place = this.find(target);
      if (!place) return;
      this.#pointAt(place);
      if (/** @type {Element} */ (target).matches(":focus-visible")) this.controls.hover(place.key);
    });
    this.svg.addEventListener("focusout", () => this.controls.hover(null));
  }

  /** Return the place that an event happened at. @param {EventTarget | null} target @returns {Place | undefined} */
  find(target) {
    const key = target instanceof SVGElement && target.matches(".place") ? target.dataset.place : undefined;
    return key === undefined ? undefined : this.#shown.get(key)?.place;
  }

  /** Return the element of a place. @param {string} key */
  get(key) {
    return this.#shown.get(key)?.el;
  }

  /** Focus the place that Tab leads to, unless the focus is on the board already. */
  focus() {
    const el = (this.#current && this.get(this.#current.key)) ?? this.svg;
    if (!this.hasFocus()) el.focus({ preventScroll: true });
  }

  /** Return whether the focus is on the board. */
  hasFocus() {
    return this.svg.contains(document.activeElement);
  }

  /**
   * Replace the places on the board; the focus stays where it is, or moves to the nearest place.
   * @param {Map<string, Place>} next @param {PlaceUse} use
   */
  show(next, use) {
    const focused = this.hasFocus(), before = this.find(document.activeElement) ?? this.#current;
    if (use !== this.#use) {
      this.layer.replaceChildren();
      this.#shown.clear();
    }
    this.#use = use;
    const wanted = use === "none" ? new Map() : next;
    for (const [key, { el }] of this.#shown) {
      if (wanted.has(key)) continue;
      el.remove();
      this.#shown.delete(key);
    }
    const fresh = [...wanted.values()].filter((place) => this.#shown.get(place.key)?.place !== place);
    for (const place of fresh.sort(inReadingOrder)) this.#put(place);
    if (use === "buttons") this.#keepFocus(before, focused);
  }

  /**
   * Update every place: whether it can be pressed, and whether it has been.
   * @param {(key: string) => { open: boolean, leads: boolean, picked: boolean, drags: boolean }} state
   */
  mark(state) {
    if (this.#use !== "buttons") return;
    for (const [key, { el }] of this.#shown) {
      const { open, leads, picked, drags } = state(key);
      el.toggleAttribute("data-open", leads);
      el.toggleAttribute("data-picked", picked);
      el.toggleAttribute("data-drag", drags);
      el.ariaDisabled = open ? null : "true";
      el.ariaPressed = picked ? "true" : null;
    }
  }

  /** Make Tab lead to a place. @param {Place | null} place */
  #pointAt(place) {
    if (this.#current) this.get(this.#current.key)?.setAttribute("tabindex", "-1");
    this.#current = place;
    if (place) this.get(place.key)?.setAttribute("tabindex", "0");
  }

  /** Make Tab lead to this place, unless a person has already been at another. @param {string | undefined} key */
  suggest(key) {
    const place = this.#shown.get(key ?? "")?.place;
    if (place && !this.hasFocus()) this.#pointAt(place);
  }

  /** Show one place, new or changed. @param {Place} place */
  #put(place) {
    const { key, x, y, w, h, ends, label } = place, tag = ends ? "line" : "rect";
    const old = this.#shown.get(key), el = old?.el.localName === tag ? old.el : element(tag, { class: "place" });
    el.dataset.place = key;
    setAttributes(el, ends ? { x1: ends[0], y1: ends[1], x2: ends[2], y2: ends[3], pathLength: 1 }
      : { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 4 });
    setAttributes(el, { "aria-label": label, role: this.#use === "buttons" ? "button" : "img" });
    if (el.textContent !== label) el.replaceChildren(element("title", {}, label)); // a tooltip: what a card does
    if (this.#use === "buttons" && !el.hasAttribute("tabindex")) el.setAttribute("tabindex", "-1");
    this.#shown.set(key, { place, el });
    const moved = !old || inReadingOrder(old.place, place) !== 0;
    if (el !== old?.el || (moved && el !== document.activeElement)) this.#insert(place, el); // inserting ends the focus
    if (old && el !== old.el) old.el.remove();
  }

  /** Insert a new element in reading order. @param {Place} place @param {SVGElement} el */
  #insert(place, el) {
    const isBefore = (/** @type {Element} */ other) => {
      const there = this.find(other);
      return !there || inReadingOrder(there, place) <= 0;
    };
    let after = this.layer.lastElementChild;
    while (after && !isBefore(after)) after = after.previousElementSibling;
    this.layer.insertBefore(el, after ? after.nextElementSibling : this.layer.firstElementChild);
  }

  /** Keep Tab and the focus near a place that may be gone. @param {Place | null} before @param {boolean} focused */
  #keepFocus(before, focused) {
    const all = [...this.#shown.values()].map(({ place }) => place);
    const there = before && this.#shown.get(before.key)?.place;
    const place = there ?? (before && all.length ? nearestPlace(all, before) : all[0] ?? null);
    this.#pointAt(place);
    const el = place ? this.get(place.key) : this.svg;
    if (focused && document.activeElement !== el) el?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const from = this.find(event.target);
    if (!from || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      if (!this.controls.back()) return;
    } else if (event.key === "Enter" || event.key === " ") this.controls.press(from.key);
    else if (event.key in DIRECTIONS || event.key === "Home" || event.key === "End") this.#walk(from, event.key);
    else return;
    event.preventDefault();
  }

  /** @param {Place} from @param {string} key */
  #walk(from, key) {
    const reach = this.controls.reachable(), all = [...this.#shown.values()].map(({ place }) => place)
      .filter((place) => !reach || reach.has(place.key)).sort(inReadingOrder);
    const to = key === "Home" ? all[0] : key === "End" ? all.at(-1) : nextPlace(all, from, DIRECTIONS[key]);
    if (to) this.get(to.key)?.focus();
  }
}
