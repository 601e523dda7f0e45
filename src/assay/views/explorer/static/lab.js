// The measure lab: change a measure and see at once what becomes of the leaderboard and of the balancing index.

import { ask, debounced, latest } from "./api.js";
import { placeColumn, runColumn, valueColumn } from "./columns.js";
import { select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { Figure } from "./figure.js";
import { intervals } from "./intervals.js";
import { measureField } from "./measures.js";
import { taken, written } from "./notation.js";
import { firstOf, say, start } from "./shell.js";
import { field } from "./sliders.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { many, number } from "./text.js";

const FIRST = "RBP(p=0.8)";
const RARE = ["p1", "p2", "rel", "max_rel"]; // parameters that few change
const FAR = 5; // places that are worth telling

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
    const found = await ask("lab", { measure: measures }, signal);
    editor.name(found.measures[0]);
    tell(found);
    showBoard(table, found);
    await showBalance(balance, found);
  });
});

/** The measure with its parameters; it is built anew only when another measure is chosen elsewhere. */
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
    this.line = measureField(campaign, { label: "Written", value: "", chosen: (text) => this.#change(text) });
    this.send = debounced((text) => state.change({ measure: text }, { typing: true }), 70);
    put(part("choice"), this.list.node, this.line.node);
  }

  #change(text) {
    state.change({ measure: text });
  }

  show(text) {
    if (text === this.shown) return;
    this.shown = text;
    const { name, values } = taken(text, this.about);
    const measure = this.about(name);
    this.list.set(measure ? name : "");
    this.#tell(text, measure);
    const usual = (measure?.parameters ?? []).filter((one) => !RARE.includes(one.name));
    const rare = (measure?.parameters ?? []).filter((one) => RARE.includes(one.name));
    const fields = (some) => some.map((one) => this.#field(measure, one, values));
    const more = el("details", {}, el("summary", {}, "More"), el("div", { class: "parameters" }, fields(rare)));
    more.open = rare.some((one) => one.name in values);
    put(part("parameters"), fields(usual), rare.length ? more : null);
  }

  /** What a measure that was written in another way is called. */
  name(canonical) {
    if (!this.about(taken(this.shown, this.about).name)) this.show(canonical);
  }

  #tell(text, measure) {
    this.line.set(text);
    part("about").textContent = measure?.title ?? "";
  }

  #field(measure, parameter, values) {
    const usual = parameter.default === null ? "" : String(parameter.default);
    return field(parameter, values[parameter.name] ?? usual, (value) => {
      values[parameter.name] = value;
      this.shown = written(measure, values);
      this.#tell(this.shown, measure);
      this.send(this.shown);
    });
  }
}

/** How many places a run goes up or down if the first measure takes the place of the second. */
function moved(row, [mine, theirs]) {
  return theirs === undefined ? 0 : row.places[theirs] - row.places[mine];
}

function tell(found) {
  const [mine, theirs] = found.measures;
  if (!found.rows.length) return say("There are no runs.");
  const lead = [...firstOf(found.rows, mine).words, ". "];
  if (theirs === undefined) return say(...lead);
  const far = found.rows.filter((row) => Math.abs(moved(row, found.measures)) >= FAR).length;
  const tau = found.tau[0][1];
  const alike = tau === null ? "" : `; Kendall's tau between the two orders is ${number(tau, 3)}`;
  const moving = `${many(far, "run")} of ${found.rows.length} ${far === 1 ? "moves" : "move"}`;
  return say(...lead, `Against ${theirs}, ${moving} by ${FAR} places or more${alike}.`);
}

function arrow(by) {
  if (!by) return el("span", { class: "muted" }, "=");
  return el("span", { class: by > 0 ? "up" : "down" }, `${by > 0 ? "▲" : "▼"} ${Math.abs(by)}`);
}

function showBoard(table, found) {
  const [mine, theirs] = found.measures;
  const drawing = intervals(found.rows.map((row) => row.values[mine]));
  const move = (row) => moved(row, found.measures);
  const compared = [
    placeColumn("theirs", `# by ${theirs}`, { value: (row) => row.places[theirs] }),
    valueColumn("moved", "Moved", { hint: `Places against ${theirs}`, value: move, cell: (row) => arrow(move(row)) }),
  ];
  part("effect-note").textContent = `${many(found.rows.length, "run")}, mean over topics with its interval.`;
  table.show(found.rows, {
    columns: [
      placeColumn("place", "#"),
      runColumn(),
      valueColumn("value", mine, { value: (row) => row.values[mine].value }),
      { key: "interval", title: "Interval", fixed: true, cell: (row) => drawing(row.values[mine]) },
      ...(theirs === undefined ? [] : compared),
    ],
  });
}

async function showBalance(figure, found) {
  const [own] = found.balance;
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
      ? `One top document outweighs any number of the least relevant ones (rankings of ${own.n[last]}).`
      : `In a ranking of ${own.n[last]}, one document of the top grade at rank 1 is worth no more than the least ` +
        `relevant documents from rank ${index} to the end. A small index: the first ranks decide.`;
  await figure.show({ measure: found.balance.filter((one) => !one.why).map((one) => one.measure) });
}
