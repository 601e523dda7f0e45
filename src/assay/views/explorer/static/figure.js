// A figure of the server: asked for, drawn by Vega in the page's theme, saved as PNG, SVG or CSV.

import { ask, debounced, latest } from "./api.js";
import * as display from "./display.js";
import { el, put } from "./dom.js";
import { address } from "./state.js";
import { tooltip } from "./tooltip.js";

const NARROWEST = 320;
const WIDEST = 1200;
const STEP = 20; // widths are multiples of this, so that a figure is not drawn anew for every pixel

let loading = null;

/** Vega's script, fetched when the first figure needs it, so that tables do not wait for it. */
export function vega() {
  loading ??= new Promise((resolve, reject) => {
    const script = el("script", { src: document.body.dataset.vega });
    script.addEventListener("load", () => resolve(window.vegaEmbed));
    script.addEventListener("error", () => reject(new Error("The drawing library could not be loaded.")));
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

/** A name for a file: letters, digits and dashes of what the figure is of. */
function filename(stem, params, form) {
  const words = [stem, ...Object.values(params).flat().map(String)].join("-");
  return `${words.replace(/[^A-Za-z0-9.@=]+/g, "-").replace(/^-|-$/g, "").slice(0, 80)}.${form}`;
}

/** How wide a figure is drawn where there are so many pixels. */
function room(inner, most) {
  return Math.min(Math.max(Math.floor(inner / STEP) * STEP, NARROWEST), most);
}

/** Ask for a figure that will probably be wanted: then it is there at once. */
export async function foresee(name, params, inner, most) {
  await ask(`figures/${name}`, { ...params, width: room(inner, most), palette: display.palette() });
}

export class Figure {
  /**
   * @param {HTMLElement} host where it stands
   * @param {object} about `name` of the figure at the server; `label`, which tells what it shows; `most`, the pixels
   *   that it takes at most; `prepare(spec)` to change the specification; `drawn(view)`, called whenever it is drawn;
   *   `leads(datum)`, the address to which a click on a mark leads, or null
   */
  constructor(host, { name, label, most = WIDEST, prepare = null, drawn = null, leads = null }) {
    Object.assign(this, { name, label, most, prepare, drawn, leads });
    this.params = null;
    this.result = null;
    this.view = null;
    this.drawnKey = "";
    this.width = 0;
    this.box = el("div", { class: "figure-box", tabindex: "0", role: "region", "aria-label": label });
    this.status = el("p", { class: "status", role: "status" });
    this.csv = el("a", { class: "tool", download: "", title: "The numbers as CSV" }, "CSV");
    this.tools = el(
      "div",
      { class: "figure-tools", hidden: true },
      this.#button("png", "The picture as PNG"),
      this.#button("svg", "The picture as SVG"),
      this.csv,
    );
    this.element = el("figure", { class: "figure", "data-figure": name }, this.box, this.status, this.tools);
    this.element.style.maxWidth = `${most}px`;
    put(host, this.element);
    this.load = latest((signal) => this.#load(signal));
    this.observer = new ResizeObserver(debounced(() => this.#resized(), 150));
    this.observer.observe(this.element);
    this.unfollow = display.follow(() => this.refresh());
  }

  #button(form, title) {
    return el("button", { class: "tool", type: "button", title, onclick: () => this.save(form) }, form.toUpperCase());
  }

  /** Show the figure of these parameters. */
  show(params) {
    this.params = params;
    return this.refresh();
  }

  refresh() {
    return this.params === null ? Promise.resolve() : this.load();
  }

  /** Say something in place of the figure. */
  say(message, kind = "") {
    this.#finish();
    put(this.box);
    this.tools.hidden = true;
    this.#tell(message, kind);
  }

  /** Free what it holds. */
  remove() {
    this.observer.disconnect();
    this.unfollow();
    this.params = null;
    this.#finish();
    this.element.remove();
  }

  #tell(message, kind = "") {
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

  #resized() {
    const inner = this.element.clientWidth;
    if (inner && this.params && room(inner, this.most) !== this.width) this.refresh();
  }

  async #load(signal) {
    const started = performance.now();
    this.width = room(this.element.clientWidth, this.most);
    const wanted = { ...this.params, width: this.width, palette: display.palette() };
    const key = JSON.stringify([wanted, display.theme()]);
    if (this.view && key === this.drawnKey) {
      this.element.setAttribute("aria-busy", "false");
      return; // it is there already
    }
    if (!this.view) this.#tell("Drawing …", "loading");
    this.element.setAttribute("aria-busy", "true");
    try {
      const path = `figures/${this.name}`;
      const [embed, spec, themes] = await Promise.all([vega(), ask(path, wanted, signal), ask("themes")]);
      await this.#draw(signal, embed, spec, themes);
      this.drawnKey = key;
      this.csv.href = address(`/api/${path}.csv`, this.params);
      this.element.dataset.took = String(Math.round(performance.now() - started));
    } catch (problem) {
      if (signal.aborted) throw problem;
      this.say(problem.message, "error");
    }
  }

  async #draw(signal, embed, spec, themes) {
    const own = this.prepare ? this.prepare(structuredClone(spec)) : spec;
    const place = el("div", { class: "figure-place" });
    const hidden = el("div", { class: "offstage" }, place); // the figure before stays until this one is there
    this.element.append(hidden);
    try {
      const result = await embed(place, own, {
        actions: false,
        ast: true, // expressions are interpreted: the page's policy allows no code made of text
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
      this.element.view = result.view; // within reach of a console
    } finally {
      hidden.remove();
    }
    place.setAttribute("aria-label", this.label);
    put(this.box, place);
    this.tools.hidden = false;
    this.#tell("");
    if (this.leads) this.#follow(place);
    this.drawn?.(this.view);
  }

  /** Marks lead somewhere: the pointer shows it, a click goes there. */
  #follow(place) {
    const to = (item) => (item?.datum ? this.leads(item.datum) : null);
    this.view.addEventListener("mousemove", (_event, item) => place.classList.toggle("hit", to(item) !== null));
    this.view.addEventListener("click", (_event, item) => {
      const found = to(item);
      if (found !== null) location.assign(found);
    });
  }

  /** Save the picture with the background of the theme, not a transparent one. */
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

/** A figure in a fold: it is drawn when the fold is open, and not before. */
export class Folded {
  constructor(fold, figure) {
    this.fold = fold;
    this.figure = figure;
    this.wanted = null;
    fold.addEventListener("toggle", () => this.#draw());
  }

  show(params) {
    this.wanted = params;
    return this.#draw();
  }

  #draw() {
    return this.fold.open && this.wanted ? this.figure.show(this.wanted) : Promise.resolve();
  }
}
