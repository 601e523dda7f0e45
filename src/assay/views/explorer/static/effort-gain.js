// Effort and gain: every ranking as a point, and the curves of the pinned rankings.

import { requestJson, latest } from "./api.js";
import { checklist, textField, select } from "./controls.js";
import { curvePlot } from "./curve-plot.js";
import { byId, el, setChildren } from "./dom.js";
import { measureControl } from "./measures.js";
import { MAX_PINS, Pins } from "./pins.js";
import { Points } from "./points.js";
import { showLede, start } from "./shell.js";
import * as state from "./state.js";
import { count, joinWords, pluralize, percent, shorten } from "./text.js";

const GAIN_CURVES = ["DCG", "DCG(base=2)", "DCG(base=10)", "DCG(gains=exp)", "DCG(base=10, gains=negative)"];
const FILTERS = ["run", "topic", "archetype"];

/** Return the pins of the address as texts, without duplicates. */
function pinTexts() {
  return [...new Set(state.all("pin"))];
}

/** Return the valid pins of the address, at most MAX_PINS. */
function currentPins() {
  return pinTexts().map(state.parsePin).filter((pin) => pin !== null).slice(0, MAX_PINS);
}

/** Show the number of pins, and list the pins of the address that cannot be shown. */
function showNote(current) {
  const invalid = pinTexts().filter((text) => state.parsePin(text) === null);
  const excess = pinTexts().length - invalid.length - current.length;
  const shown = invalid.slice(0, 3).map((text) => `“${shorten(text)}”`);
  if (invalid.length > shown.length) shown.push(`${invalid.length - shown.length} more`);
  const words = [
    current.length ? `${current.length} of ${MAX_PINS}` : null,
    invalid.length ? `not shown: ${joinWords(shown)}; write a pin as run~topic` : null,
    excess > 0 ? `not shown: ${pluralize(excess, "pin")} above the maximum` : null,
  ];
  byId("pins-note").textContent = words.filter((word) => word !== null).join(" · ");
}

function pin(ranking) {
  if (state.isCopied()) return undefined;
  const current = currentPins();
  if (current.some(({ run, topic }) => run === ranking.run && topic === ranking.topic)) return unpin(ranking);
  if (current.length >= MAX_PINS) {
    byId("pins-note").textContent = `At most ${MAX_PINS} rankings can be pinned; remove one first.`;
    return undefined;
  }
  return state.change({ pin: [...current, ranking].map(state.formatPin) });
}

function unpin(ranking) {
  const remaining = currentPins().filter(({ run, topic }) => run !== ranking.run || topic !== ranking.topic);
  state.change({ pin: remaining.map(state.formatPin) });
}

start((campaign) => {
  const measure = () => state.get("measure", campaign.defaults.gain);
  const controls = buildControls(campaign, measure);
  buildForm(campaign);
  const pins = new Pins(byId("pins"), unpin);
  const curve = () => state.get("gain", GAIN_CURVES[0]);
  const points = new Points(byId("points"), pin, (ranking) => state.isCopied() || pins.prefetch(ranking, curve()));

  return latest(async (signal) => {
    controls.update();
    const current = currentPins();
    pins.show(current, curve());
    points.mark(current);
    showNote(current);
    const params = { measure: measure(), ...Object.fromEntries(FILTERS.map((name) => [name, state.all(name)])) };
    const summary = requestJson("effort-gain", { ...params, points: 0 }, signal);
    await Promise.all([points.show(params), summary.then(showSummary), showOverlay(current, signal)]);
    await pins.finished();
  });
});

/** Draw the curves of all pinned rankings in one plot, each in the colour of its pin. */
async function showOverlay(current, signal) {
  const request = async (ranking) => {
    try {
      return await requestJson("curve", ranking, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return null; // The pin itself reports the error.
    }
  };
  const answers = await Promise.all(current.map(request));
  const curves = answers.flatMap((data, index) => {
    if (data === null) return [];
    return [{ name: `${index + 1} ${shorten(data.run)} on ${shorten(data.topic)}`, values: data.curve.crp, kind: `pin-${index + 1}`, data }];
  });
  const host = byId("overlay");
  host.hidden = curves.length < 2;
  if (host.hidden) return;
  const relevant = Math.max(...curves.map(({ data }) => data.relevant));
  const ranks = Math.max(4 * relevant, 10);
  setChildren(
    host,
    el("h3", {}, "Cumulated relative position (CRP) of all pins"),
    el("p", { class: "note" }, `The first ${count(ranks)} ranks (four times the largest R) in detail, the others as a strip.`),
    curvePlot(curves, { label: "CRP of all pinned rankings by rank", ranks, zero: true }),
  );
}

function buildControls(campaign, measure) {
  const gain = measureControl(campaign, measure, "Gain");
  const filterList = (name, label, options) =>
    checklist({ label, options, selected: state.all(name), onChange: (values) => state.change({ [name]: values }) });
  const lists = {
    run: filterList("run", "Runs", campaign.runs.map(({ name }) => name)),
    topic: filterList("topic", "Topics", campaign.topics.map(({ topic }) => topic)),
    archetype: filterList("archetype", "Archetypes", campaign.archetypes),
  };
  setChildren(byId("controls"), gain.node, ...Object.values(lists).map(({ node }) => node));
  return {
    update() {
      gain.set(measure());
      for (const [name, list] of Object.entries(lists)) list.set(state.all(name));
    },
  };
}

/** Build the form for pinning a ranking without a pointer. */
function buildForm(campaign) {
  const names = campaign.runs.map(({ name }) => name);
  const run = select({ label: "Run", options: names, value: names[0], onChange: () => {} });
  const topic = select({
    label: "Topic",
    options: campaign.topics.map(({ topic: value, relevant }) => ({ value, text: `${value} (R = ${relevant})` })),
    value: campaign.topics[0]?.topic,
    onChange: () => {},
  });
  const gain = textField({
    label: "Gain curve",
    value: state.get("gain", GAIN_CURVES[0]),
    suggestions: GAIN_CURVES,
    hint: "a variant of DCG",
    onChange: (value) => state.change({ gain: value }),
  });
  const form = byId("pin-form");
  setChildren(form, run.node, topic.node, el("button", { class: "action", type: "submit" }, "Pin"));
  setChildren(byId("pin-gain"), gain.node); // Outside the form: the Enter key in this field must not pin a ranking.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pin({ run: run.input.value, topic: topic.input.value });
  });
}

function showSummary(data) {
  const { shown, total } = data;
  const filtered = shown < total ? `${count(shown)} of ${pluralize(total, "ranking")}` : pluralize(total, "ranking");
  if (!shown) {
    showLede("No ranking matches these filters.");
    setChildren(byId("cells"));
    setChildren(byId("classes"));
    return;
  }
  const fraction = Object.fromEntries(data.classes.map(({ class: name, share }) => [name, share]));
  showLede(
    el("strong", {}, filtered),
    `: ${percent(fraction["high-high"])} have high gain at high effort; a measure of gain alone does not reveal this effort. `,
    `${percent(data.upper_right.share)} have high gain at medium or low effort, the region of good systems (outlined).`,
  );
  showCells(data);
  const classes = data.classes.map(({ class: name, share }) => `${name} ${percent(share, 1)}`);
  byId("classes").textContent = `By class: ${classes.join(", ")}. Rows end at the quartiles of the gain of all rankings.`;
}

const EFFORT = ["huge", "high", "medium", "low"];
const GAIN = ["huge", "high", "medium", "low"];

/** Show the sixteen cells as a table, for exact numbers and for readers who cannot see the figure. */
function showCells(data) {
  const cellAt = (row, column) => data.cells.find(({ gain, effort }) => gain === row && effort === column);
  const head = el("tr", {}, el("td"), EFFORT.map((name) => el("th", { scope: "col" }, `${name} effort`)));
  const body = GAIN.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, `${row} gain`),
      EFFORT.map((column) => {
        const cell = cellAt(row, column);
        return el("td", { title: `${cell.class}: ${pluralize(cell.points, "point")}` }, percent(cell.share, 1));
      }),
    ),
  );
  const label = "Percentage of the points in each cell";
  const table = el("table", { class: "grid-cells", "aria-label": label }, el("thead", {}, head), el("tbody", {}, body));
  setChildren(byId("cells"), el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label }, table));
}
