// Input on a board: pressing, aiming and dragging by mouse, finger and keyboard, until a move is made.

import { Aim } from "./aim.js";
import { drawRefusal, REFUSAL_MS } from "./marks.js";
import { Places } from "./places.js";
import { Pointer } from "./pointer.js";
import { Steps } from "./steps.js";
import { pixelsPerUnit } from "./svg.js";

/** @import { Picture, Place } from "./picture.js" */

const FINGER_PIXELS = 30; // a finger aims first at a place smaller than this
const RETURN_MS = 1500; // a card that was dropped for a move goes back if the move was not made by then

/** The controls of one board. */
export class Controls {
  /** @type {Picture | null} */
  picture = null;
  #playable = false;
  #steps = new Steps();
  /** The place that a finger aims at. @type {Place | undefined} */
  #held;
  /** The place that was swept over last. */
  #swept = "";

  /**
   * @param {import("./board.js").Handlers} on @param {SVGSVGElement} svg
   * @param {{ scene: SVGGElement, ghosts: SVGGElement, places: SVGGElement, refusals: SVGGElement }} layers
   * @param {import("./shapes.js").Shapes} shapes
   * @param {() => void} stepped called when a step was taken or taken back
   */
  constructor(on, svg, layers, shapes, stepped) {
    this.stepped = stepped;
    this.on = on;
    this.svg = svg;
    this.layers = layers;
    this.shapes = shapes;
    this.aim = new Aim(svg, layers.ghosts, layers.scene);
    this.places = new Places(svg, layers.places, this);
    this.pointer = new Pointer(svg, this);
  }

  /** The places pressed so far. @returns {string[]} */
  get picked() {
    return this.#playable ? this.#steps.picked : [];
  }

  /** Start listening to the pointer and the keyboard. */
  listen() {
    this.svg.setAttribute("tabindex", "-1"); // takes the focus when the last place has gone
    this.places.listen();
    this.pointer.listen();
  }

  /**
   * Set the picture. Steps taken so far are kept if the moves are the same.
   * @param {Picture | null} picture null: nothing can be seen or done
   * @param {import("./places.js").PlaceUse} use @param {boolean} playable
   */
  show(picture, use, playable) {
    if (!this.on.sweep) this.pointer.interrupt(); // a sweep changes the picture all the time
    this.#hold(undefined);
    this.picture = picture;
    this.#playable = playable && picture !== null && use === "buttons";
    this.places.show(picture?.places ?? new Map(), use);
    this.#steps.take(picture?.moves ?? new Map(), picture?.places ?? new Map());
    this.#showSteps();
  }

  /** Press a place. @param {string} key @param {boolean} [byTouch] */
  press(key, byTouch = false) {
    const place = this.picture?.places.get(key);
    if (!place) return;
    const move = this.#steps.completes(key);
    if (this.on.press) this.on.press(key);
    else if (!this.#playable) this.#hold(undefined);
    else if (!this.isOpen(key)) this.#refuse(place);
    else if (move && byTouch && this.#held !== place && this.#isSmall(place)) this.#hold(place);
    else if (move) {
      this.#hold(undefined);
      this.on.play?.(move.move);
    } else {
      this.#steps.press(key);
      this.#showSteps();
    }
  }

  // Steps

  /** Return whether a place can be pressed now. @param {string} key */
  isOpen(key) {
    return Boolean(this.on.press) || (this.#playable && this.#steps.open.has(key));
  }

  /** Return the places that arrow keys reach, or null for all. */
  reachable() {
    return this.#playable && !this.on.press && this.#steps.open.size ? this.#steps.open : null;
  }

  #showSteps() {
    const { picked, next } = this.#steps;
    const state = (/** @type {string} */ key) => ({
      open: this.isOpen(key), leads: Boolean(this.on.press) || (this.#playable && next.has(key)),
      picked: this.#playable && picked.includes(key), drags: this.canDrag(key),
    });
    this.places.mark(state);
    for (const [key, el] of this.shapes.elements()) {
      const there = Boolean(this.picture?.places.has(key)), { leads, picked: isPicked } = state(key);
      el.toggleAttribute("data-open", there && leads);
      el.toggleAttribute("data-picked", there && isPicked);
    }
    this.#hold(undefined);
    this.stepped();
    if (this.#playable) this.places.suggest([...next][0]);
    this.on.say?.(this.#playable && this.picture ? this.#steps.words(this.picture.prompt) : "");
  }

  /** Take back the last step or aim; return whether there was one. */
  back() {
    const { picked } = this.#steps, held = this.#held !== undefined;
    this.#hold(undefined);
    if (!held && picked.length) {
      this.#steps.go(picked.slice(0, -1));
      this.#showSteps();
    }
    return held || picked.length > 0;
  }

  /** Show that a place is not open. @param {Place} place */
  #refuse(place) {
    this.#hold(undefined);
    const drawing = drawRefusal(place);
    this.layers.refusals.replaceChildren(drawing);
    setTimeout(() => drawing.remove(), REFUSAL_MS);
    this.on.refuse?.(place.label, place.key);
  }

  // Aiming

  /** Return whether a place is too small to press directly with a finger. @param {Place} place */
  #isSmall({ key, w, h, ends }) {
    return this.#hasGhost(key) && !ends && Math.min(w, h) * pixelsPerUnit(this.svg) < FINGER_PIXELS;
  }

  /** Return whether a press here shows a preview: not where something stands already. @param {string} key */
  #hasGhost(key) {
    const ghost = this.picture?.places.get(key)?.ghost;
    return Boolean(ghost) && !this.on.press && !this.shapes.get(key);
  }

  /** Show what a press would do at the place under the mouse or the focus. @param {string | null} key */
  hover(key) {
    const open = key !== null && this.isOpen(key);
    this.svg.toggleAttribute("data-hover", open);
    this.#pointAt(open && !this.#hasGhost(key) ? key : null);
    if (this.#held) return;
    const place = open && this.#hasGhost(key) ? this.picture?.places.get(key) : undefined;
    this.aim.ghost(this.picture, place, false);
  }

  /** Mark the open place below the mouse, and its shape; one with a preview needs no other mark. @param {string | null} key */
  #pointAt(key) {
    for (const el of this.svg.querySelectorAll("[data-hover]")) el.removeAttribute("data-hover");
    if (key === null) return;
    for (const el of [this.places.get(key), this.shapes.get(key)]) el?.setAttribute("data-hover", "");
  }

  /** Aim at a place by touch, or stop aiming if it is undefined. @param {Place | undefined} place */
  #hold(place) {
    const move = place && this.#steps.completes(place.key);
    if (place !== this.#held) this.on.hold?.(move?.move ?? null, move?.label || place?.label || "");
    this.#held = place;
    this.aim.ghost(this.picture, place, true);
    this.aim.enlarge(this.picture, place);
  }

  // Dragging presses the place where it begins and the one where it ends, or sweeps over all places in between.

  /** Return whether a drag may begin at a place. @param {string} key @param {boolean} [byTouch] */
  canDrag(key, byTouch = false) {
    if (this.on.sweep) return this.on.maySweep?.(byTouch) ?? true;
    return this.#playable && !this.on.press && this.shapes.get(key) !== undefined && this.#steps.begins(key);
  }

  /**
   * Follow a drag that began at a place.
   * @param {string} key @param {number} dx @param {number} dy in units
   * @param {string} over the place nearest to the pointer
   */
  drag(key, dx, dy, over) {
    if (this.on.sweep) {
      if (over !== this.#swept) this.on.sweep(key, this.#swept = over, false);
      return;
    }
    if (this.#steps.picked.length !== 1 || this.#steps.picked[0] !== key) {
      this.#steps.go([key]);
      this.#showSteps();
    }
    this.shapes.carry(key, dx, dy);
  }

  /** End a drag at a place, or nowhere. @param {string} from @param {string | null} to */
  drop(from, to) {
    if (this.on.sweep) {
      this.on.sweep(from, this.#swept || from, true);
      this.#swept = "";
      return;
    }
    const played = to !== null && this.isOpen(to) && this.#steps.completes(to);
    if (played) setTimeout(() => this.shapes.putBack(from), RETURN_MS); // unless the next picture has it elsewhere
    else this.shapes.putBack(from);
    if (to !== null) this.press(to);
    else {
      this.#steps.go([]);
      this.#showSteps();
    }
  }
}
