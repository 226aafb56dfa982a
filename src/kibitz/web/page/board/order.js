// What a new order of shapes asks for. Knows numbers only: the places that shapes had in the order before.

/**
 * Return a longest rising subsequence: the shapes that can stay where they lie in the order.
 * @param {number[]} numbers distinct
 * @returns {Set<number>}
 */
export function longestRise(numbers) {
  /** @type {number[]} */
  const tops = []; // [i]: the smallest number that ends a rising subsequence of length i + 1
  /** @type {Map<number, number | undefined>} */
  const under = new Map(); // number -> the one before it in such a subsequence
  for (const number of numbers) {
    let i = tops.length;
    while (i > 0 && tops[i - 1] > number) i -= 1;
    under.set(number, tops[i - 1]);
    tops[i] = number;
  }
  /** @type {Set<number>} */
  const kept = new Set();
  for (let at = tops.at(-1); at !== undefined; at = under.get(at)) kept.add(at);
  return kept;
}

/**
 * Return the numbers that stand before a smaller one or after a larger one: the shapes that pass others in the order.
 * @param {number[]} numbers distinct
 * @returns {Set<number>}
 */
export function passing(numbers) {
  const least = numbers.slice();
  for (let i = numbers.length - 2; i >= 0; i -= 1) least[i] = Math.min(least[i], least[i + 1]);
  let most = -1;
  return new Set(numbers.filter((number, i) => {
    const passes = most > number || (least[i + 1] ?? Infinity) < number;
    most = Math.max(most, number);
    return passes;
  }));
}
