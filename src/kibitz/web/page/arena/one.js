// One tournament: how far it is, the standings, the games being played and those played; to be stopped and resumed.

import * as api from "../shell/api.js";
import { badge } from "./list.js";
import {
  command, duration, fileUrl, FORMATS, gamesBefore, isGoing, mayCommand, polling, replayUrl, tournament, who,
} from "./api.js";
import { crosstableView, standingsView } from "./tables.js";
import { makeBoard } from "../board/board.js";
import { button, h, render, say, shown, versus } from "../shell/dom.js";
import { announce, asking, banner, title } from "../shell/shell.js";
import { many, RESULTS } from "../shell/values.js";

/** Return the terms in a sentence. */
function terms(told, game) {
  const rules = Object.entries(told.options).flatMap(([name, value]) => {
    const option = game?.options.find((each) => each.name === name);
    if (!option || value === option.default && option.kind !== "int") return [];
    return option.labels?.[value] ? [`${option.label.toLowerCase()}: ${option.labels[value].toLowerCase()}`]
      : [`${value} ${option.label.toLowerCase()}`];
  });
  const amount = told.seconds ? `${told.seconds} seconds` : told.nodes ? `${told.nodes} positions` : null;
  const time = amount && `${amount} per move`;
  const openings = told.openings ? `from ${many(told.openings, "balanced position")}` : null;
  return [FORMATS[told.format], ...rules, `${many(told.games_each, "game")} per pair`, openings, time]
    .filter(Boolean).join(" · ");
}

/** Return what is known about speed and time left. */
function pace({ state, played, planned, speed, left, note }) {
  if (state === "waiting") return note;
  if (state !== "running") return "";
  if (!speed) return played ? "" : "Starting the players.";
  const told = speed >= 1 ? `${speed.toFixed(speed < 10 ? 1 : 0)} games per second`
    : `${(60 * speed).toFixed(60 * speed < 10 ? 1 : 0)} games per minute`;
  return played < planned ? `${told}, about ${duration(left)} left` : told;
}

/** Return the head of the page: how far the tournament is, and what can be done about it. */
function headView(id, act) {
  const sign = h("span"), counted = h("b"), detail = h("span", { cls: "quiet" }), bar = h("progress", { max: 1 });
  const stop = button("Stop", () => act("stop")), resume = button("Resume", () => act("resume"), "primary");
  const wrong = asking();
  const files = h("div", { cls: "row links" }, h("a", { href: fileUrl(id, "report"), target: "_blank" }, "Report"),
    h("a", { href: fileUrl(id, "results.csv"), download: true }, "CSV"),
    h("a", { href: fileUrl(id, "results.json"), download: true }, "JSON"));
  bar.setAttribute("aria-label", "Games played");
  let state = "";
  return {
    el: h("section", { cls: "card stack close arena-head", "aria-label": "Progress" },
      h("div", { cls: "row spread" }, h("div", { cls: "row" }, sign, counted, detail),
        h("div", { cls: "row" }, files, stop, resume)),
      bar, wrong.el),
    update(told) {
      if (told.state !== state) {
        sign.replaceChildren(badge(told.state));
        if (state) announce(`Tournament: ${sign.textContent}.`);
        wrong.tell(told.state === "failed" ? told.note : "");
      }
      state = told.state;
      const all = told.state === "complete";
      say(counted, all ? many(told.played, "game") : `${told.played} of ${many(told.planned, "game")}`);
      say(detail, pace(told));
      bar.max = Math.max(told.planned, 1);
      bar.value = told.played;
      shown(bar, told.state !== "complete");
      shown(files, told.played > 0);
      shown(stop, isGoing(told) && mayCommand(told));
      shown(resume, told.resumable && mayCommand(told));
      stop.disabled = resume.disabled = false;
    },
    refuse: wrong.tell,
    wait() { stop.disabled = resume.disabled = true; },
  };
}

/** Return the games that are being played, as small boards. */
function liveView(game) {
  const grid = h("div", { cls: "live-games" }), cards = [];
  const el = h("section", {}, h("h2", {}, "Live games"), grid);

  function card() {
    const board = makeBoard(), place = h("span", { cls: "quiet" });
    const players = [0, 1].map((player) => h("span", { cls: `ink${player}` }));
    const figure = h("figure", { cls: "card live-game" }, h("figcaption", {}, versus(...players), place), board.el);
    cards.push({ el: figure, board, players, place });
    return cards.at(-1);
  }

  function show(made, one) {
    const labels = [one.first, one.second], score = one.scores ? ` ${one.scores[0]} : ${one.scores[1]}` : "";
    made.players.forEach((name, player) => say(name, labels[player]));
    say(made.place, `Game ${one.game_id}, move ${one.moves}${score && `,${score}`}`);
    const label = `${labels.join(" against ")}, after ${many(one.moves, "move")}${score && `,${score}`}`;
    made.board.show(one.picture, { name: game.name, label, animate: false });
  }

  return {
    el,
    update({ live }) {
      shown(el, live.length > 0);
      if (!live.length) return; // the last positions stay until the next ones, or are hidden
      live.forEach((one, i) => show(cards[i] ?? card(), one));
      const there = cards.slice(0, live.length).map((made) => made.el);
      if (there.length !== grid.children.length) grid.replaceChildren(...there);
    },
  };
}

/** Return the games that were played, the last one first, each with its replay. */
function gamesView(id) {
  const list = h("ul", { cls: "game-rows", "aria-label": "Games played" });
  const more = button("Earlier games", earlier), asked = asking();
  const el = h("section", {}, h("h2", {}, "Games"), list, asked.el, h("div", { cls: "row centre" }, more));
  let known = [], first = Infinity; // the games listed, and the place of the earliest of them

  function row(one) {
    return h("li", {}, h("a", { cls: "game-row played", href: replayUrl(id, one.id) },
      h("span", { cls: "quiet" }, one.id),
      versus(h("span", { cls: "ink0" }, one.first), h("span", { cls: "ink1" }, one.second)),
      h("span", { cls: "state" }, RESULTS[one.result] ?? one.result),
      h("span", { cls: "quiet reason" }, one.reason), h("span", { cls: "quiet" }, many(one.moves, "move"))));
  }

  /** List more games, later or earlier ones. */
  function add(before, after) {
    known = [...before, ...after.filter((one) => !before.some((other) => other.id === one.id))];
    render(list, known.map(row));
    shown(more, first > 0);
  }

  async function earlier() {
    more.disabled = true;
    const found = (await asked.ask(() => gamesBefore(id, first))) ?? [];
    first -= found.length;
    add(known, found);
    more.disabled = false;
  }

  return {
    el,
    update({ games, played }) {
      shown(el, played > 0);
      const isApart = known.length > 0 && !games.some((one) => known.some((other) => other.id === one.id));
      if (isApart) [known, first] = [[], Infinity]; // more were played meanwhile than are told at once
      first = Math.min(first, played - games.length);
      add(games, known);
    },
  };
}

export async function page(root, [id]) {
  const first = await tournament(id), isReadable = first.title !== undefined;
  const game = isReadable ? await api.game(first.game).catch(() => null) : null;
  const heading = isReadable ? who(first, 6) : first.id;
  title(isReadable ? `${first.title}: ${who(first, 3)}` : first.id);
  root.classList.add("middle", "tournament");
  const head = headView(id, act);
  const back = h("a", { href: "/arena" }, "All tournaments");
  root.append(h("div", { cls: "hero" }, h("p", { cls: "quiet" }, back, isReadable ? ` · ${first.title}` : ""),
    h("h1", {}, heading), isReadable ? h("p", {}, terms(first, game)) : null), head.el);
  if (!isReadable) return head.update(first);

  const standings = standingsView(), cross = crosstableView(), live = liveView(game), games = gamesView(id);
  const met = h("section", {}, h("h2", {}, "Head to head"), cross.el);
  root.append(
    h("section", {}, h("h2", {}, "Standings"), standings.el),
    h("div", { cls: "cross-and-live" }, met, live.el), games.el);

  function draw(told) {
    banner(told.error ? told.error.message : null);
    if (told.error) return;
    head.update(told);
    if (!told.standings) return;
    standings.update(told.standings);
    cross.update({ names: told.standings.map((each) => each.agent), crosstable: told.crosstable });
    shown(met, told.played > 0);
    live.update(told);
    games.update(told);
  }

  async function act(what) {
    head.wait();
    try {
      poll.take(await command(id, what));
    } catch (problem) {
      poll.take(await tournament(id).catch((error) => ({ error })));
      head.refuse(problem.message);
    }
  }

  const poll = polling(() => tournament(id), draw, isGoing);
  poll.take(first);
  return poll.end;
}
