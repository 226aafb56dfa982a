// Players compared: who answers moves in the same way, and the small boards where a player chooses otherwise.

import { mined } from "../api.js";
import { button, field, h, newId, say, shown } from "../../../../web/page/shell/dom.js";
import { windowView } from "../explorer/window.js";
import { asking } from "../../../../web/page/shell/shell.js";
import { inFull, many, percent } from "../../../../web/page/shell/values.js";

const SLOW = "Comparing all players. This happens once and may take a few seconds.";
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
  const player = input(wish.player), other = input(wish.with), question = asking("Comparing …", SLOW);
  const rows = h("tbody"), boards = h("ul", { cls: "small-boards" }), note = h("p", { cls: "quiet" });
  const heading = h("h2"), apart = h("h2");
  const head = ["Player", "Games", "Similarity"].map((text) => h("th", { scope: "col" }, text));
  const table = h("table", { cls: "went-on" }, h("thead", {}, h("tr", {}, head)), rows);
  const found = h("div", { cls: "compared" }, h("section", { cls: "stack" }, heading, note, table),
    h("section", { cls: "stack" }, apart, h("p", { cls: "quiet" }, ANSWERS), boards));
  const form = h("form", { cls: "choices", onsubmit: (event) => { event.preventDefault(); ask(); } },
    field("Player", player), field("Against (or all others)", other),
    h("button", { cls: "primary" }, "Compare"), known);

  function row({ name, games, similarity }) {
    const against = () => { other.value = name; ask(); };
    return h("tr", {}, h("td", {}, button(name, against, "plain")), h("td", {}, inFull(games)),
      h("td", {}, similarity.toFixed(3)));
  }

  async function ask() {
    const wish = { store, player: player.value.trim(), with: other.value.trim() };
    const told = await question.ask(() => mined("/players", wish));
    if (told !== undefined) shown(found, Boolean(told));
    if (!told) return;
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
    moved({ player: told.player, with: told.against });
  }

  shown(found, false);
  return { el: h("div", { cls: "stack" }, form, question.el, found), open: ask };
}
