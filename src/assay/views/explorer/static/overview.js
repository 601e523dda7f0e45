// The overview: leaderboard with intervals and tests, number of curves of each archetype, agreement of measures.

import { requestJson, latest } from "./api.js";
import { placeColumn, runColumn, valueColumn } from "./columns.js";
import { chips, textField, select } from "./controls.js";
import { byId, el, setChildren } from "./dom.js";
import { Figure, CollapsibleFigure } from "./figure.js";
import { intervals } from "./intervals.js";
import { markLinks } from "./mark-links.js";
import { measureField } from "./measures.js";
import { describeLeader, runLink, showLede, start } from "./shell.js";
import * as state from "./state.js";
import { Table } from "./table.js";
import { count, joinWords, pluralize, number, percent } from "./text.js";

const OTHER_COLUMNS = ["place", "run"]; // Columns that are not measures.

start((campaign) => {
  const shownMeasures = () => {
    const measures = state.all("measure");
    return measures.length ? measures : campaign.defaults.measures;
  };
  const confidence = () => state.get("confidence", String(campaign.defaults.confidence));

  const controls = buildControls(campaign, shownMeasures, confidence);
  const table = new Table(byId("leaderboard"), {
    label: "Runs by measure",
    empty: "No run matches the filter.",
    onSort: (key, descending) => state.change({ sort: key, order: descending ? "down" : "up" }),
  });
  const figures = {
    census: new Figure(byId("census"), {
      name: "census",
      label: "Number of curves of each archetype",
      maxWidth: 720,
      linkOf: markLinks(campaign),
    }),
    correlation: new Figure(byId("correlation"), {
      name: "correlation",
      label: "Kendall's tau between measures",
      maxWidth: 720,
    }),
  };
  const folds = {
    intervals: buildFold(campaign, "intervals", "leaderboard", "Means with confidence intervals"),
    significance: buildFold(campaign, "significance", "significance", "Pairs of runs that differ significantly"),
    heatmap: buildFold(campaign, "heatmap", "heatmap", "Value of every run on every topic"),
  };

  return latest(async (signal) => {
    controls.update();
    const measures = shownMeasures();
    const sort = OTHER_COLUMNS.includes(state.get("sort")) ? null : state.get("sort");
    const data = await requestJson("leaderboard", { measure: measures, confidence: confidence(), sort }, signal);
    const sortMeasure = data.sort; // In the notation of the server.
    const params = { measure: sortMeasure, confidence: confidence() };
    const separation = data.runs > 1 ? await requestSeparation(params, signal) : null;
    showLeaderboard(table, data, sortMeasure);
    showSummary(data, sortMeasure, separation);
    byId("significance-note").textContent = separation?.how ? describeSignificance(separation) : "";
    await Promise.all([
      drawCensus(figures.census, signal),
      drawCorrelation(figures.correlation, campaign, measures, signal),
      folds.intervals.show(params),
      folds.significance.show(params),
      folds.heatmap.show({ measure: sortMeasure }),
    ]);
  });
});

function buildFold(campaign, id, name, label) {
  const figure = new Figure(byId(id), { name, label, maxWidth: 1000, linkOf: markLinks(campaign) });
  return new CollapsibleFigure(byId(`${id}-fold`), figure);
}

function buildControls(campaign, shownMeasures, confidence) {
  const add = (measure) =>
    !shownMeasures().includes(measure) && state.change({ measure: [...shownMeasures(), measure] });
  const filter = textField({
    label: "Filter runs",
    kind: "search",
    value: state.get("filter"),
    onType: (text) => state.change({ filter: text }, { typing: true }),
  });
  const measure = measureField(campaign, { label: "Add a measure", value: "", clear: true, onChoose: add });
  const confidenceField = select({
    label: "Confidence",
    options: ["0.9", "0.95", "0.99"],
    value: confidence(),
    onChange: (value) => state.change({ confidence: value }),
  });
  confidenceField.node.classList.add("needs-server");
  const pair = el("div", { class: "field pair-field needs-server" });
  setChildren(byId("leaderboard-controls"), filter.node, measure.node, confidenceField.node, pair);
  return {
    update() {
      filter.set(state.get("filter"));
      confidenceField.set(confidence());
      chips(byId("measures"), shownMeasures(), {
        label: "measure",
        minimum: state.isCopied() ? Infinity : 1,
        onRemove: (removed) => {
          const remaining = shownMeasures().filter((shown) => shown !== removed);
          state.change({ measure: remaining, sort: state.get("sort") === removed ? null : state.get("sort") });
        },
      });
      showPair(pair, shownMeasures()[0]);
    },
  };
}

/** Show a link to the comparison of two checked runs, or a hint to check them. */
function showPair(host, measure) {
  const [a, b] = state.all("check");
  const link = el("a", { href: state.address("/pair", { a, b, measure }) }, "Compare the two checked runs →");
  const hint = a ? "Check one more run to compare both." : "Check two runs to compare them.";
  setChildren(host, b ? link : el("span", { class: "muted" }, hint));
}

function buildCheckbox(run) {
  const checked = state.all("check");
  const box = el("input", { type: "checkbox", "aria-label": `Select ${run} for comparison`, "data-keep": run });
  box.checked = checked.includes(run);
  box.disabled = checked.length >= 2 && !box.checked;
  box.addEventListener("change", () => {
    const others = checked.filter((name) => name !== run);
    state.change({ check: box.checked ? [...others, run] : others }, { typing: true });
  });
  return box;
}

function showLeaderboard(table, data, sortMeasure) {
  const pattern = state.get("filter").trim().toLowerCase();
  const rows = data.rows.filter((row) => row.run.toLowerCase().includes(pattern));
  const higherIsBetter = Object.fromEntries(
    data.measures.map(({ measure, lower_is_better: lower }) => [measure, !lower]),
  );
  const key = state.get("sort", sortMeasure);
  const descending = state.get("order") ? state.get("order") === "down" : (higherIsBetter[key] ?? false);
  table.show(rows, { columns: columns(data, sortMeasure, higherIsBetter), sort: { key, descending } });
  const hidden = data.rows.length - rows.length;
  byId("leaderboard-note").textContent = hidden
    ? `${pluralize(rows.length, "run")} of ${data.rows.length}`
    : `${pluralize(rows.length, "run")}: means over topics with ${percent(data.confidence)} confidence intervals`;
}

function columns(data, sortMeasure, higherIsBetter) {
  const drawInterval = intervals(data.rows.map((row) => row.values[sortMeasure]));
  const measures = data.measures.map(({ measure }) =>
    valueColumn(measure, measure, {
      descending: higherIsBetter[measure],
      value: (row) => row.values[measure].value,
      cell: (row) => formatMean(row.values[measure], measure === sortMeasure),
    }),
  );
  const index = measures.findIndex(({ key }) => key === sortMeasure);
  measures.splice(index + 1, 0, {
    key: "interval",
    title: "Interval",
    fixed: true,
    cell: (row) => drawInterval(row.values[sortMeasure]),
  });
  const check = { key: "check", title: "", fixed: true, kind: "tight", cell: (row) => buildCheckbox(row.run) };
  return [
    ...(state.isCopied() ? [] : [check]),
    placeColumn("place", "#", { hint: `Place by ${sortMeasure}`, value: (row) => row.places[sortMeasure] }),
    runColumn(),
    ...measures,
  ];
}

function formatMean({ value, low, high }, withMargin) {
  const mean = el("span", {}, number(value));
  if (!withMargin || low === null || high === null) return mean;
  return el("span", {}, mean, el("span", { class: "muted" }, ` ±${number((high - low) / 2, 3)}`));
}

function showSummary(data, sortMeasure, separation) {
  const [first, second] = data.rows;
  if (!first) return showLede("There are no runs.");
  const best = first.values[sortMeasure];
  const leader = el("strong", {}, runLink(first.run));
  if (!second) return showLede(leader, ` has ${sortMeasure} ${number(best.value)}; there is no other run.`);
  const { tied, words } = describeLeader(data.rows, sortMeasure);
  const lowerIsBetter = data.measures.find(({ measure }) => measure === sortMeasure).lower_is_better;
  const other = second.values[sortMeasure].value;
  const ahead = [`, ${number(Math.abs(best.value - (other ?? best.value)))} ahead of `, runLink(second.run)];
  return showLede(
    ...words,
    lowerIsBetter ? " (lower is better)" : "",
    ...(tied || best.value === null || other === null ? [] : ahead),
    ". ",
    describeSeparation(separation),
  );
}

/** Request the runs that differ from the leader; for a measure that cannot be tested, return the reason. */
async function requestSeparation(params, signal) {
  try {
    return await requestJson("separation", params, signal);
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
  const outcome =
    tied.length === 0
      ? `${others === 1 ? "The other run differs" : `Each of the other ${count(others - untested.length)} runs differs`}`
      : `${count(tied.length)} of ${pluralize(others, "other run")} ${tied.length === 1 ? "does" : "do"} not differ`;
  const missing = untested.length ? `; ${pluralize(untested.length, "run")} could not be compared with it` : "";
  return `${outcome} significantly from ${reference}${missing} (${how}, alpha ${alpha}).`;
}

/** Describe how many pairs of runs differ, and which runs the figure shows. */
function describeSignificance({ significant, tested, how, p_label: label, alpha }) {
  const differ = `${count(significant)} of ${pluralize(tested, "pair")} of runs differ significantly: ${label} < ${alpha}`;
  return `${differ}; ${how}. The figure shows the best runs by the measure that sorts the table.`;
}

async function drawCensus(figure, signal) {
  const census = await requestJson("census", {}, signal);
  const frequent = [...census.archetypes].sort((a, b) => b.curves - a.curves).filter(({ curves }) => curves);
  const words = frequent
    .slice(0, 3)
    .map(({ share, archetype }, i) => `${percent(share)} ${i ? "" : "are "}${archetype}`);
  setChildren(
    byId("census-note"),
    words.length ? `Of ${pluralize(census.curves, "curve")}, ${joinWords(words)}.` : "There are no curves.",
    census.without ? ` ${pluralize(census.without, "ranking")} of topics without relevant documents have no curve.` : null,
  );
  await figure.show({ most: 12 });
}

async function drawCorrelation(figure, campaign, measures, signal) {
  const tooFewRuns = campaign.counts.runs < 2 ? "There is only one run, so there is no order to compare." : null;
  const reason = measures.length < 2 ? "Add a second measure to compare the orders of runs." : tooFewRuns;
  if (reason) {
    byId("correlation-note").textContent = "";
    figure.showMessage(reason);
    return;
  }
  try {
    const data = await requestJson("correlation", { measure: measures }, signal);
    byId("correlation-note").textContent = describeAgreement(data);
    await figure.show({ measure: measures });
  } catch (error) {
    if (signal.aborted) throw error;
    figure.showMessage(error.message, "error");
  }
}

const ROUNDING = 1e-9; // Taus that differ by less are equal up to rounding errors.

/** Describe which pairs of measures agree most and least on the order of runs. */
function describeAgreement({ measures, tau }) {
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
    const tied = pairs.filter((pair) => Math.abs(pair.tau - value) < ROUNDING);
    return `${tied.length === 1 ? tied[0].names : `${count(tied.length)} pairs of measures`} (${number(value, 2)})`;
  };
  const title = "Kendall's tau between the orders of runs";
  return pairs.length > 1 ? `${title}: highest for ${describe(high)}, lowest for ${describe(low)}.` : `${title}: ${describe(high)}.`;
}
