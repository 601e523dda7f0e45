// Two runs: where they differ, whether that is chance, and how far the judgments still allow them to differ.

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
import { theMeasure } from "./measures.js";
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
    label: "Largest possible difference against that as judged",
    most: 620,
    leads: leads(campaign),
  });
  const documents = new Table(part("documents"), {
    label: "Documents that decide",
    columns: DOCUMENTS,
    empty: "No document makes a difference.",
  });
  const topics = new Table(part("topics"), { label: "All topics", sort: { key: "difference", descending: true } });

  return latest(async (signal) => {
    controls.update();
    if (!b()) throw new Error("This campaign has one run only; there is nothing to compare it with.");
    const both = { a: a(), b: b(), measure: measure() };
    const found = await ask("pair", { ...both, test: test() }, signal);
    tell(found);
    facts(found, campaign);
    showTopics(topics, found);
    await Promise.all([
      differences.show({ ...both, test: test() }),
      showDocuments(documents, both, signal),
      showDistance(distance, { ...both, depth: depth() }, signal).then((far) => far && showTopics(topics, found, far)),
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
  const gain = theMeasure(campaign, measure);
  const tests = select({
    label: "Test",
    options: campaign.tests.map((one) => one.name),
    value: test(),
    changed: (value) => state.change({ test: value }),
  });
  const far = line({
    label: "Depth of the distance",
    value: depth(),
    kind: "number",
    hint: "How many documents of each ranking are looked at for how far apart the runs could be; empty: as many as can be",
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

function tell(found) {
  const { difference, lower_is_better: lower } = found;
  if (difference === null) return say("The two runs have no topic in common.");
  const ahead = difference === 0 ? null : difference > 0 !== lower ? found.a : found.b;
  return say(
    ahead === null
      ? [runLink(found.a), " and ", runLink(found.b), ` are tied by ${found.measure}. `]
      : [el("strong", {}, runLink(ahead)), ` is ahead by ${number(Math.abs(difference))} in ${found.measure}. `],
    verdict(found),
    `Run a is better on ${count(found.wins)} of ${many(found.topics, "topic")}, worse on ${count(found.losses)}.`,
  );
}

/** A p value as an equation. */
function chance(label, p, least) {
  const shown = probability(p, least);
  return `${label} ${shown.startsWith("<") ? "" : "= "}${shown}`;
}

/** Whether the difference is significant within its family, and what p would be for this pair alone. */
function verdict(found) {
  if (found.significant === null) return "There are too few topics for a test. ";
  const alone = found.p_label === "p" || found.corrected ? "" : `; ${chance("p", found.p, found.least_p)} for this pair alone`;
  const p = chance(found.p_label, found.p_adjusted, found.p_label === "p" ? found.least_p : 0);
  return `The difference is ${found.significant ? "" : "not "}significant (${p}, ${family(found)}${alone}). `;
}

/** The comparisons that p is corrected over. */
function family(found) {
  return found.p_label === "p" ? "this pair alone, not corrected" : `corrected over ${found.family}`;
}

function fact(name, value, more = null) {
  const line = (kind, text) => (text === null ? null : el("span", { class: kind }, text));
  return el("div", { class: "fact" }, line("label", name), line("value", value), line("muted", more));
}

function facts(found, campaign) {
  const title = campaign.tests.find((one) => one.name === found.test)?.title ?? "";
  const test = `${found.how[0].toUpperCase()}${found.how.slice(1)}; ${found.interval}.`;
  part("test-note").textContent = [title, test, ...found.notes.map((note) => `${note}.`)].join(" ");
  const interval = `${percent(found.confidence)} interval ${signed(found.low)} to ${signed(found.high)}`;
  put(
    part("test"),
    fact(`${found.measure} of a`, number(found.mean_a)),
    fact(`${found.measure} of b`, number(found.mean_b)),
    fact("Difference", signed(found.difference), interval),
    found.corrected ? null : fact("p", probability(found.p, found.least_p), "this pair alone, not corrected"),
    found.p_label === "p" ? null : fact(found.p_label, probability(found.p_adjusted), family(found)),
    fact("Effect size", number(found.effect, 3), "standardised difference"),
    fact("Better / equal / worse", `${found.wins} / ${found.ties} / ${found.losses}`, "topics"),
  );
  const above = found.lower_is_better ? " has the larger value, which is worse." : " is better.";
  put(part("differences-note"), "Above the axis ", runLink(found.a), above);
}

async function showDistance(figure, both, signal) {
  const note = part("med-note");
  note.textContent = "Working out how far apart they could be …";
  try {
    const far = await ask("med", both, signal);
    const drawn = figure.show(both); // not before: the server has the distances at hand then
    const settled = far.rows.filter((row) => row.smallest > 0 || row.largest < 0).length;
    note.textContent =
      `The mean difference a − b is ${signed(far.mean.difference)} as judged${range(far.mean)}. ` +
      `On a topic they differ by ${number(far.mean.absolute)} on average, whichever is ahead; ` +
      `under the labels that favour one run most, by ${number(far.mean.high)} (MED). ` +
      `On ${settled} of ${many(far.rows.length, "topic")} no labels can change which run is better. ${deep(far)}`;
    await drawn;
    return far;
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    figure.say(error.message, "error");
    return null;
  }
}

/** Where labels of the unjudged documents can move the mean difference. */
function range({ smallest, largest }) {
  if (smallest === null || largest === null) return "";
  if (signed(smallest) === signed(largest)) return ", and no labels of unjudged documents change that";
  return `; labels of the unjudged documents can make it anything from ${signed(smallest)} to ${signed(largest)}`;
}

/** How deep the rankings were compared. */
function deep({ depth, bounded }) {
  if (depth === null) return "";
  const why = bounded ? ", as deeper takes long by this measure" : "";
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

/** Which documents make the difference: how it would change if one alone were not relevant. */
async function showDocuments(table, both, signal) {
  const note = part("documents-note");
  try {
    const found = await ask("deciding", { ...both, most: 100 }, signal);
    note.textContent =
      "The effect of a document is how much smaller the difference on its topic would be, " +
      "were it alone not relevant. Above 0 it speaks for run a.";
    table.show(found.rows);
  } catch (error) {
    if (signal.aborted) throw error;
    note.textContent = "";
    table.show([], { none: error.message });
  }
}

function showTopics(table, found, { rows = [], depth = null, unjudged_to: seen = null } = {}) {
  const far = new Map(rows.map((row) => [row.topic, row]));
  const to = (rank) => (rank === null ? "" : `, to rank ${count(rank)}`);
  table.show(found.rows, {
    columns: [
      topicColumn({ head: true }),
      countColumn("relevant", "R", { hint: "Relevant documents" }),
      valueColumn("a", "a"),
      valueColumn("b", "b"),
      differenceColumn("difference", "Difference"),
      valueColumn("med", `Could be${to(depth)}`, {
        hint: `The largest difference that labels can make${to(depth)}`,
        value: (row) => far.get(row.topic)?.med,
      }),
      countColumn("unjudged", `Unjudged${to(seen)}`, {
        hint: `Unjudged documents of the two rankings${to(seen)}`,
        value: (row) => far.get(row.topic)?.unjudged,
      }),
      linkColumn((row) => bothCurves(found, row.topic)),
    ],
  });
}

function bothCurves(found, topic) {
  const pin = [found.a, found.b].map((run) => state.written({ run, topic }));
  const said = `Curves of both runs on topic ${topic}`;
  return el("a", { href: state.address("/effort-gain", { pin }), "aria-label": said, title: said }, "curves");
}
