"use strict";
// Figures are drawn when they come into view: those in folded parts when these are opened, all of them for printing.
(() => {
  const NARROW = 600;
  const kept = id => JSON.parse(document.getElementById(id).textContent);
  const themes = kept("themes");
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const charts = [...document.querySelectorAll(".chart")];
  const drawn = new Map();
  let folded = [], printing = false;

  // Rows from columns: these are kept by themselves, and a text that occurs often stands once in them.
  function rows(table) {
    if (Array.isArray(table)) return table;
    const columns = Object.entries(table.columns).map(([name, of]) => {
      const column = typeof of === "string" ? kept(of) : of;
      const at = Array.isArray(column) ? i => column[i] : "all" in column ? () => column.all : i => column.of[column.at[i]];
      return [name, at];
    });
    return Array.from({ length: table.rows }, (_, i) => Object.fromEntries(columns.map(([name, at]) => [name, at(i)])));
  }

  function specification(chart, width) {
    const [spec, ...data] = chart.dataset[width].split(" ");
    const datasets = Object.fromEntries(data.map((id, number) => [`data${number}`, rows(kept(id))]));
    return { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...kept(spec), datasets };
  }

  function embedded(place, chart, width, config, renderer) {
    const tooltip = { disableDefaultStyle: true };
    const options = { mode: "vega-lite", ast: true, actions: false, defaultStyle: false, tooltip, config, renderer };
    return vegaEmbed(place, specification(chart, width), options);
  }

  async function draw(chart) {
    const width = chart.parentElement.clientWidth < NARROW ? "narrow" : "wide";
    const theme = darkness.matches && !printing ? "dark" : "light";
    const wanted = `${width} ${theme}`;
    if (chart.dataset.drawn === wanted) return;
    chart.dataset.drawn = wanted;
    try {
      const before = drawn.get(chart);
      const made = await embedded(chart, chart, width, themes[theme], chart.dataset.renderer);
      if (before) before.finalize();
      drawn.set(chart, made);
      chart.classList.add("drawn");
    } catch (error) {
      chart.textContent = "This figure could not be drawn; its numbers can be kept as CSV.";
      console.error(error);
    }
  }

  function csv(table) {
    const quoted = value => value === null || value === undefined ? "" :
      /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
    const lines = rows(table);
    const names = Object.keys(lines[0] ?? {});
    return [names, ...lines.map(row => names.map(name => row[name]))].map(line => line.map(quoted).join(",") + "\n").join("");
  }

  // A picture to keep is drawn anew, on paper: what is shown may be dark, or narrow.
  async function picture(chart, kind) {
    const made = await embedded(document.createElement("div"), chart, "wide", themes.paper, "svg");
    try {
      if (kind === "svg") return new Blob([await made.view.toSVG()], { type: "image/svg+xml" });
      const canvas = await made.view.toCanvas(2);
      return await new Promise(done => canvas.toBlob(done, "image/png"));
    } finally {
      made.finalize();
    }
  }

  async function keep(button) {
    const chart = button.closest("figure").querySelector(".chart");
    const kind = button.dataset.keep;
    const content = kind === "csv" ? new Blob([csv(kept(chart.dataset.rows))], { type: "text/csv" }) : await picture(chart, kind);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = `${chart.dataset.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const watcher = new IntersectionObserver(
    seen => seen.filter(one => one.isIntersecting).forEach(one => draw(one.target)), { rootMargin: "600px 0px" });
  charts.forEach(chart => watcher.observe(chart));

  const again = () => drawn.forEach((_, chart) => { if (chart.checkVisibility?.() ?? true) draw(chart); });
  darkness.addEventListener("change", again);
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(again, 150); });

  document.addEventListener("click", event => {
    const button = event.target.closest?.("button[data-keep]");
    if (button) keep(button);
  });

  // A link to something folded opens it.
  function unfold() {
    const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (target?.tagName === "DETAILS") target.open = true;
  }
  addEventListener("hashchange", unfold);
  document.addEventListener("click", event => { if (event.target.closest?.("a[href^='#']")) setTimeout(unfold); });
  unfold();

  addEventListener("beforeprint", () => {
    printing = true;
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach(one => { one.open = true; });
    charts.forEach(draw);
  });
  addEventListener("afterprint", () => {
    printing = false;
    folded.forEach(one => { one.open = false; });
    again();
  });
})();
