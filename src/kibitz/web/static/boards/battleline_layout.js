// Where the things of Battle Line lie: nine columns of one unit, the viewer's side below the flags, the hand at the
// bottom. Knows the scene of kind "battleline", draws nothing but plain rectangles.

import { s } from "../dom.js";

export const WIDTH = 9;
export const W = 0.88, H = 1.1, STRIP = 0.5; // a card at a flag; so much is seen of one with another on it
export const FLAG_ROW = 1.08, WORDS_ROW = 0.34, DECK_ROW = 1.12, HAND_ROW = 1.5;
const BACKS_ROW = 0.78, EDGE = 0.08, TRAY_X = 2.44;

/** Return the heights at which the rows begin; a fourth place for cards is there if a flag has one. */
export function rows(scene) {
  const most = Math.max(...scene.flags.map((flag) => flag.cap)), side = (most - 1) * STRIP + H;
  const top = scene.bare ? 0 : BACKS_ROW, theirs = top + WORDS_ROW, flags = theirs + side, mine = flags + FLAG_ROW;
  const decks = mine + side + WORDS_ROW + 0.1, hand = decks + DECK_ROW;
  return { side, theirs, flags, mine, decks, hand, end: scene.bare ? mine + side + WORDS_ROW : hand + HAND_ROW };
}

export const frame = (scene) => [-EDGE, -EDGE, WIDTH + 2 * EDGE, rows(scene).end + 2 * EDGE];

/** Return how many cards a side can still take. */
export const freePlaces = (flag, player) => (flag.owner === null ? flag.cap - flag.sides[player].length : 0);

/** Return the place of a side's card or, after the cards, of a free slot; above the flags the free ones come first. */
export function slot(at, flag, player, up, i) {
  const cards = flag.sides[player].length, free = freePlaces(flag, player);
  const line = up ? (i < cards ? free + i : i - cards) : i, all = cards + free;
  const first = up ? at.theirs + at.side - H - (all - 1) * STRIP - 0.04 : at.mine + 0.04;
  return { x: flag.number - 1 + (1 - W) / 2, y: first + line * STRIP, w: W, h: H };
}

/** Return the places of the cards in the hand. */
export function handPlaces(at, hand) {
  const step = Math.min(1.22, WIDTH / Math.max(hand.length, 1)), left = (WIDTH - step * hand.length) / 2;
  return hand.map((_, i) => ({ x: left + i * step + 0.04, y: at.hand + 0.06, w: step - 0.08, h: HAND_ROW - 0.14 }));
}

export const deckPlace = (at, kind) => ({ x: 0.06 + kind * 1.16, y: at.decks, w: 1.04, h: DECK_ROW - 0.12 });
export const trayPlace = (at) => ({ x: TRAY_X, y: at.decks, w: WIDTH - TRAY_X - 0.06, h: DECK_ROW - 0.12 });
export const buttonPlace = (at) => ({ x: WIDTH - 1.72, y: at.decks + 0.22, w: 1.56, h: 0.56 });
export const middle = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });

/** Draw a rectangle. */
export const box = (cls, { x, y, w, h }, rx = 0.12) => s("rect", { cls, x, y, width: w, height: h, rx });
