// Draws and animates the shapes of a picture: a shape whose key stays keeps its element, so that it can slide and fade.
//
// Each shape is two elements: a <g> that sets its position, and in it a drawing that appears, lifts and disappears.
// With both motions on one element, Chromium paints some frames of it in the corner of the board. picture/board.css
// decides how long animations take, and whether there are any.

import { element, setAttributes } from "./svg.js";

/** @import { Shape } from "./picture.js" */
/** @typedef {SVGGElement & { firstElementChild: SVGElement }} Stand the element that stands where a shape is */

/** @param {Shape} shape @param {number} [dx] @param {number} [dy] */
const transformOf = ({ x, y, scale }, dx = 0, dy = 0) => `translate(${x + dx}px, ${y + dy}px) scale(${scale})`;

/**
 * Draw a shape around the origin, into its old element if possible, else into a new one.
 * @param {Shape} shape @param {Element | null} [old]
 */
function drawn(shape, old) {
  const el = old?.localName === shape.tag ? old : element(shape.tag);
  setAttributes(el, { class: shape.style, ...shape.attributes });
  if (shape.tag === "text") el.textContent = shape.text;
  if (shape.tag === "g") el.replaceChildren(...shape.shapes.map(draw));
  if (/\bdraw\b/.test(shape.style)) el.setAttribute("pathLength", "1"); // so that one dash is the whole stroke
  else el.removeAttribute("pathLength");
  return el;
}

/** Return the drawing of a shape that never moves. @param {Shape} shape @returns {Element} */
export function draw(shape) {
  const el = drawn(shape), scale = shape.scale === 1 ? "" : ` scale(${shape.scale})`;
  el.setAttribute("transform", `translate(${shape.x} ${shape.y})${scale}`);
  return el;
}

/**
 * Call a function when all animations in an element have ended. Finding them makes the browser compute styles, so this
 * waits until all changes are made.
 * @param {Element} el @param {() => void} then
 */
function afterMotion(el, then) {
  queueMicrotask(() => {
    void Promise.allSettled(el.getAnimations({ subtree: true }).map((each) => each.finished)).then(then);
  });
}

/** The shapes of one board, in the <g> of their layer. */
export class Shapes {
  /** What is drawn now, from bottom to top. @type {Map<string, { shape: Shape, el: Stand }>} */
  #drawn = new Map();
  /** Comment nodes that keep the places of moving shapes in the order. @type {Map<Stand, Comment>} */
  #flying = new Map();
  /** The shapes shown last. @type {Map<string, Shape> | null} */
  #latest = null;
  /** How far the pointer has carried a shape. @type {Map<string, { dx: number, dy: number }>} */
  #carried = new Map();

  /** @param {SVGGElement} layer */
  constructor(layer) {
    this.layer = layer;
  }

  /** Return the element of a shape. @param {string} key @returns {Stand | undefined} */
  get(key) {
    return this.#drawn.get(key)?.el;
  }

  /** Return the elements of all shapes by key. @returns {[string, Stand][]} */
  elements() {
    return [...this.#drawn].map(([key, { el }]) => [key, el]);
  }

  /**
   * Replace the shapes on the board.
   * @param {Map<string, Shape>} next
   * @param {boolean} animate false: they appear at once
   * @param {(key: string) => { x: number, y: number } | undefined} placeAt where a place is, for shapes born there
   */
  show(next, animate, placeAt) {
    if (next === this.#latest) return; // running animations continue
    this.#latest = next;
    this.land();
    const before = this.#drawn, numbers = new Map([...before.keys()].map((key, i) => [key, i]));
    const order = [...next.keys()].flatMap((key) => numbers.get(key) ?? []);
    const staying = longestRise(order), passed = passing(order);
    const isIn = (/** @type {Set<number>} */ set, /** @type {string} */ key) => set.has(numbers.get(key) ?? -1);
    if (!animate) for (const el of this.layer.querySelectorAll(":scope > [data-leave]")) el.remove();
    this.#leave([...before].filter(([key]) => !next.has(key)).map(([, { el }]) => el), animate);
    /** @type {Map<string, Stand[]>} */
    const fresh = new Map();
    /** @type {[Stand, string, string][]} */
    const flights = [];
    /** @type {Stand | null} */
    let below = null;
    this.#drawn = new Map();
    for (const [key, shape] of next) {
      const old = before.get(key), el = old?.el ?? /** @type {Stand} */ (element("g", { "data-key": key }));
      const start = animate ? this.#start(shape, before, placeAt) : undefined;
      const carried = old && old.shape !== shape && this.#carried.delete(key);
      if (carried) el.firstElementChild.style.removeProperty("transform"); // it moves from where it was dropped
      if (!isIn(staying, key)) this.#insert(el, below);
      if (!old && animate) fresh.set(shape.style, [...(fresh.get(shape.style) ?? []), el]);
      if (old?.shape !== shape) this.#dress(el, shape, old?.shape);
      const end = transformOf(shape);
      const flies = !old || carried || isIn(passed, key); // otherwise it slides in its layer
      if (flies && start && start !== end) flights.push([el, start, end]);
      this.#drawn.set(key, { shape, el });
      below = el;
    }
    for (const key of this.#carried.keys()) this.putBack(key);
    for (const together of fresh.values()) this.#enter(together);
    this.#fly(flights);
  }

  /** End all moves across the board at once. */
  land() {
    for (const el of this.#flying.keys()) this.#landOne(el);
  }

  /**
   * Let a shape follow the pointer, above all others.
   * @param {string} key @param {number} dx
   * @param {number} dy in units of the board
   */
  carry(key, dx, dy) {
    const { el, shape } = this.#drawn.get(key) ?? {};
    if (!el || !shape) return;
    if (!this.#flying.has(el)) this.#raise(el);
    this.#carried.set(key, { dx, dy });
    const { style } = el.firstElementChild;
    style.transition = "none";
    style.transform = `translate(${dx / shape.scale}px, ${dy / shape.scale}px)`;
  }

  /** Move a dragged shape back to its place. @param {string} key */
  putBack(key) {
    const { el } = this.#drawn.get(key) ?? {};
    if (!this.#carried.delete(key) || !el) return;
    el.firstElementChild.style.removeProperty("transition");
    el.firstElementChild.style.removeProperty("transform");
    this.#landAfterMotion(el);
  }

  /** Put an element above another, or at the bottom. @param {Stand} el @param {Stand | null} below */
  #insert(el, below) {
    el.removeAttribute("data-enter"); // it would appear once more
    this.layer.insertBefore(el, below ? below.nextSibling : this.layer.firstChild);
  }

  /**
   * Return the transform at which a shape's move starts, if it was on the board before.
   * @param {Shape} shape @param {Map<string, { shape: Shape }>} before
   * @param {(key: string) => { x: number, y: number } | undefined} placeAt
   */
  #start(shape, before, placeAt) {
    const old = before.get(shape.key)?.shape, { dx, dy } = this.#carried.get(shape.key) ?? { dx: 0, dy: 0 };
    if (old) return transformOf(old, dx, dy);
    if (!shape.born) return undefined;
    const parent = before.get(shape.born)?.shape ?? placeAt(shape.born);
    return parent && transformOf({ ...shape, x: parent.x, y: parent.y });
  }

  /** Put a shape where it belongs and draw it. @param {Stand} el @param {Shape} shape @param {Shape} [old] */
  #dress(el, shape, old) {
    el.style.transform = transformOf(shape);
    if (old && isSameDrawing(old, shape)) return;
    const inner = drawn(shape, el.firstElementChild);
    if (inner !== el.firstElementChild) el.replaceChildren(inner);
  }

  /** Start the entrance animation of new shapes of one style. @param {Stand[]} together */
  #enter(together) {
    for (const el of together) el.dataset.enter = "";
    stagger(together);
    for (const el of together) afterMotion(el, () => el.removeAttribute("data-enter"));
  }

  /** Remove shapes, after an exit animation if `animate`. @param {Stand[]} gone @param {boolean} animate */
  #leave(gone, animate) {
    for (const el of gone) {
      el.removeAttribute("data-key");
      if (!animate) el.remove();
      else el.dataset.leave = "";
    }
    if (!animate) return;
    stagger(gone);
    for (const el of gone) afterMotion(el, () => el.remove());
  }

  /**
   * Animate moves across the board. Inserting an element ends its transition, so each is first put back to its start.
   * @param {[Stand, string, string][]} flights
   */
  #fly(flights) {
    for (const [el, start] of flights) {
      this.#raise(el);
      Object.assign(el.style, { transition: "none", transform: start });
    }
    if (flights.length) this.layer.getBoundingClientRect(); // makes the browser apply the start positions
    for (const [el, , end] of flights) {
      Object.assign(el.style, { transition: "", transform: end });
      el.firstElementChild.style.removeProperty("transition");
      this.#landAfterMotion(el);
    }
  }

  /** Put a shape above all others; a comment keeps its place among them. @param {Stand} el */
  #raise(el) {
    const keeper = new Comment();
    this.#flying.set(el, keeper);
    el.replaceWith(keeper);
    this.layer.append(el);
  }

  /** Put a shape back into the order when it has arrived, unless it is moving again by then. @param {Stand} el */
  #landAfterMotion(el) {
    const keeper = this.#flying.get(el);
    afterMotion(el, () => { if (this.#flying.get(el) === keeper) this.#landOne(el); });
  }

  /** @param {Stand} el */
  #landOne(el) {
    el.removeAttribute("data-enter"); // it would appear once more
    this.#flying.get(el)?.replaceWith(el);
    this.#flying.delete(el);
  }
}

/** Number elements that appear or leave together; board.css spreads their starts over a short time. @param {Stand[]} all */
function stagger(all) {
  for (const [i, el] of all.entries()) {
    el.style.setProperty("--i", String(i));
    el.style.setProperty("--n", String(all.length));
  }
}

/** Return whether two shapes differ only in their position. @param {Shape} one @param {Shape} other */
function isSameDrawing(one, other) {
  const bare = (/** @type {Shape} */ shape) => JSON.stringify({ ...shape, x: 0, y: 0, scale: 1, born: "" });
  return bare(one) === bare(other);
}

// Comparing a new order of shapes with the old one: each number is a shape's index in the old order.

/**
 * Return a longest increasing subsequence: the shapes that can stay where they are in the order.
 * @param {number[]} numbers distinct
 * @returns {Set<number>}
 */
function longestRise(numbers) {
  /** @type {number[]} */
  const tops = []; // [i]: the smallest number that ends a rising subsequence of length i + 1
  /** @type {Map<number, number | undefined>} */
  const under = new Map(); // number -> the one before it in such a subsequence
  for (const number of numbers) {
    let i = tops.length;
    while (i > 0 && tops[i - 1] > number) i -= 1;
    under.set(number, tops[i - 1]);
    tops[i] = number;
  }
  /** @type {Set<number>} */
  const kept = new Set();
  for (let at = tops.at(-1); at !== undefined; at = under.get(at)) kept.add(at);
  return kept;
}

/**
 * Return the numbers that stand before a smaller one or after a larger one: the shapes that pass others in the order.
 * @param {number[]} numbers distinct
 */
const passing = (numbers) =>
  new Set(numbers.filter((number, i) => numbers.some((other, j) => (j - i) * (other - number) < 0)));
