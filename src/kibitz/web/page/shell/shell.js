// Code shared by all pages: the title, the banner, announcements for screen readers, and navigation.
// Works on the frame in index.html, not on the content of the pages.

import { h, say, shown } from "./dom.js";

const EXPLAIN_WAIT_MS = 1500; // before a question says why it takes long

const element = (id) => document.getElementById(id);

/** Go to another page of ours without reloading. */
export function go(url) {
  history.pushState(null, "", url);
  dispatchEvent(new Event("kibitz:route"));
}

/** Set the title of the window. */
export const title = (text) => { document.title = text ? `${text} · kibitz` : "kibitz"; };

/** Announce something to screen readers. */
export const announce = (text) => say(element("live"), text);

/** Show a banner at the top of every page, or remove it with null. */
export function banner(text) {
  const el = element("banner");
  shown(el, text !== null);
  say(el, text ?? "");
}

/** Return a box with an error message. */
export const trouble = (text) => h("p", { cls: "trouble", role: "alert" }, text);

/**
 * Return a status line for requests to the server: it shows `busy` while waiting, `slow` after a while, and any error.
 * `ask(question)` returns the answer, null if it failed, or undefined if another request was made meanwhile.
 */
export function asking(busy = "", slow = busy) {
  const words = h("span"), error = h("div", { "aria-live": "polite" });
  const wait = h("p", { cls: "asking", role: "status", hidden: true }, words, h("progress", { "aria-label": busy }));
  let asked = 0, timer = 0, turn = Promise.resolve();

  /** Show an error, or none. */
  const tell = (text = "") => error.replaceChildren(...(text ? [trouble(text)] : []));

  function rest() {
    clearTimeout(timer);
    shown(wait, false);
  }

  /** Cancel the current request. */
  function drop() {
    asked += 1;
    rest();
    tell();
  }

  async function answerOf(question, mine) {
    try {
      const answer = await question();
      return mine === asked ? answer : undefined;
    } catch (problem) {
      if (mine !== asked) return undefined;
      tell(problem.message);
      return null;
    } finally {
      if (mine === asked) rest();
    }
  }

  function begin() {
    drop();
    say(words, busy);
    shown(wait, busy !== "");
    timer = setTimeout(() => say(words, slow), EXPLAIN_WAIT_MS);
    return asked;
  }

  return {
    el: h("div", { cls: "asking-part" }, wait, error), tell, drop, ask: (question) => answerOf(question, begin()),
    /** Return what went wrong, or nothing. */
    fault: () => error.textContent,
    /** Ask once the question before is answered, and only if nothing else is asked until then. */
    askInTurn(question) {
      const mine = begin(), answer = turn.then(() => (mine === asked ? answerOf(question, mine) : undefined));
      turn = answer.then(() => {});
      return answer;
    },
  };
}

/** Store a setting in this browser. */
export function keep(name, value) {
  try { localStorage.setItem(`kibitz.${name}`, JSON.stringify(value)); } catch { /* private windows may refuse */ }
}

/** Return a setting stored in this browser. */
export function kept(name, otherwise) {
  try { return JSON.parse(localStorage.getItem(`kibitz.${name}`) ?? "null") ?? otherwise; } catch { return otherwise; }
}
