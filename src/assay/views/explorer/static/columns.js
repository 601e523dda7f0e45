// Common columns of tables; `more` adds or replaces properties, such as a hint or the value to sort by.

import { runLink, topicLink } from "./shell.js";
import { count, number, signed } from "./text.js";

const ABSENT = "–";

function numeric(key, title, show, more) {
  const value = more.value ?? ((row) => row[key]);
  return { key, title, kind: "number", value, cell: (row) => show(value(row)), ...more };
}

/** A value of a measure or an indicator. */
export function valueColumn(key, title, more = {}) {
  return numeric(key, title, (value) => number(value, more.decimals ?? 4), more);
}

/** A difference, with its sign. */
export function differenceColumn(key, title, more = {}) {
  return numeric(key, title, (value) => signed(value, more.decimals ?? 4), more);
}

export function countColumn(key, title, more = {}) {
  return numeric(key, title, count, more);
}

/** A rank or a place; sorted ascending at the first click. */
export function placeColumn(key, title, more = {}) {
  return numeric(key, title, (value) => (value === null || value === undefined ? ABSENT : String(value)), {
    descending: false,
    ...more,
  });
}

export function gradeColumn(key = "grade", title = "Grade") {
  return { key, title, kind: "number", cell: (row) => (row[key] === null ? "unjudged" : String(row[key])) };
}

export function runColumn() {
  return { key: "run", title: "Run", head: true, cell: (row) => runLink(row.run) };
}

export function topicColumn(more = {}) {
  return { key: "topic", title: "Topic", cell: (row) => topicLink(row.topic), ...more };
}

/** The name of a document, which may be long. */
export function documentColumn() {
  return { key: "document", title: "Document", head: true, kind: "name" };
}

/** A column of links, which cannot be sorted. */
export function linkColumn(cell) {
  return { key: "link", title: "", fixed: true, cell };
}
