// The explorer of Go records: draw a pattern, see where it was played and how the games went on, look at the games.
// The address holds the pattern, or the game, so that it can be sent to somebody.

import * as api from "./explore_api.js";
import { h, say, shown } from "./dom.js";
import { exploreBoard, spanned } from "./explore_board.js";
import { foundView } from "./explore_found.js";
import { dropView, formView, toolsView } from "./explore_form.js";
import { gameView } from "./explore_game.js";
import { announce, title, trouble } from "./shell.js";

const SLOW = 1500; // milliseconds after which a wait is explained
const WAIT = "Still searching. The first search on a machine is compiled, which takes some seconds.";
const IMPORT = "kibitz go import PATH";

// A move that was played is its point and `was`: the points that it changed, with their marks from before. In the
// address it is the point, and then a mark and a point for each that was not empty.
const told = ({ point, was }) => point + was.filter(([, mark]) => mark !== ".").map(([on, mark]) => mark + on).join("");

/** Return the moves that an address holds, or none if they are not on the board. */
function movesOf(text, size) {
  const moves = text.split(",").filter(Boolean).map((move) => {
    const marks = [...move.matchAll(/([.XOxo*])(\d+)/g)].map(([, mark, on]) => [Number(on), mark]);
    return { point: parseInt(move, 10), was: [[parseInt(move, 10), "."], ...marks] };
  });
  return moves.every(({ was }) => was.every(([point]) => point < size * size)) ? moves : [];
}

/** Return the drawing that an address holds, or the empty corner of a board. */
function drawingOf(query, size) {
  const points = Array(size * size).fill("."), corner = Math.min(size, Math.ceil(size / 2) - 2);
  const region = { top: 0, left: size - corner, height: corner, width: corner };
  const rows = query.get("rows") ? api.unpacked(query.get("rows")) : null;
  const [top, left] = (query.get("at") ?? "").split(",").map(Number);
  const even = rows?.every((row) => row.length === rows[0].length && left + row.length <= size);
  const fits = even && top + rows.length <= size;
  if (!fits || !rows[0].length) return { points, region, moves: [], given: false };
  rows.forEach((row, y) => [...row].forEach((mark, x) => {
    points[(top + y) * size + left + x] = ".XOxo*".includes(mark) ? mark : ".";
  }));
  const moves = movesOf(query.get("played") ?? "", size);
  return { points, region: { top, left, height: rows.length, width: rows[0].length }, moves, given: true };
}

/** Return what an address says beside the drawing. */
function wishOf(query) {
  const filters = Object.fromEntries(["player", "event", "since", "until", "result", "rank", "handicap"]
    .map((name) => [name, query.get(name) ?? ""]));
  return {
    store: query.get("store"), anchor: query.get("anchor"), next: query.get("next"),
    fixed: query.get("fixed") === "true", ordered: query.get("ordered") === "true",
    low: query.get("low"), high: query.get("high"), filters,
  };
}

export async function page(root, _, query) {
  title("Explore games of Go");
  const { boards, drop: mayDrop, folder, trouble: broken, ...first } = await api.overview();
  let { stores } = first;
  const wish = wishOf(query);
  const chosen = () => stores.find((each) => each.name === wish.store) ?? stores[0];
  wish.store = chosen()?.name;
  let size = Number(query.get("size")) || chosen()?.sizes[0] || 19;
  size = Math.max(1, Math.min(25, size));
  let { points, region, moves, given } = drawingOf(query, size), tool = given ? "X" : "region";
  let continuations = [], found = null, scene = boards[size - 1], searched = 0, looking = null, playing = false;

  const board = exploreBoard({ press, stretch, tool: () => tool });
  const tools = toolsView(tool, (value) => { tool = value; board.forget(); draw(); });
  const state = h("p", { cls: "quiet", role: "status" }), error = h("div", { "aria-live": "polite" });
  const open = (each) => openGame(wish.store, each.game, each.move, each.at);
  const results = foundView({ play, spot: board.spot, open, more });
  const game = gameView(board, { close: closeGame, from: searchFrom, moved: (ply) => address({ move: ply }) });
  const dropped = dropView(mayDrop, drop), formPart = h("div");
  const searchPart = h("section", { cls: "card stack search", "aria-label": "Search" }, tools, formPart, state, error);
  const drawing = h("div", { cls: "stack" }, searchPart, results.el, dropped.el, help());
  let form = null;
  root.classList.add("explore");
  root.append(h("div", { cls: "hero" }, h("h1", {}, "Explore games of Go"),
    h("p", {}, "Draw a region and what stands in it. See in which games it stood, and how they went on. ",
      h("a", { href: "/explore/patterns" }, "Or see what was mined: patterns, openings, players"))),
    h("div", { cls: "split board-first" }, board.el, h("div", {}, drawing, game.el)));
  shown(results.el, false);
  shown(game.el, false);
  offer();

  /** Say which records these are, and how to have others. */
  function help() {
    const demo = stores.every((each) => each.name !== "collection");
    const few = "The demo games are few. A collection of your own is searched here once you import it:";
    const words = demo ? few : "More games are added to your collection with";
    return h("section", { cls: "quiet about-store" }, broken ? trouble(broken) : null,
      h("p", {}, words, " ", h("code", {}, IMPORT)),
      demo ? h("p", {}, "It is kept in the folder ", h("code", {}, folder), " of the data of kibitz.") : null);
  }

  function offer() {
    form = formView(wish, stores, { submit: search, clear, back, store: take });
    form.played(moves.length);
    formPart.replaceChildren(form.el);
  }

  /** Take another store; its games may be played on another size of board. */
  function take(name) {
    wish.store = name;
    if (!chosen().sizes.includes(size)) resize(chosen().sizes[0]);
  }

  function resize(to) {
    size = to;
    scene = boards[size - 1];
    ({ points, region, moves } = drawingOf(new URLSearchParams(), size));
    forget();
  }

  function draw() {
    board.draw(scene, points, region, continuations, numbers());
    form.played(moves.length);
  }

  /** Forget what was found and what was played: the drawing is another one now. */
  function forget() {
    continuations = [];
    moves = [];
    shown(results.el, false);
    error.replaceChildren();
    draw();
  }

  /** Set a point; a second click takes the mark away. A continuation is played instead. */
  function press(point, painting = false) {
    if (playing) return;
    const next = continuations.find((each) => each.point === point);
    if (next && !painting && "XO".includes(tool)) return play(next);
    points[point] = !painting && points[point] === tool ? "." : tool;
    forget();
  }

  function stretch(a, b, done) {
    if (playing && a === b) return;
    const only = done && a === b && continuations.find((each) => each.point === a);
    if (only) return play(only);
    region = spanned(size, a, b);
    forget();
    if (done) announce(`Region of ${region.height} by ${region.width} points.`);
  }

  function clear() {
    points.fill(".");
    forget();
  }

  /** Play a continuation, take off the stones that it captures, and search on. */
  function play({ point, colour, taken }) {
    moves.push({ point, was: [point, ...taken].map((each) => [each, points[each]]) });
    points[point] = colour;
    for (const each of taken) points[each] = ".";
    searchOn();
  }

  /** Take back the last move that was played, with its captures, and search again. */
  function back() {
    for (const [point, mark] of moves.pop().was) points[point] = mark;
    searchOn();
  }

  /** Search after a move; what was found before it leads on no longer, so a second click has to wait. */
  function searchOn() {
    continuations = [];
    draw();
    playing = results.el.inert = true;
    search().finally(() => { playing = results.el.inert = false; });
  }

  const stands = ({ point }) => "XO".includes(points[point]);

  /** Return point -> number of the last move there, for the moves whose stones stand. */
  function numbers() {
    return new Map(moves.map((move, i) => [move, i + 1]).filter(([move]) => stands(move))
      .map(([{ point }, number]) => [point, number]));
  }

  /** Return the points of the last moves, in order, as far back as each has its own stone on the board. */
  function sequence() {
    const points = [];
    for (const move of moves.toReversed()) {
      if (!stands(move) || points.includes(move.point)) break;
      points.unshift(move.point);
    }
    return points;
  }

  function rows() {
    const { top, left, height, width } = region;
    const row = (y) => points.slice(y * size + left, y * size + left + width).join("");
    return Array.from({ length: height }, (__, y) => row(top + y));
  }

  /** Put what is looked at into the address. */
  function address(more, push = false) {
    const asked = form.value(), { filters, ...others } = asked, said = new URLSearchParams();
    const at = `${region.top},${region.left}`, played = moves.map(told).join(",");
    const drawn = { size, at, rows: api.packed(rows()), played };
    const all = { ...others, ...filters, ...drawn, ...(looking ?? {}), ...more };
    for (const [name, value] of Object.entries(all)) {
      if (value !== null && value !== "" && value !== false && value !== undefined) said.set(name, value);
    }
    history[push ? "pushState" : "replaceState"](null, "", `/explore?${said}`);
  }

  async function search() {
    if (!form.valid()) return;
    const mine = ++searched, { ordered, ...asked } = form.value();
    const drawn = { size, top: region.top, left: region.left, rows: rows(), sequence: ordered ? sequence() : null };
    Object.assign(wish, asked, { ordered });
    error.replaceChildren();
    say(state, "Searching");
    const slow = setTimeout(() => say(state, WAIT), SLOW);
    try {
      const answer = await api.search({ ...asked, ...drawn });
      if (mine !== searched) return;
      found = answer;
      continuations = answer.continuations;
      results.update(answer);
      shown(results.el, true);
      draw();
      announce(`${answer.games} games, ${answer.hits} times.`);
      address({});
    } catch (problem) {
      if (mine !== searched || problem.status === 409) return;
      forget();
      error.replaceChildren(trouble(problem.message));
    } finally {
      clearTimeout(slow);
      if (mine === searched) say(state, "");
    }
  }

  async function more(start) {
    try {
      return (await api.more(found.id, start)).occurrences;
    } catch (problem) {
      error.replaceChildren(trouble(problem.message));
      return [];
    }
  }

  async function openGame(store, number, move, where = null) {
    try {
      const answer = await api.game(store, number);
      looking = { game: number };
      address({ move }, where !== null);
      for (const [part, on] of [[drawing, false], [game.el, true]]) shown(part, on);
      game.open(answer, move, where);
      if (board.el.getBoundingClientRect().top < 0) board.el.scrollIntoView();
      game.el.querySelector("button").focus({ preventScroll: true });
    } catch (problem) {
      error.replaceChildren(trouble(problem.message));
    }
  }

  function closeGame() {
    looking = null;
    game.shut();
    for (const [part, on] of [[drawing, true], [game.el, false]]) shown(part, on);
    address({});
    draw();
  }

  /** Search for what stands in the region in a position of a game. */
  function searchFrom(stones) {
    if (stones.length !== size * size) resize(Math.round(Math.sqrt(stones.length)));
    points = [...stones];
    moves = [];
    closeGame();
    search();
  }

  /** Add files one after the other, and say what became of each. */
  async function drop(files) {
    for (const file of files) {
      const line = h("p", {}, `${file.name}: reading`);
      dropped.said.prepend(line);
      try {
        const { imported, duplicates, skipped, problems } = await api.drop(file);
        const parts = [[imported, "added"], [duplicates, "there already"], [skipped, "not readable"]];
        const told = parts.filter(([n]) => n).map(([n, words]) => `${n} ${words}`).join(", ");
        say(line, `${file.name}: ${told || "nothing in it"}.`);
        line.append(...problems.map((words) => h("small", { cls: "quiet" }, words)));
      } catch (problem) {
        say(line, `${file.name}: ${problem.message}`);
        line.className = "trouble";
      }
    }
    Object.assign(wish, form.value());
    ({ stores } = await api.overview());
    if (stores.some((each) => each.name === "own")) take("own");
    offer();
  }

  draw();
  if (query.get("game")) await openGame(wish.store, query.get("game"), Number(query.get("move")) || 0);
  else if (given) search();
  return () => game.end();
}
