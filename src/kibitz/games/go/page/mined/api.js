// Asking the server what was mined from records of Go. Knows addresses, not what the answers mean.

import { ask } from "../../../../web/page/shell/api.js";
import { packed } from "../explorer/api.js";

function get(path, wish) {
  const given = Object.entries(wish).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return ask("GET", `/api/patterns${path}?${new URLSearchParams(given)}`);
}

export const overview = (store) => get("", { store });
export const list = (wish) => get("/list", wish);
export const one = (wish) => get("/one", wish);
export const templates = (wish) => get("/templates", wish);
export const template = (wish) => get("/template", wish);
export const tree = (which, wish) => get(`/${which}`, wish);
export const players = (wish) => get("/players", wish);

/** Return the address at which the explorer searches for something. */
export function searchAddress(store, { size, top, left, rows, anchor, next }) {
  const told = new URLSearchParams({ store, size, at: `${top},${left}`, rows: packed(rows), anchor });
  if (next) told.set("next", next);
  return `/explore?${told}`;
}

/** Return the address of a game after so many moves. */
export const gameAddress = (store, game, move) => `/explore?${new URLSearchParams({ store, game, move })}`;
