// The arena: all tournaments, newest first, and a link to start a new one.

import { FORMATS, isGoing, polling, STATES, tournaments, who } from "./api.js";
import { h, render, shown } from "../shell/dom.js";
import { banner, title } from "../shell/shell.js";
import { many, written } from "../shell/values.js";

/** Return a badge with the state of a tournament. */
export function badge(state) {
  return h("span", { cls: `badge ${state}` }, STATES[state] ?? state);
}

/** Return the leader of a tournament, or what is wrong with it. */
function leader(each) {
  if (each.state === "failed") return each.note;
  if (!each.leader) return "";
  return each.state === "complete" ? `${each.leader} won` : `${each.leader} leads`;
}

function content(each) {
  const { played, planned } = each, time = h("time", { cls: "quiet", datetime: each.made }, written(each.made));
  if (each.title === undefined) { // its folder cannot be read
    const wrong = h("span", { cls: "quiet wrong" }, each.note);
    return [h("span", { cls: "names" }, each.id), badge(each.state), wrong, time];
  }
  return [
    h("span", { cls: "names" }, who(each)),
    badge(each.state),
    h("span", { cls: "quiet" }, `${each.title}, ${FORMATS[each.format].toLowerCase()}`),
    h("span", { cls: "quiet" }, played === planned ? many(played, "game") : `${played} of ${many(planned, "game")}`),
    h("span", { cls: "quiet leader" }, leader(each)),
    time,
  ];
}

export async function page(root) {
  title("Arena");
  root.classList.add("middle");
  const list = h("ul", { cls: "game-rows", "aria-label": "Tournaments" });
  const none = h("p", { cls: "quiet" }, "No tournaments yet.");
  const first = await tournaments();
  root.append(
    h("div", { cls: "row spread" }, h("div", { cls: "hero" }, h("h1", {}, "Arena"),
      h("p", {}, "Let engines play each other to find out which is stronger.")),
      h("a", { cls: "button primary", href: "/arena/new" }, "New tournament")),
    none, list);

  function draw({ tournaments: all, error }) {
    banner(error ? error.message : null);
    if (error) return;
    shown(none, !all.length);
    shown(list, all.length > 0);
    render(list, all.map((each) =>
      h("li", {}, h("a", { cls: "game-row arena-row", href: `/arena/${each.id}` }, content(each)))));
  }

  const poll = polling(tournaments, draw, (answer) => answer.tournaments.some(isGoing), 2000);
  poll.take(first);
  return poll.end;
}
