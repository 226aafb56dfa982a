// Moves made by pressing places: each press narrows down the legal moves. Independent of the DOM.

/** @import { LegalMove, Place } from "./picture.js" */

/** The steps pressed so far, and those that may follow. */
export class Steps {
  /** @type {Map<string, LegalMove>} */
  #moves = new Map();
  /** @type {Map<string, Place>} */
  #places = new Map();
  /** The places pressed so far. @type {string[]} */
  picked = [];
  /** The places that lead on. @type {Set<string>} */
  next = new Set();
  /**
   * All places that may be pressed: those that lead on, other beginnings, and those pressed, which are taken back.
   * @type {Set<string>}
   */
  open = new Set();

  /**
   * Set the legal moves of a position; the steps so far are kept if the moves are the same.
   * @param {Map<string, LegalMove>} moves @param {Map<string, Place>} places
   */
  take(moves, places) {
    const same = moves.size === this.#moves.size && [...moves.keys()].every((move) => this.#moves.has(move));
    [this.#moves, this.#places] = [moves, places];
    this.go(same ? this.picked : []);
  }

  /** Return the moves that begin with these steps. @param {string[]} steps */
  #fitting(steps) {
    return [...this.#moves.values()].filter((move) => steps.every((key, i) => move.steps[i] === key));
  }

  /** Replace the steps taken so far. @param {string[]} steps */
  go(steps) {
    this.picked = steps;
    this.next = new Set(this.#fitting(steps).flatMap((move) => move.steps[steps.length] ?? []));
    const others = steps.length ? [...this.#moves.values()].filter((move) => move.steps.length > 1) : [];
    this.open = new Set([...this.next, ...others.map((move) => move.steps[0]), ...steps]);
  }

  /** Return the steps after a press of an open place. @param {string} key */
  #after(key) {
    const at = this.picked.indexOf(key);
    if (at >= 0) return this.picked.slice(0, at);
    return this.next.has(key) ? [...this.picked, key] : [key];
  }

  /** Return the move that a press would complete, if any. @param {string} key @returns {LegalMove | undefined} */
  completes(key) {
    const steps = this.#after(key);
    return this.open.has(key) ? this.#fitting(steps).find((move) => move.steps.length === steps.length) : undefined;
  }

  /** Press an open place that completes no move. @param {string} key */
  press(key) {
    this.go(this.#after(key));
  }

  /** Return whether a place begins a move of several steps. @param {string} key */
  begins(key) {
    return this.#fitting([key]).some((move) => move.steps.length > 1);
  }

  /** Return what to do next, in words. @param {string} prompt of the picture */
  words(prompt) {
    const last = this.#places.get(this.picked.at(-1) ?? "");
    return last ? `${last.label}: ${last.prompt || "go on"}.` : prompt;
  }
}
