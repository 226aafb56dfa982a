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

const SEE = ["patterns", "templates", "fuseki", "joseki", "players"];
const NAMES = ["Patterns", "Templates", "Fuseki", "Joseki", "Players"];
const SLOW = 1500;
const WAIT = "The games are being mined. The first time on a machine this is compiled, which takes some seconds.";

/** Return what was mined, telling in the banner if it takes long. */
async function overview(store) {
  const slow = setTimeout(() => banner(WAIT), SLOW);
  try {
    return await api.overview(store);
  } finally {
    clearTimeout(slow);
    banner(null);
  }
}

export async function page(root, _, query) {
  title("Patterns of Go");
  const about = await overview(query.get("store")), wish = Object.fromEntries(query);
  const first = Math.max(0, SEE.indexOf(query.get("see")));
  const stores = about.stores.map((each) => [each.name, `${each.title} (${inFull(each.games)})`]);
  const which = select(stores, about.store, { onchange: () => go(`/explore/patterns?store=${which.value}`) });
  root.classList.add("patterns");
  root.append(h("div", { cls: "hero row spread" }, h("div", {}, h("h1", {}, "Patterns of Go"),
    h("p", {}, "What was played most, how it went, and who plays how. ",
      h("a", { href: "/explore" }, "Draw a pattern and search"))),
    stores.length > 1 ? h("div", { cls: "which-store" }, field("Games", which)) : null));
  if (!about.kinds.length) {
    const words = h("p", {}, about.how), more = "The demo games are mined already: choose them above.";
    root.append(h("section", { cls: "card stack" }, h("h2", {}, "Nothing is mined yet"), words,
      h("p", {}, h("code", {}, "kibitz go mine")), h("p", { cls: "quiet" }, more)));
    return null;
  }
  const stale = h("p", { cls: "quiet" });
  if (about.mined < about.games) {
    const of = `${inFull(about.mined)} of ${inFull(about.games)} games`;
    say(stale, `The patterns are of ${of}; kibitz go mine adds the others.`);
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
  const panels = SEE.map(() => h("div")), opened = new Set();
  let ready = false;

  /** Fill a panel when it is first shown. */
  function open(at) {
    if (!ready || opened.has(at)) return;
    opened.add(at);
    const view = make[at]();
    panels[at].append(view.el);
    view.open();
  }

  const side = tabs("What was mined", NAMES.map((name, at) => ({ id: name, label: name, panel: panels[at], opened: () => open(at) })));
  root.append(side.el);
  ready = true;
  side.open(NAMES[first]);
  return null;
}
