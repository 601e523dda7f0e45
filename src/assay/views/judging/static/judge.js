// The judging page. Texts are only ever added as text nodes, so queries and documents cannot contain markup or code.

import { theme, toggle, subscribe } from "./display.js";
import { byId, el, setChildren } from "./dom.js";

const ACTIONS = [
  { path: "skip", key: "s", label: "Skip", title: "Ask again after all other documents" },
  { path: "unsure", key: "u", label: "Unsure", title: "Do not ask again; the document is listed in a second file" },
];

let task = null;
let busy = true; // A key that is pressed while a request runs must not grade the document that follows.

class ServerError extends Error {}

async function request(path, content = undefined) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) };
  let response;
  try {
    response = await fetch(`/api/${path}`, content === undefined ? {} : post);
  } catch {
    throw new Error("The server does not answer. Is assay still running? Nothing was lost; start it again and reload.");
  }
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => null);
  throw new ServerError(problem?.error?.message ?? `The server answered ${response.status}.`);
}

function showProblem(message) {
  const box = byId("problem");
  box.hidden = message === null;
  setChildren(box, message);
}

/** Send an action, and show the next task; after an error, show the current task of the server. */
async function send(path, content = undefined) {
  if (content !== undefined && busy) return;
  busy = true;
  document.body.dataset.ready = "no";
  let problem = null;
  try {
    task = await request(path, content);
  } catch (error) {
    problem = error.message;
    // Another tab may have judged this document: continue with the task of the server.
    if (error instanceof ServerError && path !== "task") {
      try {
        task = await request("task");
      } catch (second) {
        problem = second.message;
      }
    }
  }
  showProblem(problem);
  if (task) show();
  busy = false;
  document.body.dataset.ready = "yes";
}

function act(path, extra = {}) {
  if (task && !task.done) send(path, { topic: task.topic, doc: task.doc, ...extra });
}

function undo() {
  if (task?.last) send("undo", { topic: task.last.topic, doc: task.last.doc });
}

// Display -------------------------------------------------------------------------------------------------------

const number = (value) => value.toLocaleString("en");

function describeProgress({ session, total, left, skipped, unsure, measure, pair, before, uncertainty }) {
  const parts = [`${number(session)} judged now, ${number(total)} in the file, ${number(left)} left`];
  if (skipped) parts.push(`${number(skipped)} skipped`);
  if (unsure) parts.push(`${number(unsure)} unsure`);
  const of = pair.length ? `${measure} of ${pair[0]} minus ${pair[1]}` : measure;
  parts.push(`uncertainty of ${of}: ${uncertainty.toFixed(4)} (${before.toFixed(4)} at the start)`);
  return parts.join(" · ");
}

function describeLast({ kind, topic, doc, grade }) {
  const name = `${doc} of topic ${topic}`;
  if (kind === "judge") return `${name}: grade ${grade}, saved`;
  return kind === "skip" ? `${name}: skipped` : `${name}: unsure, saved`;
}

function button(key, label, title, onclick, attributes = {}) {
  const text = label === key ? label : [label, " ", el("kbd", {}, key)];
  return el("button", { type: "button", title, onclick, "aria-keyshortcuts": key, ...attributes }, text);
}

function showAnswers() {
  const grades = Array.from({ length: task.maxGrade + 1 }, (_, grade) => String(grade));
  const judge = (grade) =>
    button(grade, grade, `Grade ${grade}`, () => act("judge", { grade: Number(grade) }), {
      class: "action",
      "aria-label": `Grade ${grade}`,
    });
  setChildren(byId("grades"), task.done ? [] : grades.map(judge));
  const others = ({ path, key, label, title }) => button(key, label, title, () => act(path), { class: "plain" });
  setChildren(
    byId("actions"),
    task.done ? [] : ACTIONS.map(others),
    button("z", "Undo", "Undo the last answer", undo, { class: "plain", disabled: !task.last }),
  );
}

function showDocument() {
  setChildren(
    byId("query"),
    el("p", { class: "muted" }, `Topic ${task.topic}`),
    el("h1", {}, task.query || `Topic ${task.topic}`),
  );
  setChildren(
    byId("document"),
    el("p", { class: "note" }, task.doc),
    task.title ? el("h2", {}, task.title) : null,
    task.hasText ? el("p", { class: "text" }, task.text) : el("p", { class: "muted" }, missingText()),
    task.cut ? el("p", { class: "note" }, `The last ${number(task.cut)} characters are not shown.`) : null,
  );
}

function missingText() {
  if (!task.hasTexts) return "Start assay with --docs FILE to see the text of documents.";
  return "The files of --docs do not contain this document.";
}

function showEnd() {
  setChildren(byId("query"), el("h1", {}, "No more documents to judge"));
  setChildren(byId("document"), el("p", {}, `All judgments are in ${task.output}. You can close this page.`));
}

function show() {
  const focused = document.activeElement?.getAttribute("aria-keyshortcuts");
  document.title = task.done ? "Judged · assay" : `${task.topic} · ${task.doc} · assay`;
  setChildren(byId("progress"), describeProgress(task.progress));
  setChildren(byId("last"), task.last ? describeLast(task.last) : "Press a grade on the keyboard.");
  const rule = ({ holds, text }) => el("p", { class: holds ? "holds" : "note" }, holds ? `You can stop: ${text}` : text);
  setChildren(byId("stop"), task.stop.map(rule));
  if (task.done) showEnd();
  else showDocument();
  showAnswers();
  if (focused) document.querySelector(`[aria-keyshortcuts="${CSS.escape(focused)}"]`)?.focus();
  window.scrollTo(0, 0);
}

// Start ---------------------------------------------------------------------------------------------------------

function setUpThemeButton() {
  const themeButton = byId("theme");
  const update = () => {
    const dark = theme() === "dark";
    themeButton.textContent = dark ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", `Use the ${dark ? "light" : "dark"} theme`);
  };
  themeButton.addEventListener("click", toggle);
  subscribe(update);
  update();
}

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  if (/^[0-9]$/.test(key)) act("judge", { grade: Number(key) });
  else if (key === "z" || key === "backspace") undo();
  else if (ACTIONS.some((action) => action.key === key)) act(ACTIONS.find((action) => action.key === key).path);
  else return;
  event.preventDefault();
});

setUpThemeButton();
send("task");
