// A table that the reader can sort by any column, with the mouse or the keyboard; it shows its sort order.

import { el, setChildren } from "./dom.js";
import { number } from "./text.js";

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Sort rows by a function of a row; rows without a value come last in both directions. */
export function sortRows(rows, value, descending) {
  const isAbsent = (row) => value(row) === null || value(row) === undefined;
  const present = rows.filter((row) => !isAbsent(row));
  present.sort((a, b) => (descending ? compare(value(b), value(a)) : compare(value(a), value(b))));
  return [...present, ...rows.filter(isAbsent)];
}

export class Table {
  /**
   * @param {HTMLElement} host parent element
   * @param {object} about `label`: description; `columns`: each with `key`, `title`, and optionally `kind` ("number"),
   *   `value(row)` to sort by, `cell(row)` that returns a node or a text, `hint`, `fixed` (cannot be sorted),
   *   `descending` (at the first click), `head` (this cell names the row); `sort`: `{key, descending}`;
   *   `onSort(key, descending)`: called when the reader sorts; `empty`: text shown without rows
   */
  constructor(host, { label, columns = [], sort = null, onSort = null, empty = "Nothing to show." }) {
    Object.assign(this, { label, columns, sort, onSort, empty });
    this.rows = [];
    this.head = el("tr");
    this.body = el("tbody");
    const table = el("table", { "aria-label": label }, el("thead", {}, this.head), this.body);
    this.emptyNote = el("p", { class: "status", hidden: true }, empty);
    this.box = el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label }, table);
    setChildren(host, this.box, this.emptyNote);
  }

  /** Show rows, optionally with other columns. */
  show(rows, { columns = this.columns, sort = this.sort, emptyText = this.empty } = {}) {
    Object.assign(this, { rows, columns, sort });
    this.emptyNote.textContent = emptyText;
    this.#drawHeadings();
    this.#drawRows();
  }

  /** Return the function that gives the value of a row by which a column is sorted. */
  #sortValue(column) {
    return column.value ?? ((row) => row[column.key]);
  }

  #drawHeadings() {
    const cells = this.columns.map((column) => this.#buildHeading(column));
    const focused = this.head.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    setChildren(this.head, cells);
    if (focused) this.head.querySelector(`button[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #buildHeading(column) {
    const kind = column.kind === "number" ? "number" : null;
    if (column.fixed) return el("th", { scope: "col", class: kind, title: column.hint }, column.title);
    const isSorted = this.sort?.key === column.key;
    const direction = this.sort?.descending ? "descending" : "ascending";
    const attributes = { type: "button", class: "sort", "data-key": column.key, title: column.hint };
    const button = el("button", { ...attributes, onclick: () => this.#sortBy(column) }, column.title);
    return el("th", { scope: "col", class: kind, "aria-sort": isSorted ? direction : null }, button);
  }

  #sortBy(column) {
    const initial = column.descending ?? column.kind === "number";
    const descending = this.sort?.key === column.key ? !this.sort.descending : initial;
    this.sort = { key: column.key, descending };
    this.#drawHeadings();
    this.#drawRows();
    this.onSort?.(column.key, descending);
  }

  #drawRows() {
    const column = this.columns.find(({ key }) => key === this.sort?.key);
    const rows = column ? sortRows(this.rows, this.#sortValue(column), this.sort.descending) : this.rows;
    // The rows are replaced, so the focus must move to the new element with the same data-keep.
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.keep : undefined;
    setChildren(this.body, rows.map((row, index) => this.#buildRow(row, index)));
    if (focused !== undefined) this.body.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus();
    this.emptyNote.hidden = rows.length > 0;
    this.box.hidden = rows.length === 0;
  }

  #buildRow(row, index) {
    const element = el("tr");
    for (const column of this.columns) {
      const value = column.cell ? column.cell(row, index) : row[column.key];
      const shown = typeof value === "number" ? number(value) : (value ?? "–");
      element.append(el(column.head ? "th" : "td", { class: column.kind, scope: column.head ? "row" : null }, shown));
    }
    return element;
  }
}
