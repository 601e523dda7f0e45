// Display settings: the theme and the palette of figures. The browser stores them for all pages.

const THEME = "assay-theme";
const PALETTE = "assay-palette";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

/** Return a stored setting, or null; a browser that stores nothing throws an error. */
function readSetting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeSetting(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The browser stores nothing, so the setting lasts until the page is left.
  }
}

let colours = readSetting(PALETTE) ?? "safe";

function systemTheme() {
  return dark.matches ? "dark" : "light";
}

/** Return the theme, `light` or `dark`: the chosen theme, or the theme of the system. */
export function theme() {
  return document.documentElement.dataset.theme ?? systemTheme();
}

/** Return the palette of figures. */
export function palette() {
  return colours;
}

/** Call a listener when a setting changes; return a function that removes the listener. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners() {
  for (const listener of listeners) listener();
}

/** Switch to the other theme; if it is the theme of the system, nothing needs to be stored. */
export function toggle() {
  const next = theme() === "dark" ? "light" : "dark";
  if (next === systemTheme()) {
    writeSetting(THEME, null);
    delete document.documentElement.dataset.theme;
  } else {
    writeSetting(THEME, next);
    document.documentElement.dataset.theme = next;
  }
  notifyListeners();
}

/** Use another palette for figures. */
export function setPalette(name) {
  colours = name;
  writeSetting(PALETTE, name);
  notifyListeners();
}

dark.addEventListener("change", notifyListeners);
