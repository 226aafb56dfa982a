// Maps addresses to pages. Loads a page's module when it is first needed.

import * as api from "./api.js";
import { addSheet } from "../board/assets.js";
import { h, say } from "./dom.js";
import { announce, banner, title, trouble } from "./shell.js";
import { setUpSound } from "./sound.js";

/** @type {[RegExp, () => Promise<any>][]} */
const ROUTES = [
  [/^\/$/, () => import("../lobby/lobby.js")],
  [/^\/new\/([^/]+)$/, () => import("../lobby/setup.js")],
  [/^\/play\/([^/]+)$/, () => import("../table/play.js")],
  [/^\/(position|edit)\/([^/]+)$/, () => import("../position/editor.js")],
  [/^\/games$/, () => import("../lobby/saved.js")],
  [/^\/arena$/, () => import("../arena/list.js")],
  [/^\/arena\/new$/, () => import("../arena/new.js")],
  [/^\/arena\/([^/]+)$/, () => import("../arena/one.js")],
  [/^\/problems(?:\/([^/]+))?(?:\/(\d+))?$/, () => import("../position/problems.js")],
];

const LOADING_MS = 300, EXPLAIN_MS = 2000; // before a page that takes long is shown as loading, and says why
const PREPARING = "Preparing this page. The first time this takes a few seconds, because searches are compiled.";

/** Pages that games add: addresses -> the module that shows one, and its style sheets. @type {Record<string, string[]>} */
const GAME_PAGES = JSON.parse(document.getElementById("game-pages")?.textContent || "{}");

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let leave = null, visit = 0, shownOnce = false;

/** Show the page of the current address. */
async function route() {
  const here = ++visit;
  const path = pathHere();
  const [load, found] = match(path) ?? [];
  leave?.();
  leave = null;
  banner(null);
  markNav(path);
  if (!load) return show(sorry("Page not found", h("p", {}, "Check the address for typing errors.")));
  const root = h("div", { cls: "page" }), endWait = showLoading();
  try {
    const module = await load();
    const query = new URLSearchParams(location.search);
    query.delete("theme");
    const end = await module.page(root, found, query);
    if (here !== visit) return end?.();
    leave = end ?? null;
    show(root);
  } catch (error) {
    if (!(error instanceof api.Refused)) console.error(error);
    if (here === visit) show(sorry("Something went wrong", trouble(error.message)));
  } finally {
    endWait();
  }
}

/** Show that a page is being loaded, if it takes long; return a function that ends this. */
function showLoading() {
  const words = h("span", {}, "Loading …");
  const line = h("p", { cls: "asking", role: "status" }, words, h("progress", { "aria-label": "Loading" }));
  const timers = [
    setTimeout(() => main.replaceChildren(h("div", { cls: "page middle" }, line)), LOADING_MS),
    setTimeout(() => say(words, PREPARING), EXPLAIN_MS),
  ];
  return () => timers.forEach(clearTimeout);
}

/** Return the path of the present address, as it was written where it cannot be decoded. */
function pathHere() {
  const path = location.pathname.replace(/(.)\/$/, "$1");
  try { return decodeURI(path); } catch { return path; }
}

/** Return the module of a game's page when its style sheets are there. @param {string[]} files */
async function gamePage([script, ...sheets]) {
  await Promise.all(sheets.map(addSheet));
  return import(script);
}

/** @param {string} path @returns {[load: () => Promise<any>, found: string[]] | null} */
function match(path) {
  if (Object.hasOwn(GAME_PAGES, path)) return [() => gamePage(GAME_PAGES[path]), []];
  for (const [pattern, load] of ROUTES) {
    const found = pattern.exec(path);
    if (found) return [load, found.slice(1)];
  }
  return null;
}

function show(root) {
  main.replaceChildren(root);
  if (shownOnce) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(document.title);
  }
  shownOnce = true;
}

function sorry(heading, words) {
  title(heading);
  const home = h("p", {}, h("a", { cls: "button", href: "/" }, "Back to the games"));
  return h("div", { cls: "page narrow" }, h("h1", {}, heading), words, home);
}

/** Return links of the header. @param {string} selector @returns {HTMLAnchorElement[]} */
const navLinks = (selector) => [...document.querySelectorAll(selector)].filter((link) => link instanceof HTMLAnchorElement);

function markNav(path) {
  for (const link of navLinks("[data-nav]")) {
    const under = link.dataset.nav ?? "";
    const isCurrent = under === "/" ? path === "/" || path.startsWith("/new/") : path.startsWith(under);
    link.ariaCurrent = isCurrent ? "page" : null;
  }
}

/** Follow links to our own pages without reloading. */
function follow(event) {
  const link = event.target.closest?.("a[href]");
  const elsewhere = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || elsewhere || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || link.hash || link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  route();
}

/** Show the link to the problems, if any game has some. */
async function linkProblems() {
  const games = await api.games().catch(() => []);
  const found = games.filter((game) => game.problems);
  for (const link of navLinks('[data-nav="/problems"]')) {
    link.hidden = !found.length;
    if (found.length === 1) link.href = `/problems/${found[0].name}`;
  }
}

/** Show the link to the arena, unless it is disabled. */
async function linkArena() {
  const { arena } = await api.house().catch(() => ({ arena: true }));
  for (const link of navLinks('[data-nav="/arena"]')) link.hidden = !arena;
}

document.addEventListener("click", follow);
addEventListener("popstate", route);
addEventListener("kibitz:route", route);
setUpSound(document.getElementById("sound"));
linkProblems();
linkArena();
route();
