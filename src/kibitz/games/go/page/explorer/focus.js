// Moving over a board by keyboard: one element at a time can be reached with Tab, arrow keys go to the
// nearest one that lies that way, Enter and Space play. Knows places and elements, no game.

import { DIRECTIONS, nearestPlace, nextPlace } from "../../../../web/page/board/places.js";
import { CLICK_FOLLOWS_MS } from "../../../../web/page/board/pointer.js";
import { s } from "../../../../web/page/shell/dom.js";

/** Return an element that can be played, with its spot: what `roving` needs to know of it. @returns {any} */
export function target(key, label, place, cls, ...children) {
  const el = s("g", { cls: `open ${cls}`, role: "button", "data-key": key, "aria-label": label }, children);
  return { el, spot: { el, key, walk: [place.x, place.y] } };
}

/** Keep the focus of one board. `play(key, by)` is called for Enter, Space and clicks, by a pointer of some type. */
export function roving(svg, play) {
  /** @type {{ el: HTMLElement, key: string, walk: [number, number] }[]} */
  let spots = [];
  let held = null, pressed, played = -Infinity;

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
    const spot = event.timeStamp - played > CLICK_FOLLOWS_MS && spotOf(event.target);
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
        : DIRECTIONS[event.key] && nextPlace(spots, from, DIRECTIONS[event.key]);
      if (to) to.el.focus();
      else if (!DIRECTIONS[event.key]) return;
    }
    event.preventDefault();
  });

  return {
    /** Whether the focus is on the board, or was when its element went away. */
    holds: () => svg.contains(document.activeElement),
    /** Take the elements of a new drawing; the focus stays as near as it can to where it was. */
    take(fresh, hadFocus) {
      spots = fresh;
      const near = held && spots.length ? nearestPlace(spots, held) : null;
      point(near ?? spots[0]);
      if (!hadFocus) return;
      if (near) near.el.focus({ preventScroll: true });
      else svg.focus({ preventScroll: true });
    },
  };
}
