// Moving over a board by keyboard: one element at a time can be reached with Tab, arrow keys go to the
// nearest one that lies that way, Enter and Space play. Knows places and elements, no game.

import { s } from "../../../../web/page/shell/dom.js";

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const TINY = 1e-6;
const CLICK_FOLLOWS = 400; // milliseconds: so soon after a release comes the click that belongs to it

/** Return an element that can be played, with its spot: where the keyboard sees it. */
export function target(key, label, place, cls, ...children) {
  const el = s("g", { cls: `open ${cls}`, role: "button", "data-key": key, "aria-label": label }, children);
  return { el, spot: { el, key, ...place } };
}

/** Return the spot that an arrow key leads to: the nearest within 45 degrees, else the least far off the way. */
function next(spots, from, [dx, dy]) {
  let best = null, least = Infinity;
  for (const spot of spots) {
    const along = (spot.x - from.x) * dx + (spot.y - from.y) * dy;
    const aside = Math.abs((spot.x - from.x) * dy) + Math.abs((spot.y - from.y) * dx);
    if (along < TINY) continue;
    const far = Math.hypot(along, aside) + (aside > along + TINY ? 1000 + 3 * aside : 0);
    if (far < least) [best, least] = [spot, far];
  }
  return best;
}

/** Return the spot nearest to a place. */
function nearest(spots, place) {
  const far = (spot) => Math.hypot(spot.x - place.x, spot.y - place.y);
  return spots.reduce((best, spot) => (best === null || far(spot) < far(best) ? spot : best), null);
}

/** Keep the focus of one board. `play(key, by)` is called for Enter, Space and clicks, by a pointer of some type. */
export function roving(svg, play) {
  let spots = [], held = null, pressed, played = -Infinity;

  function point(spot) {
    for (const each of spots) each.el.setAttribute("tabindex", each === spot ? "0" : "-1");
  }

  function spotOf(target) {
    const el = target?.closest?.("[data-key]");
    return el ? spots.find((spot) => spot.el === el) : undefined;
  }

  // A drawing may be replaced between press and release, and the browser then reports no click. So a press counts
  // when it is released over the same element, drawn anew or not; a click of its own comes from aids such as readers.
  svg.addEventListener("pointerdown", (event) => {
    pressed = event.button === 0 ? spotOf(event.target)?.key : undefined;
  });
  svg.addEventListener("pointercancel", () => { pressed = undefined; });
  svg.addEventListener("pointerup", (event) => {
    const spot = spotOf(document.elementFromPoint(event.clientX, event.clientY));
    if (spot && spot.key === pressed) {
      played = event.timeStamp;
      play(spot.key, event.pointerType);
    }
    pressed = undefined;
  });
  svg.addEventListener("click", (event) => {
    const spot = event.timeStamp - played > CLICK_FOLLOWS && spotOf(event.target);
    if (spot) play(spot.key, null);
  });
  svg.addEventListener("focusin", (event) => {
    const spot = spotOf(event.target);
    if (spot) { point(spot); held = spot; }
  });
  svg.addEventListener("focusout", (event) => { if (event.relatedTarget) held = null; });
  svg.addEventListener("keydown", (event) => {
    const from = spotOf(event.target);
    if (!from || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") play(from.key, null);
    else {
      const to = event.key === "Home" ? spots[0] : event.key === "End" ? spots.at(-1)
        : WAYS[event.key] && next(spots, from, WAYS[event.key]);
      if (to) to.el.focus();
      else if (!WAYS[event.key]) return;
    }
    event.preventDefault();
  });

  return {
    /** Whether the focus is on the board, or was when its element went away. */
    holds: () => svg.contains(document.activeElement),
    /** Take the elements of a new drawing; the focus stays as near as it can to where it was. */
    take(fresh, hadFocus) {
      spots = fresh;
      const near = held && nearest(spots, held);
      point(near ?? spots[0]);
      if (!hadFocus) return;
      if (near) near.el.focus({ preventScroll: true });
      else svg.focus({ preventScroll: true });
    },
  };
}
