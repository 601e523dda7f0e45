// Form fields with labels; they can be used with the keyboard, and report only complete inputs.

import { el, setChildren, uniqueId } from "./dom.js";

/** A labelled list of options, which are texts or `{value, text}`. */
export function select({ label, options, value, onChange, hint = null }) {
  const id = uniqueId("field");
  const input = el("select", { id, title: hint, onchange: () => onChange(input.value) });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), input);
  const update = (list, selected) => {
    const build = (item) => (typeof item === "string" ? option(item, item) : option(item.value, item.text));
    setChildren(input, list.map(build));
    input.value = selected ?? "";
  };
  update(options, value);
  return { node, input, update, set: (selected) => (input.value = selected ?? "") };
}

function option(value, text) {
  const element = el("option", {}, text);
  element.value = value;
  return element;
}

/** A labelled text field; `onType` is called at every keystroke, `onChange` when the input is complete. */
export function textField({ label, value = "", onChange = null, onType = null, suggestions = null, ...options }) {
  const { hint = null, kind = "text" } = options;
  const id = uniqueId("field");
  const list = suggestions ? el("datalist", { id: uniqueId("list") }, suggestions.map((text) => option(text, ""))) : null;
  const input = el("input", {
    id,
    type: kind,
    list: list?.id,
    title: hint,
    autocomplete: "off",
    spellcheck: "false",
    value,
    oninput: onType ? () => onType(input.value) : null,
    onchange: onChange ? () => onChange(input.value.trim()) : null,
  });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), input, list);
  return { node, input, set: (text) => document.activeElement !== input && (input.value = text) };
}

/** A drop-down list of checkboxes with a filter; `options` are texts. If no box is checked, all options are selected. */
export function checklist({ label, options, selected, onChange, clear: clearText = "Show all" }) {
  const checked = new Set(selected);
  const summary = el("summary");
  const filter = el("input", { type: "search", "aria-label": `Filter ${label.toLowerCase()}`, placeholder: "Filter" });
  const boxes = el("div", { class: "checks" });
  const clear = el("button", { type: "button", class: "plain", onclick: showAll }, clearText);
  const tools = el("div", { class: "checks-tools" }, options.length > 8 ? filter : null, clear);
  const node = el("details", { class: "field checklist needs-server" }, summary, el("div", { class: "popover" }, tools, boxes));

  const checkedOptions = () => options.filter((text) => checked.has(text));
  const lines = options.map((text) => {
    const box = el("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      if (box.checked) checked.add(text);
      else checked.delete(text);
      updateCaption();
      onChange(checkedOptions());
    });
    return { text, box, line: el("label", { class: "check" }, box, el("span", {}, text)) };
  });
  setChildren(boxes, lines.map(({ line }) => line));
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

  function updateCaption() {
    const texts = checkedOptions();
    const text = texts.length === 0 ? "all" : texts.length === 1 ? texts[0] : `${texts.length} of ${options.length}`;
    setChildren(summary, el("span", { class: "label" }, label), el("span", { class: "chosen" }, text));
  }
  function set(texts) {
    checked.clear();
    for (const text of texts) checked.add(text);
    for (const { text, box } of lines) box.checked = checked.has(text);
    updateCaption();
  }
  function showAll() {
    set([]);
    onChange([]);
  }
  set(selected);
  return { node, set };
}

/** A list of selected words, each with a button to remove it; at least `minimum` words remain. */
export function chips(host, words, { label, onRemove, minimum = 0 }) {
  setChildren(
    host,
    words.map((word) => {
      const attributes = { type: "button", "aria-label": `Remove ${label} ${word}`, onclick: () => onRemove(word) };
      const close = words.length > minimum ? el("button", attributes, "×") : null;
      return el("li", { class: "chip" }, el("span", {}, word), close);
    }),
  );
}

/** Buttons for the previous and the next of `values`; `current` returns the current value. */
export function stepButtons(kind, values, current, onChoose) {
  const move = (steps) => {
    const target = values[values.indexOf(current()) + steps];
    if (target !== undefined) onChoose(target);
  };
  const button = (steps, label, sign) =>
    el("button", { type: "button", class: "plain", "aria-label": label, onclick: () => move(steps) }, sign);
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
