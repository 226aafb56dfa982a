// The two players at a table: colour, name, score, clock, and whose turn it is.

import { h, say } from "./dom.js";
import { shownPosition } from "./model.js";
import { clock } from "./values.js";

function seat(player) {
  const name = h("span", { cls: "seat-name" }), score = h("span", { cls: "score" }), time = h("span", { cls: "time" });
  const el = h("div", { cls: `seat seat${player}` }, h("span", { cls: "stone", "aria-hidden": "true" }),
    h("div", { cls: "seat-words" }, name, time), score);
  return { el, name, score, time };
}

/** Return a player's clock: the time used, or what is left for this move where that is limited. */
function time(table, player, ahead) {
  const used = table.moves.reduce((sum, move) => sum + (move.player === player ? move.seconds : 0), 0);
  if (table.outcome || table.paused || table.to_move !== player) return clock(used);
  const running = Math.max(0, (Date.now() + ahead - table.clock.since) / 1000);
  const limited = table.clock.limit !== null && table.seats[player].kind === "person";
  return limited ? `${clock(Math.ceil(table.clock.limit - running))} left` : clock(used + running);
}

export function seatsView() {
  const seats = [seat(0), seat(1)];
  const el = h("section", { cls: "seats", "aria-label": "Players" }, seats.map((each) => each.el));
  let table = null, ahead = 0;

  function tick() {
    if (!table) return;
    seats.forEach((each, player) => say(each.time, time(table, player, ahead)));
  }

  const timer = setInterval(tick, 500);
  return {
    el,
    update(model) {
      if (table !== model.table) ahead = model.table.now ? model.table.now - Date.now() : 0;
      table = model.table;
      const position = shownPosition(model), scores = position.scene.scores ?? table.scores;
      seats.forEach((each, player) => {
        say(each.name, table.seats[player].name);
        each.name.title = table.game.players[player];
        say(each.score, scores ? String(scores[player]) : table.game.players[player]);
        each.score.classList.toggle("word", !scores);
        const turn = table.outcome ? table.outcome.winner === player : position.to_move === player;
        each.el.classList.toggle("turn", turn);
      });
      tick();
    },
    end: () => clearInterval(timer),
  };
}
