// Requests to the server about Go records, mined patterns and predictions; and the addresses of pages.

import { ask, Refused } from "../../../web/page/shell/api.js";
import { newId } from "../../../web/page/shell/dom.js";

const part = encodeURIComponent;
const tab = `${newId("tab")}-${Math.random().toString(36).slice(2)}`; // on this machine each page counts by itself

export const stores = () => ask("GET", "/api/explorer");
export const more = (id, start) => ask("GET", `/api/explorer/found/${part(id)}?start=${start}`);
export const game = (store, number) => ask("GET", `/api/explorer/games/${part(store)}/${part(number)}`);

/** Search for a pattern; returns nothing if a later search of this visitor took the place of this one. */
export const search = (wish) => ask("POST", "/api/explorer/search", { ...wish, tab }).catch((error) => {
  if (error.status !== 409) throw error;
});

/** Continue a search whose `share_done` is below 1; return what it has found by now. */
export const searchOn = (id) => ask("POST", `/api/explorer/found/${part(id)}`);

/** Import a dropped file; returns a summary. */
export const drop = (file) => ask("POST", "/api/explorer/drop", file).catch((error) => {
  throw error.status ? error : new Refused("The server does not answer. The file may be too large for it.");
});

/** Return the parameters of an address, without empty ones. */
export const queryOf = (wish) => new URLSearchParams(
  Object.entries(wish).filter(([, value]) => !["", null, undefined, false].includes(value)));

/** Return what was mined: "" all about a store, "/list" patterns, "/one" of them, "/fuseki" a node of the tree ... */
export const mined = (path, wish) => ask("GET", `/api/patterns${path}?${queryOf(wish)}`);

/** Return the requests about one game: `opinion(ply)`, `games(ply, name)` with the same pattern, and so on. */
const source = (base) => ({
  opinion: (ply) => ask("GET", `${base}/predict/${ply}`),
  games: (ply, name) => ask("GET", `${base}/predict/${ply}/${part(name)}`),
  territory: (ply) => ask("GET", `${base}/territory/${ply}`),
  whole: () => ask("GET", `${base}/predict`),
});
export const inStore = (store, number) => source(`/api/explorer/games/${part(store)}/${part(number)}`);
export const atTable = (id) => source(`/api/tables/${part(id)}`);

/** Return rows of points as one text, with each run of empty points as its length. */
export const packed = (rows) => rows.join("/").replaceAll(/\.+/g, (gap) => String(gap.length));

/** Return the rows of such a text. */
export const unpacked = (text) => text.replaceAll(/\d+/g, (n) => ".".repeat(Math.min(25, Number(n)))).split("/");

/** Return the address at which the explorer searches for something. */
export const searchAddress = (store, { size, top, left, rows, anchor, next }) =>
  `/explore?${queryOf({ store, size, at: `${top},${left}`, rows: packed(rows), anchor, next })}`;

/** Return the address of a game after `move` moves. */
export const gameAddress = (store, number, move) => `/explore?${new URLSearchParams({ store, game: number, move })}`;
