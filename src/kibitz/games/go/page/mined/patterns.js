// The page of what was mined from records of Go: patterns, templates, openings, joseki, players.
// The address holds what is looked at, so that it can be sent to somebody.

import { mined, queryOf } from "../api.js";
import { field, h, select } from "../../../../web/page/shell/dom.js";
import { loadGame } from "../../../../web/page/board/assets.js";
import { patternsView, templatesView } from "./list.js";
import { playersView } from "./players.js";
import { treeView } from "./tree.js";
import { banner, go, title } from "../../../../web/page/shell/shell.js";
import { tabs } from "../../../../web/page/shell/tabs.js";
import { opponentView } from "../opponent.js";
import { inFull } from "../../../../web/page/shell/values.js";

/** What the address calls a tab -> its label and what is in it. */
const VIEWS = {
  patterns: ["Patterns", patternsView], templates: ["Templates", templatesView],
  fuseki: ["Fuseki", (...given) => treeView("fuseki", ...given)],
  joseki: ["Joseki", (...given) => treeView("joseki", ...given)], players: ["Players", playersView],
};
const EXPLAIN_WAIT_MS = 1500;
const MINING = "Mining the games. The first time, this compiles for a few seconds.";

/** Return what was mined, telling in the banner if it takes long. */
async function overview(store) {
  const slow = setTimeout(() => banner(MINING), EXPLAIN_WAIT_MS);
  try {
    return await mined("", { store });
  } finally {
    clearTimeout(slow);
    banner(null);
  }
}

export async function page(root, _, query) {
  title("Go patterns");
  const about = await overview(query.get("store")), wish = Object.fromEntries(query);
  const names = Object.keys(VIEWS), first = Math.max(0, names.indexOf(query.get("see")));
  const stores = about.stores.map((each) => [each.name, `${each.title} (${inFull(each.games)})`]);
  const which = select(stores, about.store, { onchange: () => go(`/explore/patterns?store=${which.value}`) });
  const opponent = opponentView();
  opponent.offer({ ...about.stores.find((each) => each.name === about.store), ...about });
  root.classList.add("patterns");
  root.append(h("div", { cls: "hero row spread" }, h("div", {}, h("h1", {}, "Go patterns"),
    h("p", {}, "Frequent patterns, their win rates, and the styles of players. ",
      h("a", { href: "/explore" }, "Draw a pattern and search"))),
    h("div", { cls: "which-store stack" }, stores.length > 1 ? field("Games", which) : null, opponent.el)));
  if (!about.kinds.length) {
    const words = h("p", {}, about.how), more = "The games of masters are ready to browse: choose them above.";
    root.append(h("section", { cls: "card stack" }, h("h2", {}, "No patterns yet"), words,
      h("p", {}, h("code", {}, "kibitz go mine")), h("p", { cls: "quiet" }, more)));
    return null;
  }
  if (about.mined < about.games) {
    const of = `${inFull(about.mined)} of ${inFull(about.games)} games`;
    root.append(h("p", { cls: "quiet" }, `The patterns cover ${of}. Run kibitz go mine to add the rest.`));
  }

  /** Put what is looked at into the address. */
  const moved = (see) => (more) =>
    history.replaceState(null, "", `/explore/patterns?${queryOf({ store: about.store, see, ...more })}`);
  await loadGame("go"); // or the small boards would be black at first

  /** Return a tab that is filled when it is first shown. */
  function tab(see, at) {
    const panel = h("div"), [label, make] = VIEWS[see];
    const opened = () => {
      if (panel.childElementCount) return;
      const view = make(about, at === first ? wish : {}, moved(see));
      panel.append(view.el);
      view.open();
    };
    return { id: see, label, panel, opened };
  }

  const side = tabs("Mined data", names.map(tab));
  root.append(side.el);
  side.open(names[first]);
  return null;
}
