// The fields by which a reader chooses: labelled, reachable by keyboard, and only telling of whole choices.

import { el, fresh, put } from "./dom.js";

/** A labelled list to choose one of; options are texts or `{value, text}`. */
export function select({ label, options, value, changed, hint = null }) {
  const id = fresh("field");
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

/** A labelled line of text; `typed` is called at every letter, `changed` when it is finished. */
export function line({ label, value = "", changed = null, typed = null, suggestions = null, ...more }) {
  const { hint = null, kind = "text" } = more;
  const id = fresh("field");
  const list = suggestions ? el("datalist", { id: fresh("list") }, suggestions.map((one) => choice(one, ""))) : null;
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

/** Several of many: a fold-out with a filter and boxes to check; none checked means all. */
export function checklist({ label, options, chosen, changed, all = "all" }) {
  const picked = new Set(chosen);
  const summary = el("summary");
  const filter = el("input", { type: "search", "aria-label": `Filter ${label.toLowerCase()}`, placeholder: "Filter" });
  const boxes = el("div", { class: "checks" });
  const clear = el("button", { type: "button", class: "plain", onclick: () => choose([]) }, "Show all");
  const tools = el("div", { class: "checks-tools" }, options.length > 8 ? filter : null, clear);
  const node = el("details", { class: "field checklist" }, summary, el("div", { class: "popover" }, tools, boxes));

  const tell = () => changed(options.map((one) => one.value).filter((value) => picked.has(value)));
  const choose = (values) => {
    set(values);
    tell();
  };
  const lines = options.map(({ value, text }) => {
    const box = el("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      if (box.checked) picked.add(value);
      else picked.delete(value);
      caption();
      tell();
    });
    return { value, text, box, line: el("label", { class: "check" }, box, el("span", {}, text)) };
  });
  put(boxes, lines.map((one) => one.line));
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const { text, line: row } of lines) row.hidden = !text.toLowerCase().includes(wanted);
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
    const said = texts.length === 0 ? all : texts.length === 1 ? texts[0] : `${texts.length} of ${options.length}`;
    put(summary, el("span", { class: "label" }, label), el("span", { class: "chosen" }, said));
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

/** Words that were chosen, each with a button to take it away. */
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

/** Buttons to the one before and the one behind. */
export function steps(kind, values, current, chosen) {
  const go = (by) => {
    const to = values[values.indexOf(current()) + by];
    if (to !== undefined) chosen(to);
  };
  const button = (by, label, sign) =>
    el("button", { type: "button", class: "plain", "aria-label": label, onclick: () => go(by) }, sign);
  const before = button(-1, `The ${kind} before`, "‹");
  const behind = button(1, `The next ${kind}`, "›");
  return {
    node: el("div", { class: "steps" }, before, behind),
    update() {
      const at = values.indexOf(current());
      before.disabled = at <= 0;
      behind.disabled = at === values.length - 1;
    },
  };
}
