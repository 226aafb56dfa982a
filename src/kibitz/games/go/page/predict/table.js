// The model beside a game of Go that is played or over: predicted moves and territory, shown only if asked for.

import { h, say, shown, toggle } from "../../../../web/page/shell/dom.js";
import { likelyView } from "./likely.js";
import { isContest, positionKey, shownPly } from "../../../../web/page/table/model.js";
import { askingModel, predictionView } from "./predict.js";
import { atTable } from "../api.js";

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

/** Return what Go adds to its tables: a tab, and a part of the review. */
export const extend = (act, id) => [
  { label: "Predict", before: "review", view: predictPanel(act, id) }, { inside: "review", view: likelyView(act) },
];
