// Means and confidence intervals, drawn in the cells of a table on a common axis.

import { svg } from "./dom.js";
import { number } from "./text.js";

/** Return a function that draws one interval `{value, low, high}`; the axis includes 0 and all of these intervals. */
export function intervals(all) {
  const ends = all.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null);
  const minimum = Math.min(0, ...ends);
  const maximum = Math.max(...ends, minimum + 1e-9);
  const x = (value) => `${2 + (96 * (value - minimum)) / (maximum - minimum)}%`;
  return ({ value, low, high }) => {
    if (value === null) return "–";
    const span = low === null ? [] : [svg("line", { class: "span", x1: x(low), x2: x(high), y1: 8, y2: 8 })];
    const dot = svg("circle", { class: "mean", cx: x(value), cy: 8, r: 3 });
    const label = low === null ? number(value) : `${number(low)} to ${number(high)}`;
    return svg("svg", { class: "interval", role: "img", "aria-label": label }, svg("title", {}, label), ...span, dot);
  };
}
