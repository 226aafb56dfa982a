// Requests to the server about tournaments, and descriptions of tournaments in words.

import { ask } from "../shell/api.js";
import { keep, kept } from "../shell/shell.js";
import { many } from "../shell/values.js";

const part = encodeURIComponent;

export const tournaments = () => ask("GET", "/api/arena");
export const tournament = (id) => ask("GET", `/api/arena/${part(id)}`);
export const gamesBefore = async (id, place) =>
  (await ask("GET", `/api/arena/${part(id)}/games?before=${place}`)).games;
export const fileUrl = (id, kind) => `/api/arena/${part(id)}/${kind}`;
export const replayUrl = (id, game) => `/play/${part(`${id}.${game}`)}`;

/** Start a tournament; return its id. This browser stores the token to stop it. */
export async function start(wish) {
  const { id, token } = await ask("POST", "/api/arena", wish);
  keep("arena", { ...kept("arena", {}), [id]: token });
  return id;
}

const token = (id) => kept("arena", {})[id] ?? null;

/** Stop or resume a tournament; return its new state. */
export const command = (id, what) => ask("POST", `/api/arena/${part(id)}`, { do: what, token: token(id) });

/** Return whether this browser may stop and resume a tournament. */
export const mayCommand = ({ id, open }) => open || token(id) !== null;

export const FORMATS = { "round-robin": "Round robin", gauntlet: "Gauntlet", match: "Match" };
export const STATES = {
  running: "Running", waiting: "Waiting", stopped: "Stopped", complete: "Complete", failed: "Failed",
};

/** Return whether a tournament is running or queued. */
export const isGoing = ({ state }) => state === "running" || state === "waiting";

/** Return a list of names as text, leaving out the last ones if there are many. */
function names(all, most) {
  if (all.length <= most) return all.join(", ");
  return `${all.slice(0, most - 1).join(", ")} and ${all.length - most + 1} more`;
}

/** Return the agents of a tournament as text. */
export function who({ agents, format }, most = 4) {
  if (format === "round-robin") return names(agents, most);
  return `${agents[0]} against ${names(agents.slice(1), most - 1)}`;
}

/** Return a duration in words. */
export function duration(seconds) {
  if (seconds < 90) return many(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 5400) return many(Math.round(seconds / 60), "minute");
  if (seconds < 129600) return many(Math.round(seconds / 3600), "hour");
  return many(Math.round(seconds / 86400), "day");
}

/** Repeat a request while `again(answer)` is true and the page is visible; return how to stop it. */
export function polling(ask, draw, again, pause = 1000) {
  let timer = 0, ended = false, busy = false;

  async function look() {
    clearTimeout(timer);
    if (ended || busy) return;
    busy = true;
    const answer = await ask().catch((error) => ({ error }));
    busy = false;
    if (ended) return;
    draw(answer);
    next(answer);
  }

  function next(answer) {
    if (!document.hidden && (answer.error || again(answer))) timer = setTimeout(look, pause);
  }

  const seen = () => { if (!document.hidden) look(); };
  document.addEventListener("visibilitychange", seen);
  return {
    /** Use an answer that was obtained by another request. */
    take(answer) { draw(answer); clearTimeout(timer); next(answer); },
    end() { ended = true; clearTimeout(timer); document.removeEventListener("visibilitychange", seen); },
  };
}
