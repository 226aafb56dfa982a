// Asking the server about records of Go. Knows addresses, not what the answers mean.

import { ask, Refused } from "./api.js";
import { newId } from "./dom.js";

const part = encodeURIComponent;
const tab = `${newId("tab")}-${Math.random().toString(36).slice(2)}`; // on this machine each page counts by itself

export const overview = () => ask("GET", "/api/explorer");
export const search = (wish) => ask("POST", "/api/explorer/search", { ...wish, tab });
export const more = (id, start) => ask("GET", `/api/explorer/found/${part(id)}?start=${start}`);
export const game = (store, number) => ask("GET", `/api/explorer/games/${part(store)}/${part(number)}`);

/** Add a file of one's own; returns what became of it. */
export async function drop(file) {
  let answer;
  try {
    answer = await fetch("/api/explorer/drop", { method: "POST", body: file });
  } catch {
    throw new Refused("The server does not answer. The file may be too large for it.");
  }
  const said = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(said?.error ?? `The server answered ${answer.status}.`, answer.status);
  return said;
}
