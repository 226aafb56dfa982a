// Problems of a game: a list by grade, and one to solve on the board. The server knows the answers.

import * as api from "../shell/api.js";
import { makeBoard } from "../board/board.js";
import { button, h, say, shown } from "../shell/dom.js";
import { announce, keep, kept, title } from "../shell/shell.js";
import { play as sound } from "../shell/sound.js";

const GRADES = ["", "Easy", "Fair", "Harder", "Hard", "Hardest"];

const solvedBefore = (game) => new Set(kept(`solved.${game.name}`, []));
const address = (game, number) => `/problems/${game.name}/${number}`;

export async function page(root, [name, number]) {
  if (!name) return gamesPage(root);
  const game = await api.game(name);
  return number ? onePage(root, game, Number(number)) : listPage(root, game);
}

/** List the games that have problems. */
async function gamesPage(root) {
  title("Problems");
  const games = (await api.games()).filter((game) => game.problems);
  const link = (game) => h("li", {}, h("a", { cls: "tile", href: `/problems/${game.name}` }, h("b", {}, game.title)));
  root.classList.add("middle");
  root.append(h("h1", {}, "Problems"), h("ul", { cls: "problem-tiles" }, games.map(link)));
}

async function listPage(root, game) {
  title(`Problems of ${game.title}`);
  const found = await api.problems(game.name), solved = solvedBefore(game);
  const grades = [...new Set(found.map((each) => each.grade))].sort();
  const done = found.filter((each) => solved.has(each.number)).length;
  const section = (grade) => h("section", {}, h("h2", {}, GRADES[grade] ?? `Grade ${grade}`),
    h("ul", { cls: "problem-tiles" },
      found.filter((each) => each.grade === grade).map((each) => tile(game, each, solved.has(each.number)))));
  root.classList.add("middle");
  root.append(h("h1", {}, `Problems of ${game.title}`),
    h("p", { cls: "quiet" }, `${found.length} positions with one best move each; ${done} solved in this browser.`),
    ...grades.map(section));
}

function tile(game, each, solved) {
  const tick = h("span", { cls: "tick" }, " ✓", h("span", { cls: "hush" }, " solved"));
  return h("li", {}, h("a", { cls: solved ? "tile solved" : "tile", href: address(game, each.number) },
    h("b", {}, String(each.number), solved ? tick : null),
    h("span", {}, each.title), h("span", { cls: "quiet" }, `${each.size} · ${each.theme}`)));
}

async function onePage(root, game, number) {
  const problem = await api.problem(game.name, number);
  title(`Problem ${number}`);
  const board = makeBoard({ play: answer }), hint = h("p", { cls: "quiet" });
  const words = h("p", { cls: "verdict-said", role: "status" });
  const again = button("Try again", reset), next = neighbour(number + 1, "Next");
  const task = `${game.players[problem.to_move]} to move. Find the best move.`;
  const playOut = api.address("new", game.name, problem.options, problem.position);
  const side = h("div", { cls: "card stack" }, h("p", {}, task),
    h("p", { cls: "quiet" }, [GRADES[problem.grade], problem.scores?.join("–")].filter(Boolean).join(" · ")),
    h("div", { cls: "row" }, button("Hint", () => say(hint, problem.hint)),
      button("Show answer", () => ask({ answer: true })), again), hint, words,
    h("div", { cls: "row" }, neighbour(number - 1, "Previous"), next),
    h("div", { cls: "row links" }, h("a", { href: `/problems/${game.name}` }, "All problems"),
      h("a", { href: playOut }, "Play it out")));
  root.classList.add("beside");
  root.append(h("h1", {}, `Problem ${number}: ${problem.title}`),
    h("div", { cls: "split board-first" }, h("div", { cls: "stage" }, board.el), side));
  let busy = false;

  function neighbour(to, label) {
    const there = to >= 1 && to <= problem.of;
    return h("a", { cls: "button", href: there ? address(game, to) : null, "aria-disabled": String(!there) }, label);
  }

  function show(picture, playable) {
    board.show(picture, { name: game.name, playable, label: problem.title });
    shown(again, !playable);
  }

  function reset() {
    board.marks([]);
    say(words, "");
    show(problem.picture, true);
  }

  async function answer(move) {
    if (busy) return;
    busy = true;
    await ask({ move });
    busy = false;
  }

  async function ask(reply) {
    try {
      const said = await api.answer(game.name, number, reply);
      show(said.picture ?? problem.picture, false);
      tell(said);
    } catch (refused) {
      say(words, refused.message);
    }
  }

  function tell({ right, words: told, best = [] }) {
    const verdict = right === true ? "right" : right === false ? "wrong" : "";
    say(words, told);
    words.className = `verdict-said ${verdict}`;
    announce(told);
    sound({ right: "capture", wrong: "refused" }[verdict] ?? "move");
    if (right === null && best.length) board.marks([["hint", best[0].steps]]);
    if (right !== true) return;
    keep(`solved.${game.name}`, [...solvedBefore(game).add(number)]);
    next.classList.add("primary");
  }

  reset();
}
