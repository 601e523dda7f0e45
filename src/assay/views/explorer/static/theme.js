// Runs before the page is drawn, so that a chosen theme does not flash: all else are modules, which come later.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("assay-theme");
  } catch {
    return; // a browser that keeps nothing: the system's theme it is
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
