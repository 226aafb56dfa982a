// The model beside a game of Go that is played or over, only if asked for: predicted moves and territory, and in a
// review how likely it held each move, and which were the biggest surprises.

import { button, h, say, shown, toggle } from "../../../../web/page/shell/dom.js";
import { tally, verdict } from "../../../../web/page/analysis/review.js";
import { isContest, positionKey, shownPly } from "../../../../web/page/table/model.js";
import { askingModel, choice, predictionView } from "./predict.js";
import { atTable } from "../api.js";
import { percent } from "../../../../web/page/shell/values.js";

const OFF_DURING_CONTEST = "Predictions are off until the game between two people is over.";

/** Return the estimate of who owns what, with the score. */
function territoryView(changed) {
  const question = askingModel("Playing random games"), head = h("p", { cls: "told-line" });
  const score = h("p"), how = h("p", { cls: "quiet" }), end = h("p");
  let key = null, now = null, settled = true;

  async function ask(source, ply) {
    const answer = await question.askInTurn(() => source.territory(ply));
    if (!answer) return;
    now = answer;
    const { counted } = now, points = ({ black, white }, about) => `Black ${about}${black}, White ${about}${white}`;
    const final = counted && settled;
    say(head, final ? counted.words : now.words);
    say(end, counted ? `${settled ? "Counted" : "Counted as marked now"}: ${points(counted, "")}.` : "");
    say(score, `${final ? `Estimated: ${now.words}. ` : ""}${points(now, "about ")}.`);
    say(how, `By 400 random games from here, ${now.rule}. Not reliable early in a game.`);
    changed();
  }

  return {
    el: h("div", { cls: "stack close" }, question.el, head, end, score, how),
    /** Ask about a position, which the key stands for; `done` is false while the dead stones are being marked. */
    show(source, ply, of, done) {
      if (of === key) return;
      [key, now, settled] = [of, null, done];
      ask(source, ply);
    },
    clear() {
      if (key === null) return;
      key = now = null;
      question.drop();
      for (const part of [head, end, score, how]) say(part, "");
    },
    /** Return the shapes that show it on the board. */
    over: () => now?.overlay.over ?? [],
  };
}

/** Return the panel; what is drawn goes to `act.lay(overlay)`. */
function predictPanel(act, id) {
  const source = atTable(id), want = { moves: false, territory: false };
  let model = null;
  const draw = () => act.lay({
    key: positionKey(model), over: [...territory.over(), ...moves.over()], spots: moves.chosen().map(({ name }) => [name]),
  });
  const moves = predictionView({ spot: (each) => act.spot(each?.name ?? null), changed: draw });
  const territory = territoryView(draw);
  const change = (name) => (on) => {
    want[name] = on;
    ask();
    draw();
  };
  const switches = [
    toggle("Predicted moves", false, change("moves")), toggle("Territory estimate", false, change("territory")),
  ];
  const wait = h("p", { cls: "quiet" }, OFF_DURING_CONTEST);
  const intro = h("p", { cls: "quiet" }, "Moves that a model of professional play expects here, and estimated territory.");

  function ask() {
    const key = positionKey(model), ply = shownPly(model);
    if (want.moves) moves.show(source, ply, key);
    else moves.clear();
    const open = model.looking === null ? model.table.settling : null; // its marks change the count
    if (want.territory) territory.show(source, ply, `${key}/${open ? open.marks.join(" ") : "."}`, !open);
    else territory.clear();
  }

  return {
    el: h("div", { cls: "stack" }, intro, wait, h("div", { cls: "row switches" }, switches), moves.el, territory.el),
    update(given) {
      model = given;
      const later = isContest(model.table);
      shown(wait, later);
      for (const each of switches) each.querySelector("input").disabled = later;
      shown(intro, !want.moves && !want.territory && !later);
      if (!later) ask();
    },
  };
}

/** Return a move that surprised the model. */
function surprise(each, table, act) {
  const { best } = each, words = `The model gives it ${percent(best.share)}, and the move played ${percent(each.share)}.`;
  return verdict(each.ply, table, act, {
    better: { best: best.name, best_label: best.name, best_steps: [best.name], best_words: words, lead: "Expected" },
    tags: [h("span", { cls: "tag" }, percent(each.share)), h("span", { cls: "quiet" }, choice(each.rank))],
    lines: [[h("span", { cls: "quiet" }, "Expected: "), `${best.name}, ${percent(best.share)}`]],
  });
}

/** Return the part of a review that the model makes, for games of Go. */
function likelyView(act) {
  const start = button("Find surprising moves", ask), question = askingModel("Reviewing the game");
  const about = "How likely a model of professional play thought each move, and which it did not expect.";
  const intro = h("p", { cls: "quiet" }, about);
  const told = h("div", { cls: "stack close" });
  let model = null, key = null;

  async function ask() {
    const { table } = model, mine = key;
    start.disabled = true;
    const found = await question.ask(() => atTable(model.id).whole());
    if (found && mine === key) told.replaceChildren(...(found.words ? [h("p", {}, found.words)] : shownOf(found, table)));
    start.disabled = false;
  }

  function shownOf(found, table) {
    const by = new Map(found.moves.map((each) => [each.ply, each]));
    const words = !found.moves.length ? "The first move on an empty board, and passes, are not predicted."
      : found.surprises.length ? "Least likely moves first. Click one to see the position before it."
        : "The model would have played every move.";
    return [
      h("p", { cls: "quiet" }, `By ${found.about}, ${found.moves.length} moves. ${found.note}`.trim()),
      h("div", { cls: "accuracy" }, found.players.map(({ n, first, five }, i) => (n === 0 ? null : tally(i, `${first} of ${n}`,
        `moves of ${table.seats[i].name} were its first choice, ${five} among its first five`)))),
      h("p", { cls: "quiet" }, words),
      h("ol", { cls: "verdicts" }, found.surprises.map((ply) => surprise(by.get(ply), table, act))),
    ];
  }

  return {
    el: h("section", { cls: "stack likely-part", "aria-label": "Surprising moves" },
      h("h2", {}, "Surprising moves"), intro, h("div", { cls: "row" }, start), question.el, told),
    update(given) {
      model = given;
      const { table } = model, of = table.moves.map((move) => move.text).join(" ");
      if (of !== key) told.replaceChildren();
      key = of;
      start.disabled = !model.connected || table.ply === 0 || isContest(table);
    },
  };
}

/** Return what Go adds to its tables: a tab, and a part of the review. */
export const extend = (act, id) => [
  { label: "Predict", before: "review", view: predictPanel(act, id) }, { inside: "review", view: likelyView(act) },
];
