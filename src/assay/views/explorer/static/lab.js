// The measure lab: change the parameters of a measure and see the effect on the leaderboard and the balancing index.

import { ask, debounce, latest } from "./api.js";
import { placeColumn, runColumn, valueColumn } from "./columns.js";
import { select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { Figure } from "./figure.js";
import { intervals } from "./intervals.js";
import { measureField } from "./measures.js";
import { formatMeasure, parseMeasure } from "./notation.js";
import { describeLeader, say, start } from "./shell.js";
import { field } from "./sliders.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { many, number } from "./text.js";

const FIRST = "RBP(p=0.8)";
const RARE = ["p1", "p2", "rel", "max_rel"]; // Parameters that are rarely changed.
const FAR = 5; // Runs that move by at least this many places are counted in the summary.

start((campaign) => {
  const about = (name) => campaign.measures.find((one) => one.name === name);
  const measure = () => state.get("measure", FIRST);
  const against = () => state.get("against", campaign.defaults.gain);
  const editor = new Editor(campaign, about);
  const other = measureField(campaign, {
    label: "Compare with",
    value: against(),
    chosen: (value) => state.change({ against: value }),
  });
  part("choice").append(other.node);
  const table = new Table(part("effect"), { label: "Runs by this measure", sort: { key: "place", descending: false } });
  const balance = new Figure(part("balance"), {
    name: "balancing",
    label: "Balancing index by the length of the ranking",
    most: 520,
  });

  return latest(async (signal) => {
    editor.show(measure());
    other.set(against());
    const measures = [...new Set([measure(), against()])];
    const data = await ask("lab", { measure: measures }, signal);
    editor.name(data.measures[0]);
    showSummary(data);
    showBoard(table, data);
    await showBalance(balance, data);
  });
});

/** Fields for the measure and its parameters; they are built again only when another measure is chosen elsewhere. */
class Editor {
  constructor(campaign, about) {
    this.about = about;
    this.shown = null;
    this.list = select({
      label: "Measure",
      options: campaign.measures.map((one) => ({ value: one.name, text: one.name })),
      value: null,
      changed: (name) => this.#change(about(name).examples[0]),
    });
    this.line = measureField(campaign, { label: "Notation", value: "", chosen: (text) => this.#change(text) });
    this.send = debounce((text) => state.change({ measure: text }, { typing: true }), 70);
    put(part("choice"), this.list.node, this.line.node);
  }

  #change(text) {
    state.change({ measure: text });
  }

  show(text) {
    if (text === this.shown) return;
    this.shown = text;
    const { name, values } = parseMeasure(text, this.about);
    const measure = this.about(name);
    this.list.set(measure ? name : "");
    this.#showMeasure(text, measure);
    const usual = (measure?.parameters ?? []).filter((one) => !RARE.includes(one.name));
    const rare = (measure?.parameters ?? []).filter((one) => RARE.includes(one.name));
    const fields = (some) => some.map((one) => this.#field(measure, one, values));
    const more = el("details", {}, el("summary", {}, "More"), el("div", { class: "parameters" }, fields(rare)));
    more.open = rare.some((one) => one.name in values);
    put(part("parameters"), fields(usual), rare.length ? more : null);
  }

  /** Show the canonical name of a measure that was written in another notation. */
  name(canonical) {
    if (!this.about(parseMeasure(this.shown, this.about).name)) this.show(canonical);
  }

  #showMeasure(text, measure) {
    this.line.set(text);
    part("about").textContent = measure?.title ?? "";
  }

  #field(measure, parameter, values) {
    const usual = parameter.default === null ? "" : String(parameter.default);
    return field(parameter, values[parameter.name] ?? usual, (value) => {
      values[parameter.name] = value;
      this.shown = formatMeasure(measure, values);
      this.#showMeasure(this.shown, measure);
      this.send(this.shown);
    });
  }
}

/** Return how many places a run moves up (or down, if negative) from the second measure to the first. */
function moved(row, [mine, theirs]) {
  return theirs === undefined ? 0 : row.places[theirs] - row.places[mine];
}

function showSummary(data) {
  const [mine, theirs] = data.measures;
  if (!data.rows.length) return say("There are no runs.");
  const lead = [...describeLeader(data.rows, mine).words, ". "];
  if (theirs === undefined) return say(...lead);
  const far = data.rows.filter((row) => Math.abs(moved(row, data.measures)) >= FAR).length;
  const tau = data.tau[0][1];
  const alike = tau === null ? "" : `; Kendall's tau between the two orders is ${number(tau, 3)}`;
  const moving = `${many(far, "run")} of ${data.rows.length} ${far === 1 ? "moves" : "move"}`;
  return say(...lead, `Compared with ${theirs}, ${moving} by at least ${FAR} places${alike}.`);
}

function arrow(by) {
  if (!by) return el("span", { class: "muted" }, "=");
  return el("span", { class: by > 0 ? "up" : "down" }, `${by > 0 ? "▲" : "▼"} ${Math.abs(by)}`);
}

function showBoard(table, data) {
  const [mine, theirs] = data.measures;
  const drawing = intervals(data.rows.map((row) => row.values[mine]));
  const move = (row) => moved(row, data.measures);
  const compared = [
    placeColumn("theirs", `# by ${theirs}`, { value: (row) => row.places[theirs] }),
    valueColumn("moved", "Moved", { hint: `Places gained or lost compared with ${theirs}`, value: move, cell: (row) => arrow(move(row)) }),
  ];
  part("effect-note").textContent = `${many(data.rows.length, "run")}, mean over topics with its confidence interval.`;
  table.show(data.rows, {
    columns: [
      placeColumn("place", "#"),
      runColumn(),
      valueColumn("value", mine, { value: (row) => row.values[mine].value }),
      { key: "interval", title: "Interval", fixed: true, cell: (row) => drawing(row.values[mine]) },
      ...(theirs === undefined ? [] : compared),
    ],
  });
}

async function showBalance(figure, data) {
  const [own] = data.balance;
  const note = part("balance-note");
  if (own.why) {
    note.textContent = "";
    figure.say(own.why);
    return;
  }
  const last = own.n.length - 1;
  const index = own.balance[last];
  note.textContent =
    index === null
      ? `One document of the highest grade at rank 1 outweighs all ranks below it (rankings of ${own.n[last]} documents).`
      : `In a ranking of ${own.n[last]} documents, documents of the lowest relevant grade at ranks ${index} to ` +
        `${own.n[last]} give at least the value of one document of the highest grade at rank 1. The smaller the ` +
        `index, the more the first ranks decide.`;
  await figure.show({ measure: data.balance.filter((one) => !one.why).map((one) => one.measure) });
}
