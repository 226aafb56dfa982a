// Formats values, in words and in short. A unit is "result", "probability", "share", or {one, many}: the singular and
// plural of what is counted.

const MINUS = "−";
/** Units that are parts of 1: the chance to win, and how likely a move is to be played. */
const PARTS = ["probability", "share"];
/** @type {Intl.DateTimeFormatOptions} */
const WHEN = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
/** The results of games as people write them. */
export const RESULTS = { "*": "in progress", "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" };

const signed = (value) => (value === 0 ? "0" : value > 0 ? `+${value}` : `${MINUS}${-value}`);
const rounded = (value) => (Number.isInteger(value) ? value : Math.round(value * 10) / 10);

/** Return a value with its unit, a result of -1 to 1 as the chance to win that it stands for. */
const asChance = (value, unit) => (unit === "result" ? [(value + 1) / 2, "probability"] : [value, unit]);

/** Return 1, 0 or -1 if a chance to win is a proved result, else null. */
function proved(chance, unit, exact) {
  return unit === "probability" && exact && [0, 0.5, 1].includes(chance) ? Math.sign(chance - 0.5) : null;
}

/** Return a value of the player to move as it fits on a move: "+3", "62"; "win" only if it is proved. */
export function short(value, unit, exact) {
  if (value === null || value === undefined) return "";
  [value, unit] = asChance(value, unit);
  const result = proved(value, unit, exact);
  if (result !== null) return ["loss", "draw", "win"][result + 1];
  return PARTS.includes(unit) ? String(Math.round(100 * value)) : signed(rounded(value));
}

/** Return a value of the player to move in words: "+3 boxes", "62 %"; "win" only if it is proved. */
export function words(value, unit, exact) {
  const text = short(value, unit, exact);
  [value, unit] = asChance(value, unit);
  if (text === "" || proved(value, unit, exact) !== null) return text;
  if (PARTS.includes(unit)) return `${text} %`;
  return unit?.one ? `${text} ${Math.abs(value) === 1 ? unit.one : unit.many}` : text;
}

/** Return who stands better, in a sentence. `names` are the players', `mover` whose value it is. */
export function standing(value, unit, exact, mover, names) {
  if (value === null || value === undefined) return "";
  [value, unit] = asChance(value, unit);
  const result = proved(value, unit, exact), edge = unit === "probability" ? value - 0.5 : rounded(value);
  const who = names[edge > 0 ? mover : 1 - mover];
  if (result !== null) return result === 0 ? "A draw with best play" : `${who} wins with best play`;
  if (unit === "probability") {
    const chance = Math.round(100 * Math.max(value, 1 - value));
    return chance === 50 ? "Even" : `${who} stands better, ${chance} %`;
  }
  if (edge === 0) return exact ? "A tie with best play" : "Even";
  const margin = words(Math.abs(edge), unit, exact).slice(1);
  return exact ? `${who} wins by ${margin} with best play` : `${who} leads by about ${margin}`;
}

/** Return how a value compares with the best one: "good" if it equals it, "fair" or "poor". */
export function tone(value, best, unit) {
  const loss = asChance(best, unit)[0] - asChance(value, unit)[0], isPart = unit === "result" || PARTS.includes(unit);
  if (loss <= (isPart ? 0.005 : 0)) return "good";
  return loss < (isPart ? 0.1 : 2) ? "fair" : "poor";
}

/** Return moves with values, best first: as they come if they count visits, which say more than the values. */
export const ranked = (moves) =>
  (moves.some(({ visits }) => visits) ? moves : [...moves].sort((one, other) => other.value - one.value));

/** Return a loss in words: "3 boxes", "12 %". */
export function lost(loss, unit) {
  return unit?.one ? words(rounded(loss), unit, false).replace("+", "") : `${Math.round(100 * loss)} %`;
}

/** Return a probability, or another part of 1, for people: 67 %, 1.4 %, 0.014 %. */
export const percent = (part) => `${(100 * part).toFixed(part >= 0.1 || part === 0 ? 0 : part >= 0.001 ? 1 : 3)} %`;

/** Return a whole number with its thousands separated. */
export const inFull = (n) => n.toLocaleString("en");

/** Return a number of things: "1 game", "20 games". */
export const many = (n, thing) => `${inFull(n)} ${thing}${n === 1 ? "" : "s"}`;

/** Return a large count in short: 1.2 M. */
export function inShort(n) {
  if (n < 1000) return String(n);
  return n < 1e6 ? `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} k` : `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} M`;
}

/** Return a time as people write it, without the year if it is this one; nothing for what is no time. */
export function written(time) {
  const when = new Date(time), isThisYear = when.getFullYear() === new Date().getFullYear();
  return Number.isNaN(+when) ? "" : when.toLocaleString(undefined, { year: isThisYear ? undefined : "numeric", ...WHEN });
}

/** Return seconds as "minutes:seconds". */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
