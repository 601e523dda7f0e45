// A figure is requested from the server and drawn by Vega in the theme of the page; it can be saved as PNG, SVG or CSV.

import { requestJson, debounce, latest } from "./api.js";
import * as display from "./display.js";
import { el, setChildren } from "./dom.js";
import { isCopied, withQuery } from "./state.js";
import { tooltip } from "./tooltip.js";

const MIN_WIDTH = 320;
const MAX_WIDTH = 1200;
const WIDTH_STEP = 20; // Widths are multiples of this number, so that a figure is not drawn again for every pixel.

let loading = null;

/** Load Vega when the first figure needs it, so that tables do not wait for it. */
export function vega() {
  loading ??= new Promise((resolve, reject) => {
    const script = el("script", { src: document.body.dataset.vega });
    script.addEventListener("load", () => resolve(window.vegaEmbed));
    script.addEventListener("error", () => reject(new Error("The plotting library could not be loaded.")));
    document.head.append(script);
  });
  return loading;
}

function download(url, name) {
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Return a file name from the name of the figure and its parameters: letters, digits and dashes. */
function filename(stem, params, form) {
  const words = [stem, ...Object.values(params).flat().map(String)].join("-");
  return `${words.replace(/[^A-Za-z0-9.@=]+/g, "-").replace(/^-|-$/g, "").slice(0, 80)}.${form}`;
}

/** Return the width of a figure, at most `maxWidth`, in an element of `available` pixels. */
function figureWidth(available, maxWidth) {
  return Math.min(Math.max(Math.floor(available / WIDTH_STEP) * WIDTH_STEP, MIN_WIDTH), maxWidth);
}

/** Request a figure that will probably be shown next, so that it is in the cache. */
export async function prefetch(name, params, available, maxWidth) {
  const width = figureWidth(available, maxWidth);
  await requestJson(`figures/${name}`, { ...params, width, palette: display.palette() });
}

export class Figure {
  /**
   * @param {HTMLElement} host parent element
   * @param {object} about `name` of the figure on the server; `label`, a description; `maxWidth` in pixels;
   *   `prepare(spec)`, which changes the specification; `onDraw(view)`, called after each drawing; `linkOf(datum)`,
   *   which returns the address that a click on a mark opens, or null
   */
  constructor(host, { name, label, maxWidth = MAX_WIDTH, prepare = null, onDraw = null, linkOf = null }) {
    Object.assign(this, { name, label, maxWidth, prepare, onDraw, linkOf });
    this.params = null;
    this.result = null;
    this.view = null;
    this.drawnKey = "";
    this.width = 0;
    this.box = el("div", { class: "figure-box", tabindex: "0", role: "region", "aria-label": label });
    this.status = el("p", { class: "status", role: "status" });
    this.csv = el("a", { class: "tool", download: "", title: "Save the data as CSV" }, "CSV");
    this.tools = el(
      "div",
      { class: "figure-tools", hidden: true },
      this.#button("png", "Save the figure as PNG"),
      this.#button("svg", "Save the figure as SVG"),
      this.csv,
    );
    this.element = el("figure", { class: "figure", "data-figure": name }, this.box, this.status, this.tools);
    this.element.style.maxWidth = `${maxWidth}px`;
    setChildren(host, this.element);
    this.load = latest((signal) => this.#load(signal));
    this.observer = new ResizeObserver(debounce(() => this.#resize(), 150));
    this.observer.observe(this.element);
    this.unsubscribe = display.subscribe(() => this.refresh());
  }

  #button(form, title) {
    return el("button", { class: "tool", type: "button", title, onclick: () => this.save(form) }, form.toUpperCase());
  }

  /** Show the figure with these parameters. */
  show(params) {
    this.params = params;
    return this.refresh();
  }

  refresh() {
    return this.params === null ? Promise.resolve() : this.load();
  }

  /** Show a message in place of the figure. */
  showMessage(message, kind = "") {
    this.#finish();
    setChildren(this.box);
    this.tools.hidden = true;
    this.#showStatus(message, kind);
  }

  /** Remove the figure and free its resources. */
  remove() {
    this.observer.disconnect();
    this.unsubscribe();
    this.params = null;
    this.#finish();
    this.element.remove();
  }

  #showStatus(message, kind = "") {
    this.status.textContent = message;
    this.status.dataset.kind = kind;
    this.status.hidden = !message;
    this.box.hidden = Boolean(message) && !this.view;
    this.element.setAttribute("aria-busy", String(kind === "loading"));
  }

  #finish() {
    this.result?.finalize();
    this.result = null;
    this.view = null;
  }

  #resize() {
    const available = this.element.clientWidth;
    if (available && this.params && figureWidth(available, this.maxWidth) !== this.width) this.refresh();
  }

  async #load(signal) {
    const started = performance.now();
    this.width = figureWidth(this.element.clientWidth, this.maxWidth);
    const params = { ...this.params, width: this.width, palette: display.palette() };
    const key = JSON.stringify([params, display.theme()]);
    if (this.view && key === this.drawnKey) {
      this.element.setAttribute("aria-busy", "false");
      return; // This figure is already drawn.
    }
    if (!this.view) this.#showStatus("Drawing …", "loading");
    this.element.setAttribute("aria-busy", "true");
    try {
      const path = `figures/${this.name}`;
      const [embed, spec, themes] = await Promise.all([vega(), requestJson(path, params, signal), requestJson("themes")]);
      await this.#draw(signal, embed, spec, themes);
      this.drawnKey = key;
      this.csv.href = withQuery(`/api/${path}.csv`, this.params);
      this.csv.hidden = isCopied();
      this.element.dataset.took = String(Math.round(performance.now() - started));
    } catch (error) {
      if (signal.aborted) throw error;
      this.showMessage(error.message, "error");
    }
  }

  async #draw(signal, embed, spec, themes) {
    const prepared = this.prepare ? this.prepare(structuredClone(spec)) : spec;
    const container = el("div", { class: "figure-place" });
    // The new figure is drawn outside the visible area; the previous figure stays until it is finished.
    const hidden = el("div", { class: "offstage" }, container);
    this.element.append(hidden);
    try {
      const result = await embed(container, prepared, {
        actions: false,
        ast: true, // Interpret expressions: the security policy of the page forbids evaluating texts as code.
        config: themes[display.theme()],
        defaultStyle: false,
        mode: "vega-lite",
        renderer: "canvas",
        tooltip,
      });
      if (signal.aborted) {
        result.finalize();
        signal.throwIfAborted();
      }
      this.#finish();
      this.result = result;
      this.view = result.view;
      this.element.view = result.view; // For debugging in the console.
    } finally {
      hidden.remove();
    }
    container.setAttribute("aria-label", this.label);
    setChildren(this.box, container);
    this.tools.hidden = false;
    this.#showStatus("");
    if (this.linkOf) this.#linkMarks(container);
    this.onDraw?.(this.view);
  }

  /** Make marks with an address clickable, and change the pointer over these marks. */
  #linkMarks(container) {
    const addressOf = (item) => (item?.datum ? this.linkOf(item.datum) : null);
    this.view.addEventListener("mousemove", (_event, item) => {
      container.classList.toggle("hit", addressOf(item) !== null);
    });
    this.view.addEventListener("click", (_event, item) => {
      const target = addressOf(item);
      if (target !== null) location.assign(target);
    });
  }

  /** Save the picture with the background of the theme instead of a transparent background. */
  async save(form) {
    const before = this.view.background();
    const name = filename(this.name, this.params, form);
    try {
      this.view.background(getComputedStyle(this.element.closest(".panel")).backgroundColor);
      const url = await this.view.toImageURL(form, form === "png" ? 2 : 1);
      download(url, name);
      if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 10000);
    } finally {
      this.view.background(before);
    }
  }
}

/** A figure in a collapsible element; it is drawn only while the element is open. */
export class CollapsibleFigure {
  constructor(fold, figure) {
    this.fold = fold;
    this.figure = figure;
    this.params = null;
    fold.addEventListener("toggle", () => this.#draw());
  }

  show(params) {
    this.params = params;
    return this.#draw();
  }

  #draw() {
    return this.fold.open && this.params ? this.figure.show(this.params) : Promise.resolve();
  }
}
