// The state of a table's page: the last messages from the server, and which position is being viewed.
// Handles the server's messages; draws nothing.

import { patchedPicture, readPicture } from "../board/picture.js";
import { kept } from "../shell/shell.js";

/** Return the page's state before the first message from the server. @returns {any} */
export function emptyModel(id) {
  return {
    id, table: null, connected: false, pending: false,
    looking: null, // the ply being viewed, or null for the current position
    past: new Map(), // cache of earlier positions, by ply
    thinking: null, thought: null, hint: null,
    analysing: false, analysis: null, graph: [], review: null,
    analyst: "", analysts: [], // the outside program that analyses, or "" for the game's own; and those offered
    revealed: "", // which hidden cards may be seen at a screen of two, see Picture.secret
    show: { marks: "values", overlay: true, view: "", ...kept("show", {}) },
    spot: null, // the steps of a move that is pointed at in a list
    laid: null, // an overlay made by the game's own script, with the key of the position it belongs to
  };
}

/** Return the ply of the position on the board. */
export const shownPly = (model) => model.looking ?? model.table.ply;

/** Return the position on the board: that of the game, or an earlier one. */
export function shownPosition(model) {
  return (model.looking !== null && model.past.get(model.looking)) || model.table;
}

/** Return a key that identifies the position on the board. */
export const positionKey = (model) =>
  model.table.moves.slice(0, shownPly(model)).map((move) => move.text).join(" ");

/** Return the overlay that a game's script made for the position on the board, or null. */
export const laidHere = (model) => (model.laid?.key === positionKey(model) ? model.laid : null);

/** Return the seats of persons that this browser acts for. */
export const ownSeats = ({ you, seats }) => you.filter((player) => seats[player].kind === "person");

/** Return whether a person may move on the board now. */
export function mayMove(model) {
  const { table } = model;
  const own = ownSeats(table).includes(table.to_move);
  return own && !table.outcome && !table.settling && model.connected && !model.pending && model.looking === null;
}

/** Return whether a person may mark something on the board now, since the game is about to be settled. */
export function mayMark({ table, connected, looking }) {
  return Boolean(table.settling) && ownSeats(table).length > 0 && connected && looking === null;
}

/** Return whether two people play here, each at a screen of their own. */
export const isBetweenTwo = ({ link, seats }) => link && seats.every((seat) => seat.kind === "person");

/** Return whether such a game is unfinished, so that neither may get help. */
export const isContest = (table) => isBetweenTwo(table) && !table.outcome;

/** Return whether the cards of the player to move are covered, since two people share this screen. */
export function isCovered({ table, revealed }) {
  const { secret } = table.picture;
  return ownSeats(table).length === 2 && !table.outcome && secret !== "" && secret !== revealed;
}

/** Return the analysis if it is of the position on the board, and may be seen. */
export function analysisHere(model) {
  return model.analysis?.ply === shownPly(model) && !isCovered(model) ? model.analysis : null;
}

/** Return whether a move scored or took something: the points changed, or what stood at a place is gone. */
function captured(table, old) {
  const { shapes } = table.picture, before = old.picture;
  const gone = [...before.places.keys()].some((key) => before.shapes.has(key) && !shapes.has(key));
  return gone || String(table.scores) !== String(old.scores);
}

/** Return a whole table, or null if the message changes one that this page does not have. @returns {any} */
function received({ change, picture, since, kept_moves: same, ...told }, old) {
  if (!change) return { ...told, picture: readPicture(picture) };
  if (since !== old?.number) return null;
  const moves = [...old.moves.slice(0, same), ...told.moves];
  return { panels: old.panels, legal: old.legal, ...told, moves, picture: patchedPicture(old.picture, change) };
}

/** Return whether this screen may now show other things: the viewer changed, or the game ended or went on. */
function seesOtherwise(table, old) {
  const shared = ownSeats(table).length === 2 && table.picture.secret !== old.picture.secret;
  return shared || String(table.you) !== String(old.you) || Boolean(table.outcome) !== Boolean(old.outcome);
}

/** Handlers of the server's messages. `tell(what, words, player)` announces an event by sound and text. */
export const HANDLERS = {
  table(model, message, tell) {
    const old = model.table, table = received(message, old);
    if (!table) return tell("missed");
    model.table = table;
    model.pending = false;
    model.thinking = null;
    tell("table");
    if (!old) return undefined;
    const isTakenBack = !old.moves.every((move, i) => table.moves[i]?.text === move.text);
    if (isTakenBack || seesOtherwise(table, old)) {
      model.past.clear();
      model.looking = null;
    }
    if (isTakenBack) {
      model.review = model.thought = null;
      model.graph = model.graph.filter(([ply]) => ply <= table.ply);
    }
    if (table.ply !== old.ply) model.hint = model.analysis = null;
    if (table.outcome && !old.outcome) tell("end", `${table.outcome.words}.`);
    else if (table.settling && !old.settling) tell("move", `${table.settling.ask}. ${table.settling.words}.`);
    else if (table.settling && table.settling.words !== old.settling?.words) tell("move", `${table.settling.words}.`);
    else if (table.ply > old.ply) {
      const made = table.moves.slice(old.ply).map((move) => `${table.seats[move.player].name}: ${move.label}`);
      tell(captured(table, old) ? "capture" : "move", made.join(", "), table.moves.at(-1).player);
    } else if (table.ply < old.ply) tell("move", `Back to move ${table.ply}.`);
    return undefined;
  },
  thinking(model, message) { model.thinking = message; },
  thought(model, message) { model.thinking = null; model.thought = message; },
  hint(model, message, tell) {
    if (message.ply !== model.table?.ply) return;
    model.hint = message;
    tell("move", `Hint: ${message.label}. ${message.words}`);
  },
  analysis(model, message) { if (model.analysing) model.analysis = message; },
  graph(model, message) { model.graph = message.points; },
  review(model, message) { model.review = { ...message, running: message.done < message.of }; },
  refused(model, message, tell) {
    model.pending = false;
    if (model.review?.running && !model.review.moves.length) model.review = null;
    tell("refused", message.words);
  },
  notice(model, message, tell) { tell("notice", message.words); },
};
