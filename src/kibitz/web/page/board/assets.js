// The style sheet and the drawings of each game, fetched once per document, and small pictures made with them. Their
// addresses are relative to this module, so they contain the same version.

import { readShape } from "./picture.js";
import { draw } from "./shapes.js";
import { element } from "./svg.js";

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/** Add a style sheet to the document, unless it is there already. @param {string} address */
export function addSheet(address) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  if ([...document.styleSheets].some(({ href }) => href === link.href)) return Promise.resolve();
  return new Promise((resolve) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", resolve); // an unstyled board is better than none
    document.head.append(link);
  });
}

/**
 * Add the <defs> of a game's board.svg to the document, where every board finds its symbols by their ids.
 * @param {string} address @param {string} name
 */
async function addArt(address, name) {
  const answer = await fetch(address);
  if (!answer.ok) return;
  const text = `<svg xmlns="http://www.w3.org/2000/svg">${await answer.text()}</svg>`;
  const art = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const holder = element("svg", { class: `board-art ${name}`, width: 0, height: 0, "aria-hidden": "true" });
  holder.append(...art.childNodes);
  document.body.append(holder);
}

/** Load what a game's pictures need; resolves when it is there. @param {string} name */
export function loadGame(name) {
  let ready = loaded.get(name);
  if (!ready) {
    const address = (/** @type {string} */ file) => new URL(`../../../games/${name}/page/${file}`, import.meta.url).href;
    ready = Promise.allSettled([addSheet(address("board.css")), addArt(address("board.svg"), name)]).then(() => {});
    loaded.set(name, ready);
  }
  return ready;
}

/**
 * Return shapes as a still drawing in the style of a game.
 * @param {string} name of the game
 * @param {import("./picture.js").ShapeArray[]} shapes
 * @param {Record<string, string>} attributes of the drawing: class, viewBox, role
 */
export function makeDrawing(name, shapes, attributes) {
  void loadGame(name);
  return element("svg", { ...attributes, class: `board ${name} ${attributes.class}` },
    ...shapes.map((array) => draw(readShape(array))));
}

/**
 * Return a drawing of shapes in a box of 24 by 24, with the origin in its middle; screen readers ignore it.
 * @param {import("./picture.js").ShapeArray[]} shapes
 * @param {string} name of the game
 */
export const makeIcon = (shapes, name) =>
  makeDrawing(name, shapes, { class: "board-icon", viewBox: "-12 -12 24 24", "aria-hidden": "true" });
