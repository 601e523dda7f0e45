// How things look: the theme and the colours of figures. They are kept on this machine, for all pages.

const THEME = "assay-theme";
const PALETTE = "assay-palette";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

/** What was kept under a name, or null; some browsers are told to keep nothing, and say so by an error. */
function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // the choice holds until the page is left
  }
}

let colours = kept(PALETTE) ?? "safe";

function wanted() {
  return dark.matches ? "dark" : "light";
}

/** `light` or `dark`: what was chosen, or what the system wants. */
export function theme() {
  return document.documentElement.dataset.theme ?? wanted();
}

/** The name of the colours of figures. */
export function palette() {
  return colours;
}

/** Hear of a change of either; what is returned ends it. */
export function follow(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell() {
  for (const listener of listeners) listener();
}

/** The other theme from now on; if that is what the system wants, nothing needs to be kept. */
export function toggle() {
  const next = theme() === "dark" ? "light" : "dark";
  if (next === wanted()) {
    keep(THEME, null);
    delete document.documentElement.dataset.theme;
  } else {
    keep(THEME, next);
    document.documentElement.dataset.theme = next;
  }
  tell();
}

/** Other colours for figures. */
export function paint(name) {
  colours = name;
  keep(PALETTE, name);
  tell();
}

dark.addEventListener("change", tell);
