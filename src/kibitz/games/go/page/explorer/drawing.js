// What is drawn in the explorer: marks on a board, the region that is searched for, the moves played out on it.
// Knows how an address holds it; shows nothing and asks nobody.

import { packed, unpacked } from "../api.js";

const SIGNS = ".XOxo*";

// A move that was played is its point and `was`: the points that it changed, with their marks from before. In the
// address it is the point, and then a mark and a point for each that was not empty.
const told = ({ point, was }) => point + was.filter(([, mark]) => mark !== ".").map(([on, mark]) => mark + on).join("");

/** Return the moves that an address holds, or none if they are not on the board. */
function movesOf(text, size) {
  const moves = text.split(",").filter(Boolean).map((move) => {
    const marks = [...move.matchAll(/([.XOxo*])(\d+)/g)].map(([, mark, on]) => [Number(on), mark]);
    return { point: parseInt(move, 10), was: [[parseInt(move, 10), "."], ...marks] };
  });
  const isOn = ([point]) => point >= 0 && point < size * size;
  return moves.every(({ was }) => was.every(isOn)) ? moves : [];
}

/** Return the region and the rows in it that an address holds, or null if they do not lie on the board. */
function regionOf(query, size) {
  const rows = unpacked(query.get("rows") ?? ""), [{ length: width }] = rows, height = rows.length;
  const [top, left] = (query.get("at") ?? "").split(",").map(Number);
  const isWhole = [top, left].every((line) => Number.isInteger(line) && line >= 0);
  const isEven = width > 0 && rows.every((row) => row.length === width);
  if (!isWhole || !isEven || top + height > size || left + width > size) return null;
  return { rows, region: { top, left, height, width } };
}

/** Return the drawing that an address holds, or the empty corner of a board; `given` says which. */
export function drawingOf(query, size) {
  const found = regionOf(query, size), corner = Math.max(1, Math.ceil(size / 2) - 2);
  const drawn = {
    size, given: found !== null, points: Array(size * size).fill("."),
    region: found?.region ?? { top: 0, left: size - corner, height: corner, width: corner },
    moves: found ? movesOf(query.get("played") ?? "", size) : [],
    play, back, numbers, sequence, rows, address,
  };
  const { top, left } = drawn.region;
  found?.rows.forEach((row, y) => [...row].forEach((mark, x) => {
    drawn.points[(top + y) * size + left + x] = SIGNS.includes(mark) ? mark : ".";
  }));

  /** Play a move, and take off the stones that it captures. */
  function play({ point, colour, taken }) {
    drawn.moves.push({ point, was: [point, ...taken].map((each) => [each, drawn.points[each]]) });
    drawn.points[point] = colour;
    for (const each of taken) drawn.points[each] = ".";
  }

  /** Take back the last move that was played, with its captures. */
  function back() {
    for (const [point, mark] of drawn.moves.pop().was) drawn.points[point] = mark;
  }

  function stands({ point }) {
    return "XO".includes(drawn.points[point]);
  }

  /** Return point -> number of the last move there, for the moves whose stones stand. */
  function numbers() {
    return new Map(drawn.moves.map((move, i) => [move, i + 1]).filter(([move]) => stands(move))
      .map(([{ point }, number]) => [point, number]));
  }

  /** Return the points of the last moves, in order, as far back as each has its own stone on the board. */
  function sequence() {
    const last = [];
    for (const move of drawn.moves.toReversed()) {
      if (!stands(move) || last.includes(move.point)) break;
      last.unshift(move.point);
    }
    return last;
  }

  /** Return the marks in the region, row by row. */
  function rows() {
    const { region, points } = drawn;
    const row = (y) => points.slice(y * size + region.left, y * size + region.left + region.width).join("");
    return Array.from({ length: region.height }, (_, y) => row(region.top + y));
  }

  /** Return what an address holds of it. */
  function address() {
    const at = `${drawn.region.top},${drawn.region.left}`;
    return { size, at, rows: packed(rows()), played: drawn.moves.map(told).join(",") };
  }

  return drawn;
}
