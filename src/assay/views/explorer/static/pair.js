// Comparison of two runs: differences by topic, significance, and the largest difference that judgments allow (MED).

import { requestJson, latest } from "./api.js";
import {
  countColumn,
  differenceColumn,
  documentColumn,
  gradeColumn,
  linkColumn,
  placeColumn,
  queryColumns,
  topicColumn,
  valueColumn,
} from "./columns.js";
import { textField, select } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure } from "./figure.js";
import { markLinks } from "./mark-links.js";
import { measureControl } from "./measures.js";
import { leaders, runLink, showLede, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, pluralize, number, percent, probability, signed } from "./text.js";

start(async (campaign) => {
  const measure = () => state.get("measure", campaign.defaults.gain);
  const test = () => state.get("test", campaign.defaults.test);
  const bestRuns = await leaders(campaign, 2);
  const a = () => state.get("a", bestRuns[0]);
  const b = () => state.get("b", bestRuns.find((run) => run !== a()));
  const depth = () => state.get("depth");
  const controls = buildControls(campaign, { a, b, measure, test, depth });
  const differences = new Figure(byId("differences"), {
    name: "differences",
    label: "Difference on each topic",
    linkOf: markLinks(campaign),
  });
  const distance = new Figure(byId("med"), {
    name: "med-difference",
    label: "Largest possible difference (MED) against the difference with current judgments",
    maxWidth: 620,
    linkOf: markLinks(campaign),
  });
  const documents = new Table(byId("documents"), {
    label: "Deciding documents",
    columns: DOCUMENTS,
    empty: "No document makes a difference.",
  });
  const topics = new Table(byId("topics"), { label: "All topics", sort: { key: "difference", descending: true } });

  return latest(async (signal) => {
    controls.update();
    if (!b()) throw new Error("This campaign has only one run, so there is nothing to compare.");
    const params = { a: a(), b: b(), measure: measure() };
    const data = await requestJson("pair", { ...params, test: test() }, signal);
    showSummary(data);
    showFacts(data, campaign);
    showTopics(topics, data);
    await Promise.all([
      differences.show({ ...params, test: test() }),
      showDocuments(documents, params, signal),
      showDistance(distance, { ...params, depth: depth() }, signal).then((med) => med && showTopics(topics, data, med)),
    ]);
  });
});

function buildControls(campaign, { a, b, measure, test, depth }) {
  const names = campaign.runs.map(({ name }) => name);
  const choose = (first, second) => state.change({ a: first, b: second });
  const fieldA = select({ label: "Run a", options: names, value: a(), onChange: (value) => choose(value, b()) });
  const fieldB = select({ label: "Run b", options: names, value: b(), onChange: (value) => choose(a(), value) });
  const swap = el("button", { type: "button", class: "plain", "aria-label": "Swap the runs" }, "⇄");
  swap.addEventListener("click", () => choose(b(), a()));
  const gain = measureControl(campaign, measure);
  const tests = select({
    label: "Test",
    options: campaign.tests.map(({ name }) => name),
    value: test(),
    onChange: (value) => state.change({ test: value }),
  });
  const depthField = textField({
    label: "Depth of MED",
    value: depth(),
    kind: "number",
    hint: "Number of documents of each ranking that are compared for MED; if empty, as many as feasible",
    onChange: (value) => state.change({ depth: value }),
  });
  setChildren(byId("controls"), fieldA.node, swap, fieldB.node, gain.node, tests.node, depthField.node);
  return {
    update() {
      fieldA.set(a());
      fieldB.set(b());
      gain.set(measure());
      tests.set(test());
      depthField.set(depth());
    },
  };
}

function showSummary(data) {
  const { difference, lower_is_better: lower } = data;
  if (difference === null) return showLede("The two runs have no topic in common.");
  const ahead = difference === 0 ? null : difference > 0 !== lower ? data.a : data.b;
  return showLede(
    ahead === null
      ? [runLink(data.a), " and ", runLink(data.b), ` are tied by ${data.measure}. `]
      : [el("strong", {}, runLink(ahead)), ` is ahead by ${number(Math.abs(difference))} in ${data.measure}. `],
    describeVerdict(data),
    `Run a is better on ${count(data.wins)} of ${pluralize(data.topics, "topic")}, worse on ${count(data.losses)}.`,
  );
}

/** Format a p-value as an equation. */
function formatP(label, p, least) {
  const shown = probability(p, least);
  return `${label} ${shown.startsWith("<") ? "" : "= "}${shown}`;
}

/** Describe whether the difference is significant within its family, with p for this pair alone. */
function describeVerdict(data) {
  if (data.significant === null) return "There are too few topics for a test. ";
  const alone = data.p_label === "p" || data.corrected ? "" : `; ${formatP("p", data.p, data.least_p)} for this pair alone`;
  const p = formatP(data.p_label, data.p_adjusted, data.p_label === "p" ? data.least_p : 0);
  return `The difference is ${data.significant ? "" : "not "}significant (${p}, ${describeFamily(data)}${alone}). `;
}

/** Describe the comparisons over which p is corrected. */
function describeFamily(data) {
  return data.p_label === "p" ? "this pair alone, not corrected" : `corrected over ${data.family}`;
}

function fact(name, value, detail = null) {
  const line = (kind, text) => (text === null ? null : el("span", { class: kind }, text));
  return el("div", { class: "fact" }, line("label", name), line("value", value), line("muted", detail));
}

function showFacts(data, campaign) {
  const title = campaign.tests.find(({ name }) => name === data.test)?.title ?? "";
  const test = `${data.how[0].toUpperCase()}${data.how.slice(1)}; ${data.interval}.`;
  byId("test-note").textContent = [title, test, ...data.notes.map((note) => `${note}.`)].join(" ");
  const interval = `${percent(data.confidence)} interval ${signed(data.low)} to ${signed(data.high)}`;
  setChildren(
    byId("test"),
    fact(`${data.measure} of a`, number(data.mean_a)),
    fact(`${data.measure} of b`, number(data.mean_b)),
    fact("Difference", signed(data.difference), interval),
    data.corrected ? null : fact("p", probability(data.p, data.least_p), "this pair alone, not corrected"),
    data.p_label === "p" ? null : fact(data.p_label, probability(data.p_adjusted), describeFamily(data)),
    fact("Effect size", number(data.effect, 3), "standardised difference"),
    fact("Better / equal / worse", `${data.wins} / ${data.ties} / ${data.losses}`, "topics"),
  );
  const meaning = data.lower_is_better ? " has the larger value, which is worse." : " is better.";
  setChildren(byId("differences-note"), "Above the axis, ", runLink(data.a), meaning);
}

async function showDistance(figure, params, signal) {
  const note = byId("med-note");
  note.textContent = "Computing the largest possible difference …";
  try {
    const med = await requestJson("med", params, signal);
    const drawing = figure.show(params); // Requested after the distances, because the server has now cached them.
    const certain = med.rows.filter((row) => row.smallest > 0 || row.largest < 0).length;
    note.textContent =
      `With the current judgments, the mean difference a − b is ${signed(med.mean.difference)}${describeRange(med.mean)}. ` +
      `The mean absolute difference over topics is ${number(med.mean.absolute)}; ` +
      `judgments of the unjudged documents can increase it to at most ${number(med.mean.high)} (MED). ` +
      `On ${certain} of ${pluralize(med.rows.length, "topic")} no judgments can change which run is better. ` +
      describeDepth(med);
    await drawing;
    return med;
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    figure.showMessage(error.message, "error");
    return null;
  }
}

/** Describe the range of the mean difference over all judgments of the unjudged documents. */
function describeRange({ smallest, largest }) {
  if (smallest === null || largest === null) return "";
  if (signed(smallest) === signed(largest)) return ", and judgments of the unjudged documents cannot change it";
  return `; with judgments of the unjudged documents it could range from ${signed(smallest)} to ${signed(largest)}`;
}

/** Describe the depth to which the rankings were compared. */
function describeDepth({ depth, bounded }) {
  if (depth === null) return "";
  const reason = bounded ? ", because a larger depth would take too long for this measure" : "";
  return `Only the first ${pluralize(depth, "document")} of each ranking ${depth === 1 ? "is" : "are"} compared${reason}.`;
}

const DOCUMENTS = [
  documentColumn((row) => row.topic),
  topicColumn(),
  gradeColumn(),
  placeColumn("rank_a", "Rank in a"),
  placeColumn("rank_b", "Rank in b"),
  differenceColumn("effect", "Effect"),
];

/** Show the documents that contribute most to the difference. */
async function showDocuments(table, params, signal) {
  const note = byId("documents-note");
  try {
    const data = await requestJson("deciding", { ...params, most: 100 }, signal);
    const limit = data.limited ? ` Only the ${pluralize(data.limited, "topic")} with the largest differences are shown.` : "";
    note.textContent =
      "The effect of a document is its contribution to the difference a − b on its topic. The effects of all documents " +
      `on a topic sum to the difference. A positive effect favours run a.${limit}`;
    table.show(data.rows);
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    table.show([], { emptyText: error.message });
  }
}

function showTopics(table, data, { rows = [], depth = null, unjudged_to: unjudgedDepth = null } = {}) {
  const distances = new Map(rows.map((row) => [row.topic, row]));
  const suffix = (rank) => (rank === null ? "" : `, to rank ${count(rank)}`);
  table.show(data.rows, {
    columns: [
      topicColumn({ head: true }),
      ...queryColumns(),
      countColumn("relevant", "R", { hint: "Relevant documents" }),
      valueColumn("a", "a"),
      valueColumn("b", "b"),
      differenceColumn("difference", "Difference"),
      valueColumn("med", `MED${suffix(depth)}`, {
        hint: `Largest difference over all judgments of the unjudged documents${suffix(depth)}`,
        value: (row) => distances.get(row.topic)?.med,
      }),
      countColumn("unjudged", `Unjudged${suffix(unjudgedDepth)}`, {
        hint: `Unjudged documents in the two rankings${suffix(unjudgedDepth)}`,
        value: (row) => distances.get(row.topic)?.unjudged,
      }),
      linkColumn((row) => documentsLink(data, row.topic)),
      linkColumn((row) => curvesLink(data, row.topic)),
    ],
  });
}

function documentsLink(data, topic) {
  const label = `First documents of both runs on topic ${topic}`;
  const href = state.address("/topic", { topic, run: [data.a, data.b], measure: data.measure });
  return el("a", { href, "aria-label": label, title: label }, "documents");
}

function curvesLink(data, topic) {
  const pin = [data.a, data.b].map((run) => state.formatPin({ run, topic }));
  const label = `Curves of both runs on topic ${topic}`;
  return el("a", { href: state.address("/effort-gain", { pin }), "aria-label": label, title: label }, "curves");
}
