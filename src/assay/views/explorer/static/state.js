// The query string is the complete state of a page: a link shows the same view, and the back and forward buttons work.

const listeners = new Set();

function current() {
  return new URLSearchParams(location.search);
}

/** Append a value, or each value of a list, to query parameters; null, undefined and empty texts are omitted. */
function appendValues(params, name, value) {
  const values = Array.isArray(value) ? value : [value];
  for (const item of values) if (item !== null && item !== undefined && item !== "") params.append(name, String(item));
}

/** Return the first value of a name, or a default. */
export function get(name, fallback = "") {
  return current().get(name) ?? fallback;
}

/** Return all values of a name. */
export function all(name) {
  return current().getAll(name);
}

/**
 * Change the state and notify the listeners. A value is a text, a number, a list of these, or null to remove the name.
 * With `typing` the change replaces the current entry of the history, so that Back does not undo single keystrokes.
 */
export function change(changes, { typing = false } = {}) {
  const url = link(changes);
  if (url === location.pathname + location.search) return;
  if (typing) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  for (const listener of listeners) listener();
}

/** Return the address of the current page with some values changed, as `change` would change them. */
export function link(changes) {
  const params = current();
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    appendValues(params, name, value);
  }
  const query = params.toString();
  return query ? `${location.pathname}?${query}` : location.pathname;
}

/** Call a listener after every change, including Back and Forward. */
export function subscribe(listener) {
  listeners.add(listener);
}

addEventListener("popstate", () => {
  for (const listener of listeners) listener();
});

/** Return true if the page belongs to a copy of the explorer as files, which cannot compute anything. */
export function isCopied() {
  return document.body.dataset.copied !== undefined;
}

/** Return the file of a page in a copy; null if the copy does not contain the page or what it would show. */
function fileOf(path, params) {
  if (params.pin || !document.body.dataset.copied.split(" ").includes(path)) return null;
  return `${path.slice(1) || "index"}.html`;
}

/** Return the address of a page; null if the page belongs to a copy that does not contain the other page. */
export function address(path, params = {}) {
  const file = isCopied() ? fileOf(path, params) : path;
  return file === null ? null : withQuery(file, params);
}

/** Return a path with its query. */
export function withQuery(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) appendValues(query, name, value);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// A pin is a run and a topic, written run~topic. Names may contain any character, so ~ and % in names are escaped.

const ESCAPES = { "%": "%25", "~": "%7E" };

function escapeName(name) {
  return name.replace(/[%~]/g, (character) => ESCAPES[character]);
}

function unescapeName(text) {
  return text.replace(/%(25|7E)/gi, (_, code) => (code === "25" ? "%" : "~"));
}

/** Format a pin for the address. */
export function formatPin(pin) {
  return `${escapeName(pin.run)}~${escapeName(pin.topic)}`;
}

/** Parse a pin of the address; return null if the text is not a pin. */
export function parsePin(text) {
  const parts = text.split("~");
  return parts.length === 2 ? { run: unescapeName(parts[0]), topic: unescapeName(parts[1]) } : null;
}
