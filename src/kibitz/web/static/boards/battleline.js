// Drawing Battle Line: nine flags, both sides, the hands, decks and discards. Knows the scene of kind "battleline" and
// its layer. battleline_layout.js says where things lie, battleline_steps.js how moves are made.

import { s } from "../dom.js";
import { back, card, isTroop, nameOf, sorted } from "./battleline_cards.js";
import {
  box, buttonPlace, deckPlace, FLAG_ROW, frame, freePlaces, H, HAND_ROW, handPlaces, middle, rows, slot, STRIP,
  trayPlace, W, WIDTH, WORDS_ROW,
} from "./battleline_layout.js";
import { cancel, extra, open, pickedName, press } from "./battleline_steps.js";
import { target } from "./focus.js";

const mark = (is, cls = "last") => (is ? cls : "");

/** Return what lies at a flag, in words. */
function flagWords(flag, names) {
  const worth = (player) => (flag.words[player] ? `, ${flag.words[player]}` : "");
  const side = (player) => `${names[player]}: ${flag.sides[player].join(" ") || "none"}${worth(player)}`;
  const owner = flag.owner === null ? "" : `claimed by ${names[flag.owner]}`;
  const marks = [flag.fog ? "Fog" : "", flag.mud ? "Mud" : "", owner].filter(Boolean).join(", ");
  return `Flag ${flag.number}. ${side(0)}. ${side(1)}. ${marks}`;
}

// The flags

/** Draw the places, cards and words of one side of a flag. */
function side(scene, at, flag, player, how) {
  const up = player !== how.below, cards = flag.sides[player], spots = [];
  const slots = Array.from({ length: freePlaces(flag, player) }, (_, i) => {
    const { x, y } = slot(at, flag, player, up, cards.length + i);
    return box("slot", { x: x + 0.04, y: y + 0.04, w: W - 0.08, h: STRIP - 0.1 }, 0.09);
  });
  const drawn = cards.map((id, i) => {
    const place = slot(at, flag, player, up, i), key = `at ${id}`, picked = how.picked.includes(key);
    const isNew = how.before && !how.before.flags[flag.number - 1].sides[player].includes(id);
    const cls = `${mark(scene.last.cards.includes(id))} ${mark(isNew, "fresh")}`;
    const el = card(id, { ...place, tactics: scene.tactics, cls });
    if (!picked && !how.steps.next.has(key)) return el;
    const hit = box("hit", { ...place, h: i === cards.length - 1 ? H : STRIP }, 0.1);
    const label = `${nameOf(id, scene.tactics)} of ${how.names[player]} at flag ${flag.number}`;
    const made = target(key, label, middle({ ...place, h: STRIP }), picked ? "picked" : "lit", el, hit);
    spots.push(made.spot);
    return made.el;
  });
  const cls = flag.owner === null ? "" : flag.owner === player ? "won" : "lost";
  const lay = s("g", { cls: "lay" }, drawn);
  return { el: s("g", { cls: `side ${cls}` }, slots, lay, worth(at, flag, player, up)), spots };
}

/** Write what a complete side is worth, and whether it was completed first. */
function worth(at, flag, player, up) {
  if (!flag.words[player]) return [];
  const x = flag.number - 0.5, tall = (flag.cap - 1) * STRIP + H + WORDS_ROW / 2 + 0.04;
  const y = up ? at.theirs + at.side - tall : at.mine + tall, corner = { x: x + 0.36, y: up ? y + 0.22 : y - 0.22 };
  return [
    s("text", { cls: "worth wide", x, y, "font-size": 0.145 }, flag.words[player]),
    s("text", { cls: "worth slim", x, y, "font-size": 0.29 }, flag.short[player]),
    flag.first === player ? s("g", { cls: "first-mark" }, s("title", {}, "Completed first"),
      s("circle", { cx: corner.x, cy: corner.y, r: 0.14 }), s("text", { ...corner, "font-size": 0.2 }, "1")) : null,
  ];
}

/** Draw a flag between its sides, with Fog and Mud, and the claim where one can be made. */
function standard(scene, at, flag, how) {
  const x = flag.number - 0.5, cls = `standard ${flag.owner === null ? "" : `p${flag.owner}`}`;
  const badges = [flag.fog ? "Fog" : "", flag.mud ? "Mud" : ""].filter(Boolean).map((name, i) => {
    const place = { x: x - 0.32, y: at.flags + 0.5 + 0.29 * i, w: 0.64, h: 0.26 };
    return s("g", { cls: `badge ${name.toLowerCase()}` }, box("", place, 0.13),
      s("text", { ...middle(place), "font-size": 0.23 }, name));
  });
  const key = `claim ${flag.number}`;
  if (!how.picked.length && how.steps.next.has(key)) {
    const place = { x: x - 0.47, y: at.flags + 0.02, w: 0.94, h: 0.47 };
    const made = button(key, "Claim", place, `Claim flag ${flag.number}`);
    return { el: s("g", { cls }, badges, made.el), spots: [made.spot] };
  }
  const towards = flag.owner === null ? 0 : flag.owner === how.below ? 0.14 : -0.14; // its owner's side
  const top = at.flags + (badges.length ? 0.06 : 0.24) + towards, last = mark(scene.last.flags.includes(flag.number));
  const el = s("g", { cls: `${cls} ${last}`, role: "img", "aria-label": flagWords(flag, how.names) },
    s("path", { d: `M${x - 0.3} ${top}h.6v.36l-.3 .16l-.3 -.16z` }),
    s("text", { x, y: top + 0.21, "font-size": 0.32 }, String(flag.number)), badges);
  return { el, spots: [] };
}

/** Return something to press with a word on it. */
function button(key, words, place, label = words) {
  const text = s("text", { ...middle(place), "font-size": words.length > 9 ? 0.22 : 0.27 }, words);
  return target(key, label, middle(place), "", s("g", { cls: "claim" }, box("hit", place, 0.15), text));
}

/** Return the column of a flag as something to play at, or nothing. */
function column(scene, at, flag, how) {
  const key = `flag ${flag.number}`, name = pickedName(scene, how.picked);
  if (!how.steps.next.has(key)) return [];
  const hit = box("hit column", { x: flag.number - 0.98, y: at.flags + 0.02, w: 0.96, h: FLAG_ROW + at.side });
  const label = `${name} to ${flagWords(flag, how.names)}`;
  return [target(key, label, { x: flag.number - 0.5, y: at.mine + 0.4 }, "lit", hit)];
}

// Hands, decks, discards

/** Draw the hand of who is above: backs, what Scout made known, or all after the game. */
function otherHand(scene, how) {
  const player = 1 - how.below, hand = scene.hands[player], held = scene.held[player];
  const known = hand ? sorted([...hand], "colour") : how.covered ? [] : scene.known;
  const count = (kind) => known.filter((id) => isTroop(id) === (kind === 0)).length;
  const backs = [0, 1].flatMap((kind) => Array(Math.max(0, held[kind] - count(kind))).fill(kind));
  const place = (i) => ({ x: 0.1 + i * 0.58, y: 0.02, w: 0.52, h: 0.64 });
  const words = `${how.names[player]}: ${held[0]} Troops${held[1] ? `, ${held[1]} Tactics` : ""}`;
  return [
    s("g", { role: "img", "aria-label": `${how.names[player]} holds ${held[0]} Troops and ${held[1]} Tactics` },
      known.map((id, i) => card(id, { ...place(i), cls: "small" })),
      hand ? [] : backs.map((kind, i) => back(kind, place(known.length + i)))),
    s("text", { cls: "whose wide", x: WIDTH - 0.05, y: 0.34, "font-size": 0.2 }, words),
  ];
}

/** Draw the hand below the flags: cards to choose from, or backs where it is covered or not the viewer's. */
function ownHand(scene, at, how) {
  const hand = scene.hands[how.below], spots = [];
  if (!hand || how.covered) {
    const backs = scene.held[how.below].flatMap((count, kind) => Array(count).fill(kind));
    return { nodes: handPlaces(at, backs).map((place, i) => back(backs[i], place)), spots };
  }
  const cards = sorted([...hand], how.own.sort), before = how.before?.hands[how.below];
  const nodes = handPlaces(at, cards).map((place, i) => {
    const id = cards[i], key = `card ${id}`, picked = how.picked.includes(key);
    const lifted = { ...place, y: place.y - (picked ? 0.14 : 0) };
    const el = card(id, { ...lifted, tactics: scene.tactics, cls: mark(before && !before.includes(id), "fresh") });
    if (!picked && !how.steps.first.has(key)) return s("g", { cls: mark(how.playable, "idle") }, el);
    const about = scene.tactics[id] ? `${scene.tactics[id].name}. ${scene.tactics[id].about}` : nameOf(id);
    const made = target(key, about, middle(place), mark(picked, "picked"), el, box("hit", lifted));
    made.el.setAttribute("aria-pressed", String(picked));
    spots.push(made.spot);
    return made.el;
  });
  return { nodes, spots };
}

function deck(scene, at, kind, how) {
  const place = deckPlace(at, kind), { x, y, w, h } = place, key = `deck ${kind}`, left = scene.decks[kind];
  const name = kind ? "Tactics" : "Troops", words = `${name} deck, ${left} left`;
  const known = how.covered ? [] : scene.top[kind];
  const count = { x: x + 0.2, y: y + h - 0.42, w: w - 0.4, h: 0.36 };
  const parts = [
    left ? back(kind, { ...place, cls: `deck ${mark(scene.last.decks.includes(kind))}` }) : box("slot", place, 0.1),
    left ? s("text", { cls: "deck-name", x: x + w / 2, y: y + 0.3, "font-size": 0.23 }, name) : null,
    known.length ? card(known[0], { x: x + w * 0.5, y: y + 0.06, w: w * 0.46, h: h * 0.5, cls: "small" }) : null,
    s("g", { cls: "deck-count" }, box("", count, 0.18),
      s("text", { ...middle(count), "font-size": 0.28 }, String(left))),
  ];
  if (!how.steps.next.has(key)) return { el: s("g", { role: "img", "aria-label": words }, parts), spots: [] };
  const label = `${how.picked.length ? "Put it on" : "Draw from"} the ${words}`;
  const made = target(key, label, middle(place), "lit", parts, box("hit", place));
  return { el: made.el, spots: [made.spot] };
}

/** Draw the discarded cards, and the button that plays or ends something here. */
function tray(scene, at, how) {
  const place = trayPlace(at), cards = scene.discards, left = place.x + 0.12;
  const names = cards.map((id) => nameOf(id, scene.tactics));
  const step = Math.min(0.6, (place.w - 2.4) / Math.max(cards.length - 1, 1));
  const lying = (id, i) => ({
    x: left + i * step, y: at.decks + 0.1, w: 0.62, h: 0.8, cls: `small ${mark(scene.last.cards.includes(id))}`,
  });
  const discard = how.picked.length > 1 ? "Discard it" : `Play ${pickedName(scene, how.picked)}`;
  const words = { discard, pass: "Pass", done: "Done" };
  const buttons = Object.keys(words).filter((key) => how.steps.next.has(key))
    .map((key) => button(key, words[key], buttonPlace(at)));
  const nodes = [
    box("slot tray", place),
    cards.length ? null
      : s("text", { cls: "whose tray-name", x: left, y: at.decks + 0.5, "font-size": 0.26 }, "Discard"),
    s("g", { role: "img", "aria-label": `Discarded: ${names.join(", ") || "nothing"}` },
      cards.map((id, i) => card(id, lying(id, i)))),
    ...buttons.map((made) => made.el),
  ];
  return { nodes, spots: buttons.map((made) => made.spot) };
}

// All of it

function draw(scene, given, previous) {
  const { own } = given, state = JSON.stringify([scene.turn, scene.legal, given.playable]);
  if (own.state !== state) [own.state, own.picked] = [state, []];
  own.sort ??= "colour";
  const below = given.below ?? scene.below, before = previous?.below === scene.below ? previous : null;
  const steps = given.playable && !given.covered ? open(scene, own.picked) : { next: new Set(), first: new Set() };
  const how = { ...given, below, before, steps, picked: own.picked }, at = rows(scene);
  const columns = scene.flags.flatMap((flag) => column(scene, at, flag, how));
  const parts = [
    ...scene.flags.flatMap((flag) => [1 - below, below].map((player) => side(scene, at, flag, player, how))),
    ...scene.flags.map((flag) => standard(scene, at, flag, how)),
  ];
  const ground = box("field", { x: 0, y: at.flags, w: WIDTH, h: FLAG_ROW }, 0.14);
  const fog = ({ number }) => box("fog-ground", { x: number - 0.99, y: at.theirs, w: 0.98, h: 2 * at.side + FLAG_ROW });
  const grounds = [ground, ...scene.flags.filter((flag) => flag.fog).map(fog)];
  const nodes = [...grounds, ...[...parts, ...columns].map(({ el }) => el)];
  const spots = [...parts.flatMap((part) => part.spots), ...columns.map((part) => part.spot)];
  if (!scene.bare) {
    const decks = scene.decks.map((_, kind) => deck(scene, at, kind, how));
    const away = tray(scene, at, how), hand = ownHand(scene, at, how);
    nodes.push(...otherHand(scene, how), ...decks.map(({ el }) => el), ...away.nodes, ...hand.nodes);
    spots.push(...decks.flatMap((part) => part.spots), ...away.spots, ...hand.spots);
  }
  return { nodes: [s("g", {}, nodes)], spots };
}

/** Return where the marks of moves go: to the next step of each, given what is picked. */
function places(scene, how) {
  const at = rows(scene), below = how.below ?? scene.below, { picked, sort } = how.own, found = new Map();
  const hand = sorted([...(scene.hands[below] ?? [])], sort), where = handPlaces(at, hand);
  const lying = new Map(scene.flags.flatMap((flag) => flag.sides.flatMap((cards, player) =>
    cards.map((id, i) => [id, slot(at, flag, player, player !== below, i)]))));
  const spots = {
    card: (id) => hand.includes(id) && { ...middle(where[hand.indexOf(id)]), y: at.hand + HAND_ROW - 0.3 },
    flag: (number) => ({ x: number - 0.5, y: at.mine + at.side - 0.25 }),
    claim: (number) => ({ x: number - 0.5, y: at.flags + 0.72 }),
    deck: (kind) => middle(deckPlace(at, Number(kind))),
    at: (id) => lying.has(id) && middle({ ...lying.get(id), h: STRIP }),
  };
  for (const { move, steps } of scene.bare ? [] : scene.legal) {
    if (!picked.every((step, i) => steps[i] === step)) continue;
    const key = steps[picked.length], [kind, which] = key.split(" ");
    const place = spots[kind] ? spots[kind](which) : middle(buttonPlace(at));
    if (place) found.set(move, { ...place, room: 0.36, key });
  }
  return found;
}

/** Show how likely each open flag is won: a bar in the colours of both, the side below first. */
function layer(scene, { chances = [], player }, how) {
  const at = rows(scene), below = how.below ?? scene.below, y = at.mine - 0.1;
  const open_ = scene.flags.filter((flag) => flag.owner === null && chances[flag.number - 1] !== undefined);
  const signs = open_.map(({ number }) => {
    const chance = chances[number - 1], share = player === below ? chance : 1 - chance, x = number - 0.9;
    return s("g", { cls: "chance" }, box(`p${1 - below}`, { x, y, w: 0.8, h: 0.1 }, 0.05),
      box(`p${below}`, { x, y, w: 0.8 * share, h: 0.1 }, 0.05),
      s("text", { cls: "wide", x: number - 0.5, y: y - 0.1, "font-size": 0.16 }, `${Math.round(100 * share)} %`));
  });
  return { under: [], signs };
}

export const battleline = { frame, draw, places, layer, press, cancel, extra, sides: () => [] };
