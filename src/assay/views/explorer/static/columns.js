// The usual columns of tables; each may be given more, such as a hint or what it is sorted by.

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

/** A rank or a place: small ones come first. */
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

/** A document: its name may be long. */
export function documentColumn() {
  return { key: "document", title: "Document", head: true, kind: "name" };
}

/** Something that is no reason to sort. */
export function linkColumn(cell) {
  return { key: "link", title: "", fixed: true, cell };
}
