// Common parts of all pages: the theme button, the description of the campaign, and error messages.

import { ask } from "./api.js";
import * as display from "./display.js";
import { el, part, put } from "./dom.js";
import { address, follow, formatPin } from "./state.js";
import { count, many, number } from "./text.js";

const POLICIES = ["ties", "unjudged", "missing", "undefined"]; // Policies that affect values.

function themeButton() {
  const button = part("theme");
  const update = () => {
    const dark = display.theme() === "dark";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use the ${dark ? "light" : "dark"} theme`);
  };
  button.addEventListener("click", display.toggle);
  display.follow(update);
  update();
}

function paletteField(palettes) {
  const field = part("palette");
  put(field, palettes.map((name) => el("option", { value: name }, name)));
  field.value = display.palette();
  field.addEventListener("change", () => display.setPalette(field.value));
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Render a value: a record as a list of its fields, a list of records as a table. */
function render(value) {
  if (Array.isArray(value) && value.length && value.every(isRecord)) return records(value);
  if (Array.isArray(value)) return value.map(String).join(", ") || "–";
  return isRecord(value) ? pairs(value) : String(value ?? "–");
}

function records(values) {
  const names = [...new Set(values.flatMap(Object.keys))];
  const head = el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)));
  const rows = values.map((one) => el("tr", {}, names.map((name) => el("td", { class: "name" }, render(one[name])))));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, rows));
}

function pairs(values) {
  const line = ([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, render(value))];
  return el("dl", {}, Object.entries(values).map(line));
}

function describe(campaign) {
  const { counts, policies } = campaign;
  const size = `${many(counts.runs, "run")} × ${many(counts.topics, "topic")}`;
  put(
    part("campaign-line"),
    el("strong", {}, size),
    ` · ${campaign.title} · ${count(counts.judgments)} judgments · `,
    POLICIES.map((name) => `${name}: ${policies[name]}`).join(" · "),
    campaign.notes.length ? ` · ${many(campaign.notes.length, "note")}` : null,
  );
  put(
    part("campaign-more"),
    campaign.notes.length ? el("h3", {}, "Notes") : null,
    campaign.notes.length ? el("ul", {}, campaign.notes.map((note) => el("li", {}, note))) : null,
    el("h3", {}, "Provenance"),
    pairs(campaign.provenance),
  );
}

/** Show the summary below the heading. */
export function say(...words) {
  put(part("lede"), ...words);
}

/** Show an error at the top of the page; without an error, hide the last one. */
export function problem(error = null) {
  const box = part("problem");
  box.hidden = !error;
  put(box, error ? el("p", {}, error.message) : null);
  if (error) say();
}

export function runLink(run, text = run) {
  return el("a", { href: address("/system", { run }), class: "name" }, text);
}

export function topicLink(topic, text = topic) {
  return el("a", { href: address("/topic", { topic }), class: "name" }, text);
}

/** Describe the leader by the measure that sorts the rows, and count the runs tied with it. */
export function describeLeader(rows, measure) {
  const [first] = rows;
  const { value } = first.values[measure];
  const name = el("strong", {}, runLink(first.run));
  if (value === null) return { tied: 0, words: [`No run has a value of ${measure}`] };
  const tied = rows.filter((row) => row.places[measure] === 1).length - 1;
  const text = tied ? ` and ${many(tied, "other run")} are tied for first by ${measure}` : ` leads by ${measure}`;
  return { tied, words: [name, `${text} with ${number(value)}`] };
}

/** Return the best runs by the default measure. */
export async function leaders(campaign, most) {
  const board = await ask("leaderboard", { measure: campaign.defaults.gain });
  return board.rows.slice(0, most).map((row) => row.run);
}

/** Return a link to the curves of one ranking. */
export function pinLink(run, topic) {
  const label = `Curves of ${run} on topic ${topic}`;
  const href = address("/effort-gain", { pin: formatPin({ run, topic }) });
  return el("a", { href, "aria-label": label, title: label }, "curves");
}

/** Start a page: `page(campaign)` builds it once and returns a function that shows the state, now and after changes. */
export async function start(page) {
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
      problem();
      await task();
    } catch (error) {
      problem(error);
    } finally {
      running -= 1;
      if (!running) document.body.dataset.ready = "yes";
    }
  };
  themeButton();
  document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  await guarded(async () => {
    const campaign = await ask("campaign");
    describe(campaign);
    paletteField(campaign.palettes);
    const show = await page(campaign);
    follow(() => guarded(show));
    await show();
  });
}
