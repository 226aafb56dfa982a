// The evaluation over a game: the first player's chances after every move. A click goes there.

import { s } from "../shell/dom.js";
import { shownPly } from "../table/model.js";

const WIDE = 300, HIGH = 72; // in units of its own

export function graphView(act) {
  const area = s("path", { cls: "graph-area" }), line = s("path", { cls: "graph-line" });
  const here = s("line", { cls: "graph-here", y1: 0, y2: HIGH }), turns = s("g", { cls: "graph-marks" });
  const middle = s("line", { cls: "graph-middle", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 });
  const svg = s("svg", {
    cls: "graph", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Evaluation over the game", onclick: jump,
  }, middle, area, line, turns, here);
  let total = 1;

  function jump(event) {
    const frame = svg.getBoundingClientRect();
    act.jump(Math.round(((event.clientX - frame.left) / frame.width) * total));
  }

  return {
    el: svg,
    update(model) {
      total = Math.max(1, model.table.ply);
      const x = (ply) => (ply / total) * WIDE, y = (points) => HIGH * (1 - points);
      const found = model.graph.filter(([, points]) => points !== null);
      const path = found.map(([ply, points]) => `${x(ply).toFixed(1)} ${y(points).toFixed(1)}`).join("L");
      const ends = found.length ? [x(found[0][0]), x(found.at(-1)[0])] : [];
      line.setAttribute("d", path ? `M${path}` : "");
      area.setAttribute("d", path ? `M${ends[0]} ${HIGH / 2}L${path}L${ends[1]} ${HIGH / 2}Z` : "");
      const turning = found.filter(([ply]) => model.review?.turning?.includes(ply));
      turns.replaceChildren(...turning.map(([ply, points]) => s("circle", { cx: x(ply), cy: y(points), r: 3 })));
      for (const side of ["x1", "x2"]) here.setAttribute(side, x(shownPly(model)));
    },
  };
}
