// Requests to the server. Requests whose results are no longer needed are aborted, and recent answers are cached.

import { address } from "./state.js";

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

/** Request a path under /api and return the answer, which is JSON. */
export async function requestJson(path, params = {}, signal = undefined) {
  const url = address(`/api/${path}`, params);
  if (answers.has(url)) {
    store(url, answers.get(url));
    return answers.get(url);
  }
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: "application/json" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is it still running?");
  }
  if (!response.ok) throw await readError(response);
  const answer = await response.json();
  store(url, answer);
  return answer;
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
