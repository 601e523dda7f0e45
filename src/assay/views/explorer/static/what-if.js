// What if: move the documents of a run or change their grades, and see the values, the curves and the leaderboard.

import { requestJson, latest } from "./api.js";
import { select, stepButtons } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { curvePlot } from "./curve-plot.js";
import { measureControl } from "./measures.js";
import { describeGrade, headline } from "./rankings.js";
import { leaders, runLink, showLede, start, topicLink } from "./shell.js";
import * as state from "./state.js";
import { count, joinWords, number, ordinal, pluralize, signed } from "./text.js";

const UNJUDGED = "none";
const MORE = 20; // Number of documents that the button for more documents adds.

/** Return the edits of the address with a name, as pairs of texts. */
function edits(name) {
  return state.all(name).map((text) => text.split("~"));
}

/** Move a document, named by its original rank, from its current rank to another. */
function move(row, target, length) {
  const rank = Math.min(Math.max(target, 1), length);
  if (rank === row.rank) return;
  const moves = edits("move");
  // Consecutive moves of one document are one move.
  if (moves.at(-1)?.[0] === String(row.original_rank)) moves.pop();
  const isOnly = moves.length === 0 && rank === row.original_rank;
  if (!isOnly) moves.push([row.original_rank, rank]);
  state.change({ move: moves.map((pair) => pair.join("~")) });
}

/** Change the grade of a document; the original grade removes the edit. */
function regrade(row, grade) {
  const others = edits("grade").filter(([rank]) => rank !== String(row.original_rank));
  const original = row.original_grade === null ? UNJUDGED : String(row.original_grade);
  if (grade !== original) others.push([row.original_rank, grade]);
  state.change({ grade: others.map((pair) => pair.join("~")) });
}

start(async (campaign) => {
  const topics = campaign.topics.map(({ topic }) => topic);
  const [best] = await leaders(campaign, 1);
  const run = () => state.get("run", best);
  const topic = () => state.get("topic", topics[0]);
  const measure = () => state.get("measure", campaign.defaults.gain);
  const most = () => state.get("most", String(MORE));
  const controls = buildControls(campaign, topics, { run, topic, measure });

  return latest(async (signal) => {
    controls.update();
    const params = { run: run(), topic: topic(), measure: measure(), most: most() };
    const data = await requestJson("what-if", { ...params, move: state.all("move"), grade: state.all("grade") }, signal);
    const query = byId("query");
    query.textContent = data.query ?? "";
    query.hidden = data.query === null;
    showSummary(data);
    showValues(data);
    showRanking(data);
  });
});

function buildControls(campaign, topics, { run, topic, measure }) {
  const names = campaign.runs.map(({ name }) => name);
  const none = { move: null, grade: null };
  const runField = select({ label: "Run", options: names, value: run(), onChange: (value) => state.change({ run: value, ...none }) });
  const choose = (value) => state.change({ topic: value, ...none });
  const topicField = select({
    label: "Topic",
    options: campaign.topics.map(({ topic: value, relevant }) => ({ value, text: `${value} (R = ${relevant})` })),
    value: topic(),
    onChange: choose,
  });
  const stepper = stepButtons("topic", topics, topic, choose);
  const gain = measureControl(campaign, measure);
  const reset = el("button", { type: "button", class: "plain", onclick: () => state.change(none) }, "Reset");
  setChildren(byId("controls"), runField.node, topicField.node, stepper.node, gain.node, reset);
  return {
    update() {
      runField.set(run());
      topicField.set(topic());
      stepper.update();
      gain.set(measure());
      reset.disabled = state.all("move").length + state.all("grade").length === 0;
    },
  };
}

function showSummary(data) {
  const [first] = data.values;
  const name = [runLink(data.run), " on topic ", topicLink(data.topic)];
  const { moved, graded } = data.edits;
  if (!moved && !graded) {
    showLede(...name, ` has ${first.measure} ${number(first.before)}. Change its ranking to see the effect.`);
    return;
  }
  const changes = [moved ? "documents moved" : null, graded ? `${pluralize(graded, "grade")} changed` : null];
  showLede(
    ...name,
    `: ${joinWords(changes.filter((text) => text))}. ${first.measure} is ${number(first.after)} instead of ${number(first.before)} `,
    describePlace(first, data.runs),
  );
}

function describePlace({ place_before: before, place_after: after }, runs) {
  if (before === after) return `and the run stays ${ordinal(before)} of ${count(runs)}.`;
  return `and the run moves from ${ordinal(before)} to ${ordinal(after)} of ${count(runs)}.`;
}

function showValues(data) {
  byId("values-note").textContent = "Computed by the real measures from the edited ranking; nothing is saved.";
  const head = ["Measure", "Before", "After", "Change", "Mean", "Place"];
  const rows = data.values.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, row.measure),
      [0, 1].map((side) => el("td", { class: "number" }, number(side ? row.after : row.before), interval(row.bounds?.[side]))),
      el("td", { class: "number" }, difference(row.after - row.before, row.lower_is_better)),
      el("td", { class: "number" }, number(row.mean_after)),
      el("td", { class: "number" }, row.place_before === row.place_after ? String(row.place_after) : `${row.place_before} → ${row.place_after}`),
    ),
  );
  const heading = el("tr", {}, head.map((text, index) => el("th", { scope: "col", class: index ? "number" : null }, text)));
  const table = el("table", { "aria-label": "Values before and after" }, el("thead", {}, heading), el("tbody", {}, rows));
  const bounds = data.values.find((row) => row.bounds?.[1]);
  const focus = Math.max(4 * data.relevant, 10);
  const { before, after } = data.curves;
  setChildren(
    byId("values"),
    el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Values before and after" }, table),
    bounds ? el("p", { class: "note" }, `Below ${bounds.measure}: its range over all grades of the unjudged documents.`) : null,
    el("h3", {}, "Cumulated relative position (CRP)"),
    curvePlot([curve("before", before.crp), curve("after", after.crp)], { label: "CRP by rank", ranks: focus, zero: true }),
    el("h3", {}, "DCG"),
    curvePlot(
      [curve("before", before.dcg), curve("after", after.dcg), curve("ideal", after.ideal_dcg)],
      { label: "DCG by rank", ranks: focus },
    ),
  );
}

function curve(name, values) {
  return { name, values, kind: `curve-${name}` };
}

function interval(bounds) {
  return bounds ? el("div", { class: "muted" }, `${number(bounds[0])} to ${number(bounds[1])}`) : null;
}

function difference(change, lowerIsBetter) {
  const rounded = Math.abs(change) < 0.00005;
  const kind = rounded ? "muted" : change > 0 !== lowerIsBetter ? "up" : "down";
  return el("span", { class: kind }, rounded ? "0" : signed(change));
}

let dragged = null; // The document that the reader drags.

function showRanking(data) {
  const host = byId("ranking");
  const focused = host.contains(document.activeElement) ? document.activeElement.dataset.keep : undefined;
  const rows = data.documents.map((row) => item(row, data));
  const hidden = data.retrieved - data.documents.length;
  const more = el("button", { type: "button", class: "plain", onclick: () => state.change({ most: Math.min(data.documents.length + MORE, 200) }) }, "Show more");
  const empty = el("p", { class: "status" }, "This run retrieves no documents for this topic.");
  setChildren(
    host,
    data.retrieved ? el("ol", { class: "edit-list" }, rows) : empty,
    hidden > 0 && data.documents.length < 200 ? more : null,
  );
  if (focused !== undefined) host.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus();
}

function item(row, data) {
  const id = row.original_rank;
  const button = (label, sign, target, key) =>
    el(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-label": `${label} ${row.document}`,
        "data-keep": `${key}${id}`,
        "aria-disabled": target < 1 || target > data.retrieved || target === row.rank ? "true" : null,
        onclick: () => move(row, target, data.retrieved),
      },
      sign,
    );
  const changed = row.rank !== id ? el("span", { class: "muted" }, ` was ${id}`) : null;
  const title = headline(row);
  const node = el(
    "li",
    { class: `card edit ${row.grade === null ? "unjudged" : row.relevant ? "relevant" : "other"}`, draggable: "true" },
    el("span", { class: "rank" }, String(row.rank)),
    el(
      "div",
      { class: "edit-text" },
      el("div", { class: "card-name" }, row.document, changed),
      title === null ? null : el("div", { class: "card-text", title }, title),
    ),
    gradeField(row, data),
    el("div", { class: "steps" }, button("Move to the top:", "⤒", 1, "t"), button("Move up:", "↑", row.rank - 1, "u"), button("Move down:", "↓", row.rank + 1, "d")),
  );
  node.addEventListener("dragstart", (event) => {
    dragged = row;
    event.dataTransfer.effectAllowed = "move";
  });
  node.addEventListener("dragover", (event) => dragged && event.preventDefault());
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    if (dragged) move(dragged, row.rank, data.retrieved);
    dragged = null;
  });
  return node;
}

function gradeField(row, data) {
  const value = row.grade === null ? UNJUDGED : String(row.grade);
  const option = (grade) => el("option", { value: grade }, grade === UNJUDGED ? "unjudged" : `grade ${grade}`);
  const field = el(
    "select",
    { "aria-label": `Grade of ${row.document}`, "data-keep": `g${row.original_rank}`, title: `originally ${describeGrade({ grade: row.original_grade })}` },
    [UNJUDGED, ...data.levels.map(String)].map(option),
  );
  field.value = value;
  if (row.grade !== row.original_grade) field.classList.add("changed");
  field.addEventListener("change", () => regrade(row, field.value));
  return field;
}
