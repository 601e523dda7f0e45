// Questions to the server. An answer that nobody waits for any more is given up; the last few answers are kept.

import { address } from "./state.js";

const KEPT = 60;
const answers = new Map();

/** What the server, or the way to it, says is wrong: one line that can be shown. */
export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

async function failure(response) {
  try {
    const { error } = await response.json();
    return new ApiError(error.message, response.status);
  } catch {
    return new ApiError(`The server answered ${response.status} ${response.statusText}.`, response.status);
  }
}

function keep(url, answer) {
  answers.delete(url);
  answers.set(url, answer);
  if (answers.size > KEPT) answers.delete(answers.keys().next().value);
}

/** The answer of a path under /api. */
export async function ask(path, params = {}, signal = undefined) {
  const url = address(`/api/${path}`, params);
  if (answers.has(url)) {
    keep(url, answers.get(url));
    return answers.get(url);
  }
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: "application/json" } });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new ApiError("The server does not answer: is it still running?");
  }
  if (!response.ok) throw await failure(response);
  const answer = await response.json();
  keep(url, answer);
  return answer;
}

/**
 * A task of which only the last call counts: the call before is given up, and what it would still show is not shown.
 * The task is given a signal and its arguments, and must not touch the page after an await unless the signal is quiet;
 * `ask` with the signal throws then.
 */
export function latest(task) {
  let controller = null;
  return async (...given) => {
    controller?.abort();
    const own = new AbortController();
    controller = own;
    try {
      return await task(own.signal, ...given);
    } catch (problem) {
      if (own.signal.aborted) return undefined;
      throw problem;
    }
  };
}

/** Call when things have been quiet for a while. */
export function debounced(task, wait = 120) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...given), wait);
  };
}
