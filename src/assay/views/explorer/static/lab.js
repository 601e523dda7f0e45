// The measure lab: readers change the parameters of a measure and see the leaderboard and the balancing index.

import { requestJson, debounce, latest } from "./api.js";
import { placeColumn, runColumn, valueColumn } from "./columns.js";
import { select } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure } from "./figure.js";
import { intervals } from "./intervals.js";
import { measureField } from "./measures.js";
import { formatMeasure, parseMeasure } from "./notation.js";
import { describeLeader, showLede, start } from "./shell.js";
import { parameterField } from "./sliders.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { pluralize, number } from "./text.js";

const DEFAULT_MEASURE = "RBP(p=0.8)";
const RARE_PARAMETERS = ["p1", "p2", "rel", "max_rel"];
const MIN_MOVE = 5; // The summary counts the runs that move by at least this number of places.

start((campaign) => {
  const findMeasure = (name) => campaign.measures.find((measure) => measure.name === name);
  const measure = () => state.get("measure", DEFAULT_MEASURE);
  const against = () => state.get("against", campaign.defaults.gain);
  const editor = new Editor(campaign, findMeasure);
  const other = measureField(campaign, {
    label: "Compare with",
    value: against(),
    onChoose: (value) => state.change({ against: value }),
  });
  byId("choice").append(other.node);
  const table = new Table(byId("effect"), { label: "Runs by this measure", sort: { key: "place", descending: false } });
  const balance = new Figure(byId("balance"), {
    name: "balancing",
    label: "Balancing index by the length of the ranking",
    maxWidth: 520,
  });

  return latest(async (signal) => {
    editor.show(measure());
    other.set(against());
    const measures = [...new Set([measure(), against()])];
    const data = await requestJson("lab", { measure: measures }, signal);
    editor.showCanonical(data.measures[0]);
    showSummary(data);
    showLeaderboard(table, data);
    await showBalance(balance, data);
  });
});

/** Fields for the measure and its parameters. They are built again only if the measure is changed outside the editor. */
class Editor {
  constructor(campaign, findMeasure) {
    this.findMeasure = findMeasure;
    this.shown = null;
    this.list = select({
      label: "Measure",
      options: campaign.measures.map(({ name }) => name),
      value: null,
      onChange: (name) => this.#change(findMeasure(name).examples[0]),
    });
    this.line = measureField(campaign, { label: "Notation", value: "", onChoose: (text) => this.#change(text) });
    this.send = debounce((text) => state.change({ measure: text }, { typing: true }), 70);
    setChildren(byId("choice"), this.list.node, this.line.node);
  }

  #change(text) {
    state.change({ measure: text });
  }

  show(text) {
    if (text === this.shown) return;
    this.shown = text;
    const { name, values } = parseMeasure(text, this.findMeasure);
    const measure = this.findMeasure(name);
    this.list.set(measure ? name : "");
    this.#showMeasure(text, measure);
    const parameters = measure?.parameters ?? [];
    const usual = parameters.filter((parameter) => !RARE_PARAMETERS.includes(parameter.name));
    const rare = parameters.filter((parameter) => RARE_PARAMETERS.includes(parameter.name));
    const buildFields = (group) => group.map((parameter) => this.#field(measure, parameter, values));
    const fold = el("details", {}, el("summary", {}, "More"), el("div", { class: "parameters" }, buildFields(rare)));
    fold.open = rare.some((parameter) => parameter.name in values);
    setChildren(byId("parameters"), buildFields(usual), rare.length ? fold : null);
  }

  /** Show the canonical name of a measure that was written in another notation. */
  showCanonical(canonical) {
    if (!this.findMeasure(parseMeasure(this.shown, this.findMeasure).name)) this.show(canonical);
  }

  #showMeasure(text, measure) {
    this.line.set(text);
    byId("about").textContent = measure?.title ?? "";
  }

  #field(measure, parameter, values) {
    const defaultText = parameter.default === null ? "" : String(parameter.default);
    return parameterField(parameter, values[parameter.name] ?? defaultText, (value) => {
      values[parameter.name] = value;
      this.shown = formatMeasure(measure, values);
      this.#showMeasure(this.shown, measure);
      this.send(this.shown);
    });
  }
}

/** Return the number of places by which a run is higher (or lower, if negative) by the measure than by the other. */
function placesMoved(row, [measure, other]) {
  return other === undefined ? 0 : row.places[other] - row.places[measure];
}

function showSummary(data) {
  const [measure, other] = data.measures;
  if (!data.rows.length) return showLede("There are no runs.");
  const leader = [...describeLeader(data.rows, measure).words, ". "];
  if (other === undefined) return showLede(...leader);
  const moved = data.rows.filter((row) => Math.abs(placesMoved(row, data.measures)) >= MIN_MOVE).length;
  const tau = data.tau[0][1];
  const agreement = tau === null ? "" : `; Kendall's tau between the two orders is ${number(tau, 3)}`;
  const runs = `${pluralize(moved, "run")} of ${data.rows.length} ${moved === 1 ? "moves" : "move"}`;
  return showLede(...leader, `Compared with ${other}, ${runs} by at least ${MIN_MOVE} places${agreement}.`);
}

function arrow(places) {
  if (!places) return el("span", { class: "muted" }, "=");
  return el("span", { class: places > 0 ? "up" : "down" }, `${places > 0 ? "▲" : "▼"} ${Math.abs(places)}`);
}

function showLeaderboard(table, data) {
  const [measure, other] = data.measures;
  const drawInterval = intervals(data.rows.map((row) => row.values[measure]));
  const value = (row) => placesMoved(row, data.measures);
  const hint = `Places gained or lost compared with ${other}`;
  const comparison = [
    placeColumn("theirs", `# by ${other}`, { value: (row) => row.places[other] }),
    valueColumn("moved", "Moved", { hint, value, cell: (row) => arrow(value(row)) }),
  ];
  byId("effect-note").textContent = `${pluralize(data.rows.length, "run")}, mean over topics with its confidence interval.`;
  table.show(data.rows, {
    columns: [
      placeColumn("place", "#"),
      runColumn(),
      valueColumn("value", measure, { value: (row) => row.values[measure].value }),
      { key: "interval", title: "Interval", fixed: true, cell: (row) => drawInterval(row.values[measure]) },
      ...(other === undefined ? [] : comparison),
    ],
  });
}

async function showBalance(figure, data) {
  const [first] = data.balance;
  const note = byId("balance-note");
  if (first.why) {
    note.textContent = "";
    figure.showMessage(first.why);
    return;
  }
  const length = first.n.at(-1);
  const index = first.balance.at(-1);
  note.textContent =
    index === null
      ? `In rankings of ${length} documents, one document of the highest grade at rank 1 has a higher value than ` +
        `documents of the lowest relevant grade at all ranks.`
      : `In rankings of ${length} documents, documents of the lowest relevant grade at ranks ${index} to ${length} ` +
        `have at least the value of one document of the highest grade at rank 1. The smaller this index, the more ` +
        `the value depends on the first ranks.`;
  await figure.show({ measure: data.balance.filter(({ why }) => !why).map(({ measure }) => measure) });
}
