// What a search found: how the games went on, in which years, and where. Draws what the server counted.

import { button, h, pointed, s, say, segmented, shareBar, shown } from "../../../../web/page/shell/dom.js";
import { letter } from "./board.js";
import { gameWords } from "./links.js";
import { tabs } from "../../../../web/page/shell/tabs.js";
import { inFull, many, percent } from "../../../../web/page/shell/values.js";

const WIDE = 320, HIGH = 110, MAX_BARS = 60, STEPS = [1, 2, 5, 10, 20, 50, 100];
const WHERE = {
  corner: "in a corner", side: "at a side", centre: "in the centre", full: "on the whole board", anywhere: "anywhere",
};
const MAX_LISTED_CONTINUATIONS = 12; // before "All"

const games = (n) => many(n, "game");
const times = (n) => (n === 1 ? "once" : `${inFull(n)} times`);

/** @type {{ none: string, label: (words: string) => string, note: (each: any) => any }} */
const SEARCHED = {
  none: "No game continued inside the region.", label: (words) => `${words}: search on from there`, note: () => "",
};

/**
 * Return the table of continuations. `play(continuation)` puts one on the board, `spot(point)` marks it; `words` say
 * that there is none, what a button does, and what else there is to a move.
 */
export function continuationsView(play, spot, words = SEARCHED) {
  const body = h("tbody"), none = h("p", { cls: "quiet" }, words.none);
  const head = ["Move", "Times", "Share", "Win rate"].map((text) => h("th", { scope: "col" }, text));
  const table = h("table", { cls: "went-on" }, h("thead", {}, h("tr", {}, head)), body);
  const all = button("", () => { whole = !whole; fill(); }, "plain");
  let found = [], whole = false;

  function row(each, i) {
    const tag = h("span", { cls: `tag-sign ${each.colour === "X" ? "black" : "white"}` }, letter(i));
    const mover = each.colour === "X" ? "Black" : "White", won = each.win_rate === null ? "" : percent(each.win_rate);
    const label = words.label(`${mover} ${each.name}`), note = words.note(each);
    const move = button([tag, each.name], () => play(each), "plain", { "aria-label": label });
    return h("tr", pointed(() => spot(each.point), () => spot(null)),
      h("td", {}, move, note ? h("span", { cls: "note" }, note) : null), h("td", {}, inFull(each.count)),
      h("td", {}, shareBar(each.share), percent(each.share)),
      h("td", { title: each.decided ? `of ${games(each.decided)} with a winner` : null }, won));
  }

  function fill() {
    const listed = whole ? found : found.slice(0, MAX_LISTED_CONTINUATIONS);
    body.replaceChildren(...listed.map(row));
    shown(table, found.length > 0);
    shown(none, !found.length);
    shown(all, found.length > MAX_LISTED_CONTINUATIONS);
    say(all, whole ? "Fewer" : `All ${found.length}`);
  }

  return {
    el: h("div", { cls: "stack" }, none, table, all),
    update({ continuations }) {
      found = continuations;
      whole = false;
      fill();
    },
  };
}

/** Join years to bars of equal length, as few as there is room for. */
function bars(timeline) {
  const years = timeline.map(([year]) => year), first = Math.min(...years), last = Math.max(...years);
  const step = STEPS.find((each) => (last - first) / each < MAX_BARS) ?? STEPS[STEPS.length - 1];
  const from = Math.floor(first / step) * step, made = [];
  for (let year = from; year <= last; year += step) made.push({ from: year, to: year + step - 1, found: 0, of: 0 });
  for (const [year, found, of] of timeline) {
    const bar = made[Math.floor((year - from) / step)];
    bar.found += found;
    bar.of += of;
  }
  return made;
}

/** Return the chart of years. */
function timelineView() {
  const svg = s("svg", { cls: "timeline", viewBox: `0 0 ${WIDE} ${HIGH + 22}`, role: "img" });
  const none = h("p", { cls: "quiet" }, "None of these games has a date.");
  const caption = h("p", { cls: "quiet" });
  const how = segmented("Show", [["share", "Share of games"], ["found", "Number of games"]], "share", (value) => {
    kind = value;
    fill();
  });
  let kind = "share", timeline = [];

  function fill() {
    const dated = timeline.some(([, found]) => found > 0);
    for (const part of [svg, how, caption]) shown(part, dated);
    shown(none, !dated);
    if (!dated) return;
    const made = bars(timeline), value = (bar) => (kind === "share" ? (bar.of ? bar.found / bar.of : 0) : bar.found);
    const most = Math.max(...made.map(value)), wide = WIDE / made.length;
    const years = (bar) => (bar.from === bar.to ? bar.from : `${bar.from}–${bar.to}`);
    const words = (bar) => `${years(bar)}: ${inFull(bar.found)} of ${games(bar.of)}`;
    const rects = made.map((bar, i) => {
      const high = bar.found ? Math.max(1.5, (value(bar) / most) * (HIGH - 14)) : 0;
      return s("g", {}, s("title", {}, words(bar)),
        s("rect", { cls: "bar-back", x: i * wide, y: 14, width: wide, height: HIGH - 14 }),
        s("rect", { cls: "bar-found", x: i * wide + wide * 0.1, y: HIGH - high, width: wide * 0.8, height: high }));
    });
    const year = (x, text, anchor) => s("text", { x, y: HIGH + 15, "text-anchor": anchor }, String(text));
    svg.replaceChildren(...rects, s("line", { cls: "axis", x1: 0, x2: WIDE, y1: HIGH, y2: HIGH }),
      s("text", { x: 0, y: 9 }, kind === "share" ? percent(most) : inFull(most)),
      year(0, made[0].from, "start"), year(WIDE, Math.max(...timeline.map(([when]) => when)), "end"));
    const top = made.reduce((best, bar) => (value(bar) > value(best) ? bar : best));
    say(caption, `Most often in ${words(top)}.`);
    svg.setAttribute("aria-label", `By year, from ${made[0].from} to ${made[made.length - 1].to}. Most often in ${words(top)}.`);
  }

  return {
    el: h("div", { cls: "stack" }, none, how, svg, caption),
    update(found) {
      timeline = found.timeline;
      fill();
    },
  };
}

/** Return the list of occurrences. `open(occurrence)` shows one, `more(start)` asks for others. */
function gamesView(open, more) {
  const list = h("ol", { cls: "found-games" }), further = button("More", next, "plain");
  let shownSo = 0, total = 0;

  function entry(each) {
    const words = gameWords(each, each.move ? `move ${each.move}` : "start");
    return h("li", {}, button(words, () => open(each)));
  }

  function add(some) {
    list.append(...some.map(entry));
    shownSo += some.length;
    shown(further, shownSo < total);
    say(further, `More of ${inFull(total)}`);
  }

  async function next() {
    further.disabled = true;
    add(await more(shownSo));
    further.disabled = false;
  }

  return {
    el: h("div", { cls: "stack" }, list, further),
    update(found) {
      list.replaceChildren();
      [shownSo, total] = [0, found.hits];
      add(found.occurrences);
    },
  };
}

/** Return everything about what was found. */
export function foundView({ play, spot, open, more }) {
  const summary = h("p", { cls: "standing" }), detail = h("p", { cls: "quiet" });
  const views = [continuationsView(play, spot), gamesView(open, more), timelineView()];
  const names = ["Continuations", "Games", "By year"];
  const side = tabs("Search results", names.map((name, i) => ({ id: name, label: name, panel: views[i].el })));
  side.el.prepend(h("div", { cls: "summary" }, summary, detail));
  return {
    el: side.el,
    update(found) {
      say(summary, found.hits ? `${games(found.games)}, ${times(found.hits)}` : found.share_done < 1 ? "No games so far" : "No games found");
      const time = Math.max(1, Math.round(1000 * found.seconds));
      say(detail, found.share_done < 1
        ? `Searched ${WHERE[found.anchor]} in ${percent(found.share_done)} of ${games(found.searched)} so far.`
        : `Searched ${WHERE[found.anchor]} in ${games(found.searched)}, ${time} ms.`);
      for (const view of views) view.update(found);
    },
  };
}
