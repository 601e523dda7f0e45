// One run: indicators by topic, best and worst topics, and unjudged documents.

import { requestJson, latest } from "./api.js";
import { countColumn, differenceColumn, linkColumn, placeColumn, queryColumns, topicColumn, valueColumn } from "./columns.js";
import { select, stepButtons } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure } from "./figure.js";
import { markLinks } from "./mark-links.js";
import { measureControl } from "./measures.js";
import { leaders, pinLink, showLede, start, topicLink } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, pluralize, ordinal, percent, signed } from "./text.js";

start(async (campaign) => {
  const names = campaign.runs.map(({ name }) => name);
  const [best] = await leaders(campaign, 1);
  const run = () => state.get("run", best);
  const measure = () => state.get("measure", campaign.defaults.gain);
  const controls = buildControls(campaign, names, run, measure);
  const indicators = new Figure(byId("indicators"), {
    name: "crp-aggregate",
    label: "Indicators of the curves, one line for each topic",
    linkOf: markLinks(campaign, () => ({ run: run() })),
  });
  const spread = new Figure(byId("spread"), {
    name: "topic-spread",
    label: "Spread of the measure over all runs on each topic, with this run marked",
    linkOf: markLinks(campaign),
  });
  const shortTable = (id, label, empty) => new Table(byId(id), { label, empty, columns: shortColumns() });
  const bestTopics = shortTable("best", "Best topics", "This run is not above the median on any topic.");
  const worstTopics = shortTable("worst", "Worst topics", "This run is not below the median on any topic.");
  const topics = new Table(byId("topics"), { label: "All topics" });
  const unjudged = new Table(byId("unjudged"), {
    label: "Unjudged documents by topic",
    columns: UNJUDGED_COLUMNS,
    sort: { key: "unjudged_10", descending: true },
    empty: "All documents of this run are judged.",
  });

  return latest(async (signal) => {
    controls.update();
    const [data] = await Promise.all([
      requestJson("system", { run: run(), measure: measure() }, signal),
      indicators.show({ run: run() }),
      spread.show({ run: run(), measure: measure() }),
    ]);
    showSummary(data);
    bestTopics.show(data.best);
    worstTopics.show(data.worst);
    topics.show(data.topics, { columns: columns(data), sort: topics.sort ?? { key: "gain", descending: true } });
    unjudged.show(data.unjudged.filter((row) => row.unjudged > 0));
    byId("unjudged-note").textContent = describeUnjudged(data);
  });
});

function buildControls(campaign, names, run, measure) {
  const choose = (value) => state.change({ run: value });
  const field = select({ label: "Run", options: names, value: run(), onChange: choose });
  const stepper = stepButtons("run", names, run, choose);
  const gain = measureControl(campaign, measure);
  setChildren(byId("controls"), field.node, stepper.node, gain.node);
  return {
    update() {
      field.set(run());
      stepper.update();
      gain.set(measure());
    },
  };
}

function showSummary(data) {
  const compared = data.topics.filter((row) => row.gain !== null);
  const above = compared.filter((row) => row.gain > 0).length;
  const [best] = data.best;
  const [worst] = data.worst;
  showLede(
    el("strong", {}, data.run),
    ` is ${data.tied ? "tied for " : ""}${ordinal(data.place)} of ${pluralize(data.runs, "run")} by ${data.measure} `,
    `and better than the median on ${above} of ${pluralize(compared.length, "topic")}.`,
    best ? [" It gains most on ", topicLink(best.topic), ` (${signed(best.gain)})`, worst ? null : "."] : null,
    worst ? [best ? " and loses most on " : " It loses most on ", topicLink(worst.topic), ` (${signed(worst.gain)}).`] : null,
  );
}

function shortColumns() {
  return [
    topicColumn({ head: true }),
    ...queryColumns(),
    valueColumn("value", "Value"),
    valueColumn("median", "Median"),
    differenceColumn("gain", "Difference"),
    placeColumn("place", "Place"),
  ];
}

function columns(data) {
  const indicator = (key, title, hint) => valueColumn(key, title, { hint, decimals: 3 });
  return [
    topicColumn({ head: true }),
    ...queryColumns(),
    countColumn("r", "R", { hint: "Relevant documents" }),
    valueColumn("value", data.measure),
    valueColumn("median", "Median", { hint: "Of all runs" }),
    differenceColumn("gain", "Difference", { hint: "From the median; positive is better" }),
    placeColumn("place", "Place"),
    indicator("twist", "Twist", "Mean of recovery ratio and space ratio"),
    indicator("rho", "ρ", "Recovery ratio: R divided by the rank where the curve returns to the axis"),
    indicator("sigma", "σ", "Space ratio"),
    indicator("b_ratio", "b ratio", "Balance ratio, relative to the worst case"),
    indicator("crp_min", "CRP min", "Minimum of the curve, relative to the worst case"),
    indicator("crp_n", "CRP N", "End of the curve, relative to the worst case"),
    { key: "archetype", title: "Curve" },
    linkColumn((row) => pinLink(data.run, row.topic)),
  ];
}

function formatRank({ rank, document }) {
  return `${rank}: ${document}`;
}

const UNJUDGED_COLUMNS = [
  topicColumn({ head: true }),
  countColumn("unjudged_10", "In 10", {
    hint: "Among the first ten",
    // Ties are broken by the number among the first hundred documents, then by the number among all documents.
    value: (row) => (row.unjudged_10 * 1e6 + row.unjudged_100) * 1e6 + row.unjudged,
    cell: (row) => count(row.unjudged_10),
  }),
  countColumn("unjudged_100", "In 100", { hint: "Among the first hundred" }),
  countColumn("unjudged", "In all", { cell: (row) => `${count(row.unjudged)} of ${count(row.retrieved)}` }),
  { key: "first", title: "First", fixed: true, kind: "name", cell: (row) => row.first.map(formatRank).join(", ") },
];

function describeUnjudged(data) {
  const sum = (name) => data.unjudged.reduce((total, row) => total + row[name], 0);
  const retrieved = sum("retrieved");
  if (!retrieved) return "This run retrieves no documents.";
  const percentage = percent(sum("unjudged") / retrieved, 1);
  const unjudged = sum("unjudged_10");
  const verb = unjudged === 1 ? "is" : "are";
  const early = `${pluralize(unjudged, "unjudged document")} ${verb} in the first ten ranks`;
  return `${percentage} of the retrieved documents are unjudged. Over all topics, ${early}.`;
}
