// Common columns of tables; `options` adds or replaces properties, such as a hint or the value to sort by.

import { el } from "./dom.js";
import { hasQueries, queryOf, runLink, topicLink } from "./shell.js";
import { address } from "./state.js";
import { count, number, signed } from "./text.js";

const ABSENT = "–";

function numericColumn(key, title, format, options) {
  const value = options.value ?? ((row) => row[key]);
  return { key, title, kind: "number", value, cell: (row) => format(value(row)), ...options };
}

/** A value of a measure or an indicator. */
export function valueColumn(key, title, options = {}) {
  return numericColumn(key, title, (value) => number(value, options.decimals ?? 4), options);
}

/** A difference, with its sign. */
export function differenceColumn(key, title, options = {}) {
  return numericColumn(key, title, (value) => signed(value, options.decimals ?? 4), options);
}

export function countColumn(key, title, options = {}) {
  return numericColumn(key, title, count, options);
}

/** A rank or a place; the first click sorts in ascending order. */
export function placeColumn(key, title, options = {}) {
  return numericColumn(key, title, (value) => (value === null || value === undefined ? ABSENT : String(value)), {
    descending: false,
    ...options,
  });
}

export function gradeColumn(key = "grade", title = "Grade") {
  return { key, title, kind: "number", cell: (row) => (row[key] === null ? "unjudged" : String(row[key])) };
}

export function runColumn() {
  return { key: "run", title: "Run", head: true, cell: (row) => runLink(row.run) };
}

export function topicColumn(options = {}) {
  return { key: "topic", title: "Topic", cell: (row) => topicLink(row.topic), ...options };
}

/** The column of queries as a list, which is empty if the campaign has no queries. */
export function queryColumns() {
  const value = (row) => queryOf(row.topic);
  return hasQueries() ? [{ key: "query", title: "Query", kind: "name", value, cell: value }] : [];
}

/** The name of a document, which may be long, and its title if it is known; `topicOf(row)` gives its topic. */
export function documentColumn(topicOf) {
  const cell = (row) => {
    const name = el("a", { href: address("/topic", { topic: topicOf(row), doc: row.document }) }, row.document);
    return row.title ? [name, el("div", { class: "doc-title" }, row.title)] : name;
  };
  return { key: "document", title: "Document", head: true, kind: "name", cell };
}

/** A column of links, which cannot be sorted. */
export function linkColumn(cell) {
  return { key: "link", title: "", fixed: true, cell };
}
