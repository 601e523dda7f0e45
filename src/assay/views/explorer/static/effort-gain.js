// Effort and gain: every ranking as a point; those that are pinned with their curves beside it.

import { ask, latest } from "./api.js";
import { checklist, line, select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { theMeasure } from "./measures.js";
import { PINS, Pins } from "./pins.js";
import { Points } from "./points.js";
import { say, start } from "./shell.js";
import * as state from "./state.js";
import { count, listed, many, percent, shortened } from "./text.js";

const GAIN_CURVES = ["DCG", "DCG(base=2)", "DCG(base=10)", "DCG(gains=exp)", "DCG(base=10, gains=negative)"];
const FILTERS = ["run", "topic", "archetype"];

/** What the address has under pin, each once. */
function texts() {
  return [...new Set(state.all("pin"))];
}

/** Its pins: what is written as such, as many as there is room for. */
function pinned() {
  return texts().map(state.pinned).filter((pin) => pin !== null).slice(0, PINS);
}

/** How many pins there are, and what of the address is not shown. */
function note(here) {
  const strange = texts().filter((text) => state.pinned(text) === null);
  const more = texts().length - strange.length - here.length;
  const shown = strange.slice(0, 3).map((text) => `“${shortened(text)}”`);
  if (strange.length > shown.length) shown.push(`${strange.length - shown.length} more`);
  const words = [
    here.length ? `${here.length} of ${PINS}` : null,
    strange.length ? `not shown: ${listed(shown)}; a pin is written run~topic` : null,
    more > 0 ? `${many(more, "pin")} more than there is room for` : null,
  ];
  part("pins-note").textContent = words.filter((word) => word !== null).join(" · ");
}

function pin(ranking) {
  const here = pinned();
  if (here.some((one) => one.run === ranking.run && one.topic === ranking.topic)) return unpin(ranking);
  if (here.length >= PINS) {
    part("pins-note").textContent = `There is room for ${PINS} pins; remove one first.`;
    return undefined;
  }
  return state.change({ pin: [...here, ranking].map(state.written) });
}

function unpin(ranking) {
  const left = pinned().filter((one) => one.run !== ranking.run || one.topic !== ranking.topic);
  state.change({ pin: left.map(state.written) });
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
    const here = pinned();
    pins.show(here, curve());
    points.mark(here);
    note(here);
    const wanted = { measure: measure(), ...Object.fromEntries(FILTERS.map((name) => [name, state.all(name)])) };
    const summary = ask("effort-gain", { ...wanted, points: 0 }, signal);
    await Promise.all([points.show(wanted), summary.then(tell)]);
    await pins.settled();
  });
});

function buildControls(campaign, measure) {
  const gain = theMeasure(campaign, measure, "Gain");
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

/** A way to pin that needs no pointer. */
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
    label: "Curve of gain",
    value: state.get("gain", GAIN_CURVES[0]),
    suggestions: GAIN_CURVES,
    hint: "a form of DCG",
    changed: (value) => state.change({ gain: value }),
  });
  const form = part("pin-form");
  put(form, run.node, topic.node, el("button", { class: "action", type: "submit" }, "Pin"));
  put(part("pin-gain"), gain.node); // not in the form: whoever ends a line there does not want to pin anything
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pin({ run: run.input.value, topic: topic.input.value });
  });
}

function tell(found) {
  const { shown, total } = found;
  const filtered = shown < total ? `${count(shown)} of ${many(total, "ranking")}` : many(total, "ranking");
  if (!shown) {
    say("No ranking is left by these filters.");
    put(part("cells"));
    put(part("classes"));
    return;
  }
  const share = Object.fromEntries(found.classes.map((one) => [one.class, one.share]));
  say(
    el("strong", {}, filtered),
    `: ${percent(share["high-high"])} have high gain at high effort, which a measure of gain alone takes for good; `,
    `${percent(found.upper_right.share)} have it at medium or low effort, where a good system lies (outlined).`,
  );
  cells(found);
  const said = found.classes.map((one) => `${one.class} ${percent(one.share, 1)}`);
  part("classes").textContent = `By class: ${said.join(", ")}. Rows end at the quartiles of the gain of all rankings.`;
}

const EFFORT = ["huge", "high", "medium", "low"];
const GAIN = ["huge", "high", "medium", "low"];

/** The sixteen cells as a table, for those who want numbers or cannot see the picture. */
function cells(found) {
  const at = (row, column) => found.cells.find((one) => one.gain === row && one.effort === column);
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
  const label = "Share of the points in each cell";
  const table = el("table", { class: "grid-cells", "aria-label": label }, el("thead", {}, head), el("tbody", {}, body));
  put(part("cells"), el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label }, table));
}
