// The explorer of Go records: draw a pattern, see where it was played and how the games went on, look at the games.
// The address holds the pattern, or the game, so that it can be sent to somebody.

import * as api from "../api.js";
import { h, say, shown } from "../../../../web/page/shell/dom.js";
import { emptyBoard, exploreBoard, spanned } from "./board.js";
import { drawingOf } from "./drawing.js";
import { foundView } from "./found.js";
import { dropView, formView, toolsView } from "./form.js";
import { gameView } from "./game.js";
import { announce, asking, title, trouble } from "../../../../web/page/shell/shell.js";
import { opponentView } from "../opponent.js";
import { inFull } from "../../../../web/page/shell/values.js";

const COMPILING = "Still searching. The first search compiles for a few seconds.";
const IMPORT = "kibitz go import PATH";

export async function page(root, _, query) {
  title("Go explorer");
  const { boards, drop: mayDrop, folder, trouble: broken, ...first } = await api.stores();
  let { stores } = first;
  const wish = Object.fromEntries(query); // what the address says, and then what was searched for last
  const chosen = () => stores.find((each) => each.name === wish.store) ?? stores[0];
  wish.store = chosen()?.name;
  const wanted = Math.trunc(Number(query.get("size"))) || chosen()?.sizes[0] || 19;
  let drawn = drawingOf(query, Math.max(1, Math.min(boards.length, wanted))), tool = drawn.given ? "X" : "region";
  let continuations = [], found = null, looking = null, playing = false, searches = 0;

  const board = exploreBoard({ press, stretch, tool: () => tool });
  const tools = toolsView(tool, (value) => { tool = value; board.forget(); draw(); });
  const searching = asking("Searching …", COMPILING), other = asking();
  const open = (each) => openGame(wish.store, each.game, each.move, each.at);
  const results = foundView({ play, spot: board.spot, open, more });
  const game = gameView(board, { close: closeGame, from: searchFrom, moved: (ply) => address({ move: ply }) });
  const dropped = dropView(mayDrop, drop), formPart = h("div"), opponent = opponentView();
  const searchPart = h("section", { cls: "card stack search", "aria-label": "Search" },
    tools, formPart, searching.el, other.el);
  const drawing = h("div", { cls: "stack" }, searchPart, results.el, dropped.el, help());
  let form = null;
  root.classList.add("explore");
  root.append(h("div", { cls: "hero row spread" }, h("div", {}, h("h1", {}, "Go explorer"),
    h("p", {}, "Draw a pattern to find the games it occurs in and how they continued. ",
      h("a", { href: "/explore/patterns" }, "Browse mined patterns, openings and players"))), opponent.el),
    h("div", { cls: "split board-first" }, board.el, h("div", {}, drawing, game.el)));
  shown(results.el, false);
  shown(game.el, false);
  offer();

  /** Say which records these are, and how to have others. */
  function help() {
    const masters = stores.find((each) => each.name === "masters");
    const alone = masters && stores.every((each) => each.name !== "collection");
    const about = masters && `${inFull(masters.games)} games of masters, ${masters.years.join(" to ")}`;
    const origin = "even games of Japanese professionals, chosen from a collection of records, as bare facts: "
      + "dates, events, players, results and moves.";
    const words = alone ? "To search your own games, import them:" : "To add games to your collection, run";
    return h("section", { cls: "quiet about-store" }, broken ? trouble(broken) : null,
      masters ? h("p", {}, alone ? "These are " : "Games of masters: ", about, ", ", origin) : null,
      h("p", {}, words, " ", h("code", {}, IMPORT)),
      alone ? h("p", {}, "They are stored in ", h("code", {}, folder), " in kibitz's data folder.") : null);
  }

  function offer() {
    offerOpponent();
    form = formView(wish, stores, { submit: search, clear, back, store: take });
    form.played(drawn.moves.length);
    formPart.replaceChildren(form.el);
  }

  /** Take another store; its games may be played on another size of board. */
  function take(name) {
    wish.store = name;
    offerOpponent();
    if (!chosen().sizes.includes(drawn.size)) resize(chosen().sizes[0]);
  }

  /** Offer a game against the chosen store, if its patterns were mined. */
  function offerOpponent() {
    const store = chosen();
    if (store) opponent.offer({ ...store, size: store.sizes[0] });
  }

  function resize(to) {
    drawn = drawingOf(new URLSearchParams(), to);
    forget();
  }

  function draw() {
    board.draw(drawn.size, drawn.points, drawn.region, continuations, drawn.numbers());
    form.played(drawn.moves.length);
  }

  /** Forget what was found and what was played: the drawing is another one now. */
  function forget() {
    continuations = [];
    searches += 1;
    drawn.moves = [];
    shown(results.el, false);
    for (const box of [searching, other]) box.drop();
    draw();
  }

  /** Set a point; a second click takes the mark away. A continuation is played instead. */
  function press(point, painting = false) {
    if (playing) return;
    const next = continuations.find((each) => each.point === point);
    if (next && !painting && "XO".includes(tool)) return play(next);
    drawn.points[point] = !painting && drawn.points[point] === tool ? "." : tool;
    forget();
  }

  function stretch(a, b, done) {
    if (playing && a === b) return;
    const only = done && a === b && continuations.find((each) => each.point === a);
    if (only) return play(only);
    drawn.region = spanned(drawn.size, a, b);
    forget();
    if (done) announce(`Region of ${drawn.region.height} by ${drawn.region.width} points.`);
  }

  function clear() {
    drawn.points.fill(".");
    forget();
  }

  /** Play a continuation and search on. */
  function play(continuation) {
    drawn.play(continuation);
    searchOn();
  }

  /** Take back the last move that was played and search again. */
  function back() {
    drawn.back();
    searchOn();
  }

  /** Search after a move; what was found before it leads on no longer, so a second click has to wait. */
  function searchOn() {
    continuations = [];
    draw();
    playing = results.el.inert = true;
    search().finally(() => { playing = results.el.inert = false; });
  }

  /** Put what is looked at into the address. */
  function address(more, push = false) {
    const { filters, ...others } = form.value();
    const query = api.queryOf({ ...others, ...filters, ...drawn.address(), ...looking, ...more });
    history[push ? "pushState" : "replaceState"](null, "", `/explore?${query}`);
  }

  async function search() {
    if (!form.valid()) return;
    const { ordered, ...asked } = form.value();
    const { size, region: { top, left } } = drawn, sequence = ordered ? drawn.sequence() : null;
    Object.assign(wish, asked, asked.filters, { ordered });
    const request = { ...asked, size, top, left, rows: drawn.rows(), sequence }, mine = ++searches;
    const answer = await searching.ask(() => complete(request, () => mine === searches));
    if (answer === undefined) return;
    show(answer);
    if (!answer) return;
    announce(`${answer.games} games, ${answer.hits} times.`);
    address({});
  }

  /** Search to the end, showing what was found so far, for as long as this is still the search that is wanted. */
  async function complete(asked, isWanted) {
    let answer = await api.search(asked);
    while (answer && answer.share_done < 1 && isWanted()) {
      show(answer);
      answer = await api.searchOn(answer.id);
    }
    return answer;
  }

  /** Show what was found, or nothing. */
  function show(answer) {
    continuations = answer?.continuations ?? [];
    shown(results.el, Boolean(answer));
    draw();
    if (!answer) return;
    found = answer;
    results.update(answer);
  }

  async function more(start) {
    return (await other.ask(() => api.more(found.id, start)))?.occurrences ?? [];
  }

  async function openGame(store, number, move, where = null) {
    const answer = await other.ask(() => api.game(store, number));
    if (!answer) return;
    looking = { game: number };
    address({ move }, where !== null);
    for (const [part, on] of [[drawing, false], [game.el, true]]) shown(part, on);
    game.open(answer, move, where);
    if (board.el.getBoundingClientRect().top < 0) board.el.scrollIntoView();
    game.el.querySelector("button").focus({ preventScroll: true });
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
    if (stones.length !== drawn.points.length) resize(Math.round(Math.sqrt(stones.length)));
    Object.assign(drawn, { points: [...stones], moves: [] });
    closeGame();
    search();
  }

  /** Import files one after the other, and report the result of each. */
  async function drop(files) {
    for (const file of files) {
      const line = h("p", {}, `${file.name}: reading`);
      dropped.said.prepend(line);
      try {
        const { imported, duplicates, skipped, problems } = await api.drop(file);
        const parts = [[imported, "added"], [duplicates, "already there"], [skipped, "unreadable"]];
        const told = parts.filter(([n]) => n).map(([n, words]) => `${n} ${words}`).join(", ");
        say(line, `${file.name}: ${told || "no games found"}.`);
        line.append(...problems.map((words) => h("small", { cls: "quiet" }, words)));
      } catch (problem) {
        say(line, `${file.name}: ${problem.message}`);
        line.className = "trouble";
      }
    }
    Object.assign(wish, form.value(), form.value().filters);
    ({ stores } = await api.stores());
    if (stores.some((each) => each.name === "own")) take("own");
    offer();
  }

  await emptyBoard(drawn.size); // so that the board is there when the page is shown
  draw();
  if (query.get("game")) await openGame(wish.store, query.get("game"), Number(query.get("move")) || 0);
  else if (drawn.given) search();
  return () => game.end();
}
