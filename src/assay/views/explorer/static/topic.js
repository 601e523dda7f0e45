// One topic: the values of all runs, and the misplaced documents.

import { ask, latest } from "./api.js";
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
import { select, steps } from "./controls.js";
import { el, part, put } from "./dom.js";
import { Figure } from "./figure.js";
import { leads } from "./leads.js";
import { measureControl } from "./measures.js";
import { pinLink, runLink, say, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, many, number, percent } from "./text.js";

start((campaign) => {
  const topics = campaign.topics.map((one) => one.topic);
  const topic = () => state.get("topic", topics[0]);
  const measure = () => state.get("measure", campaign.defaults.gain);
  const controls = buildControls(campaign, topics, topic, measure);
  const curves = new Figure(part("curves"), {
    name: "crp-topic",
    label: "One curve for each run on this topic",
    leads: leads(campaign, () => ({ topic: topic() })),
  });
  const misplaced = new Table(part("misplaced"), {
    label: "Misplaced documents",
    empty: "No run misplaces a document.",
    columns: DOCUMENTS,
    sort: { key: "total", descending: true },
  });
  const runs = new Table(part("runs"), { label: "Runs on this topic", sort: { key: "value", descending: true } });

  return latest(async (signal) => {
    controls.update();
    const [data] = await Promise.all([
      ask("topic", { topic: topic(), measure: measure() }, signal),
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
    options: campaign.topics.map((one) => ({ value: one.topic, text: `${one.topic} (R = ${one.relevant})` })),
    value: topic(),
    changed: (value) => state.change({ topic: value }),
  });
  const beside = steps("topic", topics, topic, (value) => state.change({ topic: value }));
  const gain = measureControl(campaign, measure);
  put(part("controls"), field.node, beside.node, gain.node);
  return {
    update() {
      field.set(topic());
      beside.update();
      gain.set(measure());
    },
  };
}

function showSummary(data) {
  const [best] = data.runs;
  const values = data.runs.map((row) => row.value).filter((value) => value !== null).sort((a, b) => a - b);
  const tied = data.runs.filter((row) => row.place === 1).length - 1;
  const middle = values.length ? (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2 : null;
  say(
    el("strong", {}, `Topic ${data.topic}`),
    ` has ${count(data.relevant)} relevant of ${count(data.judged)} judged documents. `,
    best && best.value !== null
      ? [
          runLink(best.run),
          tied ? ` and ${many(tied, "other run")} are tied for best` : " is best",
          ` by ${data.measure} with ${number(best.value)}; `,
          `the median of ${many(values.length, "run")} is ${number(middle)}.`,
        ]
      : "No run has a value on this topic.",
  );
}

const DOCUMENTS = [
  documentColumn(),
  gradeColumn(),
  countColumn("early_by", "Early", { hint: "Runs that rank it too early" }),
  countColumn("late_by", "Late", { hint: "Runs that rank it too late" }),
  differenceColumn("mean_rp", "Mean RP", { hint: "Mean relative position: negative is too early", decimals: 1 }),
  countColumn("total", "Total |RP|", { hint: "Sum of the absolute relative positions over all runs" }),
  placeColumn("best_rank", "Ranks", { cell: (row) => `${row.best_rank}–${row.worst_rank}` }),
];

function showDocuments(table, data) {
  const shown = data.misplaced.length;
  const all = many(data.misplaced_in_all, "document");
  part("misplaced-note").textContent = shown
    ? `The ${count(shown)} of ${all} with the largest total distance from their ideal ranks over all runs; ` +
      `${percent(share(data))} of these are relevant.`
    : "";
  table.show(data.misplaced);
}

function share(data) {
  return data.misplaced.filter((row) => row.grade > 0).length / data.misplaced.length;
}

function showRuns(table, data) {
  part("runs-note").textContent = `Values and indicators of ${many(data.runs.length, "run")} on this topic.`;
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
