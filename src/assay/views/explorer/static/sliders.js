// A field for each parameter of a measure: a slider for a range, a list for names, a text field for others.

import { el, setChildren, uniqueId } from "./dom.js";

const RANKS = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];
// Ranges of the sliders of unbounded parameters; the number field next to a slider is not limited to the range.
const RANGES = { base: [1.1, 20], T: [0.5, 20], beta: [0.1, 10], k: [0, 20], multiple: [0.1, 3], points: [2, 21] };
const STEPS = 100;

function range(parameter) {
  const [minimum, maximum] = RANGES[parameter.name] ?? [null, null];
  const low = parameter.low ?? parameter.above ?? minimum;
  const high = parameter.high ?? parameter.below ?? maximum;
  if (low === null || high === null) return null;
  const step = parameter.kind === "int" ? 1 : Number(((high - low) / STEPS).toPrecision(1));
  const first = parameter.low === null && parameter.above !== null && parameter.above === low ? low + step : low;
  const last = parameter.high === null && parameter.below !== null && parameter.below === high ? high - step : high;
  return { low: first, high: last, step };
}

/** A slider over RANKS with a number field; the last position of an optional parameter means all ranks. */
function rankInputs(parameter, value, onChange) {
  const positions = parameter.needed ? RANKS : [...RANKS, ""];
  const slider = el("input", { type: "range", min: 0, max: positions.length - 1, step: 1 });
  const exact = el("input", { type: "number", min: 1, step: 1, placeholder: parameter.needed ? "" : "all" });
  const positionOf = (text) => {
    if (text === "") return positions.length - 1;
    const index = positions.findIndex((rank) => rank !== "" && rank >= Number(text));
    return index < 0 ? RANKS.length - 1 : index;
  };
  const set = (text) => {
    slider.value = positionOf(text);
    exact.value = text;
    slider.setAttribute("aria-valuetext", text === "" ? "all ranks" : text);
  };
  slider.addEventListener("input", () => {
    set(String(positions[slider.value]));
    onChange(exact.value);
  });
  exact.addEventListener("input", () => {
    slider.value = positionOf(exact.value);
    onChange(exact.value);
  });
  set(value);
  return [slider, exact];
}

function rangeInputs(parameter, value, onChange, { low, high, step }) {
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
    onChange(exact.value);
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

function choiceInputs(parameter, value, onChange) {
  const names = [...new Set([...parameter.choices, ...(value === "" ? [] : [value])])];
  const list = el("select", { onchange: () => onChange(list.value) });
  const none = parameter.default === null ? el("option", { value: "" }, "not set") : null;
  setChildren(list, none, names.map((name) => el("option", { value: name }, name)));
  list.value = value;
  return [list];
}

function flagInputs(_parameter, value, onChange) {
  const box = el("input", { type: "checkbox" });
  box.checked = value === "true";
  box.addEventListener("change", () => onChange(String(box.checked)));
  return [box];
}

function textInputs(parameter, value, onChange) {
  const isNumber = parameter.kind === "int" || parameter.kind === "float";
  const kind = isNumber ? { type: "number", step: "any" } : { type: "text" };
  const input = el("input", { ...kind, placeholder: "not set", value });
  input.addEventListener(isNumber ? "input" : "change", () => onChange(input.value.trim()));
  return [input];
}

function buildInputs(parameter, value, onChange) {
  if (parameter.choices.length) return choiceInputs(parameter, value, onChange);
  if (parameter.kind === "flag") return flagInputs(parameter, value, onChange);
  if (parameter.at && parameter.kind === "int") return rankInputs(parameter, value, onChange);
  const isNumber = parameter.kind === "int" || parameter.kind === "float";
  const limits = isNumber ? range(parameter) : null;
  return limits ? rangeInputs(parameter, value, onChange, limits) : textInputs(parameter, value, onChange);
}

/** Build the field of a parameter; the label belongs to the first input, and other inputs have labels derived from it. */
export function parameterField(parameter, value, onChange) {
  const id = uniqueId("parameter");
  const [first, ...others] = buildInputs(parameter, value, onChange);
  first.id = id;
  for (const other of others) other.setAttribute("aria-label", `${parameter.name}, exact value`);
  const description = el("span", { class: "muted" }, ` ${parameter.doc}`);
  const label = el("label", { for: id }, parameter.name, description);
  return el("div", { class: "parameter", "data-parameter": parameter.name }, label, first, others);
}
