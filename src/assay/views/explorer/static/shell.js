// Common parts of all pages: the theme button, the description of the campaign, and error messages.

import { requestJson } from "./api.js";
import * as display from "./display.js";
import { byId, el, setChildren } from "./dom.js";
import { address, subscribe, formatPin } from "./state.js";
import { count, pluralize, number } from "./text.js";

const POLICIES = ["ties", "unjudged", "missing", "undefined"]; // Policies that affect values.

function setUpThemeButton() {
  const button = byId("theme");
  const update = () => {
    const dark = display.theme() === "dark";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use the ${dark ? "light" : "dark"} theme`);
  };
  button.addEventListener("click", display.toggle);
  display.subscribe(update);
  update();
}

function setUpPaletteField(palettes) {
  const field = byId("palette");
  setChildren(field, palettes.map((name) => el("option", { value: name }, name)));
  field.value = display.palette();
  field.addEventListener("change", () => display.setPalette(field.value));
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Render a value: a record as a list of its fields, a list of records as a table. */
function render(value) {
  if (Array.isArray(value) && value.length && value.every(isRecord)) return renderRecords(value);
  if (Array.isArray(value)) return value.map(String).join(", ") || "–";
  return isRecord(value) ? renderFields(value) : String(value ?? "–");
}

function renderRecords(records) {
  const names = [...new Set(records.flatMap(Object.keys))];
  const head = el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)));
  const cells = (record) => names.map((name) => el("td", { class: "name" }, render(record[name])));
  const rows = records.map((record) => el("tr", {}, cells(record)));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, rows));
}

function renderFields(record) {
  const field = ([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, render(value))];
  return el("dl", {}, Object.entries(record).map(field));
}

function describeCampaign(campaign) {
  const { counts, policies } = campaign;
  const size = `${pluralize(counts.runs, "run")} × ${pluralize(counts.topics, "topic")}`;
  setChildren(
    byId("campaign-line"),
    el("strong", {}, size),
    ` · ${campaign.title} · ${count(counts.judgments)} judgments · `,
    POLICIES.map((name) => `${name}: ${policies[name]}`).join(" · "),
    campaign.notes.length ? ` · ${pluralize(campaign.notes.length, "note")}` : null,
  );
  setChildren(
    byId("campaign-more"),
    campaign.notes.length ? el("h3", {}, "Notes") : null,
    campaign.notes.length ? el("ul", {}, campaign.notes.map((note) => el("li", {}, note))) : null,
    el("h3", {}, "Provenance"),
    renderFields(campaign.provenance),
  );
}

/** Show the summary of the page below its heading. */
export function showLede(...words) {
  setChildren(byId("lede"), ...words);
}

/** Show an error at the top of the page; null hides the previous error. */
export function showError(error = null) {
  const box = byId("problem");
  box.hidden = !error;
  setChildren(box, error ? el("p", {}, error.message) : null);
  if (error) showLede();
}

export function runLink(run, text = run) {
  return el("a", { href: address("/system", { run }), class: "name" }, text);
}

let queries = new Map(); // The query of each topic that has one.

/** Return the query of a topic; null if there is none. */
export function queryOf(topic) {
  return queries.get(topic) ?? null;
}

/** Return true if any topic has a query. */
export function hasQueries() {
  return queries.size > 0;
}

export function topicLink(topic, text = topic) {
  return el("a", { href: address("/topic", { topic }), class: "name", title: queryOf(topic) }, text);
}

/** Describe the leader by the measure that sorts the rows, and count the runs tied with it. */
export function describeLeader(rows, measure) {
  const [first] = rows;
  const { value } = first.values[measure];
  const name = el("strong", {}, runLink(first.run));
  if (value === null) return { tied: 0, words: [`No run has a value of ${measure}`] };
  const tied = rows.filter((row) => row.places[measure] === 1).length - 1;
  const text = tied ? ` and ${pluralize(tied, "other run")} are tied for first by ${measure}` : ` leads by ${measure}`;
  return { tied, words: [name, `${text} with ${number(value)}`] };
}

/** Return the best runs by the default measure, at most `most`. */
export async function leaders(campaign, most) {
  const { rows } = await requestJson("leaderboard", { measure: campaign.defaults.gain });
  return rows.slice(0, most).map(({ run }) => run);
}

/** Return a link to the curves of one ranking. */
export function pinLink(run, topic) {
  const label = `Curves of ${run} on topic ${topic}`;
  const href = address("/effort-gain", { pin: formatPin({ run, topic }) });
  return el("a", { href, "aria-label": label, title: label }, "curves");
}

/** Start a page: `build(campaign)` builds it once and returns a function that shows the current state of the page. */
export async function start(build) {
  // The attributes data-turn and data-ready show how often the page was updated and whether it is finished; tests wait
  // for them.
  let running = 0;
  let turns = 0;
  const guarded = async (task) => {
    running += 1;
    turns += 1;
    document.body.dataset.turn = String(turns);
    document.body.dataset.ready = "no";
    try {
      showError();
      await task();
    } catch (error) {
      showError(error);
    } finally {
      running -= 1;
      if (!running) document.body.dataset.ready = "yes";
    }
  };
  setUpThemeButton();
  document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  await guarded(async () => {
    const campaign = await requestJson("campaign");
    queries = new Map(campaign.topics.filter(({ query }) => query !== null).map(({ topic, query }) => [topic, query]));
    describeCampaign(campaign);
    setUpPaletteField(campaign.palettes);
    const show = await build(campaign);
    subscribe(() => guarded(show));
    await show();
  });
}
