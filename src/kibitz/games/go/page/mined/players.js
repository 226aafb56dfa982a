// Players compared: who answers moves in the same way, and the small boards where a player chooses otherwise.

import * as api from "./api.js";
import { button, field, h, newId, say, shown } from "../../../../web/page/shell/dom.js";
import { windowView } from "./window.js";
import { trouble } from "../../../../web/page/shell/shell.js";
import { inFull, many, percent } from "../../../../web/page/shell/values.js";

const EXPLAIN_WAIT_MS = 1000;
const ANSWERS = "The player is black; the cross answers the white stone in the middle.";

/** Return one choice of a player, beside that of all others or of one. */
function choice(each, against) {
  const here = each.rows.some((row) => row.includes("*"));
  const mine = each.times ? `${percent(each.chosen / each.times)} of ${inFull(each.times)}` : "never met it";
  const theirs = `${percent(each.others)} of ${inFull(each.others_times)}`;
  const lines = [mine, ...(against ? [against, theirs] : [`others ${theirs}`]), here ? "" : "answers elsewhere"];
  return h("li", { cls: `small-board ${each.errors > 0 ? "more" : "less"}` }, windowView(each.rows),
    lines.filter(Boolean).map((line, i) => h("span", { cls: i ? "quiet" : null }, line)));
}

/** Show the players of a store. */
export function playersView(about, wish, moved) {
  const { store } = about, known = h("datalist", { id: newId("players") });
  const input = (value) => h("input", { type: "text", maxlength: 100, list: known.id, value: value ?? "" });
  const player = input(wish.player), other = input(wish.with), state = h("p", { cls: "quiet", role: "status" });
  const rows = h("tbody"), boards = h("ul", { cls: "small-boards" }), note = h("p", { cls: "quiet" });
  const heading = h("h2"), apart = h("h2");
  const head = ["Player", "Games", "Similarity"].map((text) => h("th", { scope: "col" }, text));
  const table = h("table", { cls: "went-on" }, h("thead", {}, h("tr", {}, head)), rows);
  const found = h("div", { cls: "compared" }, h("section", { cls: "stack" }, heading, note, table),
    h("section", { cls: "stack" }, apart, h("p", { cls: "quiet" }, ANSWERS), boards));
  const form = h("form", { cls: "choices", onsubmit: (event) => { event.preventDefault(); ask(); } },
    field("Player", player), field("Against (or all others)", other),
    h("button", { cls: "primary" }, "Compare"), known);
  const error = h("div");
  let asked = 0;

  function row({ name, games, similarity }) {
    const against = () => { other.value = name; ask(); };
    return h("tr", {}, h("td", {}, button(name, against, "plain")), h("td", {}, inFull(games)),
      h("td", {}, similarity.toFixed(3)));
  }

  async function ask() {
    const mine = ++asked;
    error.replaceChildren();
    const slow = setTimeout(() => say(state, "Comparing all players. This happens once and may take a few seconds."), EXPLAIN_WAIT_MS);
    try {
      const told = await api.players({ store, player: player.value.trim(), with: other.value.trim() });
      if (mine !== asked) return;
      player.value = told.player;
      known.replaceChildren(...told.players.map(([name]) => h("option", { value: name })));
      const who = told.against || "all others";
      say(heading, `Most similar to ${told.player}`);
      say(apart, `Where ${told.player} differs most from ${who}`);
      const between = told.similarity === null ? "" : `Similarity to ${told.against}: ${told.similarity.toFixed(3)}. `;
      const among = many(told.players.length, "player");
      say(note, `${between}1 is identical, 0 unrelated, below 0 opposite; compared with ${among}.` +
        (told.few ? " Few games, so not reliable." : ""));
      rows.replaceChildren(...told.similar.map(row));
      boards.replaceChildren(...told.preferences.map((each) => choice(each, told.against)));
      shown(found, true);
      moved({ player: told.player, with: told.against });
    } catch (problem) {
      if (mine !== asked) return;
      shown(found, false);
      error.replaceChildren(trouble(problem.message));
    } finally {
      clearTimeout(slow);
      if (mine === asked) say(state, "");
    }
  }

  shown(found, false);
  return { el: h("div", { cls: "stack" }, form, state, error, found), open: ask };
}
