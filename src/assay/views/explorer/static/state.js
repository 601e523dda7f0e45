// The query string is the whole state of a view: a link shows what its sender saw, and back and forward work.

const listeners = new Set();

function current() {
  return new URLSearchParams(location.search);
}

/** The first value of a name, or what is taken unless it is there. */
export function get(name, otherwise = "") {
  return current().get(name) ?? otherwise;
}

/** All values of a name. */
export function all(name) {
  return current().getAll(name);
}

/**
 * Change the state and tell everyone. A value may be a text, a number, a list of them, or null to leave the name out.
 * With `typing` the change takes the place of the entry of the history: one does not step back through letters.
 */
export function change(changes, { typing = false } = {}) {
  const params = current();
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== null && one !== undefined && one !== "") params.append(name, String(one));
  }
  const query = params.toString();
  const url = query ? `${location.pathname}?${query}` : location.pathname;
  if (url === location.pathname + location.search) return;
  if (typing) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  for (const listener of listeners) listener();
}

/** Hear of every change, also of back and forward. */
export function follow(listener) {
  listeners.add(listener);
}

addEventListener("popstate", () => {
  for (const listener of listeners) listener();
});

/** A path with its query. */
export function address(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== null && one !== undefined && one !== "") query.append(name, String(one));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// A pin is a run and a topic, written run~topic. Names may hold any character, so ~ and % inside them are escaped.

const ESCAPES = { "%": "%25", "~": "%7E" };

function escaped(name) {
  return name.replace(/[%~]/g, (character) => ESCAPES[character]);
}

function unescaped(text) {
  return text.replace(/%(25|7E)/gi, (_, code) => (code === "25" ? "%" : "~"));
}

/** A pin as it stands in the address. */
export function written(pin) {
  return `${escaped(pin.run)}~${escaped(pin.topic)}`;
}

/** The pin of such a text, or null if it is none. */
export function pinned(text) {
  const parts = text.split("~");
  return parts.length === 2 ? { run: unescaped(parts[0]), topic: unescaped(parts[1]) } : null;
}
