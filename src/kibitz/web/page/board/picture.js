// Reads pictures, and changes to them, from the JSON that the server sends. Independent of games; draws nothing.
// Everything arrives as short arrays, without the empty fields at their end: see picture/wire.py.

/** The view that shows a position while its hidden cards are covered, see picture/__init__.py. */
export const COVERED = "Covered";

/** @typedef {"line" | "circle" | "rect" | "path" | "text" | "use" | "g"} Tag */

/**
 * Something drawn about the point (x, y). `key` is its identity among the shapes of a picture, empty in groups, grounds,
 * ghosts and overlays; `style` are classes of the game's board.css, `attributes` its geometry, `shapes` the parts of a
 * group; `born` is the key of the shape or place it comes from when it appears.
 * @typedef {{ tag: Tag, key: string, style: string, x: number, y: number, scale: number, text: string, born: string,
 *   attributes: Record<string, string>, shapes: Shape[] }} Shape
 */

/** @typedef {[number, number, number, number]} Four x, y, width and height; or the two ends of a line */

/**
 * Somewhere to press and to put a mark: a box centred at (x, y), or a line between two ends. Its `key` is that of the
 * shape it lifts, `ghost` a name in Picture.ghosts, `prompt` what to say once it is pressed and a further step must
 * follow, `walk` where arrow keys see it, `mark` where marks go.
 * @typedef {{ key: string, x: number, y: number, w: number, h: number, label: string, ghost: string, prompt: string,
 *   ends: Four | null, walk: [number, number], mark: [number, number] }} Place
 */

/** @typedef {{ move: string, label: string, steps: string[] }} LegalMove */
/** @typedef {{ move: string, label: string }} Button an empty label: that of the legal move */

/**
 * A position as one viewer may see it. Shapes are in their order from bottom to top.
 * @typedef {{ frame: Four, ground: Shape[], shapes: Map<string, Shape>, places: Map<string, Place>,
 *   moves: Map<string, LegalMove>, ghosts: Record<string, Shape[]>, buttons: Button[], label: string, prompt: string,
 *   secret: string, views: Record<string, Picture> }} Picture
 */

/** @typedef {[string, string, string, number, number, ...any[]]} ShapeArray */
/** @typedef {any[]} PartArray a place, a move or a button */
/** @typedef {{ label?: string, prompt?: string, secret?: string, ghosts?: Record<string, ShapeArray[]>,
 *   buttons?: PartArray[] }} Plain what is sent alike of a picture and of a change */

/**
 * A whole picture in JSON.
 * @typedef {Plain & { frame: Four, ground: ShapeArray[], shapes?: ShapeArray[], places?: PartArray[],
 *   moves?: PartArray[], views?: Record<string, PictureJson> }} PictureJson
 */

/**
 * What changes in a picture: keys that go and parts that come or change, and other fields where they differ. A shape
 * that comes or lies elsewhere in the order is [shape, key of the one below it], one that only changes is [shape].
 * Of each view that changes it has the change or the whole picture.
 * @typedef {Plain & { shapes?: [string[], [ShapeArray, string?][]], places?: [string[] | true, PartArray[]],
 *   moves?: [string[] | true, PartArray[]], views?: Record<string, Change | PictureJson | 0> }} Change
 */

/**
 * What follows key, style, x and y in the array of each kind of shape; `born` comes last.
 * @type {Record<string, [Tag, ...string[]]>}
 */
const KINDS = {
  l: ["line", "x2", "y2"], c: ["circle", "r"], r: ["rect", "width", "height", "rx"], p: ["path", "d"],
  t: ["text", "text", "font-size"], u: ["use", "symbol", "scale"], g: ["g", "shapes", "scale"],
};

/** Return a shape from its array. @param {ShapeArray} array @returns {Shape} */
export function readShape([kind, key, style, x, y, ...own]) {
  const [tag, ...names] = KINDS[kind];
  /** @type {Shape} */
  const shape = { tag, key, style, x, y, scale: 1, born: "", attributes: {}, text: "", shapes: [] };
  shape.born = own[names.length] ?? "";
  for (const [i, name] of names.entries()) {
    const value = own[i];
    if (value === undefined) continue;
    if (name === "text") shape.text = value;
    else if (name === "scale") shape.scale = value;
    else if (name === "shapes") shape.shapes = value.map(readShape);
    else if (name === "symbol") shape.attributes.href = `#${value}`;
    else shape.attributes[name] = String(value);
  }
  return shape;
}

/** Return a place from its array. @param {PartArray} array @returns {Place} */
function readPlace([key, x, y, w, h, label = "", ghost = "", prompt = "", ends = null, walk = null, mark = null]) {
  return { key, x, y, w, h, label, ghost, prompt, ends, walk: walk ?? [x, y], mark: mark ?? [x, y] };
}

/** @param {PartArray} array @returns {Button} */
const readButton = ([move, label = ""]) => ({ move, label });

/** Return a map from name(thing) to thing. @template T @param {T[]} things @param {(thing: T) => string} name */
const by = (things, name) => new Map(things.map((thing) => [name(thing), thing]));

/**
 * Return a record with every value replaced.
 * @template S, T
 * @param {Record<string, S>} record @param {(value: S, name: string) => T} make @returns {Record<string, T>}
 */
const mapped = (record, make) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value, name)]));

/** Return a picture from its JSON. @param {PictureJson} json @returns {Picture} */
export function readPicture(json) {
  return {
    frame: json.frame, ground: json.ground.map(readShape),
    shapes: by((json.shapes ?? []).map(readShape), (shape) => shape.key),
    places: by((json.places ?? []).map(readPlace), (place) => place.key),
    moves: by((json.moves ?? []).flatMap(readMoves), (move) => move.move),
    ghosts: mapped(json.ghosts ?? {}, (shapes) => shapes.map(readShape)),
    buttons: (json.buttons ?? []).map(readButton),
    label: json.label ?? "", prompt: json.prompt ?? "", secret: json.secret ?? "",
    views: mapped(json.views ?? {}, readPicture),
  };
}

/** First element of the short array for a slightly changed shape or place, see picture/wire.py. */
const SLIGHT = "@";

/** Return a place after a slight change. @param {Place} place @param {PartArray} array @returns {Place} */
function adjustedPlace(place, [, , newX, newY, label, prompt, w, h]) {
  const x = newX ?? place.x, y = newY ?? place.y, stays = x === place.x && y === place.y;
  return {
    ...place, x, y, walk: stays ? place.walk : [x, y], mark: stays ? place.mark : [x, y], w: w ?? place.w,
    h: h ?? place.h, label: label ?? place.label, prompt: prompt ?? place.prompt,
  };
}

/** Return a shape after a slight change. @param {Shape} shape @param {any[]} array @returns {Shape} */
const adjustedShape = (shape, [, , x, y, style, scale, born]) => ({
  ...shape, x: x ?? shape.x, y: y ?? shape.y, style: style ?? shape.style, scale: scale ?? shape.scale,
  born: born ?? shape.born,
});

/**
 * Return the moves in an array: one move, or several that differ only in their last step, which ends their text.
 * @param {PartArray} array @returns {LegalMove[]}
 */
function readMoves([text, rest = "", steps = undefined]) {
  if (!Array.isArray(rest)) return [{ move: text, label: rest, steps: steps ?? text.split(" > ") }];
  const first = steps ?? text.split(" > ").slice(0, -1);
  return rest.map((last) => ({ move: text + last, label: "", steps: [...first, last] }));
}

/**
 * Return things by key after some were removed, added or changed. Unchanged things stay the same objects.
 * @template T
 * @param {Map<string, T>} before @param {[string[] | true, PartArray[]]} change
 * @param {(array: PartArray, before: Map<string, T>) => [string, T][]} read the things of an array, with their keys
 */
function patched(before, [gone, put], read) {
  const after = new Map(gone === true ? [] : before);
  if (gone !== true) for (const key of gone) after.delete(key);
  for (const array of put) for (const [key, thing] of read(array, before)) after.set(key, thing);
  return after;
}

/**
 * Return a place from an array of a change.
 * @param {PartArray} array @param {Map<string, Place>} before @returns {[string, Place][]}
 */
function changedPlace(array, before) {
  const old = array[0] === SLIGHT ? before.get(array[1]) : undefined;
  const place = old ? adjustedPlace(old, array) : readPlace(array);
  return [[place.key, place]];
}

/** Return the moves of an array with their texts. @param {PartArray} array @returns {[string, LegalMove][]} */
const changedMoves = (array) => readMoves(array).map((move) => [move.move, move]);

/**
 * Return the shapes after a change, in their new order.
 * @param {Map<string, Shape>} before @param {[string[], [ShapeArray, string?][]]} change
 */
function patchedShapes(before, [gone, put]) {
  const found = new Map(before), order = [...before.keys()];
  const drop = (/** @type {string} */ key) => { if (before.has(key)) order.splice(order.indexOf(key), 1); };
  for (const key of gone) { found.delete(key); drop(key); }
  for (const [array, below] of put) {
    const old = array[0] === SLIGHT ? before.get(array[1]) : undefined;
    const shape = old ? adjustedShape(old, array) : readShape(array);
    found.set(shape.key, shape);
    if (below === undefined) continue;
    drop(shape.key);
    order.splice(below ? order.indexOf(below) + 1 : 0, 0, shape.key);
  }
  return new Map(order.map((key) => [key, /** @type {Shape} */ (found.get(key))]));
}

/**
 * Apply a change to a picture; return the new picture and leave the old one unchanged.
 * @param {Picture} before @param {Change} change @returns {Picture}
 */
export function patchedPicture(before, change) {
  const { shapes, places, moves, views, ghosts, buttons, ...rest } = change, { views: _, ...whole } = change;
  return {
    ...before, ...rest,
    shapes: shapes ? patchedShapes(before.shapes, shapes) : before.shapes,
    places: places ? patched(before.places, places, changedPlace) : before.places,
    moves: moves ? patched(before.moves, moves, changedMoves) : before.moves,
    ghosts: ghosts ? mapped(ghosts, (each) => each.map(readShape)) : before.ghosts,
    buttons: buttons ? buttons.map(readButton) : before.buttons,
    views: views ? mapped(before.views, (view, name) => patchedView(view, views[name], whole)) : before.views,
  };
}

/**
 * Return a view after a change; what is 0 in it, or all of it, is the same as in the change of the whole picture.
 * @param {Picture} before @param {Change | PictureJson | 0 | undefined} change @param {Record<string, any>} whole
 * @returns {Picture}
 */
function patchedView(before, change, whole) {
  if (change === undefined) return before;
  if (change === 0) return patchedPicture(before, whole);
  if ("ground" in change) return readPicture(change);
  /** @type {Record<string, any>} */
  const parts = change;
  return patchedPicture(before, mapped(parts, (part, name) => (part === 0 ? whole[name] : part)));
}
