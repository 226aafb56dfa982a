// The tokens of the seats that this browser may play, by table. They are stored here and sent only to the server.

import { keep, kept } from "./shell.js";

const MAX_KNOWN_TABLES = 200;
/** The name of an invited friend who has not joined yet. */
export const FRIEND = "Friend";
const FRAGMENT = /^#seat=([\w-]+)$/;

/** Return the tables that this browser made or was invited to, the last one first. */
const all = () => kept("tables", []);

/** Return the tokens of a table: `tokens` for the own seats, `invite` for the invitation. */
export const heldAt = (id) => all().find((each) => each.id === id) ?? { id, tokens: [], invite: null };

/** Return the ids of the tables known here. */
export const knownTables = () => all().map((each) => each.id);

/** Remember a table. */
export function remember(id, tokens, invite = null) {
  keep("tables", [{ id, tokens, invite }, ...all().filter((each) => each.id !== id)].slice(0, MAX_KNOWN_TABLES));
}

/** Read the token in an invitation link, and remove it from the address bar. */
export function arrive(id) {
  const found = FRAGMENT.exec(location.hash);
  if (!found) return;
  const held = heldAt(id);
  if (!held.tokens.includes(found[1])) remember(id, [...held.tokens, found[1]].slice(-2), held.invite);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Return the link that gives somebody a seat. */
export const invitation = (id, token) => `${location.origin}/play/${encodeURIComponent(id)}#seat=${token}`;
