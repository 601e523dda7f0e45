// The overview: leaderboard with intervals and tests, census of archetypes, agreement of measures.

import { ask, latest } from "./api.js";
import { placeColumn, runColumn, valueColumn } from "./columns.js";
import { chips, line, select } from "./controls.js";
import { el, part, put } from "./dom.js";
import { Figure, CollapsibleFigure } from "./figure.js";
import { intervals } from "./intervals.js";
import { leads } from "./leads.js";
import { measureField } from "./measures.js";
import { describeLeader, runLink, say, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, joinWords, many, number, percent } from "./text.js";

const OTHERS = ["place", "run"]; // Columns that are not measures.

start((campaign) => {
  const chosen = () => {
    const measures = state.all("measure");
    return measures.length ? measures : campaign.defaults.measures;
  };
  const confidence = () => state.get("confidence", String(campaign.defaults.confidence));

  const controls = buildControls(campaign, chosen, confidence);
  const table = new Table(part("leaderboard"), {
    label: "Runs by measure",
    empty: "No run matches the filter.",
    sorted: (key, descending) => state.change({ sort: key, order: descending ? "down" : "up" }),
  });
  const figures = {
    census: new Figure(part("census"), {
      name: "census",
      label: "Number of curves of each archetype",
      most: 720,
      leads: leads(campaign),
    }),
    correlation: new Figure(part("correlation"), {
      name: "correlation",
      label: "Kendall's tau between measures",
      most: 720,
    }),
  };
  const folds = {
    intervals: fold(campaign, "intervals", "leaderboard", "Means with confidence intervals"),
    significance: fold(campaign, "significance", "significance", "Pairs of runs that differ significantly"),
    heatmap: fold(campaign, "heatmap", "heatmap", "Value of every run on every topic"),
  };

  return latest(async (signal) => {
    controls.update();
    const measures = chosen();
    const sort = OTHERS.includes(state.get("sort")) ? null : state.get("sort");
    const board = await ask("leaderboard", { measure: measures, confidence: confidence(), sort }, signal);
    const primary = board.sort; // In the notation of the server.
    const params = { measure: primary, confidence: confidence() };
    const separation = board.runs > 1 ? await separate(params, signal) : null;
    showBoard(table, board, primary);
    showSummary(board, primary, separation);
    part("significance-note").textContent = separation?.how ? significance(separation) : "";
    await Promise.all([
      drawCensus(figures.census, signal),
      drawCorrelation(figures.correlation, campaign, measures, signal),
      folds.intervals.show(params),
      folds.significance.show(params),
      folds.heatmap.show({ measure: primary }),
    ]);
  });
});

function fold(campaign, id, name, label) {
  return new CollapsibleFigure(part(`${id}-fold`), new Figure(part(id), { name, label, most: 1000, leads: leads(campaign) }));
}

function buildControls(campaign, chosen, confidence) {
  const add = (measure) => !chosen().includes(measure) && state.change({ measure: [...chosen(), measure] });
  const filter = line({
    label: "Filter runs",
    kind: "search",
    value: state.get("filter"),
    typed: (text) => state.change({ filter: text }, { typing: true }),
  });
  const measure = measureField(campaign, { label: "Add a measure", value: "", clear: true, chosen: add });
  const sure = select({
    label: "Confidence",
    options: ["0.9", "0.95", "0.99"],
    value: confidence(),
    changed: (value) => state.change({ confidence: value }),
  });
  const pair = el("div", { class: "field pair-field" });
  put(part("leaderboard-controls"), filter.node, measure.node, sure.node, pair);
  return {
    update() {
      filter.set(state.get("filter"));
      sure.set(confidence());
      chips(part("measures"), chosen(), {
        label: "measure",
        least: 1,
        removed: (gone) => {
          const left = chosen().filter((one) => one !== gone);
          state.change({ measure: left, sort: state.get("sort") === gone ? null : state.get("sort") });
        },
      });
      showPair(pair, chosen()[0]);
    },
  };
}

/** Show a link to the comparison of two checked runs, or a hint to check them. */
function showPair(host, measure) {
  const [a, b] = state.all("check");
  const link = el("a", { href: state.address("/pair", { a, b, measure }) }, "Compare the two checked runs →");
  const hint = a ? "Check one more run to compare both." : "Check two runs to compare them.";
  put(host, b ? link : el("span", { class: "muted" }, hint));
}

function check(run) {
  const checked = state.all("check");
  const box = el("input", { type: "checkbox", "aria-label": `Select ${run} for comparison`, "data-keep": run });
  box.checked = checked.includes(run);
  box.disabled = checked.length >= 2 && !box.checked;
  box.addEventListener("change", () => {
    const others = checked.filter((one) => one !== run);
    state.change({ check: box.checked ? [...others, run] : others }, { typing: true });
  });
  return box;
}

function showBoard(table, board, primary) {
  const pattern = state.get("filter").trim().toLowerCase();
  const rows = board.rows.filter((row) => row.run.toLowerCase().includes(pattern));
  const better = Object.fromEntries(board.measures.map((one) => [one.measure, !one.lower_is_better]));
  const key = state.get("sort", primary);
  const down = state.get("order") ? state.get("order") === "down" : (better[key] ?? false);
  table.show(rows, { columns: columns(board, primary, better), sort: { key, descending: down } });
  const hidden = board.rows.length - rows.length;
  part("leaderboard-note").textContent = hidden
    ? `${many(rows.length, "run")} of ${board.rows.length}`
    : `${many(rows.length, "run")}: means over topics with ${percent(board.confidence)} confidence intervals`;
}

function columns(board, primary, better) {
  const drawing = intervals(board.rows.map((row) => row.values[primary]));
  const measures = board.measures.map(({ measure }) =>
    valueColumn(measure, measure, {
      descending: better[measure],
      value: (row) => row.values[measure].value,
      cell: (row) => withMargin(row.values[measure], measure === primary),
    }),
  );
  const at = measures.findIndex((one) => one.key === primary);
  measures.splice(at + 1, 0, {
    key: "interval",
    title: "Interval",
    fixed: true,
    cell: (row) => drawing(row.values[primary]),
  });
  return [
    { key: "check", title: "", fixed: true, kind: "tight", cell: (row) => check(row.run) },
    placeColumn("place", "#", { hint: `Place by ${board.measures[0].measure}` }),
    runColumn(),
    ...measures,
  ];
}

function withMargin({ value, low, high }, wide) {
  const shown = el("span", {}, number(value));
  if (!wide || low === null || high === null) return shown;
  return el("span", {}, shown, el("span", { class: "muted" }, ` ±${number((high - low) / 2, 3)}`));
}

function showSummary(board, primary, separation) {
  const [first, second] = board.rows;
  if (!first) return say("There are no runs.");
  const best = first.values[primary];
  const lead = el("strong", {}, runLink(first.run));
  if (!second) return say(lead, ` has ${primary} ${number(best.value)}; there is no other run.`);
  const { tied, words } = describeLeader(board.rows, primary);
  const lower = board.measures.find((one) => one.measure === primary).lower_is_better;
  const other = second.values[primary].value;
  const ahead = [`, ${number(Math.abs(best.value - (other ?? best.value)))} ahead of `, runLink(second.run)];
  return say(
    ...words,
    lower ? " (lower is better)" : "",
    ...(tied || best.value === null || other === null ? [] : ahead),
    ". ",
    describeSeparation(separation),
  );
}

/** Request the runs that differ from the leader; for a measure that cannot be tested, return the reason. */
async function separate(params, signal) {
  try {
    return await ask("separation", params, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return { problem: error.message };
  }
}

/** Describe how many runs do not differ significantly from the leader, with the test and its family. */
function describeSeparation({ problem, reference, tied, untested, runs, how, alpha }) {
  if (problem) return `Differences between runs were not tested: ${problem}.`;
  const others = runs - 1;
  if (untested.length === others) return "Differences between runs could not be tested: there are too few topics.";
  const which =
    tied.length === 0
      ? `${others === 1 ? "The other run differs" : `Each of the other ${count(others - untested.length)} runs differs`}`
      : `${count(tied.length)} of ${many(others, "other run")} ${tied.length === 1 ? "does" : "do"} not differ`;
  const missing = untested.length ? `; ${many(untested.length, "run")} could not be compared with it` : "";
  return `${which} significantly from ${reference}${missing} (${how}, alpha ${alpha}).`;
}

/** Describe how many pairs differ, and which runs are drawn. */
function significance({ significant, tested, how, p_label: label, alpha }) {
  const differ = `${count(significant)} of ${many(tested, "pair")} of runs differ significantly: ${label} < ${alpha}`;
  return `${differ}; ${how}. The figure shows the best runs by the measure that sorts the table.`;
}

async function drawCensus(figure, signal) {
  const census = await ask("census", {}, signal);
  const most = [...census.archetypes].sort((a, b) => b.curves - a.curves).filter((one) => one.curves);
  const words = most.slice(0, 3).map((one, i) => `${percent(one.share)} ${i ? "" : "are "}${one.archetype}`);
  put(
    part("census-note"),
    words.length ? `Of ${many(census.curves, "curve")}, ${joinWords(words)}.` : "There are no curves.",
    census.without ? ` ${many(census.without, "ranking")} of topics without relevant documents have no curve.` : null,
  );
  await figure.show({ most: 12 });
}

async function drawCorrelation(figure, campaign, measures, signal) {
  const tooFewRuns = campaign.counts.runs < 2 ? "There is only one run, so there is no order to compare." : null;
  const reason = measures.length < 2 ? "Add a second measure to compare the orders of runs." : tooFewRuns;
  if (reason) {
    part("correlation-note").textContent = "";
    figure.say(reason);
    return;
  }
  try {
    const data = await ask("correlation", { measure: measures }, signal);
    part("correlation-note").textContent = agreement(data);
    await figure.show({ measure: measures });
  } catch (error) {
    if (signal.aborted) throw error;
    figure.say(error.message, "error");
  }
}

const ROUNDING = 1e-9; // Taus that differ by less are equal up to rounding errors.

/** Describe which pairs of measures agree most and least on the order of runs. */
function agreement({ measures, tau }) {
  const pairs = [];
  for (let i = 0; i < measures.length; i += 1)
    for (let j = i + 1; j < measures.length; j += 1)
      if (tau[i][j] !== null) pairs.push({ names: `${measures[i]} and ${measures[j]}`, tau: tau[i][j] });
  pairs.sort((a, b) => b.tau - a.tau);
  if (!pairs.length) return "";
  const [high, low] = [pairs[0].tau, pairs.at(-1).tau];
  if (pairs.length > 1 && high - low < ROUNDING)
    return `Kendall's tau between the orders of runs is ${number(high, 2)} for all pairs of measures.`;
  const describe = (value) => {
    const tied = pairs.filter((one) => Math.abs(one.tau - value) < ROUNDING);
    return `${tied.length === 1 ? tied[0].names : `${count(tied.length)} pairs of measures`} (${number(value, 2)})`;
  };
  const title = "Kendall's tau between the orders of runs";
  return pairs.length > 1 ? `${title}: highest for ${describe(high)}, lowest for ${describe(low)}.` : `${title}: ${describe(high)}.`;
}
