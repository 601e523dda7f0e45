// Requests to the server. Requests whose results are no longer needed are aborted, and recent answers are cached.

import { isCopied, withQuery } from "./state.js";

const CACHED = 60;
const answers = new Map();

/** An error of the server or the network, with a message of one line for the user. */
export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

async function readError(response) {
  try {
    const { error } = await response.json();
    return new ApiError(error.message, response.status);
  } catch {
    return new ApiError(`The server answered ${response.status} ${response.statusText}.`, response.status);
  }
}

/** Cache an answer as the most recent answer, and drop the oldest answer if there are too many. */
function store(url, answer) {
  answers.delete(url);
  answers.set(url, answer);
  if (answers.size > CACHED) answers.delete(answers.keys().next().value);
}

const DRAWING = ["width", "palette"]; // Parameters of figures that a copy ignores.

/** Return the key of a request in the files of a copy; the function `key_of` of static_copy.py returns the same. */
function keyOf(path, params) {
  const pairs = Object.keys(params)
    .filter((name) => !DRAWING.includes(name))
    .sort()
    .flatMap((name) => [params[name]].flat().map((value) => [name, value]))
    .filter(([, value]) => value !== null && value !== undefined && value !== "");
  return JSON.stringify([path, pairs.map(([name, value]) => [name, String(value)])]);
}

async function readCopiedFile(name, signal) {
  const { ok, answer } = await fetchJson(`data/${name}.json`, signal);
  if (!ok) throw new ApiError("A file of this copy is missing.");
  return answer;
}

/** Return the name of the file that contains the answer to a request: of a topic, a run, a figure, or the campaign. */
async function fileNameOf(path, params, signal) {
  const index = await readCopiedFile("index", signal);
  const { topics, runs } = index[keyOf("campaign", {})];
  const isName = (value) => typeof value === "string";
  if (isName(params.topic)) return `topic-${topics.findIndex(({ topic }) => topic === params.topic)}`;
  if (isName(params.run)) return `run-${runs.findIndex(({ name }) => name === params.run)}`;
  const suffix = isName(params.measure) ? params.measure.replace(/[^A-Za-z0-9]/g, "-") : "";
  return path.startsWith("figures/") ? `${path.replace("/", "-")}-${suffix}` : "index";
}

/** Return the answer to a request from the files of a copy. */
async function readCopy(path, params, signal) {
  const file = await readCopiedFile(await fileNameOf(path, params, signal), signal);
  const answer = file[keyOf(path, params)];
  if (answer === undefined) throw new ApiError("This copy does not contain these values; start assay explore to compute them.");
  if (answer.error) throw new ApiError(answer.error.message, answer.error.status);
  return answer;
}

/** Request a path under /api and return the answer, which is JSON. */
export async function requestJson(path, params = {}, signal = undefined) {
  if (isCopied()) return readCopy(path, params, signal);
  const { ok, answer } = await fetchJson(withQuery(`/api/${path}`, params), signal);
  if (!ok) throw answer;
  return answer;
}

/** Request an address; return the answer, or the error if the server refuses. */
async function fetchJson(url, signal) {
  if (answers.has(url)) {
    store(url, answers.get(url));
    return { ok: true, answer: answers.get(url) };
  }
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: "application/json" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is it still running?");
  }
  if (!response.ok) return { ok: false, answer: await readError(response) };
  const answer = await response.json();
  store(url, answer);
  return { ok: true, answer };
}

/**
 * Wrap a task so that a new call aborts the previous call. The task gets a signal and its arguments. After an await, it
 * must not change the page if the signal is aborted; `requestJson` throws in this case if it is called with the signal.
 */
export function latest(task) {
  let controller = null;
  return async (...args) => {
    controller?.abort();
    const current = new AbortController();
    controller = current;
    try {
      return await task(current.signal, ...args);
    } catch (error) {
      if (current.signal.aborted) return undefined;
      throw error;
    }
  };
}

/** Delay a task until it has not been called for some milliseconds. */
export function debounce(task, wait = 120) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...args), wait);
  };
}
