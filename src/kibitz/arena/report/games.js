// Steps through the recorded games of a report.
/** @template {HTMLElement} T @param {string} id @returns {T} */
const byId = (id) => /** @type {any} */ (document.getElementById(id));
const { games, elements } = JSON.parse(byId("games").textContent ?? "");
const board = byId("board").getElementsByClassName("kibitz-film")[0];
/** @type {HTMLSelectElement} */
const pick = byId("pick");
/** @type {HTMLInputElement} */
const step = byId("step");

/** @param {number} at */
function show(at) {
  const { frames, moves, result, reason } = games[pick.value];
  step.max = String(frames.length - 1);
  step.value = String(at);
  at = Number(step.value);
  board.innerHTML = frames[at].map((i) => elements[i]).join("");
  const end = at === moves.length ? `, ${result} (${reason})` : "";
  byId("caption").textContent = (at ? `after move ${at} of ${moves.length}: ${moves[at - 1]}` : "start") + end;
}
pick.addEventListener("change", () => show(0));
step.addEventListener("input", () => show(Number(step.value)));
byId("back").addEventListener("click", () => show(Number(step.value) - 1));
byId("next").addEventListener("click", () => show(Number(step.value) + 1));
show(0);
