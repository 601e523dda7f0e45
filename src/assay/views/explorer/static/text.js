// Numbers and lists as a reader wants them.

const ABSENT = "–";

/** A number with a fixed count of decimals; what is not there is a dash. */
export function number(value, decimals = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return ABSENT;
  return Number(value).toFixed(decimals).replace("-", "−");
}

/** With its sign. */
export function signed(value, decimals = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return ABSENT;
  return (value > 0 ? "+" : "") + number(value, decimals);
}

/** A count, its thousands apart. */
export function count(value) {
  return value === null || value === undefined ? ABSENT : Number(value).toLocaleString("en");
}

/** `1 run`, `2 runs`. */
export function many(value, word, plural = `${word}s`) {
  return `${count(value)} ${value === 1 ? word : plural}`;
}

export function percent(share, decimals = 0) {
  return share === null || share === undefined ? ABSENT : `${(100 * share).toFixed(decimals)}%`;
}

/** A p value: small ones are only said to be small, and none is below the least that the test can give. */
export function probability(value, least = 0) {
  if (value === null || value === undefined) return ABSENT;
  const finest = Math.max(least, 0.0001);
  return value < finest ? `< ${finest}` : number(value, 4);
}

/** `a, b and c`. */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** A long name with its middle left out. */
export function shortened(name, most = 28) {
  if (name.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - tail)}…${name.slice(name.length - tail)}`;
}

/** `1st`, `2nd`, `3rd`, `4th`. */
export function ordinal(value) {
  const teens = value % 100 > 10 && value % 100 < 14;
  return `${value}${teens ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th")}`;
}
