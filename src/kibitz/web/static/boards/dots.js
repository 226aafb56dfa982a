// Drawing a grid of Dots-and-Boxes: one unit from dot to dot. Knows the scene of kind "dots" and its layer.

import { s } from "../dom.js";
import { target } from "./focus.js";

const EDGE = 0.3;
const OWNERS = { 0: "p0", 1: "p1", 2: "p2", start: "p2" };

const ends = ({ way, row, col }) => (way === "h" ? [col, row, col + 1, row] : [col, row, col, row + 1]);
const middle = ({ way, row, col }) => (way === "h" ? { x: col + 0.5, y: row } : { x: col, y: row + 0.5 });

function segment(line, attrs) {
  const [x1, y1, x2, y2] = ends(line);
  return s("line", { x1, y1, x2, y2, ...attrs });
}

/** Return the square on its corner whose diagonal is the line: these squares fill the board without gaps. */
function diamond(line) {
  const { x, y } = middle(line);
  return s("polygon", { cls: "hit", points: `${x - 0.5},${y} ${x},${y - 0.5} ${x + 0.5},${y} ${x},${y + 0.5}` });
}

/** Where the keyboard sees a line: slightly apart from its middle, so that arrow keys walk along rows and columns. */
function spotPlace(line) {
  const { x, y } = middle(line);
  return line.way === "h" ? { x, y: y + 0.2 } : { x: x + 0.2, y };
}

function words(line, how) {
  const where = `${line.way === "h" ? "Horizontal" : "Vertical"} line, row ${line.row + 1}, column ${line.col + 1}`;
  if (line.owner === null) return where;
  return typeof line.owner === "number" ? `${where}, drawn by ${how.names[line.owner]}` : `${where}, drawn`;
}

function drawnLine(line, isNew) {
  return segment(line, { cls: `line ${OWNERS[line.owner]} ${isNew ? "fresh" : ""}`, pathLength: 1 });
}

function openLine(line, how) {
  const active = how.editing || (how.playable && line.legal);
  const trace = segment(line, { cls: "trace" });
  return active ? target(line.move, words(line, how), spotPlace(line), "", diamond(line), trace) : { el: trace };
}

/** In an editor a drawn line can be clicked too, to take it away. */
function editedLine(line, how) {
  return target(line.move, words(line, how), spotPlace(line), "drawn", diamond(line));
}

function box(scene, index, owner, how, before) {
  if (owner === null) return null;
  const x = index % scene.cols, y = Math.floor(index / scene.cols);
  const isNew = before && before.boxes[index] === null;
  return s("g", { cls: `box ${OWNERS[owner]} ${isNew ? "fresh" : ""}` },
    s("rect", { x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.06 }),
    s("text", { x: x + 0.5, y: y + 0.5, "font-size": 0.36 }, how.initials[owner] ?? ""));
}

/** In an editor a finished box can be clicked, to change its owner. */
function editedBox(scene, index, owner, how) {
  const col = index % scene.cols, row = Math.floor(index / scene.cols), x = col + 0.5, y = row + 0.5;
  const label = `Box, row ${row + 1}, column ${col + 1}: ${owner === 2 ? "nobody's" : how.names[owner]}`;
  return target(`box ${index}`, label, { x, y }, "drawn", s("circle", { cls: "hit", cx: x, cy: y, r: 0.24 }));
}

function same(before, scene) {
  return before && before.rows === scene.rows && before.cols === scene.cols ? before : null;
}

function draw(scene, how, previous) {
  const before = same(previous, scene);
  const isNew = (index) => before?.lines[index].owner === null;
  const drawn = scene.lines.map((line, i) => [line, i]).filter(([line]) => line.owner !== null);
  const open = scene.lines.filter((line) => line.owner === null).map((line) => openLine(line, how));
  const edited = !how.editing ? [] : [
    ...drawn.map(([line]) => editedLine(line, how)),
    ...scene.boxes.flatMap((owner, i) => (owner === null ? [] : editedBox(scene, i, owner, how))),
  ];
  return {
    nodes: [
      s("g", { "aria-hidden": "true" }, scene.boxes.map((owner, i) => box(scene, i, owner, how, before))),
      s("g", {}, open.map((each) => each.el)),
      s("g", { "aria-hidden": "true" },
        (scene.last ?? []).map((i) => segment(scene.lines[i], { cls: isNew(i) ? "halo fresh" : "halo" })),
        drawn.map(([line, i]) => drawnLine(line, isNew(i))), corners(scene)),
      s("g", {}, edited.map((each) => each.el)),
    ],
    spots: [...open, ...edited].flatMap((each) => each.spot ?? []),
  };
}

function corners({ rows, cols }) {
  return s("g", { cls: "corners" }, Array.from({ length: (rows + 1) * (cols + 1) }, (_, i) =>
    s("circle", { cx: i % (cols + 1), cy: Math.floor(i / (cols + 1)), r: 0.075 })));
}

function places(scene) {
  return new Map(scene.lines.map((line) => [line.move, { ...middle(line), ends: ends(line), room: 0.28 }]));
}

/** Colour runs by their boxes, mark joints, and mark lines that are loony or safe. */
function layer(scene, { runs = [], joints = [], loony = [], safe = [] }) {
  const at = (index) => ({ x: index % scene.cols, y: Math.floor(index / scene.cols) });
  const tile = (index, tone) => s("rect", { cls: `hue${tone}`, ...at(index), width: 1, height: 1 });
  const tagged = (run) => {
    const { x, y } = at(run.boxes[Math.floor(run.boxes.length / 2)]);
    return s("text", { cls: "count", x: x + 0.5, y: y + 0.5, "font-size": 0.26 }, String(run.length));
  };
  return {
    under: [
      ...runs.flatMap((run) => [...run.boxes.map((index) => tile(index, run.tone)), tagged(run)]),
      ...joints.map((index) => s("circle", { cls: "joint", cx: at(index).x + 0.5, cy: at(index).y + 0.5, r: 0.08 })),
    ],
    signs: lineSigns(loony, runs.length ? safe : [], (index) => middle(scene.lines[index])),
  };
}

/** Mark lines or strings that are loony or safe, at the places that `at` tells. */
export function lineSigns(loony, safe, at) {
  const dot = ({ x, y }) => s("circle", { cls: "safe", cx: x, cy: y, r: 0.04 });
  return [...safe.map((index) => dot(at(index))), ...loony.map((index) => crescent(at(index)))];
}

/** Draw a crescent moon, `r` half its height: the sign of a loony move. */
export function crescent({ x, y }, r = 0.12) {
  const [start, inner] = [`M${x + 0.75 * r} ${y - r}`, 1.15 * r];
  return s("path", { cls: "loony", d: `${start}a${r} ${r} 0 1 0 0 ${2 * r}a${inner} ${inner} 0 0 1 0 ${-2 * r}z` });
}

const frame = ({ rows, cols }, room) =>
  [-EDGE - room, -EDGE - room, cols + 2 * EDGE + room, rows + 2 * EDGE + room];

/** Return the names of the columns and rows of dots, and where they stand. */
function sides({ rows, cols, sides: { across, down } }) {
  return [
    ...across.slice(0, cols + 1).map((text, i) => ({ x: i, y: -EDGE - 0.02, text })),
    ...down.slice(0, rows + 1).map((text, i) => ({ x: -EDGE - 0.02, y: i, text })),
  ];
}

export const dots = { frame, sides, draw, places, layer };
