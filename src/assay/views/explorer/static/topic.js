// One topic: all runs on it, and the documents that they put in wrong places.

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
import { theMeasure } from "./measures.js";
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
    label: "A curve for each run on this topic",
    leads: leads(campaign, () => ({ topic: topic() })),
  });
  const misplaced = new Table(part("misplaced"), {
    label: "Misplaced documents",
    empty: "No run has a document out of place.",
    columns: DOCUMENTS,
    sort: { key: "total", descending: true },
  });
  const runs = new Table(part("runs"), { label: "Runs on this topic", sort: { key: "value", descending: true } });

  return latest(async (signal) => {
    controls.update();
    const [found] = await Promise.all([
      ask("topic", { topic: topic(), measure: measure() }, signal),
      curves.show({ topic: topic(), order: measure() }),
    ]);
    tell(found);
    showDocuments(misplaced, found);
    showRuns(runs, found);
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
  const gain = theMeasure(campaign, measure);
  put(part("controls"), field.node, beside.node, gain.node);
  return {
    update() {
      field.set(topic());
      beside.update();
      gain.set(measure());
    },
  };
}

function tell(found) {
  const [best] = found.runs;
  const values = found.runs.map((row) => row.value).filter((value) => value !== null).sort((a, b) => a - b);
  const tied = found.runs.filter((row) => row.place === 1).length - 1;
  const middle = values.length ? (values[(values.length - 1) >> 1] + values[values.length >> 1]) / 2 : null;
  say(
    el("strong", {}, `Topic ${found.topic}`),
    ` has ${count(found.relevant)} relevant of ${count(found.judged)} judged documents. `,
    best && best.value !== null
      ? [
          runLink(best.run),
          tied ? ` and ${many(tied, "other run")} are tied for best` : " is best",
          ` by ${found.measure} with ${number(best.value)}; `,
          `the median of ${many(values.length, "run")} is ${number(middle)}.`,
        ]
      : "No run has a value on it.",
  );
}

const DOCUMENTS = [
  documentColumn(),
  gradeColumn(),
  countColumn("early_by", "Early", { hint: "Runs that have it too early" }),
  countColumn("late_by", "Late", { hint: "Runs that have it too late" }),
  differenceColumn("mean_rp", "Mean RP", { hint: "Mean relative position: negative is too early", decimals: 1 }),
  countColumn("total", "Total |RP|", { hint: "How many ranks it is out of place, in all runs together" }),
  placeColumn("best_rank", "Ranks", { cell: (row) => `${row.best_rank}–${row.worst_rank}` }),
];

function showDocuments(table, found) {
  const shown = found.misplaced.length;
  const all = many(found.misplaced_in_all, "document");
  part("misplaced-note").textContent = shown
    ? `The ${count(shown)} of ${all} that are furthest from their places in all runs together; ` +
      `${percent(share(found))} of these are relevant.`
    : "";
  table.show(found.misplaced);
}

function share(found) {
  return found.misplaced.filter((row) => row.grade > 0).length / found.misplaced.length;
}

function showRuns(table, found) {
  part("runs-note").textContent = `Values and indicators of ${many(found.runs.length, "run")} on this topic.`;
  table.show(found.runs, {
    columns: [
      placeColumn("place", "#"),
      runColumn(),
      valueColumn("value", found.measure, { descending: !found.lower_is_better }),
      valueColumn("twist", "Twist"),
      { key: "archetype", title: "Curve" },
      countColumn("relevant_retrieved", "Found", {
        hint: "Relevant documents found",
        cell: (row) => `${row.relevant_retrieved} of ${found.relevant}`,
      }),
      linkColumn((row) => pinLink(row.run, found.topic)),
    ],
    sort: { key: "place", descending: false },
  });
}
