// Saved games: list them, open them again, and import games in other notations.

import * as api from "../shell/api.js";
import { field, fileInput, h, opponents, select } from "../shell/dom.js";
import { asking, go, title } from "../shell/shell.js";
import { many, RESULTS, written } from "../shell/values.js";

function row(table) {
  return h("li", {}, h("a", { cls: "game-row", href: `/play/${table.id}` },
    opponents(...table.names), h("span", { cls: "quiet" }, table.title),
    h("span", { cls: table.result === "*" ? "state going" : "state" }, RESULTS[table.result] ?? table.result),
    h("span", { cls: "quiet" }, many(table.moves, "move")),
    h("time", { cls: "quiet", datetime: table.changed }, written(table.changed))));
}

/** Return a list of games. */
export const rows = (tables) => h("ul", { cls: "game-rows" }, tables.map(row));

/** Return a form to import a game or a position in another notation. */
function importer(games) {
  const which = select(games.map((game) => [game.name, game.title]), games[0].name, { onchange: offer });
  const notation = select([], "");
  const text = h("textarea", { rows: "6", spellcheck: "false", required: true });
  const reading = asking();
  const form = h("form", { cls: "card stack", onsubmit: submit },
    h("h2", {}, "Import a game or position"),
    h("div", { cls: "pair" }, field("Game", which), field("Notation", notation)),
    field("Text", text), field("Or choose a file", fileInput(text)), reading.el,
    h("div", { cls: "row" }, h("button", { cls: "primary" }, "Import")));

  const chosen = () => games.find((each) => each.name === which.value);

  /** Offer the notations of the chosen game. */
  function offer() {
    const known = chosen().notations.map((each) => h("option", { value: each.name }, each.label));
    notation.replaceChildren(h("option", { value: "" }, "Autodetect"), ...known);
  }

  function submit(event) {
    event.preventDefault();
    reading.ask(() => open(chosen(), notation.value || null, text.value));
  }

  offer();
  return form;
}

async function open(game, notation, text) {
  const record = asRecord(text);
  if (record) return go(`/play/${(await api.newTable({ record })).id}`);
  const found = await api.read(game.name, {}, notation, text);
  if (!found.moves) return go(api.address("position", game.name, found.options, found.position));
  const { options, start, moves, ended } = found;
  const seats = game.players.map((side, i) => ({ kind: "person", name: found.players?.[i] || side }));
  return go(`/play/${(await api.newTable({ game: game.name, options, seats, start, moves, ended })).id}`);
}

/** Parse a text as a game record; return null if it is not one. */
function asRecord(text) {
  try {
    const found = JSON.parse(text);
    return found && typeof found === "object" && "moves" in found && "game" in found ? found : null;
  } catch {
    return null;
  }
}

export async function page(root) {
  title("Games");
  const [games, tables] = await Promise.all([api.games(), api.tables()]);
  const list = tables.length ? rows(tables) : h("p", { cls: "quiet" }, "No games yet.");
  root.append(h("h1", {}, "Games"), list, importer(games));
  root.classList.add("middle");
}
