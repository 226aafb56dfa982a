// The page of what was mined from records of Go: patterns, templates, openings, joseki, players.
// The address holds what is looked at, so that it can be sent to somebody.

import * as api from "./api.js";
import { field, h, say, select } from "../../../../web/page/shell/dom.js";
import { patternsView, templatesView } from "./list.js";
import { playersView } from "./players.js";
import { treeView } from "./tree.js";
import { banner, go, title } from "../../../../web/page/shell/shell.js";
import { tabs } from "../../../../web/page/shell/tabs.js";
import { inFull } from "../../../../web/page/shell/values.js";

const VIEWS = ["patterns", "templates", "fuseki", "joseki", "players"];
const NAMES = ["Patterns", "Templates", "Fuseki", "Joseki", "Players"];
const EXPLAIN_WAIT_MS = 1500;
const MINING = "Mining the games. The first time, this compiles for a few seconds.";

/** Return what was mined, telling in the banner if it takes long. */
async function overview(store) {
  const slow = setTimeout(() => banner(MINING), EXPLAIN_WAIT_MS);
  try {
    return await api.overview(store);
  } finally {
    clearTimeout(slow);
    banner(null);
  }
}

export async function page(root, _, query) {
  title("Go patterns");
  const about = await overview(query.get("store")), wish = Object.fromEntries(query);
  const first = Math.max(0, VIEWS.indexOf(query.get("see")));
  const stores = about.stores.map((each) => [each.name, `${each.title} (${inFull(each.games)})`]);
  const which = select(stores, about.store, { onchange: () => go(`/explore/patterns?store=${which.value}`) });
  root.classList.add("patterns");
  root.append(h("div", { cls: "hero row spread" }, h("div", {}, h("h1", {}, "Go patterns"),
    h("p", {}, "Frequent patterns, their win rates, and the styles of players. ",
      h("a", { href: "/explore" }, "Draw a pattern and search"))),
    stores.length > 1 ? h("div", { cls: "which-store" }, field("Games", which)) : null));
  if (!about.kinds.length) {
    const words = h("p", {}, about.how), more = "The demo games are ready to browse: choose them above.";
    root.append(h("section", { cls: "card stack" }, h("h2", {}, "No patterns yet"), words,
      h("p", {}, h("code", {}, "kibitz go mine")), h("p", { cls: "quiet" }, more)));
    return null;
  }
  const stale = h("p", { cls: "quiet" });
  if (about.mined < about.games) {
    const of = `${inFull(about.mined)} of ${inFull(about.games)} games`;
    say(stale, `The patterns cover ${of}. Run kibitz go mine to add the rest.`);
    root.append(stale);
  }

  /** Put what is looked at into the address. */
  const moved = (see) => (more) => {
    const told = new URLSearchParams({ store: about.store, see });
    for (const [name, value] of Object.entries(more)) {
      if (value !== "" && value !== null && value !== undefined) told.set(name, value);
    }
    history.replaceState(null, "", `/explore/patterns?${told}`);
  };
  const given = (at) => (at === first ? wish : {});
  const make = [
    () => patternsView(about, given(0), moved("patterns")), () => templatesView(about, given(1), moved("templates")),
    () => treeView("fuseki", about, given(2), moved("fuseki")),
    () => treeView("joseki", about, given(3), moved("joseki")), () => playersView(about, given(4), moved("players")),
  ];
  const panels = VIEWS.map(() => h("div")), opened = new Set();
  let ready = false;

  /** Fill a panel when it is first shown. */
  function open(at) {
    if (!ready || opened.has(at)) return;
    opened.add(at);
    const view = make[at]();
    panels[at].append(view.el);
    view.open();
  }

  const side = tabs("Mined data", NAMES.map((name, at) => ({ id: name, label: name, panel: panels[at], opened: () => open(at) })));
  root.append(side.el);
  ready = true;
  side.open(NAMES[first]);
  return null;
}
