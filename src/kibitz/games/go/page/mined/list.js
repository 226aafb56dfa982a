// Patterns and templates as small boards with their figures. One that is chosen shows its games, and leads to a search.

import { mined, searchAddress } from "../api.js";
import { button, field, h, say, select, shown } from "../../../../web/page/shell/dom.js";
import { gameLinks } from "../explorer/links.js";
import { spoken, windowView } from "../explorer/window.js";
import { asking } from "../../../../web/page/shell/shell.js";
import { inFull, percent } from "../../../../web/page/shell/values.js";

const SORTS = {
  count: "Most frequent", stones: "Most stones", won: "Highest win rate", lost: "Lowest win rate", new: "Newest",
  old: "Oldest",
};
const MAX_NAMED_MOVES = 3; // of a game
const SOURCES = { moves: "Around moves", final: "Boards at the end" };

const times = (n) => `${inFull(n)} ×`;
const years = (from, to) => (!from ? "" : from === to ? String(from) : `${from}–${to}`);
const word = (text) => text.replace("_", "-");

/** Return the name of a kind for people. */
const kindName = (kind, all) => {
  const name = `${SOURCES[kind.source]}, ${kind.shape}`;
  const twins = all.filter((each) => each.source === kind.source && each.shape === kind.shape);
  return twins.length > 1 ? `${name}, ${kind.forms} forms, size ${kind.size}` : name;
};

/** Return the figures of a pattern as pairs of a name and a value. */
function figures(each) {
  const pairs = [["Times", inFull(each.count)], ["Share", percent(each.share)], ["Stones", String(each.stones)]];
  if (each.stones < 0) pairs.pop();
  if (each.win_rate !== null) pairs.push(["Win rate", `${percent(each.win_rate)} of ${inFull(each.decided)}`]);
  if (each.first_year) pairs.push(["Years", years(each.first_year, each.last_year)]);
  if (each.meanings.length) {
    pairs.push(["The move", each.meanings.map(([name, part]) => `${word(name)} ${percent(part)}`).join(", ")]);
  }
  return pairs;
}

const facts = (pairs) => h("dl", { cls: "window-facts" }, pairs.map(([name, value]) =>
  h("div", {}, h("dt", {}, name), h("dd", {}, value))));

/** Return a small board that can be chosen. */
function tile(rows, lines, choose) {
  const label = `${lines.join(", ")}: ${spoken(rows)}`;
  const attrs = { type: "button", cls: "small-board", "aria-label": label, "aria-pressed": "false", onclick: choose };
  const el = h("button", attrs, windowView(rows), lines.map((line, i) => h("span", { cls: i ? "quiet" : null }, line)));
  el.querySelector("svg").setAttribute("aria-hidden", "true");
  return el;
}

const patternLines = (each) => [times(each.count),
  [each.win_rate === null ? null : `won ${percent(each.win_rate)}`, each.meanings[0] ? word(each.meanings[0][0]) : null]
    .filter(Boolean).join(" · ")].filter(Boolean);

/** Return the games of a pattern as links. */
function gamesList(store, source, found) {
  const moves = (places) => [...places.slice(0, MAX_NAMED_MOVES), ...(places.length > MAX_NAMED_MOVES ? ["…"] : [])].join(", ");
  return gameLinks(store, found, ({ places }) => (source === "moves" ? `move ${moves(places)}` : "at the end"));
}

/** Return a grid of tiles with a detail beside it. `load(start)` gives { items, more }, `detail(item)` an element. */
function browser({ load, tileOf, detail, chosen }) {
  const grid = h("div", { cls: "small-boards", role: "group", "aria-label": "Patterns" });
  const further = button("More", () => next(), "plain");
  const none = h("p", { cls: "quiet" }, "No patterns match."), listing = asking(), one = asking();
  const about = h("div", { cls: "stack" });
  const side = h("div", { cls: "stack one-window", "aria-live": "polite" }, one.el, about);
  let shownSo = 0;

  async function choose(item, el) {
    for (const each of grid.children) each.setAttribute("aria-pressed", String(each === el));
    chosen(item);
    const made = await one.ask(() => detail(item));
    if (made === undefined) return;
    about.replaceChildren(...(made ?? []));
    if (side.getBoundingClientRect().top > innerHeight - 80) side.scrollIntoView({ block: "start" });
  }

  async function next() {
    further.disabled = true;
    const answer = await listing.ask(() => load(shownSo));
    if (answer === undefined) return;
    const { items, more } = answer ?? { items: [], more: false };
    for (const item of items) {
      const [rows, lines] = tileOf(item), el = tile(rows, lines, () => choose(item, el));
      grid.append(el);
    }
    shownSo += items.length;
    shown(further, more);
    shown(none, answer !== null && !shownSo);
    further.disabled = false;
  }

  return {
    el: h("div", { cls: "browse" }, h("div", { cls: "stack" }, listing.el, grid, none, further), side),
    choose,
    async restart() {
      one.drop();
      shownSo = 0;
      grid.replaceChildren();
      about.replaceChildren(h("p", { cls: "quiet" }, "Choose a pattern to see its games."));
      shown(none, false);
      await next();
    },
  };
}

/** Return the details of the chosen pattern. */
function patternDetail(store, told) {
  const listed = told.games.length, search = searchAddress(store, told.search);
  const heading = told.all ? "All games" : `The first ${listed} games`;
  return [h("div", { cls: "large-window" }, windowView(told.rows)), facts(figures(told)),
    h("p", {}, h("a", { cls: "button primary", href: search }, "Search games")),
    told.why ? h("p", { cls: "quiet" }, told.why) : null,
    listed ? h("h2", {}, heading) : null,
    listed ? gamesList(store, told.source, told.games) : null].filter(Boolean);
}

/** Show the patterns of a store. `wish` is what the address said; `moved(wish)` is called on changes. */
export function patternsView(about, wish, moved) {
  const kinds = about.kinds, store = about.store;
  const names = kinds.map((each) => [each.name, kindName(each, kinds)]);
  const kind = select(names, wish.kind ?? names[0][0], { onchange: again });
  const sorts = about.sorts.map((each) => [each, SORTS[each] ?? each]);
  const sort = select(sorts, wish.sort ?? "count", { onchange: again });
  const classes = [["", "Any"], ...[...about.groups, ...Object.keys(about.meanings)].map((name) => [name, word(name)])];
  const meaning = select(classes, wish.meaning ?? "", { onchange: again });
  const number = (value, attrs) => h("input", { type: "number", value, onchange: again, ...attrs });
  const stones = number(wish.stones ?? 1, { min: 0, max: 400 });
  const least = number(wish.count ?? (about.mined > 1000 ? 100 : 1), { min: 1, max: 1000000000 });
  const hint = h("p", { cls: "quiet" });
  const value = () => ({
    kind: kind.value, sort: sort.value, meaning: meaning.value, stones: stones.value, count: least.value,
  });
  const view = browser({
    load: async (start) => {
      const { patterns, more } = await mined("/list", { store, start, ...value() });
      return { items: patterns, more };
    },
    tileOf: (each) => [each.rows, patternLines(each)],
    detail: async (each) => patternDetail(store, await mined("/one", { store, kind: kind.value, key: each.key })),
    chosen: (each) => moved({ ...value(), key: each.key }),
  });

  async function again() {
    if (!form.reportValidity()) return;
    const { patterns, windows, source } = kinds.find((each) => each.name === kind.value);
    say(hint, `${inFull(patterns)} patterns in ${inFull(windows)} windows. ` + (source === "moves"
      ? "The player to move is black; the cross marks the move." : "Colours may be swapped."));
    meaning.disabled = source !== "moves";
    if (meaning.disabled) meaning.value = "";
    moved(value());
    await view.restart();
  }

  const form = h("form", { cls: "choices", onsubmit: (event) => event.preventDefault() }, field("Windows", kind),
    field("Sort", sort), field("Type of move", meaning), field("Min. stones", stones),
    field("Min. occurrences", least));
  return {
    el: h("div", { cls: "stack" }, form, hint, view.el),
    async open() {
      await again();
      if (wish.key) await view.choose({ key: wish.key }, null);
    },
  };
}

/** Show the templates of a store. */
export function templatesView(about, wish, moved) {
  const { store } = about, kinds = about.kinds.filter((each) => each.shape === "3x3" && each.forms !== 12);
  if (!kinds.length) {
    return { el: h("p", { cls: "quiet" }, "Templates need 3x3 patterns, and none have been mined."), open() {} };
  }
  const names = kinds.map((each) => [each.name, kindName(each, kinds)]);
  const kind = select(names, wish.kind ?? names[0][0], { onchange: again });
  const view = browser({
    load: async (start) => {
      const { templates, more } = await mined("/templates", { store, kind: kind.value, start });
      return { items: templates, more };
    },
    tileOf: (each) => [each.rows, [times(each.count), `${each.patterns} patterns`]],
    detail: async (each) => {
      const told = await mined("/template", { store, template: each.template });
      const to = ({ key }) => `/explore/patterns?${new URLSearchParams({ store, kind: told.kind, stones: "0", key })}`;
      const label = (one) => `${patternLines(one).join(", ")}: ${spoken(one.rows)}`;
      return [h("div", { cls: "large-window" }, windowView(told.rows)),
        h("p", {}, h("a", { cls: "button primary", href: searchAddress(store, told.search) }, "Search games")),
        h("h2", {}, "Covers"), h("div", { cls: "small-boards few" }, told.covers.map((one) =>
          h("a", { cls: "small-board", href: to(one), "aria-label": label(one) },
            windowView(one.rows), patternLines(one).map((line, i) => h("span", { cls: i ? "quiet" : null }, line)))))];
    },
    chosen: () => moved({ kind: kind.value }),
  });

  async function again() {
    moved({ kind: kind.value });
    await view.restart();
  }

  const hint = "A template has a wildcard point (?), where empty, black and white all occur.";
  return {
    el: h("div", { cls: "stack" }, h("div", { cls: "choices few" }, field("Windows", kind)),
      h("p", { cls: "quiet" }, hint), view.el),
    open: again,
  };
}
