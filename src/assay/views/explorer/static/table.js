// A table that can be sorted by any column, with mouse or keyboard, and shows its sort order.

import { el, put } from "./dom.js";
import { number } from "./text.js";

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Sort rows by a column; rows without a value come last in both directions. */
export function sortRows(rows, value, descending) {
  const absent = (row) => value(row) === null || value(row) === undefined;
  const known = rows.filter((row) => !absent(row));
  known.sort((a, b) => (descending ? compare(value(b), value(a)) : compare(value(a), value(b))));
  return [...known, ...rows.filter(absent)];
}

export class Table {
  /**
   * @param {HTMLElement} host parent element
   * @param {object} about `label`: description; `columns`: each with `key`, `title`, and optionally `kind` ("number"),
   *   `value(row)` to sort by, `cell(row)` that returns a node or a text, `hint`, `fixed` (cannot be sorted),
   *   `descending` (at the first click), `head` (this cell names the row); `sort`: `{key, descending}`;
   *   `sorted(key, descending)`: called when the reader sorts; `empty`: text shown without rows
   */
  constructor(host, { label, columns = [], sort = null, sorted = null, empty = "Nothing to show." }) {
    Object.assign(this, { label, columns, sort, sorted, empty });
    this.rows = [];
    this.head = el("tr");
    this.body = el("tbody");
    const table = el("table", { "aria-label": label }, el("thead", {}, this.head), this.body);
    this.none = el("p", { class: "status", hidden: true }, empty);
    this.box = el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label }, table);
    put(host, this.box, this.none);
  }

  /** Show rows, optionally with other columns. */
  show(rows, { columns = this.columns, sort = this.sort, none = this.empty } = {}) {
    Object.assign(this, { rows, columns, sort });
    this.none.textContent = none;
    this.#headings();
    this.#lines();
  }

  /** Return the function of the values by which a column is sorted. */
  #value(column) {
    return column.value ?? ((row) => row[column.key]);
  }

  #headings() {
    const cells = this.columns.map((column) => this.#heading(column));
    const focused = this.head.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    put(this.head, cells);
    if (focused) this.head.querySelector(`button[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #heading(column) {
    const kind = column.kind === "number" ? "number" : null;
    if (column.fixed) return el("th", { scope: "col", class: kind, title: column.hint }, column.title);
    const mine = this.sort?.key === column.key;
    const direction = this.sort?.descending ? "descending" : "ascending";
    const attributes = { type: "button", class: "sort", "data-key": column.key, title: column.hint };
    const button = el("button", { ...attributes, onclick: () => this.#choose(column) }, column.title);
    return el("th", { scope: "col", class: kind, "aria-sort": mine ? direction : null }, button);
  }

  #choose(column) {
    const first = column.descending ?? column.kind === "number";
    const descending = this.sort?.key === column.key ? !this.sort.descending : first;
    this.sort = { key: column.key, descending };
    this.#headings();
    this.#lines();
    this.sorted?.(column.key, descending);
  }

  #lines() {
    const column = this.columns.find((one) => one.key === this.sort?.key);
    const rows = column ? sortRows(this.rows, this.#value(column), this.sort.descending) : this.rows;
    // The rows are replaced, so the focus moves to the element with the same data-keep.
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.keep : undefined;
    put(this.body, rows.map((row, index) => this.#line(row, index)));
    if (focused !== undefined) this.body.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus();
    this.none.hidden = rows.length > 0;
    this.box.hidden = rows.length === 0;
  }

  #line(row, index) {
    const line = el("tr", { "data-mark": row.mark ?? null });
    for (const column of this.columns) {
      const value = column.cell ? column.cell(row, index) : row[column.key];
      const shown = typeof value === "number" ? number(value) : (value ?? "–");
      const kind = column.kind === "number" ? "number" : (column.kind ?? null);
      line.append(el(column.head ? "th" : "td", { class: kind, scope: column.head ? "row" : null }, shown));
    }
    return line;
  }
}
