// One topic: its query, the first documents of a few runs, the values of all runs, and the misplaced documents.

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
import { checklist, select, stepButtons } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure } from "./figure.js";
import { markLinks } from "./mark-links.js";
import { measureControl } from "./measures.js";
import { showDocument, showMoves, showRankings } from "./rankings.js";
import { leaders, pinLink, runLink, showLede, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, pluralize, number, percent, shorten } from "./text.js";

const MAX_RUNS = 5;

start(async (campaign) => {
  const topics = campaign.topics.map(({ topic }) => topic);
  const topic = () => state.get("topic", topics[0]);
  const measure = () => state.get("measure", campaign.defaults.gain);
  const bestRuns = await leaders(campaign, 2);
  const runs = () => (state.all("run").length ? state.all("run") : bestRuns);
  const controls = buildControls(campaign, topics, { topic, measure, runs });
  followDocumentLinks();
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
  const table = new Table(byId("runs"), { label: "Runs on this topic", sort: { key: "value", descending: true } });

  return latest(async (signal) => {
    controls.update();
    const params = { topic: topic(), measure: measure() };
    const rankings = requestJson("rankings", { ...params, run: runs() }, signal);
    const [data, first] = await Promise.all([
      requestJson("topic", params, signal),
      rankings,
      curves.show({ topic: topic(), order: measure() }),
      showSelected(signal, topic()),
    ]);
    showQuery(first);
    showSummary(data);
    showFirst(first);
    controls.showNeighbours(first);
    showDocuments(misplaced, data);
    showRuns(table, data);
  });
});

function buildControls(campaign, topics, { topic, measure, runs }) {
  const describe = ({ topic: value, relevant, query }) => {
    const text = `${value} (R = ${relevant})`;
    return { value, text: query === null ? text : `${text} ${shorten(query, 60)}` };
  };
  const field = select({
    label: "Topic",
    options: campaign.topics.map(describe),
    value: topic(),
    onChange: (value) => choose(value),
  });
  const choose = (value) => state.change({ topic: value, doc: null });
  const stepper = stepButtons("topic", topics, topic, choose);
  const gain = measureControl(campaign, measure);
  const list = checklist({
    label: `Runs (at most ${MAX_RUNS})`,
    options: campaign.runs.map(({ name }) => name),
    selected: runs(),
    clear: "Show the two best",
    onChange: (names) => state.change({ run: names.slice(0, MAX_RUNS) }),
  });
  const neighbours = el("div", { class: "field" });
  setChildren(byId("controls"), field.node, stepper.node, gain.node, list.node, neighbours);
  return {
    update() {
      field.set(topic());
      stepper.update();
      gain.set(measure());
      list.set(runs());
    },
    showNeighbours(data) {
      const criterion = data.runs.length > 1 ? "most different" : "hardest";
      const button = (label, target) =>
        el("button", { type: "button", class: "plain", disabled: target === null, onclick: () => choose(target) }, label);
      const rank = `Topic ${data.place} of ${data.topics} by difference`;
      setChildren(
        neighbours,
        el("span", { class: "label" }, data.difference === null ? rank : `${rank} (${number(data.difference)})`),
        el("div", { class: "steps wide" }, button(`‹ Previous ${criterion}`, data.previous), button(`Next ${criterion} ›`, data.next)),
      );
    },
  };
}

/** Open a document without loading the page again. */
function followDocumentLinks() {
  byId("main").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-doc]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const doc = link.dataset.doc;
    state.change({ doc: doc === state.get("doc") ? null : doc });
  });
}

/** Show the query of the topic above everything else. */
function showQuery({ query }) {
  const box = byId("query");
  box.textContent = query ?? "";
  box.hidden = query === null;
}

function showFirst(data) {
  byId("rankings-note").textContent =
    `The first ${count(data.top)} documents of ${pluralize(data.runs.length, "run")}. Lines connect the same document. ` +
    "Choose a document to read its text.";
  showRankings(byId("rankings"), data);
  const moves = byId("moves").closest(".panel");
  moves.hidden = data.moves.length === 0;
  byId("moves-note").textContent =
    `Documents that moved among the first ${count(data.top)}, with their contribution to the difference in ${data.measure}.`;
  showMoves(byId("moves"), data);
}

/** Show the document of the address, if there is one. */
async function showSelected(signal, topic) {
  const panel = byId("document").closest(".panel");
  const doc = state.get("doc");
  panel.hidden = doc === "";
  if (doc === "") return;
  const data = await requestJson("document", { topic, doc }, signal);
  byId("document-note").textContent = "The address of this page leads to this document.";
  showDocument(byId("document"), data);
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
  documentColumn((row) => row.topic),
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
  table.show(data.misplaced.map((row) => ({ ...row, topic: data.topic })));
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
      countColumn("relevant_retrieved", "Retrieved", {
        hint: "Relevant documents retrieved",
        cell: (row) => `${row.relevant_retrieved} of ${data.relevant}`,
      }),
      valueColumn("value", data.measure, { descending: !data.lower_is_better }),
      valueColumn("twist", "Twist"),
      { key: "archetype", title: "Curve" },
      linkColumn((row) => pinLink(row.run, data.topic)),
    ],
    sort: { key: "place", descending: false },
  });
}
