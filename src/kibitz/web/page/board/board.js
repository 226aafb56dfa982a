// A board in an element of the page. It shows pictures and is independent of games: with each picture, the server sends
// what can be pressed and what it means.

import { loadGame } from "./assets.js";
import { Controls } from "./controls.js";
import { markShapes } from "./marks.js";
import { COVERED, readPicture, readShape } from "./picture.js";
import { draw, Shapes } from "./shapes.js";
import { element, pixelsPerUnit } from "./svg.js";

/** @import { MarkArray } from "./marks.js" */
/** @import { Picture, PictureJson, Shape, ShapeArray } from "./picture.js" */

/**
 * What a board calls. Without `play` and `press` it is a still picture: nothing can be pressed or focused.
 * @typedef {object} Handlers
 * @property {(move: string) => void} [play] a move was made: its text
 * @property {(place: string) => void} [press] for editors: a place was pressed; every place can be
 * @property {(from: string, to: string, done: boolean) => void} [sweep] for editors: the pointer goes over places, held
 *   down; done: it was released
 * @property {(byTouch: boolean) => boolean} [maySweep] whether it may; else a finger scrolls the page
 * @property {(text: string) => void} [say] what to do next, in words; empty if it is not for this person to do
 * @property {(label: string, place: string) => void} [refuse] a place was pressed that is not open now
 * @property {(move: string | null, label: string) => void} [hold] a finger aims at a move, which a second touch or a
 *   button of the page plays; null: it does so no more
 * @property {() => void} [reveal] the button "Show my cards" of a covered board was pressed
 */

/**
 * How to show a picture.
 * @typedef {object} How
 * @property {string} name the game's name: its style sheet and drawings are used
 * @property {boolean} [playable] whether the picture's moves can be made now
 * @property {string} [label] what the board is, for screen readers; said before the picture's own label
 * @property {boolean} [animate] false: show it at once, as the first picture always is
 * @property {boolean} [covered] whether to show the view COVERED, or nothing but the ground where there is none, and
 *   the button "Show my cards"
 * @property {boolean} [titles] of a still picture: whether its places have tooltips and can be read one by one
 */

/** @typedef {{ under?: ShapeArray[], over?: ShapeArray[], views?: Record<string, OverlayJson> }} OverlayJson */

const MAX_PIXELS_PER_UNIT = 1.6; // no small board becomes larger than this

/** @param {string} name */
const layer = (name) => element("g", { class: name, "aria-hidden": "true" });

/** Make an empty board. Put `el` into the page, then call `show`. @param {Handlers} [handlers] */
export const makeBoard = (handlers = {}) => new Board(handlers);

export class Board {
  /** The whole picture, whichever view is shown. @type {Picture | null} */
  picture = null;
  /** @type {How} */
  #how = { name: "" };
  /** @type {string | null} */
  #view = null;
  /** @type {MarkArray[]} */
  #marks = [];
  /** @type {OverlayJson | null} */
  #overlay = null;
  /** @type {Shape[]} */
  #ground = [];
  /** The game whose style sheet is awaited. */
  #loading = "";

  /** @param {Handlers} handlers */
  constructor(handlers) {
    const ground = layer("ground"), under = layer("under"), shapes = layer("shapes"), over = layer("over");
    const ghosts = layer("ghosts"), places = element("g", { class: "places" }), refusals = layer("marks");
    const scene = element("g", { class: "scene" }, ground, under, shapes, over, ghosts);
    this.layers = { ground, under, over, marks: layer("marks") };
    this.svg = element("svg", { class: "board" }, scene, places, this.layers.marks, refusals);
    this.cover = makeCover(() => handlers.reveal?.());
    /** The element for the page. */
    this.el = document.createElement("div");
    this.el.className = "board-box";
    this.el.append(this.svg, this.cover);
    this.shapes = new Shapes(shapes);
    this.isStill = !handlers.play && !handlers.press;
    this.controls = new Controls(handlers, this.svg, { scene, ghosts, places, refusals }, this.shapes,
      () => this.#drawMarks());
    if (!this.isStill) this.controls.listen();
    new ResizeObserver(() => this.#drawMarks()).observe(this.svg);
  }

  /**
   * Show a picture. Shapes that are already on the board move to their new positions.
   * @param {PictureJson} json @param {How} how
   */
  show(json, how) {
    this.display(readPicture(json), how);
  }

  /**
   * Show a picture that is already parsed, such as one that the page updates by changes.
   * @param {Picture} picture @param {How} how
   */
  display(picture, how) {
    const animate = how.animate !== false && this.picture !== null && how.name === this.#how.name && !this.#loading;
    this.picture = picture;
    if (!(this.#view !== null && this.#view in this.picture.views)) this.#view = null;
    this.#take(how);
    this.#draw(animate);
  }

  /** Change how the picture is shown: whether it is playable or covered, its label. @param {Partial<How>} how */
  set(how) {
    const animate = (how.covered ?? this.#how.covered) === this.#how.covered && !this.#loading;
    this.#take({ ...this.#how, ...how });
    this.#draw(animate);
  }

  /**
   * Show the position in another way.
   * @param {string | null} label one of `picture.views`, or null for the picture itself
   */
  view(label) {
    if (label === this.#view) return;
    this.#view = label;
    this.#draw(false);
  }

  /** Replace the marks on the board. @param {MarkArray[]} marks */
  marks(marks) {
    this.#marks = marks;
    this.#drawMarks();
  }

  /** Replace the overlay, or remove it if null. @param {OverlayJson | null} overlay */
  overlay(overlay) {
    this.#overlay = overlay;
    this.#drawOverlay();
  }

  /** The picture on the board: one of the views, or nothing if the board is covered and has no covered view. */
  get shown() {
    if (!this.picture) return null;
    if (this.#how.covered) return this.picture.views[COVERED] ?? null;
    return this.picture.views[this.#view ?? ""] ?? this.picture;
  }

  /** Take over how to show pictures. @param {How} how */
  #take(how) {
    if (how.name !== this.#how.name) void this.#load(how.name);
    this.#how = how;
  }

  /** Hide the board until its style sheet is loaded: without it, all shapes are black. @param {string} name */
  async #load(name) {
    this.#loading = name;
    this.svg.style.visibility = "hidden";
    await loadGame(name);
    if (this.#loading !== name) return;
    this.#loading = "";
    this.svg.style.visibility = "";
    this.#allowMotion();
  }

  /** Let shapes move again, from where they are now. */
  #allowMotion() {
    if (this.#loading) return; // else everything would fade from black to its colours
    this.svg.getBoundingClientRect();
    this.svg.classList.remove("still");
  }

  /** Draw everything. @param {boolean} moving whether shapes travel, appear and fade */
  #draw(moving) {
    if (!this.picture) return;
    const picture = this.shown, animate = moving && !this.#how.covered; // cards that fade away can still be read
    const { name, playable, titles, label } = this.#how, { svg, cover } = this;
    const covered = Boolean(this.#how.covered), hadFocus = this.el.contains(document.activeElement);
    svg.setAttribute("class", `board ${name}${animate ? "" : " still"}`);
    this.#drawGround(picture ?? this.picture);
    this.shapes.show(picture?.shapes ?? new Map(), animate, (key) => picture?.places.get(key));
    const use = this.isStill ? (titles ? "titles" : "none") : "buttons";
    this.controls.show(picture, use, Boolean(playable));
    svg.setAttribute("role", use === "none" ? "img" : "group");
    svg.setAttribute("aria-label", [label, picture?.label].filter(Boolean).join(". ") || "Board");
    this.#drawOverlay();
    this.#drawMarks();
    cover.hidden = !covered;
    cover.classList.toggle("low", picture !== null);
    if (hadFocus && covered) cover.focus({ preventScroll: true });
    else if (hadFocus) this.controls.places.focus();
    if (!animate) this.#allowMotion();
  }

  /** @param {Picture} picture */
  #drawGround({ frame: [x, y, width, height], ground }) {
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.svg.style.aspectRatio = `${width} / ${height}`;
    this.el.style.maxWidth = `min(100%, ${Math.round(width * MAX_PIXELS_PER_UNIT)}px)`;
    if (this.#ground === ground) return;
    this.#ground = ground;
    this.layers.ground.replaceChildren(...ground.map(draw));
  }

  #drawOverlay() {
    const whole = this.#how.covered ? null : this.#overlay, shown = this.#view === null ? whole : whole?.views?.[this.#view];
    for (const part of /** @type {const} */ (["under", "over"])) {
      this.layers[part].replaceChildren(...(shown?.[part] ?? []).map((array) => draw(readShape(array))));
    }
  }

  #drawMarks() {
    const places = this.shown?.places ?? new Map(), marks = this.#how.covered ? [] : this.#marks;
    const arrays = markShapes(marks, places, pixelsPerUnit(this.svg), this.controls.picked);
    this.layers.marks.replaceChildren(...arrays.map((array) => draw(readShape(array))));
  }
}

/** Return the button of a covered board. @param {() => void} reveal */
function makeCover(reveal) {
  const el = document.createElement("button");
  Object.assign(el, { type: "button", className: "board-cover primary", textContent: "Show my cards", hidden: true });
  el.addEventListener("click", reveal);
  return el;
}
