// Effort and gain: every ranking as a point, and the curves of the pinned rankings.

import { ask, latest } from "./api.js";
import { checklist, line, select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { measureControl } from "./measures.js";
import { PINS, Pins } from "./pins.js";
import { Points } from "./points.js";
import { say, start } from "./shell.js";
import * as state from "./state.js";
import { count, joinWords, many, percent, shorten } from "./text.js";

const GAIN_CURVES = ["DCG", "DCG(base=2)", "DCG(base=10)", "DCG(gains=exp)", "DCG(base=10, gains=negative)"];
const FILTERS = ["run", "topic", "archetype"];

/** Return the pins of the address as texts, without duplicates. */
function pinTexts() {
  return [...new Set(state.all("pin"))];
}

/** Return the valid pins of the address, at most PINS. */
function currentPins() {
  return pinTexts().map(state.parsePin).filter((pin) => pin !== null).slice(0, PINS);
}

/** Show the number of pins, and those of the address that are not shown. */
function showNote(current) {
  const invalid = pinTexts().filter((text) => state.parsePin(text) === null);
  const more = pinTexts().length - invalid.length - current.length;
  const shown = invalid.slice(0, 3).map((text) => `“${shorten(text)}”`);
  if (invalid.length > shown.length) shown.push(`${invalid.length - shown.length} more`);
  const words = [
    current.length ? `${current.length} of ${PINS}` : null,
    invalid.length ? `not shown: ${joinWords(shown)}; write a pin as run~topic` : null,
    more > 0 ? `${many(more, "pin")} above the maximum not shown` : null,
  ];
  part("pins-note").textContent = words.filter((word) => word !== null).join(" · ");
}

function pin(ranking) {
  const current = currentPins();
  if (current.some((one) => one.run === ranking.run && one.topic === ranking.topic)) return unpin(ranking);
  if (current.length >= PINS) {
    part("pins-note").textContent = `At most ${PINS} rankings can be pinned; remove one first.`;
    return undefined;
  }
  return state.change({ pin: [...current, ranking].map(state.formatPin) });
}

function unpin(ranking) {
  const left = currentPins().filter((one) => one.run !== ranking.run || one.topic !== ranking.topic);
  state.change({ pin: left.map(state.formatPin) });
}

start((campaign) => {
  const measure = () => state.get("measure", campaign.defaults.gain);
  const controls = buildControls(campaign, measure);
  buildForm(campaign);
  const pins = new Pins(part("pins"), unpin);
  const curve = () => state.get("gain", GAIN_CURVES[0]);
  const points = new Points(part("points"), pin, (ranking) => pins.expect(ranking, curve()));

  return latest(async (signal) => {
    controls.update();
    const current = currentPins();
    pins.show(current, curve());
    points.mark(current);
    showNote(current);
    const params = { measure: measure(), ...Object.fromEntries(FILTERS.map((name) => [name, state.all(name)])) };
    const summary = ask("effort-gain", { ...params, points: 0 }, signal);
    await Promise.all([points.show(params), summary.then(showSummary)]);
    await pins.finished();
  });
});

function buildControls(campaign, measure) {
  const gain = measureControl(campaign, measure, "Gain");
  const several = (name, label, options) =>
    checklist({ label, options, chosen: state.all(name), changed: (values) => state.change({ [name]: values }) });
  const lists = {
    run: several("run", "Runs", campaign.runs.map(({ name }) => ({ value: name, text: name }))),
    topic: several("topic", "Topics", campaign.topics.map(({ topic }) => ({ value: topic, text: topic }))),
    archetype: several("archetype", "Archetypes", campaign.archetypes.map((name) => ({ value: name, text: name }))),
  };
  put(part("controls"), gain.node, ...Object.values(lists).map((one) => one.node));
  return {
    update() {
      gain.set(measure());
      for (const [name, list] of Object.entries(lists)) list.set(state.all(name));
    },
  };
}

/** Build the form for pinning a ranking without a pointer. */
function buildForm(campaign) {
  const names = campaign.runs.map((one) => one.name);
  const run = select({ label: "Run", options: names, value: names[0], changed: () => {} });
  const topic = select({
    label: "Topic",
    options: campaign.topics.map((one) => ({ value: one.topic, text: `${one.topic} (R = ${one.relevant})` })),
    value: campaign.topics[0]?.topic,
    changed: () => {},
  });
  const gain = line({
    label: "Gain curve",
    value: state.get("gain", GAIN_CURVES[0]),
    suggestions: GAIN_CURVES,
    hint: "a form of DCG",
    changed: (value) => state.change({ gain: value }),
  });
  const form = part("pin-form");
  put(form, run.node, topic.node, el("button", { class: "action", type: "submit" }, "Pin"));
  put(part("pin-gain"), gain.node); // Outside the form: the Enter key in this field must not pin a ranking.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pin({ run: run.input.value, topic: topic.input.value });
  });
}

function showSummary(data) {
  const { shown, total } = data;
  const filtered = shown < total ? `${count(shown)} of ${many(total, "ranking")}` : many(total, "ranking");
  if (!shown) {
    say("No ranking matches these filters.");
    put(part("cells"));
    put(part("classes"));
    return;
  }
  const share = Object.fromEntries(data.classes.map((one) => [one.class, one.share]));
  say(
    el("strong", {}, filtered),
    `: ${percent(share["high-high"])} have high gain at high effort, which a measure of gain alone does not reveal; `,
    `${percent(data.upper_right.share)} have high gain at medium or low effort, the region of good systems (outlined).`,
  );
  cells(data);
  const classes = data.classes.map((one) => `${one.class} ${percent(one.share, 1)}`);
  part("classes").textContent = `By class: ${classes.join(", ")}. Rows end at the quartiles of the gain of all rankings.`;
}

const EFFORT = ["huge", "high", "medium", "low"];
const GAIN = ["huge", "high", "medium", "low"];

/** Show the sixteen cells as a table, for exact numbers and for readers who cannot see the figure. */
function cells(data) {
  const at = (row, column) => data.cells.find((one) => one.gain === row && one.effort === column);
  const head = el("tr", {}, el("td"), EFFORT.map((name) => el("th", { scope: "col" }, `${name} effort`)));
  const body = GAIN.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, `${row} gain`),
      EFFORT.map((column) => {
        const cell = at(row, column);
        return el("td", { title: `${cell.class}: ${many(cell.points, "point")}` }, percent(cell.share, 1));
      }),
    ),
  );
  const label = "Percentage of the points in each cell";
  const table = el("table", { class: "grid-cells", "aria-label": label }, el("thead", {}, head), el("tbody", {}, body));
  put(part("cells"), el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label }, table));
}
