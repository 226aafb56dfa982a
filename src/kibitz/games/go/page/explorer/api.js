// Asking the server about records of Go. Knows addresses, not what the answers mean.

import { ask, Refused } from "../../../../web/page/shell/api.js";
import { newId } from "../../../../web/page/shell/dom.js";

const part = encodeURIComponent;
const tab = `${newId("tab")}-${Math.random().toString(36).slice(2)}`; // on this machine each page counts by itself

export const overview = () => ask("GET", "/api/explorer");
export const search = (wish) => ask("POST", "/api/explorer/search", { ...wish, tab });
export const more = (id, start) => ask("GET", `/api/explorer/found/${part(id)}?start=${start}`);
export const game = (store, number) => ask("GET", `/api/explorer/games/${part(store)}/${part(number)}`);

/** Add a file of one's own; returns what became of it. */
export const drop = (file) => ask("POST", "/api/explorer/drop", file).catch((error) => {
  throw error.status ? error : new Refused("The server does not answer. The file may be too large for it.");
});

/** Return rows of points as one text, in which a number stands for so many empty points. */
export const packed = (rows) => rows.join("/").replaceAll(/\.+/g, (gap) => String(gap.length));

/** Return the rows of such a text. */
export const unpacked = (text) => text.replaceAll(/\d+/g, (n) => ".".repeat(Math.min(25, Number(n)))).split("/");
