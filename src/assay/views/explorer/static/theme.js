// This script runs before the page is drawn, to avoid a flash of the wrong theme; modules run later.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("assay-theme");
  } catch {
    return; // The browser stores nothing, so the page uses the theme of the system.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
