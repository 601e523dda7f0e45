// A field for each parameter of a measure: a slider for a range, a list for names, a text field for others.

import { el, put, uniqueId } from "./dom.js";

const RANKS = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
// Ends of the sliders of unbounded parameters; the number field next to a slider has no such ends.
const ENDS = { base: [1.1, 20], T: [0.5, 20], beta: [0.1, 10], k: [0, 20], multiple: [0.1, 3], points: [2, 21] };
const STEPS = 100;

function range(parameter) {
  const [least, most] = ENDS[parameter.name] ?? [null, null];
  const low = parameter.low ?? parameter.above ?? least;
  const high = parameter.high ?? parameter.below ?? most;
  if (low === null || high === null) return null;
  const step = parameter.kind === "int" ? 1 : Number(((high - low) / STEPS).toPrecision(1));
  const first = parameter.low === null && parameter.above !== null && parameter.above === low ? low + step : low;
  const last = parameter.high === null && parameter.below !== null && parameter.below === high ? high - step : high;
  return { low: first, high: last, step };
}

/** A slider over RANKS with a number field; the last position of an optional parameter means all ranks. */
function ranks(parameter, value, changed) {
  const places = parameter.needed ? RANKS : [...RANKS, ""];
  const slider = el("input", { type: "range", min: 0, max: places.length - 1, step: 1 });
  const exact = el("input", { type: "number", min: 1, step: 1, placeholder: parameter.needed ? "" : "all" });
  const place = (text) => {
    if (text === "") return places.length - 1;
    const index = places.findIndex((one) => one !== "" && one >= Number(text));
    return index < 0 ? RANKS.length - 1 : index;
  };
  const set = (text) => {
    slider.value = place(text);
    exact.value = text;
    slider.setAttribute("aria-valuetext", text === "" ? "all ranks" : text);
  };
  slider.addEventListener("input", () => {
    set(String(places[slider.value]));
    changed(exact.value);
  });
  exact.addEventListener("input", () => {
    slider.value = place(exact.value);
    changed(exact.value);
  });
  set(value);
  return [slider, exact];
}

function ranged(parameter, value, changed, { low, high, step }) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const slider = el("input", { type: "range", min: low, max: high, step });
  const exact = el("input", { type: "number", step: "any", placeholder: parameter.needed ? "" : "not set" });
  slider.value = value === "" ? (low + high) / 2 : value;
  exact.value = value;
  const update = () => {
    slider.classList.toggle("unset", exact.value === "");
    slider.setAttribute("aria-valuetext", exact.value === "" ? "not set" : exact.value);
  };
  const notify = () => {
    update();
    changed(exact.value);
  };
  slider.addEventListener("input", () => {
    exact.value = String(Number(Number(slider.value).toFixed(decimals)));
    notify();
  });
  exact.addEventListener("input", () => {
    if (exact.value !== "") slider.value = exact.value;
    notify();
  });
  update();
  return [slider, exact];
}

function named(parameter, value, changed) {
  const names = [...new Set([...parameter.choices, ...(value === "" ? [] : [value])])];
  const list = el("select", { onchange: () => changed(list.value) });
  const none = parameter.default === null ? el("option", { value: "" }, "not set") : null;
  put(list, none, names.map((name) => el("option", { value: name }, name)));
  list.value = value;
  return [list];
}

function flag(_parameter, value, changed) {
  const box = el("input", { type: "checkbox" });
  box.checked = value === "true";
  box.addEventListener("change", () => changed(String(box.checked)));
  return [box];
}

function plain(parameter, value, changed) {
  const number = parameter.kind === "int" || parameter.kind === "float";
  const kind = number ? { type: "number", step: "any" } : { type: "text" };
  const line = el("input", { ...kind, placeholder: "not set", value });
  line.addEventListener(number ? "input" : "change", () => changed(line.value.trim()));
  return [line];
}

function inputs(parameter, value, changed) {
  if (parameter.choices.length) return named(parameter, value, changed);
  if (parameter.kind === "flag") return flag(parameter, value, changed);
  if (parameter.at && parameter.kind === "int") return ranks(parameter, value, changed);
  const numeric = parameter.kind === "int" || parameter.kind === "float";
  const within = numeric ? range(parameter) : null;
  return within ? ranged(parameter, value, changed, within) : plain(parameter, value, changed);
}

/** Build the field of a parameter; the label belongs to its first input, the others are named after it. */
export function field(parameter, value, changed) {
  const id = uniqueId("parameter");
  const [first, ...others] = inputs(parameter, value, changed);
  first.id = id;
  for (const other of others) other.setAttribute("aria-label", `${parameter.name}, exact value`);
  const about = el("span", { class: "muted" }, ` ${parameter.doc}`);
  const label = el("label", { for: id }, parameter.name, about);
  return el("div", { class: "parameter", "data-parameter": parameter.name }, label, first, others);
}
