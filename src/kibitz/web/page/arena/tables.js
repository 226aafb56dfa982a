// The standings and the cross table of a tournament, with small drawings. Works for any game.

import { h, redrawing, s } from "../shell/dom.js";

const WIDE = 120;
const percent = (share) => `${Math.round(100 * share)} %`;
const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");

/** Draw a rating with its interval on the scale of all ratings. */
function whisker({ elo, elo_margin: margin }, low, high) {
  const at = (value) => 6 + ((WIDE - 12) * (value - low)) / (high - low || 1);
  return s("svg", { cls: "whisker", viewBox: `0 0 ${WIDE} 20`, "aria-hidden": "true" },
    s("line", { cls: "zero", x1: at(0), x2: at(0), y1: 0, y2: 20 }),
    s("line", { cls: "span", x1: at(elo - margin), x2: at(elo + margin), y1: 10, y2: 10 }),
    s("circle", { cx: at(elo), cy: 10, r: 4.5 }));
}

function head(cells) {
  return h("thead", {}, h("tr", {}, cells.map(([words, cls, about]) =>
    h("th", { scope: "col", cls, title: about ?? null }, words))));
}

/** Return a table that may be wider than the screen, in a box that scrolls. */
function scrolling(table, label) {
  return h("div", { cls: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);
}

export function standingsView() {
  const table = h("table", { cls: "figures standings" });

  function row(each, place, low, high) {
    const played = each.games > 0;
    return h("tr", {},
      h("td", { cls: "rank" }, String(place)), h("th", { scope: "row" }, each.agent),
      h("td", {}, played ? signed(Math.round(each.elo)) : "", played
        ? h("span", { cls: "quiet" }, ` ± ${Math.round(each.elo_margin)}`) : ""),
      h("td", { cls: "wide-only" }, played ? whisker(each, low, high) : ""),
      h("td", {}, played ? percent(each.rate) : ""),
      h("td", { cls: "quiet wide-only" }, played ? `${percent(each.low)} to ${percent(each.high)}` : ""),
      h("td", {}, String(each.games)),
      h("td", {}, String(each.wins)), h("td", {}, String(each.draws)), h("td", {}, String(each.losses)),
      h("td", { cls: "wide-only" }, each.as_first.games ? percent(each.as_first.rate) : ""),
      h("td", { cls: "wide-only" }, each.as_second.games ? percent(each.as_second.rate) : ""),
      h("td", { cls: each.forfeits ? "wide-only fault" : "wide-only quiet" }, String(each.forfeits)));
  }

  function draw(standings) {
    const low = Math.min(...standings.map((each) => each.elo - each.elo_margin));
    const high = Math.max(...standings.map((each) => each.elo + each.elo_margin));
    return [
      head([["#", "rank"], ["Player", "left"], ["Rating", "", "On the Elo scale; the mean is 0"],
        ["95 % interval", "wide-only left"], ["Points", "", "A draw counts half"], ["95 %", "wide-only"],
        ["Games"], ["Won"], ["Drawn"], ["Lost"], ["As first", "wide-only"], ["As second", "wide-only"],
        ["Forfeits", "wide-only", "Games lost by an illegal move, an error or a timeout"]]),
      h("tbody", {}, standings.map((each, i) => row(each, i + 1, low, high))),
    ];
  }

  return { el: scrolling(table, "Standings"), update: redrawing(table, draw) };
}

export function crosstableView() {
  const table = h("table", { cls: "figures cross" });

  function cell(rate, row, column) {
    if (!rate) return h("td", { cls: "void" });
    const words = `${row} against ${column}: ${rate.wins} won, ${rate.draws} drawn, ${rate.losses} lost`;
    const style = { "--much": `${Math.round(10 + 60 * Math.abs(2 * rate.rate - 1))}%` };
    return h("td", { cls: rate.rate >= 0.5 ? "ahead" : "behind", title: words, style },
      percent(rate.rate), h("small", {}, `of ${rate.games}`));
  }

  function draw({ names, crosstable }) {
    return [
      head([["#", "rank"], ["Row against column", "left"], ...names.map((name, i) => [String(i + 1), "", name])]),
      h("tbody", {}, crosstable.map((row, i) => h("tr", {}, h("td", { cls: "rank" }, String(i + 1)),
        h("th", { scope: "row" }, names[i]), row.map((rate, j) => cell(rate, names[i], names[j]))))),
    ];
  }

  return { el: scrolling(table, "Head to head"), update: redrawing(table, draw) };
}
