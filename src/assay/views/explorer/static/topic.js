// One topic: the values of all runs, and the misplaced documents.

import { requestJson, latest } from "./api.js";
import {
  countColumn,
  differenceColumn,
  documentColumn,
  gradeColumn,
  linkColumn,
  placeColumn,
  runColumn,
  valueColumn,
} from "./columns.js";
import { select, stepButtons } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure } from "./figure.js";
import { markLinks } from "./mark-links.js";
import { measureControl } from "./measures.js";
import { pinLink, runLink, showLede, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, pluralize, number, percent } from "./text.js";

start((campaign) => {
  const topics = campaign.topics.map(({ topic }) => topic);
  const topic = () => state.get("topic", topics[0]);
  const measure = () => state.get("measure", campaign.defaults.gain);
  const controls = buildControls(campaign, topics, topic, measure);
  const curves = new Figure(byId("curves"), {
    name: "crp-topic",
    label: "One curve for each run on this topic",
    linkOf: markLinks(campaign, () => ({ topic: topic() })),
  });
  const misplaced = new Table(byId("misplaced"), {
    label: "Misplaced documents",
    empty: "No run misplaces a document.",
    columns: DOCUMENT_COLUMNS,
    sort: { key: "total", descending: true },
  });
  const runs = new Table(byId("runs"), { label: "Runs on this topic", sort: { key: "value", descending: true } });

  return latest(async (signal) => {
    controls.update();
    const [data] = await Promise.all([
      requestJson("topic", { topic: topic(), measure: measure() }, signal),
      curves.show({ topic: topic(), order: measure() }),
    ]);
    showSummary(data);
    showDocuments(misplaced, data);
    showRuns(runs, data);
  });
});

function buildControls(campaign, topics, topic, measure) {
  const field = select({
    label: "Topic",
    options: campaign.topics.map(({ topic: value, relevant }) => ({ value, text: `${value} (R = ${relevant})` })),
    value: topic(),
    onChange: (value) => state.change({ topic: value }),
  });
  const stepper = stepButtons("topic", topics, topic, (value) => state.change({ topic: value }));
  const gain = measureControl(campaign, measure);
  setChildren(byId("controls"), field.node, stepper.node, gain.node);
  return {
    update() {
      field.set(topic());
      stepper.update();
      gain.set(measure());
    },
  };
}

function showSummary(data) {
  const [best] = data.runs;
  const values = data.runs.map((row) => row.value).filter((value) => value !== null).sort((a, b) => a - b);
  const tied = data.runs.filter((row) => row.place === 1).length - 1;
  const median = values.length ? (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2 : null;
  showLede(
    el("strong", {}, `Topic ${data.topic}`),
    ` has ${count(data.relevant)} relevant of ${count(data.judged)} judged documents. `,
    best && best.value !== null
      ? [
          runLink(best.run),
          tied ? ` and ${pluralize(tied, "other run")} are tied for best` : " is best",
          ` by ${data.measure} with ${number(best.value)}; `,
          `the median of ${pluralize(values.length, "run")} is ${number(median)}.`,
        ]
      : "No run has a value on this topic.",
  );
}

const DOCUMENT_COLUMNS = [
  documentColumn(),
  gradeColumn(),
  countColumn("early_by", "Early", { hint: "Number of runs that rank the document too early" }),
  countColumn("late_by", "Late", { hint: "Number of runs that rank the document too late" }),
  differenceColumn("mean_rp", "Mean RP", { hint: "Mean relative position: negative is too early", decimals: 1 }),
  countColumn("total", "Total |RP|", { hint: "Sum of the absolute relative positions over all runs" }),
  placeColumn("best_rank", "Ranks", { cell: (row) => `${row.best_rank}–${row.worst_rank}` }),
];

function showDocuments(table, data) {
  const shown = data.misplaced.length;
  const all = pluralize(data.misplaced_in_all, "document");
  byId("misplaced-note").textContent = shown
    ? `The ${count(shown)} of ${all} with the largest total distance from their ideal ranks over all runs; ` +
      `${percent(relevantFraction(data))} of these documents are relevant.`
    : "";
  table.show(data.misplaced);
}

function relevantFraction(data) {
  return data.misplaced.filter((row) => row.grade > 0).length / data.misplaced.length;
}

function showRuns(table, data) {
  byId("runs-note").textContent = `Values and indicators of ${pluralize(data.runs.length, "run")} on this topic.`;
  table.show(data.runs, {
    columns: [
      placeColumn("place", "#"),
      runColumn(),
      valueColumn("value", data.measure, { descending: !data.lower_is_better }),
      valueColumn("twist", "Twist"),
      { key: "archetype", title: "Curve" },
      countColumn("relevant_retrieved", "Retrieved", {
        hint: "Relevant documents retrieved",
        cell: (row) => `${row.relevant_retrieved} of ${data.relevant}`,
      }),
      linkColumn((row) => pinLink(row.run, data.topic)),
    ],
    sort: { key: "place", descending: false },
  });
}
