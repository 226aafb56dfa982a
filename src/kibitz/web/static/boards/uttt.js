// Drawing Ultimate Tic-Tac-Toe: nine boards of nine cells, one unit a cell. Knows the scene of kind "uttt".

import { s } from "../dom.js";
import { target } from "./focus.js";

const GAP = 0.42; // between two mini-boards
const EDGE = 0.16;
const SIDE = 9 + 2 * GAP;
const PLAYERS = { X: "p0", O: "p1" };

const corner = (board) => ({ x: (board % 3) * (3 + GAP), y: Math.floor(board / 3) * (3 + GAP) });

/** Return the centre of a cell, numbered 9*board+cell. */
function centre(index) {
  const { x, y } = corner(Math.floor(index / 9)), cell = index % 9;
  return { x: x + (cell % 3) + 0.5, y: y + Math.floor(cell / 3) + 0.5 };
}

/** Draw X or O around a place, `r` half its width. */
function mark(which, { x, y }, r, cls = "") {
  const name = `mark ${PLAYERS[which]} ${cls}`;
  if (which === "O") return s("circle", { cls: name, cx: x, cy: y, r });
  return s("path", { cls: name, d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}` });
}

function cell(scene, index, how, before) {
  const at = centre(index), which = scene.cells[index], last = scene.last === index;
  const move = scene.legal?.[index], active = how.editing || (how.playable && move !== undefined);
  const isNew = before && which && !before.cells[index];
  const tile = s("rect", { cls: "hit", x: at.x - 0.46, y: at.y - 0.46, width: 0.92, height: 0.92, rx: 0.1 });
  const cls = last ? "cell last" : "cell";
  const ghost = active && !how.editing ? mark(how.mover ? "O" : "X", at, 0.23, "ghost") : null;
  const shape = which ? mark(which, at, 0.23, isNew ? "fresh" : "") : ghost;
  if (!active) return { el: s("g", { cls, "aria-hidden": "true" }, tile, shape) };
  const label = which ? `${scene.names[index]}: ${which}` : scene.names[index];
  return target(how.editing ? `cell ${index}` : move, label, at, cls, tile, shape);
}

function miniBoard(scene, board, how, before) {
  const { x, y } = corner(board), owner = scene.boards[board];
  const open = scene.open?.includes(board) && how.playable !== undefined && !how.editing;
  const state = owner === "D" ? "drawn" : owner ? `won ${PLAYERS[owner]}` : open ? "playable" : "";
  const cells = Array.from({ length: 9 }, (_, i) => cell(scene, 9 * board + i, how, before));
  const isNew = before && owner && !before.boards[board];
  const middle = { x: x + 1.5, y: y + 1.5 };
  const el = s("g", { cls: `mini ${state} ${open ? "playable" : ""}` },
    s("rect", { cls: "ground", x: x - 0.08, y: y - 0.08, width: 3.16, height: 3.16, rx: 0.24 }),
    s("g", { cls: "cells" }, cells.map((each) => each.el)),
    owner === "X" || owner === "O" ? mark(owner, middle, 1, `large ${isNew ? "fresh" : ""}`) : null);
  return { el, spots: cells.flatMap((each) => each.spot ?? []) };
}

function draw(scene, how, before) {
  const boards = Array.from({ length: 9 }, (_, board) => miniBoard(scene, board, how, before));
  return { nodes: boards.map((board) => board.el), spots: boards.flatMap((board) => board.spots) };
}

function places(scene) {
  const found = new Map(scene.cells.map((_, index) => [String(index), { ...centre(index), room: 0.42 }]));
  for (const [index, move] of Object.entries(scene.legal ?? {})) found.set(move, found.get(index));
  return found;
}

const frame = (scene, room) => [-EDGE - room, -EDGE - room, SIDE + 2 * EDGE + room, SIDE + 2 * EDGE + room];

/** Return the names of the columns and rows of cells, and where they stand. */
function sides({ sides: { across, down } }) {
  const at = (i) => i + Math.floor(i / 3) * GAP + 0.5, out = -EDGE - 0.14;
  return [
    ...across.map((text, i) => ({ x: at(i), y: out, text })), ...down.map((text, i) => ({ x: out, y: at(i), text })),
  ];
}

export const uttt = { frame, sides, draw, places, unit: 120 };
