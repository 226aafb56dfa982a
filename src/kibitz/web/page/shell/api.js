// HTTP requests to the server. Knows the addresses, but does not interpret the responses.

import { heldAt, knownTables, remember } from "./tokens.js";

/** An error response of the server, with its message. */
export class Refused extends Error {
  constructor(words, status = 0) {
    super(words);
    this.status = status;
  }
}

/** Send a request; return the answer, or throw Refused, with status 0 if there was none. A file is sent as it is. */
export async function ask(method, path, body, headers = {}) {
  const init = { method, headers: { Accept: "application/json", ...headers } };
  if (body instanceof Blob) init.body = body;
  else if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Refused("The server does not answer. Check that it is running, then try again.");
  }
  if (!answer.ok) throw new Refused(await words(answer), answer.status);
  const type = answer.headers.get("Content-Type") ?? "";
  return type.includes("json") ? answer.json() : answer.text();
}

async function words(answer) {
  const said = await answer.json().catch(() => null);
  return said?.error ?? `The server answered ${answer.status} ${answer.statusText}.`;
}

const part = encodeURIComponent;
let catalogue = null;

/** Return the catalogue of games, requested only once. */
export async function games() {
  catalogue ??= ask("GET", "/api/games").catch((error) => { catalogue = null; throw error; });
  return (await catalogue).games;
}

/** Return the entry of one game in the catalogue. */
export async function game(name) {
  const found = (await games()).find((each) => each.name === name);
  if (!found) throw new Refused(`Unknown game: ${name}.`);
  return found;
}

/** Return a game's cover picture for the lobby. */
export const cover = (name) => ask("GET", `/api/games/${part(name)}/cover`);

export const house = () => ask("GET", "/api/house");

/** Return the games whose searches are still being prepared, each with the number that is ready, and of all. */
export const warmUp = async () => (await ask("GET", "/api/warmup")).waiting;

/** Return the saved games; on a public server, only those that this browser knows. */
export async function tables() {
  const { open } = await house();
  return (await ask("GET", open ? "/api/tables" : `/api/tables?ids=${knownTables().map(part).join(",")}`)).tables;
}

/**
 * Create a table and store its tokens. With a link, `mine` is the own seat; the other token is for the invitation.
 * @param {object} wish @param {number | null} [mine]
 */
export async function newTable(wish, mine = null) {
  const { id, tokens } = await ask("POST", "/api/tables", wish);
  if (mine === null) remember(id, tokens);
  else remember(id, [tokens[mine]], tokens[1 - mine]);
  return { id };
}

export const table = (id) => ask("GET", `/api/tables/${part(id)}`);
export const at = (id, ply) =>
  ask("GET", `/api/tables/${part(id)}/at/${ply}`, undefined, { "X-Kibitz-Seats": heldAt(id).tokens.join(" ") });
export const recordUrl = (id) => `/api/tables/${part(id)}/record`;
export const exported = (id, notation) => ask("GET", `/api/tables/${part(id)}/export?notation=${part(notation)}`);
export const position = (game, options, text, notation = undefined) =>
  ask("POST", "/api/position", { game, options, text, notation });
export const edit = (game, options, position, step) =>
  ask("POST", "/api/edit", { game, options, position, do: step });
export const read = (game, options, notation, text) => ask("POST", "/api/import", { game, options, notation, text });
export const problems = async (game) => (await ask("GET", `/api/problems/${part(game)}`)).problems;
export const problem = (game, number) => ask("GET", `/api/problems/${part(game)}/${number}`);
export const answer = (game, number, reply) => ask("POST", `/api/problems/${part(game)}/${number}`, reply);

/** Return the address of a position page, or of another page that starts from one. */
export function address(page, game, options, text) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options ?? {})) if (value !== null && value !== "") query.set(name, value);
  if (text) query.set("text", text);
  return `/${page}/${part(game)}${query.size ? `?${query}` : ""}`;
}
