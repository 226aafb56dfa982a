// Drawing strings and coins: the dual of a grid, or any graph. Knows the scene of kind "coins" and its layer;
// where things lie is in the scene.

import { s } from "../dom.js";
import { lineSigns } from "./dots.js";
import { target } from "./focus.js";

const RADIUS = 0.21;
const OWNERS = { 0: "p0", 1: "p1", 2: "p2", start: "p2" };

const middle = (string) => along(string, 0.5);
const along = ({ x1, y1, x2, y2 }, share) => ({ x: x1 + share * (x2 - x1), y: y1 + share * (y2 - y1) });
const course = ({ x1, y1, x2, y2 }) => `M${x1} ${y1}L${x2} ${y2}`;

/** Return for each string its number among those that join the same coins, and how many these are. */
function beside(strings) {
  const pair = ({ a, b }, i) => (b === "ground" ? `ground ${i}` : [a, b].sort().join(" "));
  const groups = new Map();
  strings.forEach((string, i) => groups.set(pair(string, i), [...(groups.get(pair(string, i)) ?? []), i]));
  return strings.map((string, i) => {
    const group = groups.get(pair(string, i));
    return { number: group.indexOf(i), of: group.length };
  });
}

/** Return where marks on strings are put: away from each other, and from the coin of a string to the ground. */
function markPlaces(scene) {
  const near = beside(scene.strings), share = ({ number, of }) => (number + 1) / (of + 1);
  return scene.strings.map((string, i) => along(string, string.b === "ground" ? 0.6 : share(near[i])));
}

/** Draw the sign of the ground across the end of a string. */
function ground({ x1, y1, x2, y2 }) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const bar = (back, half) => {
    const x = x2 - ux * back, y = y2 - uy * back;
    return `M${x - uy * half} ${y + ux * half}L${x + uy * half} ${y - ux * half}`;
  };
  return s("path", { cls: "ground", d: bar(0.1, 0.14) + bar(0.03, 0.07) });
}

const words = ({ label, a, b }) => `String ${label}, from ${a} to ${b === "ground" ? "the ground" : b}`;

function openString(string, how, slim) {
  const parts = [string.b === "ground" ? ground(string) : null, s("path", { cls: "trace", d: course(string) })];
  if (!(how.editing || (how.playable && string.legal))) return { el: s("g", {}, parts) };
  const hit = s("path", { cls: slim ? "hit slim" : "hit", d: course(string) });
  return target(string.move, words(string), spotPlace(string), "", hit, parts);
}

/** Where the keyboard sees a string, as in dots.js. */
function spotPlace(string) {
  const { x, y } = middle(string), upright = Math.abs(string.x2 - string.x1) < Math.abs(string.y2 - string.y1);
  return upright ? { x, y: y + 0.2 } : { x: x + 0.2, y };
}

function cutString(string, how, last, isNew) {
  const cls = `cut ${OWNERS[string.owner]} ${last ? "last" : ""} ${isNew ? "fresh" : ""}`;
  const line = s("path", { cls, d: course(string) });
  if (!how.editing) return { el: line };
  const hit = s("path", { cls: "hit", d: course(string) });
  return target(string.move, `${words(string)}, cut`, spotPlace(string), "drawn", hit, line);
}

function coin(each, how, isNew) {
  const cls = each.owner === null ? "coin" : `coin taken ${OWNERS[each.owner]} ${isNew ? "fresh" : ""}`;
  const text = each.owner === null ? (how.plainCoins ? "" : each.id) : how.initials[each.owner] ?? "";
  return s("g", { cls }, s("circle", { cx: each.x, cy: each.y, r: RADIUS }),
    s("text", { x: each.x, y: each.y, "font-size": text.length > 3 ? 0.13 : 0.19 }, text));
}

/** In an editor a taken coin can be clicked, to change its owner. */
function editedCoin(each, index, how) {
  const { x, y, owner } = each, whose = owner === 2 ? "nobody's" : how.names[owner];
  const hit = s("circle", { cls: "hit", cx: x, cy: y, r: RADIUS });
  return target(`box ${index}`, `Coin ${each.id}: ${whose}`, { x, y }, "drawn", hit);
}

function draw(scene, how, previous) {
  const before = previous?.strings.length === scene.strings.length ? previous : null;
  const near = beside(scene.strings), last = new Set(scene.last ?? []);
  const drawn = scene.strings.map((string, i) => (string.owner === null
    ? openString(string, how, near[i].of > 1)
    : cutString(string, how, last.has(i), before?.strings[i].owner === null)));
  const isTaken = (i) => before?.coins[i].owner === null;
  const edited = (each, i) => (how.editing && each.owner !== null ? [editedCoin(each, i, how)] : []);
  const taken = scene.coins.flatMap(edited);
  return {
    nodes: [
      s("g", {}, drawn.map((each) => each.el)),
      s("g", { "aria-hidden": "true" }, scene.coins.map((each, i) => coin(each, how, isTaken(i)))),
      s("g", {}, taken.map((each) => each.el)),
    ],
    spots: [...drawn, ...taken].flatMap((each) => each.spot ?? []),
  };
}

function places(scene) {
  const marks = markPlaces(scene);
  const place = ({ x1, y1, x2, y2 }, i) => ({ ...marks[i], ends: [x1, y1, x2, y2], room: 0.22 });
  return new Map(scene.strings.map((string, i) => [string.move, place(string, i)]));
}

function layer(scene, { runs = [], joints = [], loony = [], safe = [] }) {
  const marks = markPlaces(scene);
  const round = (i, cls, r) => s("circle", { cls, cx: scene.coins[i].x, cy: scene.coins[i].y, r });
  const open = (i) => scene.strings[i].owner === null;
  return {
    under: [
      ...runs.flatMap((run) => [
        ...run.lines.filter(open).map((i) => s("path", { cls: `way hue${run.tone}`, d: course(scene.strings[i]) })),
        ...run.boxes.map((i) => round(i, `hue${run.tone}`, RADIUS + 0.14)),
      ]),
      ...joints.map((i) => round(i, "joint ringed", RADIUS + 0.08)),
    ],
    signs: lineSigns(loony, runs.length ? safe : [], (i) => marks[i]),
  };
}

function frame(scene) {
  const xs = [...scene.coins.map((c) => c.x), ...scene.strings.flatMap((t) => [t.x1, t.x2])];
  const ys = [...scene.coins.map((c) => c.y), ...scene.strings.flatMap((t) => [t.y1, t.y2])];
  const left = Math.min(...xs) - 0.4, top = Math.min(...ys) - 0.4;
  return [left, top, Math.max(...xs) + 0.4 - left, Math.max(...ys) + 0.4 - top];
}

export const coins = { frame, draw, places, layer };
