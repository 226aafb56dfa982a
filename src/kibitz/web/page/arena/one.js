// One tournament: its progress, standings, running and finished games, and buttons to stop and resume it.

import * as api from "../shell/api.js";
import { badge } from "./list.js";
import {
  command, duration, fileUrl, FORMATS, gamesBefore, isGoing, mayCommand, polling, replayUrl, STATES, tournament,
  who,
} from "./api.js";
import { crosstableView, standingsView } from "./tables.js";
import { makeBoard } from "../board/board.js";
import { button, h, opponents, render, shown } from "../shell/dom.js";
import { announce, asking, banner, title } from "../shell/shell.js";
import { many, RESULTS } from "../shell/values.js";

/** Return the conditions of a tournament in a sentence. */
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

/** Return the speed and the time left, in words. */
function pace({ state, played, planned, speed, left, note }) {
  if (state === "waiting" || (state === "running" && note)) return note;
  if (state !== "running") return "";
  if (!speed) return played ? "" : "Starting the players.";
  const told = speed >= 1 ? `${speed.toFixed(speed < 10 ? 1 : 0)} games per second`
    : `${(60 * speed).toFixed(60 * speed < 10 ? 1 : 0)} games per minute`;
  return played < planned ? `${told}, about ${duration(left)} left` : told;
}

/** Return the head of the page: the tournament's progress, and buttons to stop or resume it. */
function headView(id, act) {
  const top = h("div", { cls: "row spread" }), bar = h("progress", { "aria-label": "Games played" }), wrong = asking();
  let now = null;

  function draw(isWaiting) {
    const { state, played, planned, resumable } = now, mine = mayCommand(now);
    const file = (label, kind, attrs) => h("a", { href: fileUrl(id, kind), ...attrs }, label);
    const command = (what, label, cls) => button(label, () => act(what), cls, { disabled: isWaiting });
    const counted = state === "complete" ? many(played, "game") : `${played} of ${many(planned, "game")}`;
    render(top,
      h("div", { cls: "row" }, badge(state), h("b", {}, counted), h("span", { cls: "quiet" }, pace(now))),
      h("div", { cls: "row" },
        h("div", { cls: "row links", hidden: played === 0 }, file("Report", "report", { target: "_blank" }),
          file("CSV", "results.csv", { download: true }), file("JSON", "results.json", { download: true })),
        isGoing(now) && mine ? command("stop", "Stop", null) : null,
        resumable && mine ? command("resume", "Resume", "primary") : null));
    Object.assign(bar, { max: Math.max(planned, 1), value: played });
    shown(bar, state !== "complete");
  }

  return {
    el: h("section", { cls: "card stack close arena-head", "aria-label": "Progress" }, top, bar, wrong.el),
    update(told) {
      if (now?.state !== told.state) {
        if (now) announce(`Tournament: ${STATES[told.state] ?? told.state}.`);
        wrong.tell(told.state === "failed" ? told.note : "");
      }
      now = told;
      draw(false);
    },
    refuse: wrong.tell,
    wait: () => draw(true),
  };
}

/** Return the running games as small boards. */
function liveView(game) {
  const grid = h("div", { cls: "live-games" }), cards = [];
  const el = h("section", {}, h("h2", {}, "Live games"), grid);

  function card() {
    const board = makeBoard(), caption = h("figcaption");
    cards.push({ el: h("figure", { cls: "card live-game" }, caption, board.el), board, caption });
    return cards.at(-1);
  }

  function show(made, one) {
    const score = one.scores ? `, ${one.scores[0]} : ${one.scores[1]}` : "";
    render(made.caption, opponents(one.first, one.second),
      h("span", { cls: "quiet" }, `Game ${one.game_id}, move ${one.moves}${score}`));
    const label = `${one.first} against ${one.second}, after ${many(one.moves, "move")}${score}`;
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

/** Return the finished games, latest first, each with a link to replay it. */
function gamesView(id) {
  const list = h("ul", { cls: "game-rows", "aria-label": "Games played" });
  const more = button("Earlier games", earlier), asked = asking();
  const el = h("section", {}, h("h2", {}, "Games"), list, asked.el, h("div", { cls: "row centre" }, more));
  let known = [], first = Infinity; // the games listed, and the index of the earliest of them

  function row(one) {
    return h("li", {}, h("a", { cls: "game-row played", href: replayUrl(id, one.id) },
      h("span", { cls: "quiet" }, one.id), opponents(one.first, one.second),
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
      if (isApart) [known, first] = [[], Infinity]; // more games were played meanwhile than are sent at once
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
