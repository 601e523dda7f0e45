// A small plot of curves by rank, drawn at once: the first ranks in detail, the other ranks as a narrow strip.

import { el, svg } from "./dom.js";
import { count, number } from "./text.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 200, 54, 8, 8, 26];
const STRIP = 90; // Width of the ranks after the focus.

/** Return a function from ranks to positions: the first `ranks` ranks have most of the width. */
function rankScale(ranks, longest) {
  const end = WIDTH - RIGHT;
  if (longest <= ranks) return (rank) => LEFT + ((rank - 1) / Math.max(longest - 1, 1)) * (end - LEFT);
  const bend = end - STRIP;
  return (rank) =>
    rank <= ranks
      ? LEFT + ((rank - 1) / Math.max(ranks - 1, 1)) * (bend - LEFT)
      : bend + ((rank - ranks) / (longest - ranks)) * STRIP;
}

function text(x, y, words, anchor) {
  return svg("text", { x, y, "text-anchor": anchor, class: "plot-text" }, words);
}

/** Return the range of the vertical axis: the values at the first `ranks` ranks, and others up to the same distance. */
function verticalRange(curves, ranks) {
  const first = curves.flatMap(({ values }) => values.slice(0, ranks));
  const all = curves.flatMap(({ values }) => values);
  const extent = Math.max(...first.map(Math.abs), 0);
  const low = Math.max(Math.min(0, ...all), Math.min(...first, -extent));
  const high = Math.min(Math.max(0, ...all), Math.max(...first, extent));
  return { low, high, lowest: Math.min(0, ...all), highest: Math.max(0, ...all) };
}

/**
 * Draw curves, each with a name, its values by rank, and a `kind`, the class that sets its colour. The first `ranks` ranks are drawn in
 * detail; `zero` adds a line at 0.
 */
export function curvePlot(curves, { label, ranks, zero = false }) {
  const longest = Math.max(...curves.map(({ values }) => values.length), 1);
  const { low, high, lowest, highest } = verticalRange(curves, ranks);
  const x = rankScale(ranks, longest);
  const y = (value) => TOP + ((high - Math.min(Math.max(value, low), high)) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const path = ({ kind, values }) =>
    svg("path", {
      class: `curve ${kind}`,
      d: values.map((value, index) => `${index ? "L" : "M"}${x(index + 1).toFixed(1)} ${y(value).toFixed(1)}`).join(""),
    });
  const bottom = HEIGHT - BOTTOM;
  const isCut = longest > ranks;
  const bend = WIDTH - RIGHT - STRIP;
  const decimals = Number.isInteger(high) && Number.isInteger(low) ? 0 : 2;
  const plot = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve-plot", role: "img", "aria-label": label },
    ...(isCut ? [svg("rect", { x: bend, y: TOP, width: STRIP, height: bottom - TOP, class: "strip" })] : []),
    svg("path", { class: "plot-axis", d: `M${LEFT} ${TOP}V${bottom}H${WIDTH - RIGHT}` }),
    ...(zero ? [svg("path", { class: "plot-zero", d: `M${LEFT} ${y(0)}H${WIDTH - RIGHT}` })] : []),
    ...curves.map(path),
    text(LEFT - 6, y(high) + 8, number(high, decimals), "end"),
    text(LEFT - 6, y(low), number(low, decimals), "end"),
    text(LEFT, HEIGHT - 8, "rank 1", "start"),
    // Values outside the range are cut; their extreme is written instead.
    ...(highest > high ? [text(WIDTH - RIGHT - 2, TOP + 12, `up to ${number(highest, decimals)}`, "end")] : []),
    ...(lowest < low ? [text(WIDTH - RIGHT - 2, bottom - 5, `down to ${number(lowest, decimals)}`, "end")] : []),
    ...(isCut ? [text(bend, HEIGHT - 8, count(ranks), "middle")] : []),
    text(WIDTH - RIGHT, HEIGHT - 8, count(longest), "end"),
  );
  const legend = curves.map(({ name, kind }) => el("span", { class: `legend ${kind}` }, name));
  return el("div", { class: "plot" }, plot, el("div", { class: "note" }, legend));
}
