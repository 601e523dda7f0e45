// Formatting of numbers and lists.

const ABSENT = "–";

/** Format a number with fixed decimals; a missing value is a dash. */
export function number(value, decimals = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return ABSENT;
  return Number(value).toFixed(decimals).replace("-", "−");
}

/** Format a number with its sign. */
export function signed(value, decimals = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return ABSENT;
  return (value > 0 ? "+" : "") + number(value, decimals);
}

/** Format a count with thousands separators. */
export function count(value) {
  return value === null || value === undefined ? ABSENT : Number(value).toLocaleString("en");
}

/** Format a count with its noun: `1 run`, `2 runs`. */
export function pluralize(value, word, plural = `${word}s`) {
  return `${count(value)} ${value === 1 ? word : plural}`;
}

export function percent(fraction, decimals = 0) {
  return fraction === null || fraction === undefined ? ABSENT : `${(100 * fraction).toFixed(decimals)}%`;
}

/** Format a p-value; values below 0.0001, or below the smallest that the test can give, are shown as a bound. */
export function probability(value, least = 0) {
  if (value === null || value === undefined) return ABSENT;
  const finest = Math.max(least, 0.0001);
  return value < finest ? `< ${finest}` : number(value, 4);
}

/** Join words: `a, b and c`. */
export function joinWords(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Shorten a long name by omitting its middle. */
export function shorten(name, maxLength = 28) {
  if (name.length <= maxLength) return name;
  const tail = Math.floor((maxLength - 1) / 2);
  return `${name.slice(0, maxLength - 1 - tail)}…${name.slice(name.length - tail)}`;
}

/** Format an ordinal number: `1st`, `2nd`, `3rd`, `4th`. */
export function ordinal(value) {
  const teens = value % 100 > 10 && value % 100 < 14;
  return `${value}${teens ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th")}`;
}
