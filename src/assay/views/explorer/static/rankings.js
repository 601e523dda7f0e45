// The first documents of up to five runs side by side; lines connect the same document in neighbouring runs.

import { el, setChildren, svg } from "./dom.js";
import { runLink } from "./shell.js";
import * as state from "./state.js";
import { number, pluralize } from "./text.js";

// Height of a document with and without a text, in pixels; the style sheet has the same values.
const [ROW, PLAIN_ROW] = [58, 26];

/** Return the kind of a document by its judgment, which is a class of the style sheet. */
function kindOf({ grade, relevant }) {
  if (grade === null) return "unjudged";
  return relevant ? "relevant" : "other";
}

/** Describe the judgment of a document. */
export function describeGrade({ grade }) {
  return grade === null ? "unjudged" : `grade ${grade}`;
}

/** Return the title of a document, or the beginning of its text; null if it has no text. */
export function headline({ title, text }) {
  return title ?? text ?? null;
}

function card(row, run) {
  const title = headline(row);
  const href = state.link({ doc: row.document });
  const name = el("a", { href, class: "card-name", "data-doc": row.document, "data-keep": `${run}~${row.rank}` }, row.document);
  const details = [row.document, row.title, row.text].filter((text) => text).join("\n");
  const selected = row.document === state.get("doc");
  return el(
    "li",
    { class: `card ${kindOf(row)}${selected ? " selected" : ""}`, title: details },
    el("div", { class: "card-head" }, el("span", { class: "rank" }, String(row.rank)), name, el("span", { class: "grade" }, describeGrade(row))),
    title === null ? null : el("div", { class: row.title ? "card-title" : "card-text" }, title),
    row.title && row.text ? el("div", { class: "card-text" }, row.text) : null,
  );
}

/** Draw lines from the documents of one run to the same documents of the next run. */
function lines(left, right, rows, height) {
  const rankOf = new Map(right.documents.map(({ document, rank }) => [document, rank]));
  const middle = (rank) => (rank - 0.5) * height;
  const paths = left.documents
    .filter(({ document }) => rankOf.has(document))
    .map((row) => {
      const selected = row.document === state.get("doc") ? " selected" : "";
      const [y1, y2] = [middle(row.rank), middle(rankOf.get(row.document))];
      return svg("path", { d: `M0 ${y1} C30 ${y1} 30 ${y2} 60 ${y2}`, class: `slope ${kindOf(row)}${selected}` });
    });
  const size = { viewBox: `0 0 60 ${rows * height}`, width: 60, height: rows * height };
  return el("div", { class: "slopes", "aria-hidden": "true" }, svg("svg", size, ...paths));
}

function facts(run, data) {
  const first = run.first_relevant === null ? "no relevant document" : `first relevant at rank ${run.first_relevant}`;
  const relevant = `${run.relevant_in_top} relevant in the top ${data.top}`;
  const unjudged = run.unjudged_in_top ? `${run.unjudged_in_top} unjudged` : null;
  const recall = `${run.relevant_retrieved} of ${data.relevant} retrieved`;
  return [relevant, unjudged, first, recall, `${data.measure} ${number(run.value)}`].filter((text) => text).join(" · ");
}

function whatIf(run, { topic, measure }) {
  return state.address("/what-if", { run, topic, measure });
}

/** Show the rankings of the answer of the server. */
export function showRankings(host, data) {
  const focused = host.contains(document.activeElement) ? document.activeElement.dataset.keep : undefined;
  const rows = Math.max(1, ...data.runs.map((run) => run.documents.length));
  const hasTexts = data.runs.some((run) => run.documents.some((row) => headline(row) !== null));
  const height = hasTexts ? ROW : PLAIN_ROW;
  const columns = data.runs.flatMap((run, index) => [
    index ? lines(data.runs[index - 1], run, rows, height) : null,
    el(
      "section",
      { class: "ranking", "aria-label": `First documents of ${run.run}` },
      el("h3", {}, runLink(run.run), " ", el("a", { class: "more", href: whatIf(run.run, data) }, "what if …")),
      el("p", { class: "note" }, facts(run, data)),
      run.documents.length
        ? el("ol", {}, run.documents.map((row) => card(row, run.run)))
        : el("p", { class: "status" }, "This run retrieves no documents for this topic."),
    ),
  ]);
  setChildren(host, el("div", { class: hasTexts ? "rankings" : "rankings plain-rows", tabindex: "0", role: "region", "aria-label": "First documents" }, columns));
  if (focused !== undefined) host.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus();
}

/** Show the movements from the first run to each other run in words. */
export function showMoves(host, data) {
  const blocks = data.moves.map(({ from, run, rows, problem }) => {
    const important = rows.filter((row) => row.relevant || row.grade === null);
    const others = rows.filter((row) => !important.includes(row));
    const same = rows.length === 0 && !problem;
    return el(
      "section",
      { class: "moves" },
      el("h3", {}, "From ", runLink(from), " to ", runLink(run)),
      problem ? el("p", { class: "status" }, problem) : null,
      same ? el("p", { class: "status" }, `The first ${pluralize(data.top, "document")} are the same.`) : null,
      el("ul", {}, important.map(moveItem)),
      others.length ? el("details", {}, el("summary", {}, describeOthers(others, important)), el("ul", {}, others.map(moveItem))) : null,
    );
  });
  setChildren(host, blocks);
}

function describeOthers(others, important) {
  return `${pluralize(others.length, "document")} judged not relevant${important.length ? " also" : ""} moved`;
}

function moveItem(row) {
  const title = row.title ? el("span", { class: "muted" }, ` ${row.title}`) : null;
  const effect = row.contribution ? ` (${row.contribution > 0 ? "+" : ""}${number(row.contribution)})` : "";
  const name = el("a", { href: state.link({ doc: row.document }), class: "name", "data-doc": row.document }, row.document);
  return el("li", {}, name, title, `: ${row.words}${effect}`);
}

/** Show one document with its text, its grade and its rank in every run. */
export function showDocument(host, data) {
  if (!data.retrieved && data.title === null && data.text === null) {
    setChildren(host, el("p", { class: "status" }, `No run retrieves ${data.document}, and it has no text.`));
    return;
  }
  const grade = data.retrieved ? describeGrade(data) : "not retrieved by any run";
  const ranks = data.ranks.map(({ run, rank }) => el("li", {}, runLink(run), ` ${rank}`));
  setChildren(
    host,
    el("h3", {}, data.title ?? data.document),
    el("p", { class: "note" }, `${data.document} · ${grade} · retrieved by ${data.ranks.length} of ${pluralize(data.runs, "run")}`),
    el("p", { class: "document-text" }, data.text ?? "This document has no text; add --docs to show it."),
    data.shortened ? el("p", { class: "note" }, "Only the beginning of the text is shown.") : null,
    ranks.length ? el("details", {}, el("summary", {}, "Ranks in all runs"), el("ul", { class: "ranks" }, ranks)) : null,
  );
}
