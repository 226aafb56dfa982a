// The page of one table: board, players, moves, analysis. Keeps the last state from the server and passes it to the
// views. The server checks every move, and every snapshot replaces the one before.

import * as api from "../shell/api.js";
import { analysisView } from "../analysis/analysis.js";
import { readPicture } from "../board/picture.js";
import { confirmed, h, say } from "../shell/dom.js";
import { emptyModel, HANDLERS, isBetweenTwo, mayMark, mayMove, ownSeats, shownPly, shownPosition } from "./model.js";
import { movesView } from "./moves.js";
import { panelsView } from "./panels.js";
import { resultDialog } from "./result.js";
import { reviewView } from "../analysis/review.js";
import { inviteView, seatsView } from "./seats.js";
import { shareView } from "./share.js";
import { announce, banner, go, keep, kept, title } from "../shell/shell.js";
import { connect } from "../shell/socket.js";
import { play as sound } from "../shell/sound.js";
import { stageView } from "./stage.js";
import { statusView, toolsView } from "./status.js";
import { tabs } from "../shell/tabs.js";
import { arrive, FRIEND, heldAt, remember } from "../shell/tokens.js";

const MAX_FIRST_WAIT_MS = 2000; // wait for the game before showing the page, so that nothing jumps

export async function page(root, [id]) {
  await api.table(id);
  arrive(id);
  const model = emptyModel(id), act = actions(), dialog = resultDialog(act);
  const stage = stageView(act), seats = seatsView(act), status = statusView(act), tools = toolsView(act);
  const panel = {
    moves: movesView(act), analysis: analysisView(act), review: reviewView(act), share: shareView(),
  };
  const side = tabs("About the game", [
    { id: "moves", label: "Moves", panel: panel.moves.el },
    { id: "analysis", label: "Analysis", panel: panel.analysis.el },
    { id: "review", label: "Review", panel: panel.review.el },
    { id: "share", label: "Share", panel: panel.share.el, opened: panel.share.open },
  ]);
  const heading = h("h1", { cls: "hush" }, "A game");
  root.classList.add("table");
  const invite = inviteView(), players = h("div", { cls: "players" }, seats.el, invite.el);
  root.append(heading, players, stage.el, status.el, tools.el, side.el, dialog.el);

  const views = [stage, seats, invite, status, tools, ...Object.values(panel), panelsView(side, "analysis")];
  const draw = () => { if (model.table) for (const view of views) view.update(model); };
  let queued = false, jumps = 0, goal = null, extended = false;
  const arrived = Promise.withResolvers();

  /** Redraw once for all messages that arrive together. */
  function refresh() {
    if (queued) return;
    queued = true;
    queueMicrotask(() => { queued = false; draw(); });
  }

  const socket = connect(id, {
    open() {
      model.connected = true;
      banner(null);
      const { tokens } = heldAt(id);
      if (tokens.length) send({ do: "sit", tokens });
      if (model.analyst) send({ do: "analyst", name: model.analyst });
      if (model.analysing) send({ do: "analyse", on: true, ply: model.looking });
      refresh();
    },
    lost(tries) {
      model.connected = model.pending = false;
      model.thinking = null;
      if (tries > 1) banner("Connection lost. Reconnecting; the game is saved.");
      if (tries === 4) api.table(id).catch((error) => { if (error.status === 404) banner(error.message); });
      refresh();
    },
    message(message) {
      if (message.is === "again") return playAgain(message.id);
      HANDLERS[message.is]?.(model, message, tell);
      refresh();
      if (message.is !== "table") return;
      if (!extended) extend(message.game);
      arrived.resolve(null);
      introduce(message);
    },
  });

  /** Go to the rematch, with the same seats. */
  function playAgain(next) {
    const { tokens, invite } = heldAt(id);
    remember(next, tokens, invite);
    go(`/play/${next}`);
  }

  /** Add what the game's own script has to show beside the board. */
  async function extend({ name, script }) {
    extended = true;
    if (!script) return;
    const { extend: parts } = await import(new URL(`../../../games/${name}/page/${script}`, import.meta.url).href);
    for (const { label, before, inside, view } of parts(act, id)) {
      if (inside) panel[inside].el.append(view.el);
      else side.add({ id: label, label, panel: view.el }, before);
      views.push(view);
    }
    refresh();
  }

  /** Set the name of a friend who joined by a link to the one stored in this browser. */
  function introduce({ you, seats, link }) {
    const name = kept("name", "");
    if (link && you.length === 1 && seats[you[0]].name === FRIEND && name && name !== FRIEND) {
      send({ do: "name", seat: you[0], name });
    }
  }

  function send(message) {
    if (!socket.send(message)) status.refuse("Not connected. Reconnecting …");
  }

  /** Announce what happened, by sound and text. */
  function tell(what, words, player = 0) {
    if (what === "refused") status.refuse(words);
    if (what === "notice") return status.note(words);
    if (what === "missed") return send({ do: "sync" });
    if (what === "table") {
      root.classList.add(`game-${model.table.game.name}`);
      root.classList.toggle("neutral", !model.table.game.red_and_blue);
      title(`${model.table.seats.map((seat) => seat.name).join(" – ")}`);
      say(heading, `${model.table.game.title}: ${model.table.seats.map((seat) => seat.name).join(" against ")}`);
      return;
    }
    if (what === "end") dialog.show(model);
    if (words) announce(words);
    sound(what, player);
  }

  /** Load an earlier position into the cache; return whether it is there. */
  async function fetched(ply) {
    try {
      if (model.past.has(ply)) return true;
      const found = await api.at(id, ply);
      model.past.set(ply, { ...found, picture: readPicture(found.picture) });
      return true;
    } catch (error) {
      goal = null;
      status.refuse(error.message);
      return false;
    }
  }

  function actions() {
    return {
      play(move) {
        if (mayMark(model)) send({ do: "mark", mark: move });
        if (!mayMove(model)) return;
        model.pending = true;
        model.hint = null;
        send({ do: "move", ply: model.table.ply, move });
        if (!model.connected) model.pending = false;
      },
      /**
       * Show the position after `ply` moves; `better` is the best move there according to a review.
       * @param {number} ply @param {any} [better]
       */
      async jump(ply, better = null) {
        const to = Math.max(0, Math.min(ply, model.table.ply)), mine = ++jumps;
        goal = to;
        if (to !== model.table.ply && !(await fetched(to))) return;
        if (mine !== jumps || to > model.table.ply) return; // somebody went elsewhere meanwhile
        goal = null;
        model.looking = to === model.table.ply ? null : to;
        if (model.analysing) send({ do: "analyse", on: true, ply: model.looking });
        model.hint = better && {
          ply: to, move: better.best, label: better.best_label, steps: better.best_steps, words: better.best_words,
          lead: better.lead,
        };
        refresh();
      },
      step: (by) => act.jump((goal ?? shownPly(model)) + by),
      /** Say why a place cannot be pressed: where every place is a move by itself, the server knows. */
      refuse(label, place) {
        const { moves, buttons } = model.table.picture;
        const isMove = ({ move, steps }) => steps.length === 1 && steps[0] === move;
        if (moves.size && [...moves.values()].every(isMove)) act.play(place);
        else if (!moves.size && buttons.length) status.refuse("Choose a move below the board.");
        else status.refuse(`${label} is not a legal move now.`);
      },
      settle: () => send({ do: "settle", marks: model.table.settling.marks }),
      simple: (what) => send({ do: what }),
      async resign() {
        const { seats, to_move } = model.table, own = ownSeats(model.table);
        const seat = own.includes(to_move) ? to_move : own[0];
        const sure = await confirmed(`${seats[seat].name}, resign this game?`, "Resign");
        if (sure) send({ do: "resign", seat });
      },
      async restart() {
        const ask = model.table.ply > 0 && !model.table.outcome && !isBetweenTwo(model.table);
        if (!ask || (await confirmed("Start a new game? This one stays in your games.", "New game"))) send({ do: "restart" });
      },
      rename(seat, name) {
        if (isBetweenTwo(model.table)) keep("name", name); // one's own
        send({ do: "name", seat, name });
      },
      quit: () => go("/"),
      analyse(on) {
        model.analysing = on;
        if (!on) model.analysis = null;
        send({ do: "analyse", on, ply: model.looking });
        refresh();
      },
      chooseAnalyst(name) {
        model.analyst = name;
        model.analysis = null;
        send({ do: "analyst", name });
        refresh();
      },
      review() {
        model.review = { done: 0, of: model.table.ply, moves: [], turning: [], accuracy: [], running: true };
        send({ do: "review" });
        side.open("review");
        refresh();
      },
      /** Change what is shown on the board, now and in later games. */
      keep(change) {
        Object.assign(model.show, change);
        keep("show", model.show);
        refresh();
      },
      /** Lay shapes over the position that a key stands for: {key, over, spots}. */
      lay(overlay) {
        model.laid = overlay;
        refresh();
      },
      reveal() {
        model.revealed = model.table.picture.secret;
        refresh();
      },
      /** Point at a move on the board: by its steps, or by its text if it is made at one place. */
      spot(move) {
        const steps = typeof move === "string" ? shownPosition(model).picture.moves.get(move)?.steps ?? [move] : move;
        model.spot = steps;
        stage.update(model);
      },
    };
  }

  /** Make a move that has a button by the first letter of its name, such as p for "Pass". */
  function onKey(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (model.table && mayMove(model)) stage.press(event.key);
  }

  document.addEventListener("keydown", onKey);
  await Promise.race([arrived.promise, new Promise((resolve) => { setTimeout(resolve, MAX_FIRST_WAIT_MS); })]);
  return () => {
    document.removeEventListener("keydown", onKey);
    socket.close();
    seats.end();
    dialog.el.remove();
  };
}
