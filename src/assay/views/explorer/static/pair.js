// Comparison of two runs: differences by topic, significance, and the largest difference that judgments allow (MED).

import { ask, latest } from "./api.js";
import {
  countColumn,
  differenceColumn,
  documentColumn,
  gradeColumn,
  linkColumn,
  placeColumn,
  topicColumn,
  valueColumn,
} from "./columns.js";
import { line, select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { Figure } from "./figure.js";
import { leads } from "./leads.js";
import { measureControl } from "./measures.js";
import { leaders, runLink, say, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, many, number, percent, probability, signed } from "./text.js";

start(async (campaign) => {
  const measure = () => state.get("measure", campaign.defaults.gain);
  const test = () => state.get("test", campaign.defaults.test);
  const first = await leaders(campaign, 2);
  const a = () => state.get("a", first[0]);
  const b = () => state.get("b", first.find((run) => run !== a()));
  const depth = () => state.get("depth");
  const controls = buildControls(campaign, { a, b, measure, test, depth });
  const differences = new Figure(part("differences"), {
    name: "differences",
    label: "Difference on each topic",
    leads: leads(campaign),
  });
  const distance = new Figure(part("med"), {
    name: "med-difference",
    label: "Largest possible difference (MED) against the difference as judged",
    most: 620,
    leads: leads(campaign),
  });
  const documents = new Table(part("documents"), {
    label: "Deciding documents",
    columns: DOCUMENTS,
    empty: "No document makes a difference.",
  });
  const topics = new Table(part("topics"), { label: "All topics", sort: { key: "difference", descending: true } });

  return latest(async (signal) => {
    controls.update();
    if (!b()) throw new Error("This campaign has only one run, so there is nothing to compare.");
    const both = { a: a(), b: b(), measure: measure() };
    const data = await ask("pair", { ...both, test: test() }, signal);
    showSummary(data);
    facts(data, campaign);
    showTopics(topics, data);
    await Promise.all([
      differences.show({ ...both, test: test() }),
      showDocuments(documents, both, signal),
      showDistance(distance, { ...both, depth: depth() }, signal).then((far) => far && showTopics(topics, data, far)),
    ]);
  });
});

function buildControls(campaign, { a, b, measure, test, depth }) {
  const names = campaign.runs.map((one) => one.name);
  const choose = (first, second) => state.change({ a: first, b: second });
  const one = select({ label: "Run a", options: names, value: a(), changed: (value) => choose(value, b()) });
  const two = select({ label: "Run b", options: names, value: b(), changed: (value) => choose(a(), value) });
  const swap = el("button", { type: "button", class: "plain", "aria-label": "Swap the runs" }, "⇄");
  swap.addEventListener("click", () => choose(b(), a()));
  const gain = measureControl(campaign, measure);
  const tests = select({
    label: "Test",
    options: campaign.tests.map((one) => one.name),
    value: test(),
    changed: (value) => state.change({ test: value }),
  });
  const far = line({
    label: "Depth of MED",
    value: depth(),
    kind: "number",
    hint: "Number of documents of each ranking that are compared for MED; empty: as many as feasible",
    changed: (value) => state.change({ depth: value }),
  });
  put(part("controls"), one.node, swap, two.node, gain.node, tests.node, far.node);
  return {
    update() {
      one.set(a());
      two.set(b());
      gain.set(measure());
      tests.set(test());
      far.set(depth());
    },
  };
}

function showSummary(data) {
  const { difference, lower_is_better: lower } = data;
  if (difference === null) return say("The two runs have no topic in common.");
  const ahead = difference === 0 ? null : difference > 0 !== lower ? data.a : data.b;
  return say(
    ahead === null
      ? [runLink(data.a), " and ", runLink(data.b), ` are tied by ${data.measure}. `]
      : [el("strong", {}, runLink(ahead)), ` is ahead by ${number(Math.abs(difference))} in ${data.measure}. `],
    verdict(data),
    `Run a is better on ${count(data.wins)} of ${many(data.topics, "topic")}, worse on ${count(data.losses)}.`,
  );
}

/** Format a p-value as an equation. */
function formatP(label, p, least) {
  const shown = probability(p, least);
  return `${label} ${shown.startsWith("<") ? "" : "= "}${shown}`;
}

/** Describe whether the difference is significant within its family, with p for this pair alone. */
function verdict(data) {
  if (data.significant === null) return "There are too few topics for a test. ";
  const alone = data.p_label === "p" || data.corrected ? "" : `; ${formatP("p", data.p, data.least_p)} for this pair alone`;
  const p = formatP(data.p_label, data.p_adjusted, data.p_label === "p" ? data.least_p : 0);
  return `The difference is ${data.significant ? "" : "not "}significant (${p}, ${family(data)}${alone}). `;
}

/** Describe the comparisons over which p is corrected. */
function family(data) {
  return data.p_label === "p" ? "this pair alone, not corrected" : `corrected over ${data.family}`;
}

function fact(name, value, more = null) {
  const line = (kind, text) => (text === null ? null : el("span", { class: kind }, text));
  return el("div", { class: "fact" }, line("label", name), line("value", value), line("muted", more));
}

function facts(data, campaign) {
  const title = campaign.tests.find((one) => one.name === data.test)?.title ?? "";
  const test = `${data.how[0].toUpperCase()}${data.how.slice(1)}; ${data.interval}.`;
  part("test-note").textContent = [title, test, ...data.notes.map((note) => `${note}.`)].join(" ");
  const interval = `${percent(data.confidence)} interval ${signed(data.low)} to ${signed(data.high)}`;
  put(
    part("test"),
    fact(`${data.measure} of a`, number(data.mean_a)),
    fact(`${data.measure} of b`, number(data.mean_b)),
    fact("Difference", signed(data.difference), interval),
    data.corrected ? null : fact("p", probability(data.p, data.least_p), "this pair alone, not corrected"),
    data.p_label === "p" ? null : fact(data.p_label, probability(data.p_adjusted), family(data)),
    fact("Effect size", number(data.effect, 3), "standardised difference"),
    fact("Better / equal / worse", `${data.wins} / ${data.ties} / ${data.losses}`, "topics"),
  );
  const above = data.lower_is_better ? " has the larger value, which is worse." : " is better.";
  put(part("differences-note"), "Above the axis ", runLink(data.a), above);
}

async function showDistance(figure, both, signal) {
  const note = part("med-note");
  note.textContent = "Computing the largest possible difference …";
  try {
    const far = await ask("med", both, signal);
    const drawn = figure.show(both); // Only now: the server has cached the distances.
    const decided = far.rows.filter((row) => row.smallest > 0 || row.largest < 0).length;
    note.textContent =
      `The mean difference a − b is ${signed(far.mean.difference)} as judged${range(far.mean)}. ` +
      `The absolute difference on a topic is ${number(far.mean.absolute)} on average as judged, ` +
      `and at most ${number(far.mean.high)} over all judgments of the unjudged documents (MED). ` +
      `On ${decided} of ${many(far.rows.length, "topic")} no judgments can change which run is better. ${depthNote(far)}`;
    await drawn;
    return far;
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    figure.say(error.message, "error");
    return null;
  }
}

/** Describe the range of the mean difference over all judgments of the unjudged documents. */
function range({ smallest, largest }) {
  if (smallest === null || largest === null) return "";
  if (signed(smallest) === signed(largest)) return ", and judgments of the unjudged documents cannot change it";
  return `; with judgments of the unjudged documents it could range from ${signed(smallest)} to ${signed(largest)}`;
}

/** Describe the depth to which the rankings were compared. */
function depthNote({ depth, bounded }) {
  if (depth === null) return "";
  const why = bounded ? ", because a larger depth takes long for this measure" : "";
  return `Only the first ${many(depth, "document")} of each ranking ${depth === 1 ? "is" : "are"} compared${why}.`;
}

const DOCUMENTS = [
  documentColumn(),
  topicColumn(),
  gradeColumn(),
  placeColumn("rank_a", "Rank in a"),
  placeColumn("rank_b", "Rank in b"),
  differenceColumn("effect", "Effect"),
];

/** Show the documents that contribute most to the difference. */
async function showDocuments(table, both, signal) {
  const note = part("documents-note");
  try {
    const data = await ask("deciding", { ...both, most: 100 }, signal);
    note.textContent =
      "The effect of a document is the decrease of the difference on its topic if this document alone were " +
      "non-relevant. A positive effect favours run a.";
    table.show(data.rows);
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    table.show([], { none: error.message });
  }
}

function showTopics(table, data, { rows = [], depth = null, unjudged_to: seen = null } = {}) {
  const far = new Map(rows.map((row) => [row.topic, row]));
  const to = (rank) => (rank === null ? "" : `, to rank ${count(rank)}`);
  table.show(data.rows, {
    columns: [
      topicColumn({ head: true }),
      countColumn("relevant", "R", { hint: "Relevant documents" }),
      valueColumn("a", "a"),
      valueColumn("b", "b"),
      differenceColumn("difference", "Difference"),
      valueColumn("med", `MED${to(depth)}`, {
        hint: `Largest difference over all judgments of the unjudged documents${to(depth)}`,
        value: (row) => far.get(row.topic)?.med,
      }),
      countColumn("unjudged", `Unjudged${to(seen)}`, {
        hint: `Unjudged documents in the two rankings${to(seen)}`,
        value: (row) => far.get(row.topic)?.unjudged,
      }),
      linkColumn((row) => bothCurves(data, row.topic)),
    ],
  });
}

function bothCurves(data, topic) {
  const pin = [data.a, data.b].map((run) => state.formatPin({ run, topic }));
  const label = `Curves of both runs on topic ${topic}`;
  return el("a", { href: state.address("/effort-gain", { pin }), "aria-label": label, title: label }, "curves");
}
