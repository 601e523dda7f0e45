// Form fields: labelled, usable by keyboard, and reporting only complete choices.

import { el, put, uniqueId } from "./dom.js";

/** A labelled list of options, which are texts or `{value, text}`. */
export function select({ label, options, value, changed, hint = null }) {
  const id = uniqueId("field");
  const input = el("select", { id, title: hint, onchange: () => changed(input.value) });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), input);
  const update = (list, chosen) => {
    put(input, list.map((one) => (typeof one === "string" ? choice(one, one) : choice(one.value, one.text))));
    input.value = chosen ?? "";
  };
  update(options, value);
  return { node, input, update, set: (chosen) => (input.value = chosen ?? "") };
}

function choice(value, text) {
  const option = el("option", {}, text);
  option.value = value;
  return option;
}

/** A labelled text field; `typed` is called at every keystroke, `changed` when the input is complete. */
export function line({ label, value = "", changed = null, typed = null, suggestions = null, ...more }) {
  const { hint = null, kind = "text" } = more;
  const id = uniqueId("field");
  const list = suggestions ? el("datalist", { id: uniqueId("list") }, suggestions.map((one) => choice(one, ""))) : null;
  const input = el("input", {
    id,
    type: kind,
    list: list?.id,
    title: hint,
    autocomplete: "off",
    spellcheck: "false",
    value,
    oninput: typed ? () => typed(input.value) : null,
    onchange: changed ? () => changed(input.value.trim()) : null,
  });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), input, list);
  return { node, input, set: (text) => document.activeElement !== input && (input.value = text) };
}

/** A drop-down list of checkboxes with a filter; if none is checked, all options are selected. */
export function checklist({ label, options, chosen, changed, all = "all" }) {
  const picked = new Set(chosen);
  const summary = el("summary");
  const filter = el("input", { type: "search", "aria-label": `Filter ${label.toLowerCase()}`, placeholder: "Filter" });
  const boxes = el("div", { class: "checks" });
  const clear = el("button", { type: "button", class: "plain", onclick: () => choose([]) }, "Show all");
  const tools = el("div", { class: "checks-tools" }, options.length > 8 ? filter : null, clear);
  const node = el("details", { class: "field checklist" }, summary, el("div", { class: "popover" }, tools, boxes));

  const notify = () => changed(options.map((one) => one.value).filter((value) => picked.has(value)));
  const choose = (values) => {
    set(values);
    notify();
  };
  const lines = options.map(({ value, text }) => {
    const box = el("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      if (box.checked) picked.add(value);
      else picked.delete(value);
      caption();
      notify();
    });
    return { value, text, box, line: el("label", { class: "check" }, box, el("span", {}, text)) };
  });
  put(boxes, lines.map((one) => one.line));
  filter.addEventListener("input", () => {
    const pattern = filter.value.trim().toLowerCase();
    for (const { text, line: row } of lines) row.hidden = !text.toLowerCase().includes(pattern);
  });
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    node.open = false;
    summary.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!node.contains(event.target)) node.open = false;
  });

  function caption() {
    const texts = lines.filter((one) => picked.has(one.value)).map((one) => one.text);
    const text = texts.length === 0 ? all : texts.length === 1 ? texts[0] : `${texts.length} of ${options.length}`;
    put(summary, el("span", { class: "label" }, label), el("span", { class: "chosen" }, text));
  }
  function set(values) {
    picked.clear();
    for (const value of values) picked.add(value);
    for (const { value, box } of lines) box.checked = picked.has(value);
    caption();
  }
  set(chosen);
  return { node, set };
}

/** A list of selected words, each with a button to remove it. */
export function chips(host, words, { label, removed, least = 0 }) {
  put(
    host,
    words.map((word) => {
      const attributes = { type: "button", "aria-label": `Remove ${label} ${word}`, onclick: () => removed(word) };
      const close = words.length > least ? el("button", attributes, "×") : null;
      return el("li", { class: "chip" }, el("span", {}, word), close);
    }),
  );
}

/** Buttons for the previous and the next value. */
export function steps(kind, values, current, chosen) {
  const go = (by) => {
    const to = values[values.indexOf(current()) + by];
    if (to !== undefined) chosen(to);
  };
  const button = (by, label, sign) =>
    el("button", { type: "button", class: "plain", "aria-label": label, onclick: () => go(by) }, sign);
  const previous = button(-1, `Previous ${kind}`, "‹");
  const next = button(1, `Next ${kind}`, "›");
  return {
    node: el("div", { class: "steps" }, previous, next),
    update() {
      const index = values.indexOf(current());
      previous.disabled = index <= 0;
      next.disabled = index === values.length - 1;
    },
  };
}
