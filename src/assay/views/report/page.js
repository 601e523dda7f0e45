"use strict";
// A figure is drawn when it comes into view, or when the reader opens the collapsed part that contains it. All figures
// are drawn before printing.
(() => {
  const NARROW_PIXELS = 600;
  const readJson = id => JSON.parse(document.getElementById(id).textContent);
  const themes = readJson("themes");
  const darkMode = matchMedia("(prefers-color-scheme: dark)");
  const charts = [...document.querySelectorAll(".chart")];
  const drawn = new Map();
  let printing = false;

  // Build rows from packed columns. A stored column is the identifier of another element, or the column itself: a list
  // of values, a single value that all rows share ("all"), or the distinct values ("of") and the index of the value of
  // each row ("at").
  function buildRows(table) {
    if (Array.isArray(table)) return table;
    const columns = Object.entries(table.columns).map(([name, stored]) => {
      const column = typeof stored === "string" ? readJson(stored) : stored;
      const valueAt = Array.isArray(column) ? i => column[i] : "all" in column ? () => column.all : i => column.of[column.at[i]];
      return [name, valueAt];
    });
    return Array.from({ length: table.rows }, (_, i) => Object.fromEntries(columns.map(([name, valueAt]) => [name, valueAt(i)])));
  }

  function specification(chart, width) {
    const [spec, ...data] = chart.dataset[width].split(" ");
    const datasets = Object.fromEntries(data.map((id, number) => [`data${number}`, buildRows(readJson(id))]));
    return { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...readJson(spec), datasets };
  }

  function embed(element, chart, width, config, renderer) {
    const tooltip = { disableDefaultStyle: true };
    const options = { mode: "vega-lite", ast: true, actions: false, defaultStyle: false, tooltip, config, renderer };
    return vegaEmbed(element, specification(chart, width), options);
  }

  async function draw(chart) {
    const width = chart.parentElement.clientWidth < NARROW_PIXELS ? "narrow" : "wide";
    const theme = darkMode.matches && !printing ? "dark" : "light";
    const variant = `${width} ${theme}`;
    if (chart.dataset.drawn === variant) return;
    chart.dataset.drawn = variant;
    try {
      const previous = drawn.get(chart);
      const result = await embed(chart, chart, width, themes[theme], chart.dataset.renderer);
      if (previous) previous.finalize();
      drawn.set(chart, result);
      chart.classList.add("drawn");
    } catch (error) {
      chart.textContent = "This figure could not be drawn; its data can be saved as CSV.";
      console.error(error);
    }
  }

  function formatCsv(table) {
    const quote = value => value === null || value === undefined ? "" :
      /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
    const rows = buildRows(table);
    const names = Object.keys(rows[0] ?? {});
    return [names, ...rows.map(row => names.map(name => row[name]))].map(line => line.map(quote).join(",") + "\n").join("");
  }

  // A picture to save is drawn again with the wide layout and the theme for paper, because the figure on the screen may
  // be dark or narrow.
  async function renderPicture(chart, kind) {
    const result = await embed(document.createElement("div"), chart, "wide", themes.paper, "svg");
    try {
      if (kind === "svg") return new Blob([await result.view.toSVG()], { type: "image/svg+xml" });
      const canvas = await result.view.toCanvas(2);
      return await new Promise(resolve => canvas.toBlob(resolve, "image/png"));
    } finally {
      result.finalize();
    }
  }

  async function save(button) {
    const chart = button.closest("figure").querySelector(".chart");
    const kind = button.dataset.save;
    const content = kind === "csv" ? new Blob([formatCsv(readJson(chart.dataset.rows))], { type: "text/csv" }) : await renderPicture(chart, kind);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = `${chart.dataset.name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const observer = new IntersectionObserver(
    entries => entries.filter(entry => entry.isIntersecting).forEach(entry => draw(entry.target)), { rootMargin: "600px 0px" });
  charts.forEach(chart => observer.observe(chart));

  const redraw = () => drawn.forEach((_, chart) => { if (chart.checkVisibility?.() ?? true) draw(chart); });
  darkMode.addEventListener("change", redraw);
  let timer;
  addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(redraw, 150); });

  document.addEventListener("click", event => {
    const button = event.target.closest?.("button[data-save]");
    if (button) save(button);
  });

  // A link to a folded part, or into it, opens it.
  function expandTarget() {
    const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let element = target; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
    const appendix = target?.querySelector(":scope > details.appendix");
    if (appendix) appendix.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", expandTarget);
  // A second click on the same link does not change the hash, so clicks are handled as well.
  document.addEventListener("click", event => { if (event.target.closest?.("a[href^='#']")) setTimeout(expandTarget); });
  expandTarget();

  // The print edition contains what is open on the screen, in the light theme.
  addEventListener("beforeprint", () => { printing = true; redraw(); });
  addEventListener("afterprint", () => { printing = false; redraw(); });

  // Tables can be sorted by a click on a head, and long tables can be filtered. Without scripts, they are plain tables.
  const MIN_FILTERED_ROWS = 12;
  function sortKey(cell) {
    const text = (cell?.textContent ?? "").trim();
    const number = Number.parseFloat(text.replaceAll(",", "").replace(/^[<>]|^(under|over) /, "").replace("∞", "1e308"));
    return Number.isNaN(number) ? text : number;
  }

  function compareKeys(one, other) {
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;  // cells without a number come last
    return typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
  }

  function sortRows(table, column, head) {
    const descending = head.ariaSort === "ascending" || (!head.ariaSort && head.classList.contains("n"));
    const body = table.tBodies[0];
    const keyed = [...body.rows].map(row => [sortKey(row.cells[column]), row]);
    const sign = descending ? -1 : 1;
    keyed.sort(([one], [other]) => typeof one === typeof other ? sign * compareKeys(one, other) : compareKeys(one, other));
    table.querySelectorAll("th[aria-sort]").forEach(other => { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...keyed.map(([, row]) => row));
  }

  function enhance(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortRows(table, column, head));
      head.append(button);
    });
    if (table.tBodies[0].rows.length <= MIN_FILTERED_ROWS) return;
    const input = document.createElement("input");
    input.type = "search";
    input.className = "filter";
    input.placeholder = "filter rows";
    input.setAttribute("aria-label", "filter the rows of this table");
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.closest(".scroll").before(input);
  }
  document.querySelectorAll("table:not(.plain)").forEach(enhance);
})();
